"""What a caller brings back stays: the next pass does not retire it for what was there already."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorycore.model import Record
from tests.engine.cold_helpers import (
    CAT,
    CAT_UPSTAIRS,
    HATES,
    LOVES,
    LOVES_AGAIN,
    by_id,
    day,
    padded,
    put,
    texts,
)
from tests.engine.helpers import FACT, NOW, World, record

OLD = NOW - timedelta(days=900)
DUE: dict[str, tuple[Record, ...]] = {
    "fade": (record(FACT, created_at=OLD, updated_at=OLD),),
    "stale": (day(50, "Done, tests passed."),),
    "conflict": (day(10, LOVES), day(20, HATES)),
    "duplicate": (day(10, LOVES), day(20, LOVES_AGAIN)),
    "merge": (day(10, CAT), day(20, CAT_UPSTAIRS)),
}


@pytest.mark.parametrize("rung", DUE)
def test_what_an_undo_put_back_is_not_retired_again(rung):
    world = padded(World())
    core = world.core()
    stored = put(world, *DUE[rung])
    run = core.maintain().run
    assert run is not None
    assert texts(world) != {one.text for one in stored}
    assert core.undo(run).status == "undone"
    assert texts(world) == {one.text for one in stored}
    world.clock.turn(minutes=1)
    assert core.maintain().run is None
    assert texts(world) == {one.text for one in stored}


@pytest.mark.parametrize("rung", DUE)
def test_what_was_restored_by_id_is_not_retired_again(rung):
    world = padded(World())
    core = world.core()
    stored = put(world, *DUE[rung])
    run = core.maintain().run
    (gone,) = (one for one in stored if one.text not in texts(world))
    world.clock.turn(minutes=1)
    assert core.restore(gone.id).status == "restored"
    assert by_id(world, gone).recalled_at == world.clock()
    world.clock.turn(minutes=1)
    assert core.maintain().run is None
    assert {one.text for one in stored} == texts(world)
    assert core.undo(run).status == "undone"  # finds it all there; nothing is lost by it
    assert {one.text for one in stored} == texts(world)


def test_an_undo_that_is_taken_back_retires_again():
    world = padded(World())
    core = world.core()
    put(world, *DUE["conflict"])
    run = core.maintain().run
    undo = core.undo(run).undo
    assert undo is not None
    assert core.undo(undo).status == "undone"
    assert texts(world) == {HATES}


def test_what_is_stored_afterwards_outdates_what_was_brought_back():
    world = padded(World())
    core = world.core()
    (older, _) = put(world, *DUE["conflict"])
    core.undo(core.maintain().run)
    world.clock.turn(minutes=1)
    put(world, record("I hate Chinese food!", created_at=world.clock(), updated_at=world.clock()))
    core.maintain()
    assert not by_id(world, older).active


def test_what_came_back_leaves_once_its_time_is_up_anew():
    world = padded(World())
    core = world.core()
    (stored,) = put(world, *DUE["stale"])
    core.undo(core.maintain().run)
    world.clock.turn(days=6)
    assert core.maintain().run is None
    world.clock.turn(days=2)
    core.maintain()
    assert world.cold.get(stored.id) is None


def test_a_fact_that_was_recalled_often_fades_later():
    world = World()
    at = NOW - timedelta(days=400)
    often, once = put(
        world,
        record(FACT, created_at=at, updated_at=at, recalls=8),
        record(CAT, created_at=at, updated_at=at, recalls=0),
    )
    core = world.core()
    core.maintain()
    assert world.cold.get(once.id) is None
    assert world.cold.get(often.id) is not None
