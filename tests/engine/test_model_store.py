"""Stores and passes with a pair model: its word counts, is marked, loses nothing, and may be missing."""

from __future__ import annotations

import threading

import pytest

from memorycore.model import Likelihoods
from memorycore.testing import ScriptedPairModel
from tests.engine.helpers import Flaky, World, encoder_of, entry

# The embedder of these tests hashes letters, so what is to be near shares words.
RIDE, BIKE = "Her way to the office is by bicycle, each day.", "By bicycle is how her day to the office goes."
HELMET = "By bicycle, with a helmet, is how her way to the office goes each day."
TRAM = "To the office her way each day is by tram."
RULE, WELCOME = (
    "Never use emojis in answers to the user.",
    "Emojis in answers to the user are welcome.",
)


def store(world, model, text, importance=0.3):
    return world.core(pair_model=model).store(text, importance=importance)


def test_the_same_in_other_words_is_not_stored_twice():
    world = World()
    first = store(world, None, RIDE)
    receipt = store(world, ScriptedPairModel({(BIKE, RIDE): "same"}), BIKE)
    assert (receipt.status, receipt.duplicate_of) == ("cold_duplicate", first.id)
    assert "pair model, 99%" in receipt.detail
    assert (world.cold_texts(), world.trash_texts()) == ([RIDE], [BIKE])
    world.core().undo(receipt.undo)
    assert sorted(world.cold_texts()) == sorted([RIDE, BIKE])


def test_what_says_more_takes_the_place_of_what_it_repeats():
    world = World()
    first = store(world, None, RIDE)
    receipt = store(world, ScriptedPairModel({(HELMET, RIDE): "adds"}), HELMET)
    assert (receipt.status, receipt.superseded) == ("cold_updated", (first.id,))
    assert [one.text for one in world.records() if one.active] == [HELMET]
    assert [one.text for one in world.core().fact_history(first.id).versions] == [RIDE, HELMET]
    world.core().undo(receipt.undo)
    assert [one.text for one in world.records() if one.active] == [RIDE]


def test_a_later_state_makes_history_of_the_earlier_one():
    world = World()
    first = store(world, None, RIDE)
    receipt = store(world, ScriptedPairModel({(TRAM, RIDE): "supersedes"}), TRAM)
    assert receipt.superseded == (first.id,)
    assert [hit.content for hit in world.core().recall("her way to the office").results] == [TRAM]
    world.core().undo(receipt.undo)
    assert [one.text for one in world.records() if one.active] == [RIDE]


STATE, LATER = (
    "The printer on the second floor is out of order until Monday.",
    "Until Monday the printer on the second floor is at the repair shop.",
)


class Sure(ScriptedPairModel):
    """Takes every new text for a later state, as likely as it is told."""

    def __init__(self, likelihood):
        super().__init__()
        self._rest = (1 - likelihood) / 4
        self._likelihood = likelihood

    def compare(self, pairs):
        rest, likely = self._rest, self._likelihood
        return [
            Likelihoods(different=rest, same=rest, adds=rest, held=rest, supersedes=likely) for _ in pairs
        ]


def test_a_rule_is_not_replaced_in_the_prompt_on_a_likelihood():
    world = World()
    assert store(world, None, RULE, importance=0.9).tier == "hot"
    store(world, Sure(0.99), WELCOME)
    assert world.hot_texts() == [RULE]


RUN, LATER_RUN = "I like to go for a run at six in the morning.", "I like to go for a run at eight at night."


@pytest.mark.parametrize(("likelihood", "stands"), [(0.9, [RUN, LATER_RUN]), (0.99, [LATER_RUN])])
def test_a_bare_preference_is_replaced_in_the_prompt_where_the_model_is_very_sure(likelihood, stands):
    world = World()
    assert store(world, None, RUN).tier == "hot"
    receipt = store(world, Sure(likelihood), LATER_RUN)
    assert world.hot_texts() == stands
    assert RUN in receipt.detail
    world.core().undo(receipt.undo)
    assert world.hot_texts() == [RUN]


FLAKY, CLOSED = "The tests of the parser are flaky on the old runner.", "Parser tests fixed."


@pytest.mark.parametrize(
    ("likelihood", "status"), [(0.3, "stale"), (0.6, "cold_stored"), (0.9, "cold_stored")]
)
def test_a_finished_status_that_may_outdate_something_is_kept(likelihood, status):
    world = World()
    store(world, None, FLAKY)
    receipt = store(world, Sure(likelihood), CLOSED)
    assert receipt.status == status
    assert len(receipt.superseded) == (likelihood == 0.9)
    assert (FLAKY in receipt.detail) == (status == "cold_stored")


@pytest.mark.parametrize(("likelihood", "stands"), [(0.9, STATE), (0.99, LATER)])
def test_what_is_no_rule_leaves_the_prompt_where_the_model_is_very_sure(likelihood, stands):
    world = World()
    world.hot.add(entry(STATE, kind="state", importance=0.5))
    receipt = store(world, Sure(likelihood), LATER)
    assert world.hot_texts() == [stands]
    if stands == LATER:
        assert STATE in receipt.detail
        assert "99%" in receipt.detail or "98%" in receipt.detail
        world.core().undo(receipt.undo)
        assert world.hot_texts() == [STATE]


def test_one_fact_outdates_one_other_by_likelihood():
    world = World()
    store(world, None, RIDE)
    store(world, None, TRAM)
    receipt = store(world, Sure(0.9), HELMET)
    assert len(receipt.superseded) == 1


def test_a_purge_takes_what_a_fact_took_in_and_not_what_it_outdated():
    world = World()
    store(world, None, RIDE)
    store(world, None, TRAM)
    model = ScriptedPairModel({(HELMET, RIDE): "adds", (HELMET, TRAM): "supersedes"})
    receipt = store(world, model, HELMET)
    assert len(receipt.superseded) == 2
    world.core().forget(receipt.id, purge=True)
    assert world.cold_texts() == [TRAM]


def test_the_model_reads_before_the_lock_is_taken():
    world = World()
    store(world, None, RIDE)
    free = []

    class Watching(ScriptedPairModel):
        def compare(self, pairs):
            other = threading.Thread(target=try_lock)
            other.start()
            other.join()
            return super().compare(pairs)

    def try_lock():
        free.append(world._lock.acquire(blocking=False))
        if free[-1]:
            world._lock.release()

    assert store(world, Watching({(BIKE, RIDE): "same"}), BIKE).status == "cold_duplicate"
    assert set(free) == {True}


@pytest.mark.parametrize("down", [True, False])
def test_without_the_model_both_are_kept_and_the_answer_says_so(down):
    world = World()
    store(world, None, RIDE)
    model = ScriptedPairModel({(BIKE, RIDE): "same"})
    model.down = down
    core = world.core(pair_model=model)
    receipt = core.store(BIKE, importance=0.3)
    assert receipt.status == ("cold_stored" if down else "cold_duplicate")
    assert any("The script is down." in warning for warning in receipt.warnings) is down
    assert any("The script is down." in told for told in core.usage().degraded) is down
    assert core.usage().pair_model == {"model": "scripted-pairs"}


def test_what_was_stored_without_a_vector_is_read_once_it_has_one():
    world = World()
    embedder = Flaky()
    model = ScriptedPairModel({(BIKE, RIDE): "same", (RIDE, BIKE): "same"})
    core = world.core(encoder_of(embedder), pair_model=model)
    core.store(RIDE, importance=0.3)
    embedder.down = True
    core.store(BIKE, importance=0.3)
    assert sorted(world.cold_texts()) == sorted([RIDE, BIKE])
    embedder.down = False
    report = core.maintain()
    assert (report.embedded, report.merged) == (1, 1)
    assert len(world.cold_texts()) == len(world.trash_texts()) == 1
    asked = list(model.asked)
    assert core.maintain().run is None
    assert model.asked == asked
