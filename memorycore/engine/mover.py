"""Moves that a caller asks for by id: forget, restore, undo."""

from __future__ import annotations

from dataclasses import replace

from memorycore.answers import MoveAnswer, to_wire
from memorycore.engine.parts import Parts
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
from memorycore.policy.undo import put_back, undo_plan
from memorycore.policy.write import record_of


class Mover:
    """Forgets into the trash and brings back from it, whole and under the same id."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def forget(self, id: str) -> MoveAnswer:
        """Move an entry or record into the trash; one that is there already is left there."""
        with self._parts.lock():
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
            buried = self._parts.ledger.buried(id)
            history = self._parts.cold.get(id)
            if history is not None and not history.active:
                return self._restore_history(history)
            if buried is None:
                live = bool(self._forget_actions(id))
                detail = "It was never gone." if live else "Nothing in the trash bears this id."
                return MoveAnswer(status="restored" if live else "not_found", id=id, undo=None, detail=detail)
            plan = Plan(kind="restore", actions=put_back(buried.item, "asked for by id"))
            run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))
            detail = self._elsewhere(buried.item)
            if isinstance(run.error, HotFileFull) and isinstance(buried.item, Entry):
                plan = _restore_cold(buried.item, self._parts)
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
        run = self._parts.executor.apply(Plan(kind="restore", actions=(action,)))
        if run.error is not None:
            raise run.error
        detail = f"It was history and is active again; {record.superseded_by}, which replaced it, was left."
        return self._receipted(
            MoveAnswer(status="restored", id=record.id, undo=run.run, detail=detail), "restore"
        )

    def _twin(self, record: Record) -> str | None:
        """Return the id of what is active with the record's text."""
        entries = (entry for target in TARGETS for entry in self._parts.hot.read(target).entries)
        hot = next((entry.id for entry in entries if entry.hash == record.hash), None)
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

    def undo(self, run_id: str) -> MoveAnswer:
        """Take a run back, last step first; steps whose subject has changed since are left and named."""
        with self._parts.lock():
            journal = self._parts.ledger.run(run_id)
            done = (
                []
                if journal is None
                else [journal.plan.actions[step.seq] for step in journal.steps if step.state == "done"]
            )
            plan = undo_plan(done, f"undo of {run_id}")
            if not plan.actions:
                return MoveAnswer(
                    status="not_found", id=run_id, undo=None, detail="No run of this id has anything to undo."
                )
            run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))
            if run.error is not None:
                raise run.error
            left = [outcome.detail for outcome in run.outcomes if outcome.state == "skipped"]
            detail = f"Left as they are: {'; '.join(left)}." if left else ""
            return self._receipted(
                MoveAnswer(status="undone", id=run_id, undo=run.run, detail=detail), "undo"
            )

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


def _restore_cold(entry: Entry, parts: Parts) -> Plan:
    record = replace(record_of(entry, parts.clock(), owner=parts.owner), origin=f"hot:{entry.target}")
    action = Action(
        rung="restore",
        subject=entry.id,
        reason="asked for by id; its hot file is full",
        cold=(PutRecord(record), Exhume(entry)),
    )
    return Plan(kind="restore", actions=(action,))
