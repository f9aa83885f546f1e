"""What a caller may send, and clear refusals for the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast, get_args

from memorycore.errors import InvalidInput
from memorycore.model import TARGETS, Route, Target

MAX_CONTENT_CHARS = 20_000
MAX_QUERY_CHARS = 20_000
MAX_SCOPE_CHARS = 200
MAX_TOP_K = 50
MAX_PAGE_SIZE = 1_000
MAX_HISTORY = 1_000


def content(value: Any) -> str:
    """Return the content without white space at its ends. Raises `InvalidInput`."""
    return _text(value, "content", MAX_CONTENT_CHARS, "Send the fact itself, in one or a few sentences.")


def query(value: Any) -> str:
    """Return the query, stripped. Raises `InvalidInput`."""
    return _text(value, "query", MAX_QUERY_CHARS, "Ask for something in words.")


def scope(value: Any) -> str:
    """Return the scope, stripped. Raises `InvalidInput`."""
    return _text(value, "scope", MAX_SCOPE_CHARS, "Leave it out for 'global'.")


def context(value: Any) -> str | None:
    """Return the context, None for an empty one. Raises `InvalidInput`."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return _text(value, "context", MAX_CONTENT_CHARS, "Send what was said just before, or leave it out.")


def known_id(value: Any) -> str:
    """Return the id, stripped. Raises `InvalidInput`."""
    return _text(value, "id", 200, "Ids are in the answers of store_fact, recall and memory_audit.")


def importance(value: Any) -> float:
    """Return the importance. Raises `InvalidInput` outside 0..1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(
            f"importance is {value!r}.", advice="Give a number from 0 to 1; 0.5 lets the content decide."
        )
    return float(value)


def top_k(value: Any) -> int:
    """Return the number of hits asked for. Raises `InvalidInput` outside 1..50."""
    return _count(value, "top_k", MAX_TOP_K)


def page_size(value: Any) -> int:
    """Return the number of entries on a page. Raises `InvalidInput` outside 1..1,000."""
    return _count(value, "page_size", MAX_PAGE_SIZE)


def later(value: Any, now: datetime) -> datetime:
    """Return the time in UTC. Raises `InvalidInput` for one without offset and for one that is past."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise InvalidInput(
            f"at is {value!r}.", advice="Give an aware datetime: one with a time zone or an offset."
        )
    if value < now:
        raise InvalidInput(
            f"{value.isoformat(timespec='minutes')} is past.",
            advice="An audit looks ahead: give a time from now on; `memorycore history` shows what was done.",
        )
    return value.astimezone(UTC)


def history_limit(value: Any) -> int:
    """Return the number of runs asked for. Raises `InvalidInput` outside 1..1,000."""
    return _count(value, "limit", MAX_HISTORY)


def target(value: Any) -> Target:
    """Return the target. Raises `InvalidInput` for anything but memory and user."""
    if value not in TARGETS:
        raise InvalidInput(
            f"target is {value!r}.",
            advice="Give 'memory' (what the agent knows) or 'user' (who the user is).",
        )
    return cast("Target", value)


def targets(value: Any) -> tuple[Target, ...]:
    """Return the targets that are meant by memory, user or both. Raises `InvalidInput`."""
    if value == "both":
        return TARGETS
    if value not in TARGETS:
        raise InvalidInput(f"target is {value!r}.", advice="Give 'memory', 'user' or 'both'.")
    return (cast("Target", value),)


def route(value: Any) -> Route | None:
    """Return the route that the caller insists on, None for none. Raises `InvalidInput`."""
    if value is not None and value not in get_args(Route):
        raise InvalidInput(f"route is {value!r}.", advice="Give 'hot', 'cold' or 'stale', or leave it out.")
    return cast("Route | None", value)


def _count(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInput(f"{name} is {value!r}.", advice=f"Give a whole number from 1 to {most:,}.")
    return value


def _text(value: Any, name: str, limit: int, advice: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is no text but {type(value).__name__}.", advice=advice)
    text = value.strip()
    if not text:
        raise InvalidInput(f"{name} is empty.", advice=advice)
    if len(text) > limit:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; the limit is {limit:,}.",
            advice="Split it into facts that stand by themselves.",
        )
    if "\0" in text:
        raise InvalidInput(f"{name} holds a NUL character.", advice="Remove it; the rest can be stored.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput(
            f"{name} holds half of a surrogate pair, which is no character.",
            advice="Send it as well-formed Unicode text.",
        )
    return text
