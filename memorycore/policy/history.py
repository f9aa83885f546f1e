"""What supersession says of a fact's time: since when it held and until when. Pure."""

from __future__ import annotations

from datetime import datetime

from memorycore.model import Entry, Record
from memorycore.plan import Action, PutRecord, ReplaceRecord


def valid_from(item: Entry | Record) -> datetime | None:
    """Return since when a fact holds; None for an entry that nobody knows the age of."""
    return item.valid_from if isinstance(item, Record) else item.written_at


def valid_to(item: Entry | Record, successor: Entry | Record | None) -> datetime | None:
    """Return until when a fact held, None while it does.

    That is when it was superseded, or since when its successor holds if that is earlier: what came true
    in March and was told in May ended in March. A successor from before the fact itself ends nothing.
    """
    if not isinstance(item, Record) or item.superseded_at is None:
        return None
    since = None if successor is None else valid_from(successor)
    told = since is not None and item.valid_from <= since < item.superseded_at
    return since if told else item.superseded_at


def retires(action: Action, id: str) -> bool:
    """Whether the action makes history of the item that bears this id."""
    return any(
        (isinstance(op, ReplaceRecord) and op.after.id == id and op.before.active and not op.after.active)
        or (isinstance(op, PutRecord) and op.record.id == id and not op.record.active)
        for op in action.cold
    )
