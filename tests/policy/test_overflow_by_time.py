"""Who leaves a hot file: states by age, never what is protected, always by way of the cold tier."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import HotSnapshot
from memorycore.plan import PutRecord, RemoveEntry
from memorycore.policy.hot_text import render
from memorycore.policy.overflow import Typed, chars_after, chars_with, judge_entries, overflow_plan
from memorycore.policy.thresholds import Thresholds
from tests.engine.helpers import NOW, entry

LIMITS = Thresholds()


def typed(kind="state", days=30, importance=0.5, text="The move is finished.", *, by_words=False):
    since = None if days is None else NOW - timedelta(days=days)
    one = entry(text, kind=kind, importance=importance, written_at=since, updated_at=since)
    return Typed(entry=one, kind=kind, since=since, by_words=by_words)


def verdict(*given, **more):
    (one,) = judge_entries([typed(*given, **more)], NOW, LIMITS)
    return one


@pytest.mark.parametrize(("days", "expected"), [(0, "keep"), (6, "keep"), (7, "sink"), (400, "sink")])
def test_a_state_leaves_after_its_time(days, expected):
    assert verdict("state", days).verdict == expected


@pytest.mark.parametrize("kind", ["rule", "stub", None])
def test_nothing_else_leaves_by_age(kind):
    assert verdict(kind, 4_000).verdict == "keep"


def test_a_state_of_unknown_age_stays():
    one = verdict("state", None)
    assert (one.verdict, one.age_days) == ("keep", None)
    assert "how old" in one.reason


@pytest.mark.parametrize(("importance", "protected"), [(0.89, False), (0.9, True), (None, False)])
def test_importance_protects(importance, protected):
    one = verdict("state", 30, importance)
    assert (one.protected, one.verdict) == (protected, "keep" if protected else "sink")


def test_a_reason_says_where_it_is_known_from():
    assert "its words say" in verdict("state", 30, by_words=True).reason
    assert "its words say" not in verdict("state", 30).reason


ANY = st.builds(
    typed,
    st.sampled_from(["rule", "state", "stub", None]),
    st.none() | st.integers(0, 100),
    st.none() | st.floats(0, 1),
    st.uuids().map(str),
    by_words=st.booleans(),
)


@given(st.lists(ANY, max_size=8, unique_by=lambda one: one.entry.text))
def test_the_plan_carries_the_verdicts_out_and_is_the_same_each_time(given):
    verdicts = judge_entries(given, NOW, LIMITS)
    plan = overflow_plan(verdicts, NOW, owner="local")
    assert plan == overflow_plan(judge_entries(given, NOW, LIMITS), NOW, owner="local")
    leaving = [one.typed.entry for one in verdicts if one.verdict == "sink"]
    assert [action.hot for action in plan.actions] == [RemoveEntry(one) for one in leaving]
    for action, one in zip(plan.actions, leaving, strict=True):
        (put,) = action.cold
        assert isinstance(put, PutRecord)
        assert (put.record.id, put.record.text, put.record.owner) == (one.id, one.text, "local")
        assert action.reason
    assert not any(one.protected and one.verdict == "sink" for one in verdicts)
    assert all(one.reason for one in verdicts)


@given(st.lists(ANY, max_size=8, unique_by=lambda one: one.entry.text), st.text(min_size=1, max_size=20))
def test_lengths_before_and_after_are_those_of_the_file(given, text):
    entries = tuple(one.entry for one in given)
    snapshot = HotSnapshot(
        target="memory", entries=entries, chars=len(render([e.text for e in entries])), limit=2_200
    )
    verdicts = judge_entries(given, NOW, LIMITS)
    kept = [one.typed.entry.text for one in verdicts if one.verdict == "keep"]
    assert chars_after(snapshot, verdicts) == len(render(kept))
    assert chars_with(snapshot, text) == len(render([*(e.text for e in entries), text]))
