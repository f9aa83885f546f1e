"""What is used stays: recalls keep a fact from fading, reading it otherwise does not."""

from __future__ import annotations

from datetime import timedelta

from memorycore.policy.decay import MOST_RECALLS, strength_left
from memorycore.policy.thresholds import Thresholds
from tests.engine.helpers import World

LIMITS = Thresholds(half_life_days=15.0)
SUBJECTS = ("shed", "cellar", "attic", "garage", "office", "boat", "cabin", "studio", "barn", "locker")
COLOURS = ("blue", "green", "amber", "white", "black", "red", "grey", "violet", "brown", "pink")
USED = [
    f"The key of the {place} hangs behind the {colour} door."
    for place, colour in zip(SUBJECTS, COLOURS, strict=True)
]
UNUSED = [
    "Backups are written to the NAS every night at two.",
    "Dana plays the violin in the city orchestra.",
    "Our dog is a stray from Leeds.",
]


def test_ten_facts_in_daily_use_stay_for_sixty_days_and_the_others_fade():
    world = World()
    core = world.core(half_life_days=15.0)
    ids = {text: core.store(text, route="cold", importance=0.3).id for text in USED + UNUSED}
    for _ in range(60):
        world.clock.turn(days=1)
        for place, text in zip(SUBJECTS, USED, strict=True):
            hits = core.recall(f"where does the key of the {place} hang").results
            assert hits[0].content == text
        core._parts.afterwork.drain()
    now = world.clock() + timedelta(days=30)
    left = {text: strength_left(world.cold.get(one), now, LIMITS) for text, one in ids.items()}
    assert all(world.cold.get(ids[text]).recalls >= 60 for text in USED)
    assert min(left[text] for text in USED) > 0.6
    assert all(world.cold.get(ids[text]).recalls == 0 for text in UNUSED)
    assert 0.3 * max(left[text] for text in UNUSED) < 0.05 < 0.3 * min(left[text] for text in USED)


def test_a_fact_recalled_a_hundred_times_has_saturated():
    world = World()
    core = world.core()
    kept = core.store(USED[0], route="cold").id
    for _ in range(MOST_RECALLS + 20):
        world.clock.turn(hours=1)
        core.recall("where does the key of the shed hang")
        core._parts.afterwork.drain()
    assert world.cold.get(kept).recalls == MOST_RECALLS


def test_listing_auditing_maintaining_and_storing_are_no_use():
    world = World()
    core = world.core()
    kept = core.store(USED[0], route="cold").id
    before = world.cold.get(kept)
    for _ in range(3):
        world.clock.turn(hours=2)
        core.audit()
        core.maintain()
        core.usage()
        core.trash()
        core.fact_history(kept)
        core.store(USED[0], route="cold")
        core.recall("when does the orchestra rehearse")
        core._parts.afterwork.drain()
    assert world.cold.get(kept) == before


def test_undo_takes_back_what_was_done_to_a_fact_and_not_that_it_was_used():
    world = World()
    core = world.core()
    kept = core.store(USED[0], route="cold").id
    world.clock.turn(hours=1)
    core.recall("where does the key of the shed hang")
    core._parts.afterwork.drain()
    forgotten = core.forget(kept)
    core.undo(forgotten.undo)
    assert world.cold.get(kept).recalls == 1
