"""The plan that takes a run back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from memorycore.model import Entry, Record
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


def undo_plan(done: Sequence[Action], reason: str) -> Plan:
    """Return what takes these actions back, the last one first.

    A vector that was filled in stays: it is no one's text. What a restore of an entry leaves in the
    trash for a moment is dropped by an action of its own, after the entry stands in its file again.
    """
    return Plan(
        kind="undo", actions=tuple(step for action in reversed(done) for step in _inverse(action, reason))
    )


def put_back(item: Entry | Record, reason: str) -> tuple[Action, ...]:
    """Return the actions that bring a trashed item back to where it was."""
    if isinstance(item, Record):
        return (Action(rung="restore", subject=item.id, reason=reason, cold=(PutRecord(item), Exhume(item))),)
    return (
        Action(rung="restore", subject=item.id, reason=reason, target=item.target, hot=AddEntry(item)),
        Action(rung="restore", subject=item.id, reason=reason, target=item.target, cold=(Exhume(item),)),
    )


def _inverse(action: Action, reason: str) -> list[Action]:
    first: list[ColdOp] = []
    last: list[ColdOp] = []
    for op in reversed(action.cold):
        (last if isinstance(op, BuryEntry) else first).extend(_inverse_op(op))
    keep, edit = _inverse_edit(action.hot)
    last += [
        Exhume(op.record) for op in first if isinstance(op, BuryRecord) and op.record.text == _text_of(edit)
    ]
    steps: list[tuple[tuple[ColdOp, ...], HotEdit | None]] = [((*first, *keep), edit), (tuple(last), None)]
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
            return (BuryRecord(item),) if isinstance(item, Record) else (BuryEntry(item),)
        case FillVector() | ExpectRecord() | Expire():
            return ()
        case _:
            assert_never(op)


def _inverse_edit(edit: HotEdit | None) -> tuple[tuple[ColdOp, ...], HotEdit | None]:
    """Return the inverse edit and, before it, what keeps the text that it drops."""
    match edit:
        case None:
            return (), None
        case AddEntry(entry, at):
            return (BuryEntry(entry),), RemoveEntry(entry, at)
        case RemoveEntry(entry, at):
            return (), AddEntry(entry, at)
        case ReplaceEntry(before, after):
            return (() if before.text == after.text else (BuryEntry(after),)), ReplaceEntry(after, before)
        case AnnotateEntry(before, after):
            return (), AnnotateEntry(after, before)
        case _:
            assert_never(edit)


def _text_of(edit: HotEdit | None) -> str | None:
    """Return the text that stands in the hot file after the edit: the trash need not keep it as well."""
    match edit:
        case AddEntry(entry) | ReplaceEntry(_, entry):
            return entry.text
        case _:
            return None
