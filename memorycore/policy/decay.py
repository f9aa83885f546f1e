"""How a fact fades while nobody recalls it, and how recalls slow that down. Pure."""

from __future__ import annotations

from datetime import datetime

from memorycore.model import Record
from memorycore.policy.thresholds import Thresholds

MOST_RECALLS = 100
"""Beyond so many counted recalls of a record no more are counted."""

_MOST_GAIN = 3.0
_HALF_GAINED_AT = 8


def staying(recalls: int) -> float:
    """Return how many times longer a fact stays that was recalled so often: 1 without, never 4.

    Rises with each recall, by less each time; half of the gain is there after eight.
    """
    counted = min(max(recalls, 0), MOST_RECALLS)
    return 1.0 + _MOST_GAIN * counted / (counted + _HALF_GAINED_AT)


def decay(
    importance: float, last_used: datetime, now: datetime, thresholds: Thresholds, *, recalls: int = 0
) -> float:
    """Return the share of a fact's strength that is left, in 0..1.

    Half of it goes per half-life, which recalls stretch (`staying`); important facts (at or above
    `hot_importance`) keep all of it, and so does one from the future.
    """
    if importance >= thresholds.hot_importance:
        return 1.0
    days = max(0.0, (now - last_used).total_seconds() / 86_400)
    return float(0.5 ** (days / (thresholds.half_life_days * staying(recalls))))


def last_used(record: Record) -> datetime:
    """Return when a record was last written or recalled."""
    return max(record.updated_at, record.recalled_at or record.updated_at)


def strength_left(record: Record, now: datetime, thresholds: Thresholds) -> float:
    """Return the share of a record's strength that is left, counted from its last change or recall."""
    return decay(record.importance, last_used(record), now, thresholds, recalls=record.recalls)
