"""Times as people type them: a date, or ISO 8601."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from memorycore.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Moment:
    """A time with its offset, and a sentence on what was assumed of it, None if it was said in full."""

    time: datetime
    assumed: str | None = None


def moment(text: str) -> Moment:
    """Read a time. A date alone is its last second, and without an offset it is local time; both are said.

    Raises `InvalidInput`.
    """
    said = text.strip()
    try:
        day = _day(said)
        read = datetime.combine(day, time(23, 59, 59)) if day is not None else datetime.fromisoformat(said)
        aware = read if read.tzinfo is not None else read.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"{text!r} is no time.", advice="Write 2027-03-01, or 2027-03-01T09:00+00:00."
        ) from None
    if read.tzinfo is not None:
        return Moment(aware)
    whole = "the end of the day, " if day is not None else ""
    return Moment(aware, f"Taken as {whole}local time: {aware.isoformat(timespec='seconds')}")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
