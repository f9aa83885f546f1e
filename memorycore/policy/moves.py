"""What an action moved: which texts, from where to where. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, assert_never

from memorycore.answers_past import Move
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
    JoinEntries,
    PartEntries,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)

Way = Literal["left", "reached"]

_SAID: Final = (
    "kind",
    "importance",
    "origin",
    "written_at",
    "updated_at",
    "superseded_by",
    "scope",
    "context",
)


def moves(action: Action) -> tuple[Move, ...]:
    """Return each text that the action moved, in the order in which it is met.

    Places are `hot:memory`, `hot:user`, `cold`, `history` (a record that another one replaced), `trash`. A
    text that left no place is new to the memory; one that reached none is gone, for it stands elsewhere.
    """
    places: dict[str, dict[Way, dict[str, None]]] = {}
    for text, way, place in _steps(action):
        places.setdefault(text, {"left": {}, "reached": {}})[way][place] = None
    return tuple(
        Move(text=text, before=tuple(ways["left"]), after=tuple(ways["reached"]))
        for text, ways in places.items()
    )


def texts(action: Action) -> tuple[str | None, str | None]:
    """Return the text of the action's subject before and after it: None where it is not there."""
    match action.hot:
        case ReplaceEntry(before, after) | AnnotateEntry(before, after):
            return before.text, after.text
        case JoinEntries(before, _, after) | PartEntries(before, after, _):
            return before.text, after.text
        case RemoveEntry(entry):
            return entry.text, None
        case AddEntry(entry):
            return None, entry.text
        case None:
            return next(map(_cold_texts, action.cold), (None, None))
        case _:
            assert_never(action.hot)


def _cold_texts(op: ColdOp) -> tuple[str | None, str | None]:
    match op:
        case ReplaceRecord(before, after):
            return before.text, after.text
        case PutRecord(record):
            return None, record.text
        case BuryRecord(item) | BuryUnstored(item) | Discard(item) | Exhume(item) | BuryEntry(item):
            return item.text, None
        case FillVector() | ExpectRecord() | Expire():
            return None, None
        case _:
            assert_never(op)


def changes(action: Action) -> dict[str, tuple[Any, Any]]:
    """Return what the action changed of what is known of its subject, by name: before and after."""
    pairs: list[tuple[Entry | Record, Entry | Record]] = [
        (op.before, op.after) for op in action.cold if isinstance(op, ReplaceRecord)
    ]
    if isinstance(action.hot, AnnotateEntry | ReplaceEntry):
        pairs.insert(0, (action.hot.before, action.hot.after))
    found: dict[str, tuple[Any, Any]] = {}
    for before, after in pairs:
        for name in _SAID:
            old, new = getattr(before, name, None), getattr(after, name, None)
            if old != new:
                found.setdefault(name, (_plain(old), _plain(new)))
    return found


def final(action: Action) -> bool:
    """Whether nothing of the action can be taken back: it gave vectors, or let go what had expired."""
    return action.hot is None and all(
        isinstance(op, FillVector | ExpectRecord | Expire) for op in action.cold
    )


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else value


def _steps(action: Action) -> Iterator[tuple[str, Way, str]]:
    match action.hot:
        case RemoveEntry(entry):
            yield entry.text, "left", _file(entry)
        case AddEntry(entry):
            yield entry.text, "reached", _file(entry)
        case ReplaceEntry(before, after):
            yield before.text, "left", _file(before)
            yield after.text, "reached", _file(after)
        case JoinEntries(kept, gone, after):
            yield kept.text, "left", _file(kept)
            yield gone.text, "left", _file(gone)
            yield after.text, "reached", _file(after)
        case PartEntries(joined, kept, gone):
            yield joined.text, "left", _file(joined)
            yield kept.text, "reached", _file(kept)
            yield gone.text, "reached", _file(gone)
        case _:
            pass
    for op in action.cold:
        yield from _cold_steps(op)


def _cold_steps(op: ColdOp) -> Iterator[tuple[str, Way, str]]:
    match op:
        case PutRecord(record):
            yield record.text, "reached", _tier(record)
        case ReplaceRecord(before, after) if (before.text, _tier(before)) != (after.text, _tier(after)):
            yield before.text, "left", _tier(before)
            yield after.text, "reached", _tier(after)
        case BuryRecord(record):
            yield record.text, "left", _tier(record)
            yield record.text, "reached", "trash"
        case BuryUnstored(item) | BuryEntry(item):
            yield item.text, "reached", "trash"
        case Exhume(item) | Discard(item):
            yield item.text, "left", "trash"
        case _:
            pass


def _tier(record: Record) -> str:
    return "cold" if record.active else "history"


def _file(entry: Entry) -> str:
    return f"hot:{entry.target}"
