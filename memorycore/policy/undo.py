"""The plan that takes a run back. Pure.

An undo gives back what was before, and no more: an operation that found its work done is not inverted, and a
text that the run had made of others leaves no copy in the trash. What a caller had stored does: nothing that
was told is ever without a place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from memorycore.model import Entry, Record
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
    arriving,
    dropped,
    kept_text,
)

_UNDO_OF: Final = "undo of "
_IDLE: Final = re.compile(r" \[already so: ([\d ]+)\]\Z")
_PRESENT: Final = "present"


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was done and the outcome that the journal has of it.

    Of a step that `followed` what somebody else had done to a hot file, that is what an undo takes back,
    though the file was found as the step wanted it.
    """

    action: Action
    outcome: str = "done"
    followed: bool = False

    @property
    def cold(self) -> tuple[ColdOp, ...]:
        """The operations that changed something."""
        idle = idle_ops(self.outcome)
        return tuple(op for place, op in enumerate(self.action.cold) if place not in idle)

    @property
    def hot(self) -> HotEdit | None:
        """The hot edit, if it changed something."""
        idle = plain_outcome(self.outcome) == _PRESENT and not self.followed
        return None if idle else self.action.hot


def outcome_with(detail: str, idle: Collection[int]) -> str:
    """Return an outcome that also tells which cold operations, by place, found their work done."""
    return f"{detail} [already so: {' '.join(map(str, sorted(idle)))}]" if idle else detail


def idle_ops(outcome: str) -> frozenset[int]:
    """Return the places of the cold operations that found their work done."""
    found = _IDLE.search(outcome)
    return frozenset(map(int, found[1].split())) if found else frozenset()


def plain_outcome(outcome: str) -> str:
    """Return the outcome as people read it."""
    return _IDLE.sub("", outcome)


def undo_reason(of: str) -> str:
    """Return the reason of the actions that take back a run or pass."""
    return _UNDO_OF + of


def undone_run(plan: Plan) -> str | None:
    """Return the run or pass that an undo took back, None if the plan is no undo."""
    if plan.kind != "undo" or not plan.actions:
        return None
    return plan.actions[0].reason.removeprefix(_UNDO_OF)


def undo_plan(done: Sequence[Action | Done], reason: str, *, derived: bool = False) -> Plan:
    """Return what takes these actions back, the last one first.

    A vector that was filled in stays: it is no one's text. What a restore of an entry leaves in the
    trash for a moment is dropped by an action of its own, after the entry stands in its file again.
    `derived` says that the run itself made the texts that it put in others' places, so that no copy of
    them is kept.
    """
    steps = [step if isinstance(step, Done) else Done(step) for step in reversed(done)]
    actions = [action for step in steps for action in _inverse(step, reason)]
    if derived:
        actions += [action for step in steps for action in _discards(step, reason)]
    return Plan(kind="undo", actions=tuple(actions))


def put_back(item: Entry | Record, reason: str) -> tuple[Action, ...]:
    """Return the actions that bring a trashed item back to where it was."""
    if isinstance(item, Record):
        return (Action(rung="restore", subject=item.id, reason=reason, cold=(PutRecord(item), Exhume(item))),)
    return (
        Action(rung="restore", subject=item.id, reason=reason, target=item.target, hot=AddEntry(item)),
        Action(rung="restore", subject=item.id, reason=reason, target=item.target, cold=(Exhume(item),)),
    )


def _inverse(step: Done, reason: str) -> list[Action]:
    action = step.action
    first: list[ColdOp] = []
    last: list[ColdOp] = []
    for op in reversed(step.cold):
        if isinstance(op, BuryUnstored) and action.rung == "undo":
            last.append(Exhume(op.record))  # an undo had put back what it took out of the trash
        else:
            (last if isinstance(op, BuryEntry) else first).extend(_inverse_op(op))
    edit = _inverse_edit(step.hot)
    first += _keeping(edit, first)
    last += [
        Exhume(op.record) for op in first if isinstance(op, BuryRecord) and op.record.text in _texts_of(edit)
    ]
    steps: list[tuple[tuple[ColdOp, ...], HotEdit | None]] = [(tuple(first), edit), (tuple(last), None)]
    return [
        Action(rung="undo", subject=action.subject, reason=reason, target=action.target, cold=cold, hot=hot)
        for cold, hot in steps
        if cold or hot is not None
    ]


def _inverse_op(op: ColdOp) -> tuple[ColdOp, ...]:
    match op:
        case PutRecord(record):
            return (BuryRecord(record),)
        case ReplaceRecord(before, after):
            return (ReplaceRecord(after, before),)
        case BuryRecord(record) | BuryUnstored(record):
            return (PutRecord(record), Exhume(record))
        case BuryEntry(entry):
            return (Exhume(entry),)
        case Exhume(item):
            return (BuryUnstored(item),) if isinstance(item, Record) else (BuryEntry(item),)
        case Discard() | FillVector() | ExpectRecord() | Expire():
            return ()
        case _:
            assert_never(op)


def _inverse_edit(edit: HotEdit | None) -> HotEdit | None:
    back: HotEdit | None = None
    match edit:
        case None:
            pass
        case AddEntry(entry, at):
            back = RemoveEntry(entry, at)
        case RemoveEntry(entry, at):
            back = AddEntry(entry, at)
        case ReplaceEntry(before, after):
            back = ReplaceEntry(after, before)
        case AnnotateEntry(before, after):
            back = AnnotateEntry(after, before)
        case JoinEntries(kept, gone, after, at):
            back = PartEntries(after, kept, gone, at)
        case PartEntries(joined, kept, gone, at):
            back = JoinEntries(kept, gone, joined, at)
        case _:
            assert_never(edit)
    return back


def _keeping(edit: HotEdit | None, before: Sequence[ColdOp]) -> list[BuryEntry]:
    """Return what keeps the texts that the edit drops, unless an operation before it does already."""
    kept = {kept_text(op) for op in before}
    return [BuryEntry(entry) for entry in dropped(edit) if entry.text not in kept]


def _discards(step: Done, reason: str) -> list[Action]:
    """Return what drops the copies of the texts that the step had put in others' places.

    A text that the step took out of the trash is none of them: it goes back there, and stays.
    """
    items: list[Entry | Record] = [op.record for op in step.cold if isinstance(op, PutRecord)]
    match step.hot:
        case ReplaceEntry(_, after) | JoinEntries(_, _, after):
            items.append(after)
    back = _inverse_edit(step.hot)
    stay = {op.item.text for op in step.cold if isinstance(op, Exhume)} | _texts_of(back)
    action = step.action
    return [
        Action(
            rung="undo", subject=action.subject, reason=reason, target=action.target, cold=(Discard(item),)
        )
        for item in items
        if item.text not in stay
    ]


def _texts_of(edit: HotEdit | None) -> set[str]:
    """Return the texts that stand in the hot file after the edit: the trash need not keep them as well."""
    return {entry.text for entry in arriving(edit)}
