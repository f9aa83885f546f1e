"""An in-memory ledger for tests of what uses one; it passes the contract suite of the real one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memorycore.adapters.cold_schema import checked_embedding
from memorycore.adapters.ledger_answers import MAX_CACHED_ANSWERS
from memorycore.adapters.ledger_sqlite import ACTIVITY_KEPT, ACTIVITY_MAX_BYTES, MAX_CACHED_VECTORS
from memorycore.adapters.plan_codec import dump, load_plan
from memorycore.adapters.purging import (
    checked_text,
    holds,
    strings_holding,
    without_item,
    without_text,
    without_words,
)
from memorycore.engine.ports_ledger import Buried, JournalRun, JournalStep, Mention, RunState, StepState
from memorycore.errors import InvalidInput, UnknownId
from memorycore.model import Embedding, Entry, Record, TrashItem, Vector, text_hash
from memorycore.plan import Plan, RunKind
from memorycore.policy.undo import undone_run
from memorycore.testing_cold import InMemory, one_transaction


class InMemoryLedger(InMemory):
    """A `Ledger` that lives in this process only."""

    def __init__(self, *, activity_enabled: bool = True) -> None:
        super().__init__()
        self._activity_enabled = activity_enabled
        self._runs: dict[str, JournalRun] = {}
        self._receipts: list[Mapping[str, Any]] = []
        self._buried: dict[str, TrashItem] = {}
        self._buried_vectors: dict[str, Embedding] = {}
        self._activity: list[tuple[datetime, str, tuple[str, ...]]] = []
        self._vectors: dict[tuple[str, str], Vector] = {}
        self._answers: dict[tuple[str, str, str], tuple[Mapping[str, Any], tuple[str, ...]]] = {}

    @one_transaction
    def begin(self, run: str, plan: Plan, at: datetime, *, part_of: str | None = None) -> None:
        """Journal a plan, all steps `planned`."""
        if run in self._runs:
            raise InvalidInput(f"The run {run} was begun before.", advice="Give each run a fresh id.")
        steps = tuple(JournalStep(seq=seq, state="planned", outcome="") for seq in range(len(plan.actions)))
        self._runs[run] = JournalRun(
            id=run,
            part_of=part_of,
            state="open",
            started_at=at,
            finished_at=None,
            plan=plan,
            steps=steps,
        )

    @one_transaction
    def mark(self, run: str, seq: int, state: StepState, outcome: str) -> None:
        """Record how far a step got."""
        journal = self._known(run)
        if not 0 <= seq < len(journal.steps):
            raise UnknownId(f"The run {run} has no step {seq}.", advice="Look at its steps.")
        steps = list(journal.steps)
        steps[seq] = JournalStep(seq=seq, state=state, outcome=outcome)
        self._runs[run] = replace(journal, steps=tuple(steps))

    @one_transaction
    def finish(self, run: str, state: RunState, at: datetime) -> None:
        """Close a run."""
        self._runs[run] = replace(self._known(run), state=state, finished_at=at)

    @one_transaction
    def open_runs(self) -> list[JournalRun]:
        """Return the runs that were begun and not finished, oldest first."""
        return [run for run in self._runs.values() if run.state == "open"]

    @one_transaction
    def run(self, id: str) -> JournalRun | None:
        """Return one run."""
        return self._runs.get(id)

    @one_transaction
    def parts(self, of: str) -> list[JournalRun]:
        """Return the runs of a pass, oldest first."""
        return [run for run in self._runs.values() if run.part_of == of]

    @one_transaction
    def runs(self, *, limit: int, before: str | None = None) -> list[JournalRun]:
        """Return the newest runs first, older than the run `before`."""
        ids = list(self._runs)
        if before is not None:
            ids = ids[: ids.index(self._known(before).id)]
        return [self._runs[key] for key in reversed(ids)][:limit]

    @one_transaction
    def runs_of(self, kinds: Sequence[RunKind]) -> list[JournalRun]:
        """Return all runs of these kinds, oldest first."""
        return [run for run in self._runs.values() if run.plan.kind in kinds]

    @one_transaction
    def undos(self, of: Sequence[str]) -> list[JournalRun]:
        """Return the undo runs that took back one of these runs or passes, oldest first."""
        return [run for run in self._runs.values() if undone_run(run.plan) in of]

    @one_transaction
    def mentions(self, id: str) -> list[Mention]:
        """Return the actions that speak of this id, oldest first."""
        return [
            Mention(run=run.id, at=run.started_at, action=action, state=step.state)
            for run in self._runs.values()
            for step, action in zip(run.steps, run.plan.actions, strict=True)
            if json.dumps(id, ensure_ascii=False) in dump(action)
        ]

    @one_transaction
    def add_receipt(self, run: str | None, tool: str, answer: Mapping[str, Any], at: datetime) -> None:
        """Keep what a call answered."""
        kept = json.loads(json.dumps(answer))
        self._receipts.insert(0, {"run": run, "tool": tool, "at": at, "answer": kept})

    @one_transaction
    def receipts(self, *, limit: int) -> list[Mapping[str, Any]]:
        """Return the newest receipts first: {run, tool, at, answer}."""
        return self._receipts[:limit]

    @one_transaction
    def bury(self, item: TrashItem, embedding: Embedding | None = None) -> None:
        """Put an item into the trash; one of the same id is overwritten."""
        self._buried_vectors.pop(item.id, None)
        if embedding is not None:
            self._buried_vectors[item.id] = checked_embedding(embedding)
        self._buried[item.id] = item

    @one_transaction
    def exhume(self, id: str) -> bool:
        """Drop an item from the trash; False if it was not there."""
        return self._buried.pop(id, None) is not None

    @one_transaction
    def expire(self, id: str) -> bool:
        """Drop an item from the trash with its copies in runs and receipts; False if it was not there."""
        item = self._buried.pop(id, None)
        if item is None:
            return False
        text = item.item.text.strip()
        self._vectors = {key: vector for key, vector in self._vectors.items() if key[1] != item.item.hash}
        for key, run in self._runs.items():
            kept = json.dumps(without_item(json.loads(dump(run.plan)), id, text))
            self._runs[key] = replace(run, plan=load_plan(kept))
        self._receipts = [{**r, "answer": without_item(r["answer"], id, text)} for r in self._receipts]
        return True

    @one_transaction
    def expired(self, now: datetime, *, limit: int) -> list[TrashItem]:
        """Return at most `limit` trash items whose time is up, the longest overdue first."""
        due = [item for item in self._buried.values() if item.expires_at <= now]
        return sorted(due, key=lambda item: (item.expires_at, item.id))[:limit]

    @one_transaction
    def buried(self, id: str) -> TrashItem | None:
        """Return a trash item."""
        return self._buried.get(id)

    @one_transaction
    def buried_text(self, text_hash: str) -> TrashItem | None:
        """Return the trash item with exactly this text, the newest if several."""
        same = [item for item in self._buried.values() if item.item.hash == text_hash]
        return max(same, key=lambda item: item.trashed_at, default=None)

    @one_transaction
    def trash(self, *, limit: int, after: str | None = None) -> list[TrashItem]:
        """Return a page of the trash, ordered by id, behind the id `after`."""
        return [self._buried[key] for key in sorted(self._buried) if key > (after or "")][:limit]

    @one_transaction
    def buried_near(self, model: str, vector: Vector, *, limit: int, now: datetime) -> list[Buried]:
        """Return the unexpired items with a vector of this model that are nearest, nearest first."""
        near = [
            Buried(item=item, embedding=known, cosine=float(known.find @ vector))
            for key, item in sorted(self._buried.items())
            if (known := self._buried_vectors.get(key)) is not None
            and (known.model, known.find.size) == (model, vector.size)
            and item.expires_at > now
        ]
        return sorted(near, key=lambda one: -one.cosine)[:limit]

    @one_transaction
    def trash_count(self) -> int:
        """Count the trash."""
        return len(self._buried)

    @one_transaction
    def log_activity(self, query: str, hits: Sequence[str], at: datetime) -> None:
        """Note a recall and the ids that answered it; the log is kept within its bounds."""
        if self._activity_enabled:
            kept = [note for note in self._activity if note[0] >= at - ACTIVITY_KEPT]
            self._activity = _newest_within([*kept, (at, query, tuple(hits))], ACTIVITY_MAX_BYTES)

    def activity(self, *, since: datetime) -> Iterator[tuple[datetime, str, tuple[str, ...]]]:
        """Yield (time, query, ids of the hits) since a time, oldest first."""
        yield from sorted((note for note in self._activity if note[0] >= since), key=lambda note: note[0])

    @one_transaction
    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        """Return the cached vectors of these text hashes; what is not there is absent."""
        return {key: self._vectors[model, key] for key in hashes if (model, key) in self._vectors}

    @one_transaction
    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Cache vectors by text hash; beyond the bound the ones cached longest ago are dropped."""
        for digest, vector in vectors.items():
            self._vectors.pop((model, digest), None)
            self._vectors[model, digest] = vector
        for key in list(self._vectors)[:-MAX_CACHED_VECTORS]:
            del self._vectors[key]

    @one_transaction
    def cached_answer(self, judge: str, question: str, key: str) -> Mapping[str, Any] | None:
        """Return what this judge answered to a question of this kind about the texts of this key."""
        return self._answers.get((judge, question, key), (None,))[0]

    @one_transaction
    def cache_answer(
        self, judge: str, question: str, key: str, answer: Mapping[str, Any], *, about: Sequence[str]
    ) -> None:
        """Cache an answer; beyond the bound the ones cached longest ago are dropped."""
        self._answers.pop((judge, question, key), None)
        self._answers[judge, question, key] = (json.loads(json.dumps(answer)), tuple(about))
        for known in list(self._answers)[:-MAX_CACHED_ANSWERS]:
            del self._answers[known]

    @one_transaction
    def vectors_of(self, text_hash: str) -> list[Vector]:
        """Return all vectors, of whatever model, that are kept for the text of this hash."""
        cached = [vector for (_, key), vector in self._vectors.items() if key == text_hash]
        buried = [
            embedding
            for key, embedding in self._buried_vectors.items()
            if key in self._buried and self._buried[key].item.hash == text_hash
        ]
        return [*cached, *(vector for one in buried for vector in (one.find, one.own))]

    @one_transaction
    def scrub(self) -> bool:
        """Do nothing: what was deleted is in no file."""
        return True

    @one_transaction
    def purge(self, text: str) -> None:
        """Remove every trace of an item's text; runs and receipts stay, with "[purged]" in its place."""
        text = checked_text(text)
        digest = text_hash(text)
        self._buried = {
            key: replace(item, item=_without_context(item.item, text))
            for key, item in self._buried.items()
            if item.item.hash != digest
        }
        self._activity = [note for note in self._activity if not holds(note[1], text)]
        self._vectors = {key: vector for key, vector in self._vectors.items() if key[1] != digest}
        self._answers = {
            key: (answer, about)
            for key, (answer, about) in self._answers.items()
            if digest not in about and without_text(answer, text) == answer
        }
        for key, run in self._runs.items():
            plain = json.loads(dump(run.plan))
            if any(strings_holding(plain, text)):
                actions = [
                    without_words(one, text) if any(strings_holding(one, text)) else one
                    for one in plain["actions"]
                ]
                kept = json.dumps(without_text(plain | {"actions": actions}, text))
                self._runs[key] = replace(run, plan=load_plan(kept))
                self._receipts = [
                    {**r, "answer": without_words(r["answer"], text)} if r["run"] == key else r
                    for r in self._receipts
                ]
        self._receipts = [{**r, "answer": without_text(r["answer"], text)} for r in self._receipts]

    def _known(self, run: str) -> JournalRun:
        if run not in self._runs:
            raise UnknownId(f"The ledger has no run {run}.", advice="List the runs.")
        return self._runs[run]


def _without_context(item: Entry | Record, text: str) -> Entry | Record:
    if isinstance(item, Record) and item.context is not None and holds(item.context, text):
        return replace(item, context=None)
    return item


def _newest_within(
    notes: list[tuple[datetime, str, tuple[str, ...]]], room: int
) -> list[tuple[datetime, str, tuple[str, ...]]]:
    kept: list[tuple[datetime, str, tuple[str, ...]]] = []
    for note in reversed(notes):
        room -= len(note[1].encode()) + len(json.dumps(list(note[2]), ensure_ascii=False).encode())
        if room < 0:
            break
        kept.insert(0, note)
    return kept
