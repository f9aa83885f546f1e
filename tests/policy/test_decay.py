"""How facts fade: by half each half-life, never below nothing, important ones not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import Record
from memorycore.policy.decay import MOST_RECALLS, decay, staying, strength_left
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


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_recalls_make_a_fact_stay_longer_and_never_shorter(one, other):
    few, many = sorted((one, other))
    assert 1.0 <= staying(few) <= staying(many) < 4.0


@given(st.integers(0, MOST_RECALLS - 1))
def test_each_recall_counts_for_less_than_the_one_before(recalls):
    gains = [staying(recalls + n + 1) - staying(recalls + n) for n in (0, 1)]
    assert gains[0] >= gains[1] >= 0


def test_a_hundred_recalls_are_as_good_as_any_number():
    assert staying(MOST_RECALLS) == staying(10**9)
    assert staying(-5) == staying(0) == 1.0


@given(DAYS, st.integers(0, 200), st.floats(0, 0.79))
def test_recalls_do_nothing_but_slow_the_fading(days, recalls, importance):
    now = NOW + timedelta(days=days)
    plain = decay(importance, NOW, now, LIMITS)
    used = decay(importance, NOW, now, LIMITS, recalls=recalls)
    assert 0 <= plain <= used <= 1
    assert used == pytest.approx(plain ** (1 / staying(recalls)))


def test_a_record_fades_from_its_last_change_or_recall():
    made = Record(id="m_1", text="tea", created_at=NOW, updated_at=NOW)
    later = NOW + timedelta(days=90)
    assert strength_left(made, later, LIMITS) == pytest.approx(0.5)
    assert strength_left(replace(made, recalled_at=later), later, LIMITS) == 1.0
    assert strength_left(replace(made, recalled_at=NOW - timedelta(days=9)), later, LIMITS) == pytest.approx(
        0.5
    )
    assert strength_left(replace(made, recalls=50), later, LIMITS) > 0.8
