"""A habit and a deed that breaks with it, stored, recalled and maintained."""

from __future__ import annotations

import pytest

from tests.engine.cold_helpers import by_id, day, padded, put
from tests.engine.helpers import World

PAIRS = [
    ("The user is a vegetarian.", "The user had a steak for dinner.", "Is the user a vegetarian? steak"),
    ("用户是素食者。", "用户三月吃了牛排。", "用户吃牛排吗"),
]


@pytest.mark.parametrize(("old", "new", "query"), PAIRS)
def test_recall_leads_with_the_newer_and_marks_the_older_as_superseded(old, new, query):
    world = padded(World())
    core = world.core()
    put(world, *(day(5, f"The user visited museum number {n}.") for n in range(40)))
    first = core.store(old, route="cold")
    world.clock.turn(days=60)
    second = core.store(new, route="cold")
    assert second.superseded == (first.id,)
    shown = core.recall(query, top_k=5).results
    assert shown[0].id == second.id
    assert first.id not in [hit.id for hit in shown]
    every = core.recall(query, top_k=5, include_superseded=True).results
    assert [(hit.id, hit.superseded_by) for hit in every if hit.id in (first.id, second.id)] == [
        (second.id, None),
        (first.id, second.id),
    ]
    core.undo(second.undo)
    assert core.recall(query).results[0].id == first.id


@pytest.mark.parametrize(("old", "new"), [pair[:2] for pair in PAIRS])
def test_a_pass_finds_the_two_far_apart_as_they_are(old, new):
    world = padded(World())
    kept, done = put(world, day(10, old), day(70, new))
    assert world.core().maintain().superseded == 1
    assert by_id(world, kept).superseded_by == done.id
    assert world.core().maintain().run is None


def test_a_habit_that_was_taken_up_after_the_deed_stands():
    world = padded(World())
    put(world, day(10, "The user had a steak."), day(70, "The user is a vegetarian."))
    assert world.core().maintain().run is None
