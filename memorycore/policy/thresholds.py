"""The numbers that the policy decides by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Shares are of the hot limit (0..1), ages in days, lengths in characters.

    Soft opens the first rungs, hard the last ones; a run ends at the target. `activity_likeness` is in
    deviations of unrelated pairs: from there on, a query counts as one that asks for an entry.

    Of maintenance: `retire_share` is of the active records, at least one may go. Pairs of records are
    held against each other from `candidate_cosine` on, `candidates` for each. A record that others go up in
    has at most `absorbed_chars` and takes in `absorbed_parts` a pass. The capacity gate lets a pass that
    could not bring the tier under its limit rest until it grew by `gate_growth` or `gate_days` went by.
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
    redundant_idle_days: int = 30
    compress_idle_days: int = 30
    compress_chars: int = 200
    compress_gain: float = 0.2
    compressions_per_run: int = 3
    retype_days: int = 60
    retype_markers: int = 2
    stub_idle_days: int = 45
    stub_chars: int = 40
    stubs_per_run: int = 3
    stub_age_days: int = 1
    activity_window_days: int = 30
    activity_queries: int = 30
    activity_likeness: float = 3.0
    merges_per_run: int = 3
    merged_chars: int = 400
    split_over_chars: int = 150
    split_share: float = 0.3
    split_chars: int = 40
    profile_chars: int = 800
    forget_below: float = 0.05
    retire_share: float = 0.05
    candidate_cosine: float = 0.5
    candidates: int = 10
    absorbed_chars: int = 800
    absorbed_parts: int = 8
    gate_growth: float = 0.01
    gate_days: int = 1
    gate_passes: int = 5

    def __post_init__(self) -> None:
        if not 0 < self.target < self.soft < self.hard <= 1:
            raise ValueError("the thresholds must hold 0 < target < soft < hard <= 1")
