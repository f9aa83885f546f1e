"""What others write into the hot files is followed, and nothing of it is lost; undo takes it back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.errors import StoreUnavailable
from memorycore.model import Entry
from memorycore.policy.follow import ORIGIN, changes
from memorycore.policy.hot_text import derived_id, render
from tests.engine.helpers import FACT, NOW, RULE, World, record

STATE = "Done: on 2026-03-02 the database was migrated to version 16, finished."
OTHER = "The dentist is Dr. Okafor on Mill Street."


class Hand:
    """Edits a hot file of a world as a host's tool does: texts, and nothing said of them."""

    def __init__(self, world: World) -> None:
        self.world = world

    def writes(self, *texts: str) -> None:
        self.world.hot.write_by_hand("memory", render(texts))


@pytest.fixture
def world():
    return World()


@pytest.fixture
def hand(world):
    return Hand(world)


def entries(world, target="memory"):
    return {entry.text: entry for entry in world.hot.read(target).entries}


def watched(world):
    core = world.core()
    core.watch()
    return core


def test_an_added_rule_is_typed_and_stamped(world, hand):
    core = watched(world)
    hand.writes(RULE)
    report = core.follow("memory")
    assert (report.added, report.moved, report.errors) == (1, 0, ())
    known = entries(world)[RULE]
    assert (known.kind, known.origin, known.written_at) == ("rule", ORIGIN, NOW)


def test_an_added_fact_is_stamped_and_stays(world, hand):
    core = watched(world)
    hand.writes(FACT)
    core.follow("memory")
    assert (entries(world)[FACT].kind, entries(world)[FACT].written_at) == (None, NOW)


def test_a_finished_thing_moves_to_the_cold_tier_and_back_by_undo(world, hand):
    core = watched(world)
    hand.writes(RULE, STATE)
    report = core.follow("memory")
    assert (report.added, report.moved) == (2, 1)
    assert world.hot_texts() == [RULE]
    assert world.cold_texts() == [STATE]
    core.undo(report.runs[-1])
    assert set(world.hot_texts()) == {RULE, STATE}
    assert world.cold_texts() == []


def test_one_that_the_cold_tier_says_already_is_not_stored_twice(world, hand):
    world.cold.put(record(STATE), None)
    core = watched(world)
    hand.writes(STATE)
    core.follow("memory")
    assert (world.hot_texts(), world.cold_texts(), world.trash_texts()) == ([], [STATE], [STATE])


def test_while_the_cold_tier_is_down_it_stays_typed_and_leaves_by_its_age(world, hand, monkeypatch):
    core = watched(world)
    hand.writes(STATE)

    def down(*_):
        raise StoreUnavailable("The store does not answer.", advice="Wait.")

    with monkeypatch.context() as patch:
        patch.setattr(world.cold, "put", down)
        report = core.follow("memory")
        assert report.moved == 0
    assert entries(world)[STATE].kind == "state"
    assert core.follow("memory").runs == ()
    world.clock.turn(days=8)
    core.overflow("memory")
    assert (world.hot_texts(), world.cold_texts()) == ([], [STATE])


def test_what_an_overflow_joined_was_removed_by_nobody(world, hand):
    one = "Deploys run from Jenkins. The staging box is reset at night."
    other = "Deploys run from Jenkins. Logs are kept for a month."
    hand.writes(one, other)
    core = watched(world)
    core.overflow("memory")
    assert len(world.hot_texts()) == 1
    report = core.follow("memory")
    assert (report.reworded, report.removed) == (0, 0)


def test_a_rewording_keeps_the_older_text_as_history(world, hand):
    hand.writes(RULE, FACT)
    core = watched(world)
    newer = FACT.replace("blue", "green")
    hand.writes(RULE, newer)
    report = core.follow("memory")
    assert (report.reworded, report.added, report.removed) == (1, 0, 0)
    (older,) = world.records()
    assert (older.text, older.superseded_by) == (FACT, entries(world)[newer].id)
    core.undo(report.runs[0])
    assert world.hot_texts() == [RULE, FACT]


def test_a_rewording_makes_history_of_the_cold_copy(world, hand):
    world.cold.put(record(FACT), None)
    hand.writes(FACT)
    core = watched(world)
    hand.writes(FACT.replace("blue", "green"))
    core.follow("memory")
    (older,) = world.records()
    assert not older.active
    assert core.recall("garden shed key").results[0].content == FACT.replace("blue", "green")


def test_a_removal_is_a_forget_that_can_be_undone(world, hand):
    world.cold.put(record(FACT), None)
    hand.writes(RULE, FACT, OTHER)
    core = watched(world)
    hand.writes(RULE, OTHER)
    report = core.follow("memory")
    assert report.removed == 1
    assert set(world.trash_texts()) == {FACT}
    assert world.cold_texts() == []
    core.undo(report.runs[0])
    assert world.hot_texts() == [RULE, FACT, OTHER]
    assert world.cold_texts() == [FACT]
    assert world.trash_texts() == []


def test_a_file_that_was_emptied_is_in_the_trash(world, hand):
    hand.writes(RULE, FACT)
    core = watched(world)
    hand.writes()
    assert core.follow("memory").removed == 2
    assert set(world.trash_texts()) == {RULE, FACT}


def test_what_memorycore_moves_itself_is_no_change_of_others(world, hand):
    hand.writes(RULE, FACT)
    mine, theirs = watched(world), world.core()
    theirs.forget(entries(world)[FACT].id)
    theirs.store("Never deploy on a Friday.", importance=0.9)
    before = world.state()
    report = mine.follow("memory")
    assert (report.runs, report.removed) == ((), 0)
    assert world.state() == before


def test_two_that_watch_bury_once_and_type_once(world, hand):
    hand.writes(FACT)
    first, second = watched(world), watched(world)
    hand.writes(RULE)
    assert first.follow("memory").runs
    before = world.state()
    second.follow("memory")
    assert world.state() == before


def test_a_second_look_does_nothing(world, hand):
    core = watched(world)
    hand.writes(RULE, STATE)
    core.follow("memory")
    before = world.state()
    assert core.follow("memory").runs == ()
    assert world.state() == before


def test_a_removal_that_could_not_be_buried_is_followed_again(world, hand, monkeypatch):
    hand.writes(RULE, FACT)
    core = watched(world)
    hand.writes(RULE)

    def down(*_):
        raise StoreUnavailable("The ledger is full.", advice="Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(world.ledger, "bury", down)
        assert core.follow("memory").errors
    assert core.follow("memory").removed == 1
    assert world.trash_texts() == [FACT]


def test_a_rewording_that_vanished_meanwhile_is_followed_anew(world, hand, monkeypatch):
    hand.writes(RULE, FACT)
    core = watched(world)
    hand.writes(RULE, OTHER)
    edit = world.hot.replace

    def overtaken(before, after):
        hand.writes(RULE)
        return edit(before, after)

    with monkeypatch.context() as patch:
        patch.setattr(world.hot, "replace", overtaken)
        core.follow("memory")
    core.follow("memory")
    assert world.hot_texts() == [RULE]
    assert FACT in {*world.cold_texts(), *world.trash_texts()}


def test_room_is_made_at_hard_at_once_and_at_soft_only_when_tidying():
    world = World(limits={"memory": 1_900, "user": 1_375})
    hand, core = Hand(world), watched(world)
    doubled = (FACT, "Behind the blue door hangs the garden shed key.")
    filler = "Always keep the garden tidy. " * 40
    hand.writes(*doubled, filler)
    assert core.follow("memory").overflow is None
    assert core.follow("memory", tidy=True).overflow is not None
    hand.writes(*doubled, filler, "Never shout at the dog. " * 15)
    assert core.follow("memory").overflow is not None


def test_nothing_seen_before_nothing_to_follow(world, hand):
    hand.writes(RULE)
    core = world.core()
    assert core.follow("memory").added == 0
    hand.writes(RULE, FACT)
    assert core.follow("memory").added == 1


texts = st.lists(st.sampled_from([f"fact {n} of {n * 7}" for n in range(8)]), unique=True, max_size=6)


def bare(text: str) -> Entry:
    return Entry(id=derived_id(text), target="memory", text=text)


@given(texts, texts)
def test_every_text_that_went_or_came_is_told_once(before, after):
    found = changes([bare(text) for text in before], [bare(text) for text in after], ())
    went = [entry.text for _, entry in found.gone] + [old.text for old, _ in found.reworded]
    came = [entry.text for entry in found.added] + [new.text for _, new in found.reworded]
    assert sorted(went) == sorted(set(before) - set(after))
    assert sorted(came) == sorted(set(after) - set(before))


@settings(max_examples=40, deadline=None)
@given(st.lists(texts, min_size=2, max_size=4))
def test_no_text_is_ever_lost(states):
    world = World()
    hand = Hand(world)
    core = watched(world)
    for state in states:
        hand.writes(*state)
        core.follow("memory")
        assert sorted(world.hot_texts()) == sorted(state)
    kept = {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}
    assert {text for state in states for text in state} <= kept


def test_importance_and_age_pass_on_to_the_new_wording(world, hand):
    hand.writes(FACT)
    (entry,) = world.hot.read("memory").entries
    world.hot.annotate(replace(entry, importance=0.9, origin="store_fact", written_at=NOW))
    core = watched(world)
    world.clock.turn(days=3)
    newer = FACT.replace("blue", "green")
    hand.writes(newer)
    core.follow("memory")
    known = entries(world)[newer]
    assert (known.importance, known.written_at, known.updated_at) == (0.9, NOW, world.clock.now)
