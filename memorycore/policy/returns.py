"""What a caller brought back stays: it counts as used, and what was there then can't retire it again. Pure.

Records only: a hot file under pressure may let the same entry go again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from memorycore.model import Record
from memorycore.plan import Action, ColdOp, Plan, PutRecord, ReplaceRecord
from memorycore.policy.maintenance_pairs import JudgedPair
from memorycore.policy.maintenance_settle import retired_by

Returns = Mapping[str, datetime]
"""When each record that a caller brought back came back last, by id."""


def as_used(plan: Plan, now: datetime) -> Plan:
    """Return the plan with each record that comes back by it counted as used now."""
    actions = (replace(action, cold=tuple(_used(op, now) for op in action.cold)) for action in plan.actions)
    return replace(plan, actions=tuple(actions))


def returns(done: Iterable[tuple[datetime, Action]]) -> Returns:
    """Return what came back by these actions of callers, given in their order.

    What recall brought back by itself is none of it.
    """
    asked = ((at, action) for at, action in done if action.rung != "revive")
    return {key: at for at, action in asked for key in _ids(action)}


def stands(pair: JudgedPair, back: Returns) -> bool:
    """Whether the record that would leave was brought back beside the other: the caller wants both.

    A record that was stored afterwards is judged as any other.
    """
    leaving, staying = retired_by(pair)
    return leaving.id in back and staying.created_at <= back[leaving.id]


def _used(op: ColdOp, now: datetime) -> ColdOp:
    match op:
        case PutRecord(record):
            return PutRecord(replace(record, recalled_at=now))
        case ReplaceRecord(before, after) if _is_return(before, after):
            return ReplaceRecord(before, replace(after, recalled_at=now))
        case _:
            return op


def _ids(action: Action) -> Iterator[str]:
    for op in action.cold:
        match op:
            case PutRecord(record):
                yield record.id
            case ReplaceRecord(before, after) if _is_return(before, after):
                yield after.id


def _is_return(before: Record, after: Record) -> bool:
    return after.active and not before.active
