"""Moves that a caller asks for by id: forget, restore, undo."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from memorycore.answers import MoveAnswer, to_wire
from memorycore.engine.executor import RunResult
from memorycore.engine.journal import Journal, done_steps
from memorycore.engine.parts import Parts
from memorycore.engine.ports_ledger import JournalRun
from memorycore.errors import HotFileFull
from memorycore.model import TARGETS, Entry, Record
from memorycore.plan import (
    Action,
    BuryEntry,
    BuryRecord,
    Exhume,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceRecord,
)
from memorycore.policy.returns import as_used
from memorycore.policy.undo import put_back, undo_plan, undo_reason
from memorycore.policy.write import record_of

_log = logging.getLogger(__name__)


class Mover:
    """Forgets into the trash and brings back from it, whole and under the same id."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._journal = Journal(parts.ledger)

    def forget(self, id: str) -> MoveAnswer:
        """Move an entry or record into the trash; one that is there already is left there."""
        with self._parts.lock():
            self._parts.executor.settle()
            actions = self._forget_actions(id)
            if not actions:
                return self._not_live(id)
            run = self._parts.executor.apply(Plan(kind="forget", actions=actions))
            if run.error is not None:
                raise run.error
            days = self._parts.thresholds.trash_days
            detail = f"It is in the trash for {days} days.{self._older_ones(id)}"
            answer = MoveAnswer(status="forgotten", id=id, undo=run.run, detail=detail)
            return self._receipted(answer, "forget")

    def restore(self, id: str) -> MoveAnswer:
        """Bring an item back from the trash, or from history; what no longer fits comes back cold."""
        with self._parts.lock():
            self._parts.executor.settle()
            buried = self._parts.ledger.buried(id)
            history = self._parts.cold.get(id)
            if history is not None and not history.active:
                return self._restore_history(history)
            if buried is None:
                live = bool(self._forget_actions(id))
                detail = "It was never gone." if live else "Nothing in the trash bears this id."
                return MoveAnswer(status="restored" if live else "not_found", id=id, undo=None, detail=detail)
            plan = Plan(kind="restore", actions=put_back(buried.item, "asked for by id"))
            plan = as_used(plan, self._parts.clock())
            run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))
            detail = self._elsewhere(buried.item)
            if isinstance(run.error, HotFileFull) and isinstance(buried.item, Entry):
                plan = as_used(_restore_cold(buried.item, self._parts), self._parts.clock())
                run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))
                detail = "The hot file has no room for it; it is in the cold tier."
            if run.error is not None:
                raise run.error
            return self._receipted(
                MoveAnswer(status="restored", id=id, undo=run.run, detail=detail), "restore"
            )

    def _restore_history(self, record: Record) -> MoveAnswer:
        """Make a superseded record active again; what had replaced it stays as it is."""
        twin = self._twin(record)
        if twin is not None:
            detail = f"The same text is active already, as {twin}."
            return MoveAnswer(status="restored", id=record.id, undo=None, detail=detail)
        active = replace(record, superseded_by=None, superseded_at=None)
        action = Action(
            rung="restore",
            subject=record.id,
            reason="asked for by id, out of history",
            cold=(ReplaceRecord(record, active),),
        )
        plan = as_used(Plan(kind="restore", actions=(action,)), self._parts.clock())
        run = self._parts.executor.apply(plan)
        if run.error is not None:
            raise run.error
        detail = f"It was history and is active again; {record.superseded_by}, which replaced it, was left."
        return self._receipted(
            MoveAnswer(status="restored", id=record.id, undo=run.run, detail=detail), "restore"
        )

    def _twin(self, record: Record) -> str | None:
        """Return the id of what is active with the record's text."""
        hot = next((entry.id for entry in self._parts.entries() if entry.hash == record.hash), None)
        other = self._parts.cold.find_text(record.owner, record.scope, record.hash)
        return hot or (None if other is None else other.id)

    def _older_ones(self, id: str) -> str:
        """Say what the forgotten fact had replaced: it stays history, nothing comes back unasked."""
        older = [record.id for record in self._parts.cold.replaced_by(id)]
        if not older:
            return ""
        return (
            f" It had replaced {', '.join(older)}, which stays history;"
            f" `memorycore restore {older[-1]}` makes that active again."
        )

    def undo(self, id: str) -> MoveAnswer:
        """Take back a run, or all runs of a pass, the last step first, as one run.

        Steps whose subject has changed since are left as they are and named. What was undone already is
        left alone; the answer names the run that did it. Raises what a store raises if nothing was done.
        """
        with self._parts.lock():
            self._parts.executor.settle()
            runs = self._journal.named(id)
            if not runs:
                return MoveAnswer(status="not_found", id=id, undo=None, detail="No run bears this id.")
            undone = self._journal.undone(runs)
            standing = [run for run in reversed(runs) if run.id not in undone]
            if not standing:
                by = undone[runs[-1].id]
                detail = f"It was undone already, by {by}; undo that to have it again."
                return MoveAnswer(status="undone", id=id, undo=by, detail=detail)
            plan = self._undo_plan(id, standing)
            if not plan.actions:
                return MoveAnswer(status="undone", id=id, undo=None, detail=_nothing_to_undo(standing))
            return self._undone(id, plan)

    def _undo_plan(self, id: str, runs: Sequence[JournalRun]) -> Plan:
        """Return what takes the runs, newest first, back: one plan for them all."""
        plans = [
            undo_plan(done_steps(run), undo_reason(id), derived=self._journal.made_its_texts(run))
            for run in runs
        ]
        whole = Plan(kind="undo", actions=tuple(action for plan in plans for action in plan.actions))
        return as_used(whole, self._parts.clock())

    def _undone(self, id: str, plan: Plan) -> MoveAnswer:
        embeddings = self._parts.plan_embeddings(plan)
        run = self._parts.executor.apply(plan, embeddings)
        if run.error is not None and not run.done:
            raise run.error
        put = {op.record.id for action in run.done for op in action.cold if isinstance(op, PutRecord)}
        details = [_left_alone(run), _without_vector(len(put - embeddings.keys()))]
        detail = " ".join(sentence for sentence in details if sentence)
        return self._receipted(MoveAnswer(status="undone", id=id, undo=run.run, detail=detail), "undo")

    def _forget_actions(self, id: str) -> tuple[Action, ...]:
        reason = "asked for by id"
        actions = [
            Action(
                rung="forget",
                subject=id,
                reason=reason,
                target=target,
                cold=(BuryEntry(entry),),
                hot=RemoveEntry(entry),
            )
            for target in TARGETS
            for entry in self._parts.hot.read(target).entries
            if entry.id == id
        ]
        record = self._parts.cold.get(id)
        if record is not None:
            actions.append(Action(rung="forget", subject=id, reason=reason, cold=(BuryRecord(record),)))
        return tuple(actions)

    def _not_live(self, id: str) -> MoveAnswer:
        if self._parts.ledger.buried(id) is not None:
            return MoveAnswer(status="forgotten", id=id, undo=None, detail="It is in the trash already.")
        return MoveAnswer(
            status="not_found", id=id, undo=None, detail="No entry and no record bears this id."
        )

    def _elsewhere(self, item: Entry | Record) -> str:
        """Say where the text is if it did not come back under its own id."""
        if isinstance(item, Entry) or self._parts.cold.get(item.id) is not None:
            return ""
        other = self._parts.cold.find_text(item.owner, item.scope, item.hash)
        return "" if other is None else f"The same text had been stored again, as {other.id}."

    def _receipted(self, answer: MoveAnswer, tool: str) -> MoveAnswer:
        self._parts.ledger.add_receipt(answer.undo, tool, to_wire(answer), self._parts.clock())
        return answer


def _left_alone(run: RunResult) -> str:
    """Name what was not taken back, and why."""
    left: dict[str, str] = {}
    for outcome in run.outcomes:
        if outcome.state != "done":
            left.setdefault(outcome.action.subject, outcome.detail)
    said = "; ".join(f"{subject} ({why})" for subject, why in left.items())
    return f"Left as they are: {said}." if said else ""


def _without_vector(count: int) -> str:
    return f"{count} of the records wait for a vector and are found by their words." if count else ""


def _nothing_to_undo(runs: Sequence[JournalRun]) -> str:
    if any(step.state == "done" for run in runs for step in run.steps):
        return "Nothing of it can be taken back: vectors stay, and what expired is gone for good."
    return "Nothing of it was done, so there is nothing to take back."


def _restore_cold(entry: Entry, parts: Parts) -> Plan:
    record = replace(record_of(entry, parts.clock(), owner=parts.owner), origin=f"hot:{entry.target}")
    action = Action(
        rung="restore",
        subject=entry.id,
        reason="asked for by id; its hot file is full",
        cold=(PutRecord(record), Exhume(entry)),
    )
    return Plan(kind="restore", actions=(action,))
