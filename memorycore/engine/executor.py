"""Applies plans: journal, cold half, read back, mark, hot half. The only writer of text.

Applying twice equals applying once: every operation first looks whether its work is already done,
and whether what it is about is still what the plan saw. A step that finds its subject changed is
skipped, and a step that fails has its cold half taken back and leaves the hot file untouched.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, assert_never

from memorycore.engine.ports import ColdStore, HotStore, JournalRun, Ledger
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
    Exhume,
    ExpectRecord,
    Expire,
    FillVector,
    HotEdit,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.hot_text import derived_id
from memorycore.policy.undo import undo_plan

_log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
RunLock = Callable[[], AbstractContextManager[None]]
StepResult = Literal["done", "skipped", "failed"]


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

        `embeddings` holds vectors by record id; a record without one is stored pending. `part_of` names
        the pass that the run belongs to. A run that was
        cut off, here or in another process, is settled first: later, its way back could take along what
        was built on it.
        """
        with self._lock():
            for sentence in self.recover():
                _log.warning(sentence)
            now = self._clock()
            run = new_run_id(now)
            self._ledger.begin(run, plan, now, part_of=part_of)
            outcomes = tuple(
                self._step(run, seq, action, embeddings or {}) for seq, action in enumerate(plan.actions)
            )
            self._ledger.finish(run, "done", self._clock())
            return RunResult(run=run, outcomes=outcomes)

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
                self._finish_hot(run.id, step.seq, action)
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
        try:
            for op in action.cold:
                self._cold_op(op, run, action.reason, embeddings)
                done.append(op)
        except _Changed as change:
            self._take_back(done, run, action)
            return self._marked(run, seq, Outcome(action=action, state="skipped", detail=str(change)))
        except MemoryCoreError as error:
            self._take_back(done, run, action)
            return self._marked(
                run, seq, Outcome(action=action, state="failed", detail=str(error), error=error)
            )
        if action.hot is None:
            return self._marked(run, seq, Outcome(action=action, state="done", detail="done"))
        if action.cold:
            self._ledger.mark(run, seq, "cold_done", "")
        return self._finish_hot(run, seq, action)

    def _finish_hot(self, run: str, seq: int, action: Action) -> Outcome:
        try:
            detail = self._hot_edit(action.hot) if action.hot is not None else "done"
        except MemoryCoreError as error:
            outcome = Outcome(action=action, state="failed", detail=str(error), error=error)
        else:
            state: StepResult = "skipped" if detail == "changed" else "done"
            outcome = Outcome(action=action, state=state, detail=detail)
        if outcome.state != "done":
            self._take_back(action.cold, run, action)
        return self._marked(run, seq, outcome)

    def _marked(self, run: str, seq: int, outcome: Outcome) -> Outcome:
        self._ledger.mark(run, seq, outcome.state, outcome.detail)
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

    def _cold_op(self, op: ColdOp, run: str, reason: str, embeddings: Mapping[str, Embedding]) -> None:
        match op:
            case PutRecord(record):
                self._put(record, embeddings.get(record.id))
            case ReplaceRecord(before, after):
                self._replace(before, after, embeddings.get(after.id))
            case BuryRecord(record):
                self._bury_record(record, run, reason)
            case BuryUnstored(item) | BuryEntry(item):
                self._bury(item, run, reason)
            case Exhume(item):
                self._exhume(item)
            case FillVector(id, text_hash):
                self._fill(id, text_hash, embeddings)
            case ExpectRecord(record):
                self._expect(record)
            case Expire(id):
                self._expire(id)
            case _:
                assert_never(op)

    def _put(self, record: Record, embedding: Embedding | None) -> None:
        landed = self._cold.put(record, embedding)
        stored = self._cold.get(landed)
        if stored is None or stored.text != record.text:
            raise StoreUnavailable(
                f"The cold tier did not give {landed} back as it was written.",
                advice="Nothing was moved; run `memorycore doctor`.",
            )

    def _replace(self, before: Record, after: Record, embedding: Embedding | None) -> None:
        current = self._cold.get(before.id)
        if current is None or not (_same(current, before) or _same(current, after)):
            raise _Changed(f"{before.id} was changed meanwhile")
        if not _same(current, after):
            self._cold.replace(replace(after, recalled_at=current.recalled_at), embedding)

    def _bury_record(self, record: Record, run: str, reason: str) -> None:
        current = self._cold.get(record.id)
        if current is None:
            if self._ledger.buried(record.id) is None:
                raise _Changed(f"{record.id} is no longer there")
            return
        if not _same(current, record):
            raise _Changed(f"{record.id} was changed meanwhile")
        self._bury(current, run, reason)
        self._cold.delete(record.id)

    def _bury(self, item: Entry | Record, run: str, reason: str) -> None:
        """Put the item into the trash; another text that lies there under its id makes room, and stays."""
        older = self._ledger.buried(item.id)
        if older is not None and older.item.text != item.text:
            self._ledger.bury(replace(older, item=replace(older.item, id=derived_id(older.item.text))))
        now = self._clock()
        self._ledger.bury(
            TrashItem(item=item, reason=reason, run=run, trashed_at=now, expires_at=now + self._grace)
        )

    def _exhume(self, item: Entry | Record) -> None:
        """Drop the trash's copies of this text under its ids, but only once it stands elsewhere."""
        found = [self._ledger.buried(one) for one in (item.id, derived_id(item.text))]
        copies = [copy for copy in found if copy is not None and copy.item.text == item.text]
        if copies and not self._stands(item):
            raise _Changed(f"{item.id} is not back, so the trash keeps it")
        for copy in copies:
            self._ledger.exhume(copy.id)

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
            case _:
                assert_never(edit)


def _same(one: Record, other: Record) -> bool:
    """Whether two states of a record are equal but for when it was last recalled."""
    return replace(one, recalled_at=None) == replace(other, recalled_at=None)
