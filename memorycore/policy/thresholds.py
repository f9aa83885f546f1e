"""The numbers that the policy decides by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Shares are of the hot limit (0..1), ages in days, lengths in characters.

    Soft opens the first rungs, hard the last ones; a run ends at the target.
    """

    soft: float = 0.6
    hard: float = 0.8
    target: float = 0.4
    hot_importance: float = 0.8
    protect_importance: float = 0.9
    state_ttl_days: int = 7
    stale_chars: int = 80
    trash_days: int = 30
    half_life_days: float = 90.0
    cold_soft: int = 6_000
    cold_hard: int = 10_000
    overflow_rounds: int = 3

    def __post_init__(self) -> None:
        if not 0 < self.target < self.soft < self.hard <= 1:
            raise ValueError("the thresholds must hold 0 < target < soft < hard <= 1")
