"""The date that a text speaks of. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATE = re.compile(
    "|".join(
        pattern.replace("?P<", f"?P<{kind}_")
        for kind, pattern in {
            "iso": rf"(?<![\d.]){_YEAR}(?P<sep>[-/.])(?P<month>\d\d?)(?P=sep)(?P<day>\d\d?)(?!\d|[-/.]\d)",
            "dotted": rf"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?{_YEAR}(?!\d|\.\d)",
            "dayfirst": rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}(?!\d)",
            "monthfirst": rf"(?<![a-z]){_MONTH}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?,?\s+{_YEAR}(?!\d)",
            "chinese": rf"(?:{_YEAR}\s*年\s*)?(?<!\d)(?P<month>\d\d?)\s*月\s*(?P<day>\d\d?)\s*[日号號]",
        }.items()
    ).replace("(?P=sep)", "(?P=iso_sep)"),
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(
    rf"(?<![a-z]){_MONTH}\s+(?:19|20)\d\d(?!\d)|(?:19|20)\d\d\s*年\s*\d\d?\s*月|(?<![\d-])(?:19|20)\d\d-[01]\d(?![\d-])",
    re.IGNORECASE,
)
_HALF_A_YEAR = timedelta(days=183)


def event_date(text: str, now: datetime) -> datetime | None:
    """Return midnight UTC of the first date in the text, None if it names no day.

    Read are 2026-03-02, 2026/3/2, 2026.3.2, 2.3.2026, 2 March 2026, Mar 2nd, 2026, 2026年3月2日 and
    3月2日. A date without a year is taken in the year that brings it nearest to `now`. 3/2/2026 is
    left unread, since it means two days.
    """
    return next(event_dates(text, now), None)


def event_dates(text: str, now: datetime) -> Iterator[datetime]:
    """Yield midnight UTC of each date in the text, in reading order; what is read, `event_date` says."""
    for year, month, day in _dates(text):
        found = _nearest(month, day, now.date()) if year is None else _day(year, month, day)
        if found is not None:
            yield datetime(found.year, found.month, found.day, tzinfo=UTC)


def mentions_date(text: str) -> bool:
    """Whether the text names a day, with or without a year, or a month of a year."""
    if _MONTH_ONLY.search(unicodedata.normalize("NFKC", text)):
        return True
    # 2000 is a leap year, so that 29 February is a day.
    return any(_day(year or 2000, month, day) is not None for year, month, day in _dates(text))


def _dates(text: str) -> Iterator[tuple[int | None, int, int]]:
    for found in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        parts = {key.partition("_")[2]: value for key, value in found.groupdict().items() if value}
        month = int(parts["month"]) if "month" in parts else _MONTHS.index(parts["name"][:3].lower()) + 1
        yield int(parts["year"]) if "year" in parts else None, month, int(parts["day"])


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _nearest(month: int, day: int, today: date) -> date | None:
    candidates = (_day(year, month, day) for year in (today.year - 1, today.year, today.year + 1))
    near = [found for found in candidates if found is not None and abs(found - today) <= _HALF_A_YEAR]
    return min(near, key=lambda found: abs(found - today), default=None)
