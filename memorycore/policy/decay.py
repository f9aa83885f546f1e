"""How a fact fades while nobody recalls it."""

from __future__ import annotations

from datetime import datetime

from memorycore.policy.thresholds import Thresholds


def decay(importance: float, last_used: datetime, now: datetime, thresholds: Thresholds) -> float:
    """Return the share of a fact's strength that is left, in 0..1.

    Half of it goes per half-life; important facts (at or above `hot_importance`) keep all of it, and
    so does one from the future.
    """
    if importance >= thresholds.hot_importance:
        return 1.0
    days = max(0.0, (now - last_used).total_seconds() / 86_400)
    return float(0.5 ** (days / thresholds.half_life_days))
