"""Applies plans: journal, cold half, read back, mark, hot half. The only writer of text.

Applying twice equals applying once: every operation first looks whether its work is already done,
and whether what it is about is still what the plan saw. A step that finds its subject changed is
skipped, and a step that fails has its cold half taken back and leaves the hot file untouched.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, assert_never

from memorycore.engine.ports import ColdStore, HotStore
from memorycore.engine.ports_ledger import JournalRun, Ledger
from memorycore.errors import InvalidInput, MemoryCoreError, StoreUnavailable
from memorycore.model import TARGETS, Embedding, Entry, Record, TrashItem, new_run_id
from memorycore.plan import (
    Action,
    AddEntry,
    AnnotateEntry,
    BuryEntry,
    BuryRecord,
    BuryUnstored,
    ColdOp,
    Discard,
    Exhume,
    ExpectRecord,
    Expire,
    FillVector,
    HotEdit,
    JoinEntries,
    PartEntries,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.hot_text import derived_id
from memorycore.policy.places import placed, takes_out
from memorycore.policy.revival import REVIVABLE
from memorycore.policy.traces import writes_purged
from memorycore.policy.undo import Done, idle_ops, outcome_with, undo_plan

_log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
RunLock = Callable[[], AbstractContextManager[None]]
StepResult = Literal["done", "skipped", "failed"]

_ASIDE = "~"
"""Between an id and a number: the id in the trash of an older text whose own id is taken there."""

_MOST_ASIDE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one action; `error` is there when it failed."""

    action: Action
    state: StepResult
    detail: str
    error: MemoryCoreError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run and what came of each of its actions, in order."""

    run: str
    outcomes: tuple[Outcome, ...]

    @property
    def done(self) -> tuple[Action, ...]:
        return tuple(outcome.action for outcome in self.outcomes if outcome.state == "done")

    @property
    def error(self) -> MemoryCoreError | None:
        return next((outcome.error for outcome in self.outcomes if outcome.error is not None), None)


class _Changed(Exception):
    """A signal, no error: what the plan saw is no more."""


class Executor:
    """Runs one plan at a time per home: `lock` is held across processes while a plan is applied."""

    def __init__(
        self,
        *,
        hot: HotStore,
        cold: ColdStore,
        ledger: Ledger,
        lock: RunLock,
        clock: Clock,
        trash_days: int,
    ) -> None:
        self._hot = hot
        self._cold = cold
        self._ledger = ledger
        self._lock = lock
        self._clock = clock
        self._grace = timedelta(days=trash_days)

    def apply(
        self,
        plan: Plan,
        embeddings: Mapping[str, Embedding] | None = None,
        *,
        part_of: str | None = None,
    ) -> RunResult:
        """Apply a plan and return what came of it; errors of single actions are in the outcomes.

        `embeddings` holds vectors by record id, of what goes into the trash without having been a record
        by text hash; a record without one is stored pending. `part_of` names
        the pass that the run belongs to. A run that was
        cut off, here or in another process, is settled first: later, its way back could take along what
        was built on it.
        """
        with self._lock():
            self.settle()
            texts = {
                target: [entry.text for entry in self._hot.read(target).entries] for target in takes_out(plan)
            }
            plan = placed(plan, texts)
            now = self._clock()
            run = new_run_id(now)
            self._ledger.begin(run, plan, now, part_of=part_of)
            outcomes = tuple(
                self._step(run, seq, action, embeddings or {}) for seq, action in enumerate(plan.actions)
            )
            self._ledger.finish(run, "done", self._clock())
            return RunResult(run=run, outcomes=outcomes)

    def settle(self) -> None:
        """Recover, and log what there was to finish: for callers that decide by what stands afterwards."""
        for sentence in self.recover():
            _log.warning(sentence)

    def recover(self) -> list[str]:
        """Finish the steps whose cold half is done, take back the one that was cut off before that.

        Returns a sentence per run. Safe beside a live process: the lock keeps its run out of reach.
        """
        with self._lock():
            return [self._recover_run(run) for run in self._ledger.open_runs()]

    def _recover_run(self, run: JournalRun) -> str:
        finished = 0
        for step in run.steps:
            action = run.plan.actions[step.seq]
            if step.state == "cold_done":
                self._finish_hot(run.id, step.seq, action, idle_ops(step.outcome), again=True)
                finished += 1
            elif step.state == "planned":
                # Steps go in order: this one may have begun, those behind it have not. Without a hot
                # half there is nothing to take back: its operations stand or fall one by one.
                if action.hot is not None:
                    self._take_back(action.cold, run.id, action)
                break
        self._ledger.finish(run.id, "abandoned", self._clock())
        return f"The {run.plan.kind} run {run.id} was cut off; {finished} of its steps were finished now."

    def _step(self, run: str, seq: int, action: Action, embeddings: Mapping[str, Embedding]) -> Outcome:
        done: list[ColdOp] = []
        idle: set[int] = set()
        if writes_purged(action):
            return self._marked(
                run, seq, Outcome(action=action, state="skipped", detail="its text was purged")
            )
        try:
            for place, op in enumerate(action.cold):
                if self._cold_op(op, run, action.reason, embeddings, revivable=action.rung in REVIVABLE):
                    done.append(op)
                else:
                    idle.add(place)
        except _Changed as change:
            self._take_back(done, run, action)
            return self._marked(run, seq, Outcome(action=action, state="skipped", detail=str(change)))
        except MemoryCoreError as error:
            self._take_back(done, run, action)
            return self._marked(
                run, seq, Outcome(action=action, state="failed", detail=str(error), error=error)
            )
        if action.hot is None:
            return self._marked(run, seq, Outcome(action=action, state="done", detail="done"), idle)
        if action.cold:
            self._ledger.mark(run, seq, "cold_done", outcome_with("", idle))
        return self._finish_hot(run, seq, action, idle)

    def _finish_hot(
        self, run: str, seq: int, action: Action, idle: Collection[int] = (), *, again: bool = False
    ) -> Outcome:
        """Make the hot edit; `again` if a run that was cut off may have made it already."""
        try:
            detail = self._hot_edit(action.hot) if action.hot is not None else "done"
            detail = "done" if again and detail == "present" else detail
        except MemoryCoreError as error:
            outcome = Outcome(action=action, state="failed", detail=str(error), error=error)
        else:
            state: StepResult = "skipped" if detail == "changed" else "done"
            outcome = Outcome(action=action, state=state, detail=detail)
        if outcome.state != "done":
            self._take_back(Done(action, outcome_with("", idle)).cold, run, action)
        return self._marked(run, seq, outcome, idle)

    def _marked(self, run: str, seq: int, outcome: Outcome, idle: Collection[int] = ()) -> Outcome:
        self._ledger.mark(run, seq, outcome.state, outcome_with(outcome.detail, idle))
        return outcome

    def _take_back(self, ops: Sequence[ColdOp], run: str, action: Action) -> None:
        """Undo the cold operations of a step whose other half did not happen.

        A record that was put and now is in the trash leaves it where its text still stands in a file.
        """
        if not ops:
            return
        for inverse in undo_plan([replace(action, cold=tuple(ops), hot=None)], action.reason).actions:
            for op in inverse.cold:
                with suppress(_Changed, InvalidInput):
                    self._cold_op(op, run, action.reason, {})
                    if isinstance(op, BuryRecord):
                        self._exhume(op.record)

    def _cold_op(
        self,
        op: ColdOp,
        run: str,
        reason: str,
        embeddings: Mapping[str, Embedding],
        *,
        revivable: bool = False,
    ) -> bool:
        """Run an operation; False if its work was done already, so that nobody has to take it back."""
        changed = True
        match op:
            case PutRecord(record):
                changed = self._put(record, embeddings.get(record.id))
            case ReplaceRecord(before, after):
                changed = self._replace(before, after, embeddings.get(after.id))
            case BuryRecord(record):
                changed = self._bury_record(record, run, reason, revivable=revivable)
            case BuryUnstored(item) | BuryEntry(item):
                changed = self._bury(item, run, reason, embeddings.get(item.hash) if revivable else None)
            case Exhume(item) | Discard(item):
                changed = self._exhume(item, wanted=isinstance(op, Exhume))
            case FillVector(id, text_hash):
                self._fill(id, text_hash, embeddings)
            case ExpectRecord(record):
                self._expect(record)
            case Expire(id):
                self._expire(id)
            case _:
                assert_never(op)
        return changed

    def _put(self, record: Record, embedding: Embedding | None) -> bool:
        known = self._cold.get(record.id)
        if known is not None and known.text == record.text:
            return False
        landed = self._cold.put(record, embedding)
        stored = self._cold.get(landed)
        if stored is None or stored.text != record.text:
            raise StoreUnavailable(
                f"The cold tier did not give {landed} back as it was written.",
                advice="Nothing was moved; run `memorycore doctor`.",
            )
        return landed == record.id

    def _replace(self, before: Record, after: Record, embedding: Embedding | None) -> bool:
        current = self._cold.get(before.id)
        if current is None or not (_same(current, before) or _same(current, after)):
            raise _Changed(f"{before.id} was changed meanwhile")
        if _same(current, after):
            return False
        uses = [at for at in (current.recalled_at, after.recalled_at) if at is not None]
        used = replace(after, recalled_at=max(uses, default=None), recalls=current.recalls)
        self._cold.replace(used, embedding)
        return True

    def _bury_record(self, record: Record, run: str, reason: str, *, revivable: bool) -> bool:
        current = self._cold.get(record.id)
        if current is None:
            if self._ledger.buried(record.id) is None:
                raise _Changed(f"{record.id} is no longer there")
            return False
        if not _same(current, record):
            raise _Changed(f"{record.id} was changed meanwhile")
        self._bury(current, run, reason, self._cold.embedding(record.id, None) if revivable else None)
        self._cold.delete(record.id)
        return True

    def _bury(self, item: Entry | Record, run: str, reason: str, embedding: Embedding | None = None) -> bool:
        """Put the item into the trash; another text that lies there under its id is set aside, and stays.

        With its embedding, a recall may find and revive it.
        """
        older = self._ledger.buried(item.id)
        if older is not None and older.item.text != item.text:
            last = [one.id.rpartition(_ASIDE)[2] for one in self._set_aside(item.id)][-1:]
            aside = f"{item.id}{_ASIDE}{int(*last) + 1:04}"
            self._ledger.bury(replace(older, item=replace(older.item, id=aside)))
        now = self._clock()
        self._ledger.bury(
            TrashItem(item=item, reason=reason, run=run, trashed_at=now, expires_at=now + self._grace),
            embedding,
        )
        return older is None or older.item.text != item.text

    def _exhume(self, item: Entry | Record, *, wanted: bool = True) -> bool:
        """Drop the trash's copy of this text; one that is `wanted` only once the text stands elsewhere.

        What was set aside for it takes its id again.
        """
        copy = self._copy(item)
        if copy is None:
            return False
        if wanted and not self._stands(item):
            raise _Changed(f"{item.id} is not back, so the trash keeps it")
        self._ledger.exhume(copy.id)
        older = self._set_aside(item.id)
        if older and copy.id == item.id:
            self._ledger.bury(replace(older[-1], item=replace(older[-1].item, id=item.id)))
            self._ledger.exhume(older[-1].id)
        return True

    def _copy(self, item: Entry | Record) -> TrashItem | None:
        """Return the trash's copy of this text under its id, the latest if there are several."""
        found = [self._ledger.buried(one) for one in (derived_id(item.text), item.id)]
        lie = [*self._set_aside(item.id), *(copy for copy in found if copy is not None)]
        return next((copy for copy in reversed(lie) if copy.item.text == item.text), None)

    def _set_aside(self, id: str) -> list[TrashItem]:
        """Return the texts that made room for others of their id, the one set aside first first."""
        start = f"{id}{_ASIDE}"
        found = self._ledger.trash(limit=_MOST_ASIDE, after=start)
        return [one for one in found if one.id.startswith(start) and one.id[len(start) :].isdecimal()]

    def _stands(self, item: Entry | Record) -> bool:
        record = self._cold.get(item.id)
        if record is not None and record.text == item.text:
            return True
        if isinstance(item, Record) and self._cold.find_text(item.owner, item.scope, item.hash) is not None:
            return True
        return any(entry.hash == item.hash for target in TARGETS for entry in self._hot.read(target).entries)

    def _fill(self, id: str, text_hash: str, embeddings: Mapping[str, Embedding]) -> None:
        embedding = embeddings.get(id)
        if embedding is None or not self._cold.set_embedding(id, text_hash, embedding):
            raise _Changed(f"{id} was changed or removed meanwhile")

    def _expect(self, record: Record) -> None:
        current = self._cold.get(record.id)
        if current is None or not _same(current, record):
            raise _Changed(f"{record.id} was changed meanwhile")

    def _expire(self, id: str) -> None:
        """Let a trash item go; where its text still stands, only the trash's copy of it."""
        buried = self._ledger.buried(id)
        if buried is None or buried.expires_at > self._clock():
            raise _Changed(f"{id} is not in the trash, or its time is not up")
        if self._stands(buried.item):
            self._ledger.exhume(id)
        else:
            self._ledger.expire(id)

    def _hot_edit(self, edit: HotEdit) -> str:
        match edit:
            case AddEntry(entry, at):
                return self._hot.add(entry, at)
            case RemoveEntry(entry):
                return self._hot.remove(entry)
            case ReplaceEntry(before, after):
                return self._hot.replace(before, after)
            case AnnotateEntry(_, after):
                return self._hot.annotate(after)
            case JoinEntries(kept, gone, after):
                return self._hot.join(kept, gone, after)
            case PartEntries(joined, kept, gone, at):
                return self._hot.part(joined, kept, gone, at)
            case _:
                assert_never(edit)


def _same(one: Record, other: Record) -> bool:
    """Whether two states of a record are equal but for when and how often it was recalled."""
    return replace(one, recalled_at=None, recalls=0) == replace(other, recalled_at=None, recalls=0)
