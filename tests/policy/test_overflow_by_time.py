"""Who leaves a hot file when nothing is known but its entries: states by age, never what is protected."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import HotSnapshot
from memorycore.plan import PutRecord, RemoveEntry
from memorycore.policy.evidence import Evidence, Typed
from memorycore.policy.hot_text import render
from memorycore.policy.overflow import chars_with
from tests.engine.helpers import NOW, entry
from tests.policy.scenarios import plan_of, snapshot_of

MOVE = "The kitchen renovation was completed in spring and the invoice of the carpenter was paid."


def typed(kind="state", days=30, importance=0.5, text=MOVE, *, by_words=False):
    since = None if days is None else NOW - timedelta(days=days)
    one = entry(text, kind=kind, importance=importance, written_at=since, updated_at=since)
    return Typed(entry=one, kind=kind, since=since, by_words=by_words)


def planned(given):
    return plan_of(snapshot_of([one.entry for one in given], 100_000), given, Evidence(), NOW)


def verdict(*given, **more):
    (one,) = planned([typed(*given, **more)]).verdicts
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
    st.integers(1, 10_000).map(lambda number: f"{MOVE} It is flat {number}."),
    by_words=st.booleans(),
)


@given(st.lists(ANY, max_size=8, unique_by=lambda one: one.entry.text))
def test_the_plan_carries_the_verdicts_out_and_is_the_same_each_time(given):
    plan = planned(given)
    assert plan == planned(given)
    leaving = {one.typed.entry.id: one.typed.entry for one in plan.verdicts if one.verdict == "sink"}
    assert {action.subject for action in plan.plan.actions} == leaving.keys()
    for action in plan.plan.actions:
        one = leaving[action.subject]
        (put,) = action.cold
        assert isinstance(action.hot, RemoveEntry)
        assert isinstance(put, PutRecord)
        assert action.hot.entry == one
        assert (put.record.id, put.record.text, put.record.owner) == (one.id, one.text, "local")
        assert action.reason
    assert not any(one.protected and one.verdict == "sink" for one in plan.verdicts)
    assert all(one.reason for one in plan.verdicts)
    kept = [one.typed.entry.text for one in plan.verdicts if one.verdict == "keep"]
    assert plan.chars_after == len(render(kept))


@given(st.lists(ANY, max_size=8, unique_by=lambda one: one.entry.text), st.text(min_size=1, max_size=20))
def test_the_length_with_one_more_is_that_of_the_file(given, text):
    entries = tuple(one.entry for one in given)
    chars = len(render([one.text for one in entries]))
    snapshot = HotSnapshot(target="memory", entries=entries, chars=chars, limit=2_200)
    assert chars_with(snapshot, text) == len(render([*(one.text for one in entries), text]))
