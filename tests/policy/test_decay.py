"""How facts fade: by half each half-life, never below nothing, important ones not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.decay import decay
from memorycore.policy.thresholds import Thresholds

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
LIMITS = Thresholds()
DAYS = st.floats(0, 20_000, allow_nan=False)


def after(days: float, importance: float = 0.5) -> float:
    return decay(importance, NOW, NOW + timedelta(days=days), LIMITS)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (90, 0.5), (180, 0.25), (45, 0.5**0.5)])
def test_half_of_it_goes_per_half_life(days, left):
    assert after(days) == pytest.approx(left)


@given(DAYS, DAYS)
def test_it_only_falls_and_stays_in_range(one, other):
    early, late = sorted((one, other))
    assert 0 <= after(late) <= after(early) <= 1


@given(DAYS, st.floats(0.8, 1.0))
def test_important_facts_do_not_fade(days, importance):
    assert after(days, importance) == 1.0


def test_a_fact_just_below_importance_fades():
    assert after(90, 0.79) == pytest.approx(0.5)


def test_a_fact_from_the_future_has_not_begun_to_fade():
    assert decay(0.5, NOW + timedelta(days=3), NOW, LIMITS) == 1.0


def test_times_of_other_zones_are_the_same_moments():
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    assert decay(0.5, there, NOW, LIMITS) == 1.0
