"""Nothing is lost at the door: what a store drops or replaces is kept, found and brought back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.doubles import same_words
from tests.engine.helpers import FACT, RULE, World

AMSTERDAM = "The capital of the Netherlands is Amsterdam."
RETOLD = "Amsterdam is the capital of the Netherlands."
CAT, CAT_UPSTAIRS = "The cat is called Mimi.", "The cat is called Mimi and lives upstairs."
SHORT, LONG = "Always answer in English.", "Always answer in English and in short sentences."
TESTS_RED, TESTS_GREEN = "The pipeline is red.", "The pipeline is green."


def twice(*, importance=0.5):
    world = World()
    first = world.core().store(AMSTERDAM, importance=importance)
    return world, first, world.core().store(RETOLD, importance=importance)


@pytest.mark.parametrize(("importance", "status"), [(0.5, "cold_duplicate"), (0.95, "stored")])
def test_the_words_of_a_duplicate_are_kept_and_the_receipt_says_so(importance, status):
    world, first, receipt = twice(importance=importance)
    assert (receipt.status, receipt.id, receipt.duplicate_of) == (status, first.id, first.id)
    assert "trash" in receipt.detail
    assert receipt.undo is not None
    assert world.trash_texts() == [RETOLD]
    (buried,) = world.core().trash().items
    assert first.id in buried.reason
    assert buried.run == receipt.undo


def test_a_duplicate_comes_back_by_undo_and_by_restore():
    world, _, receipt = twice()
    assert world.core().undo(receipt.undo).status == "undone"
    assert sorted(world.cold_texts()) == sorted([AMSTERDAM, RETOLD])
    world, _, _ = twice()
    (buried,) = world.core().trash().items
    assert world.core().restore(buried.id).status == "restored"
    assert (sorted(world.cold_texts()), world.trash_texts()) == (sorted([AMSTERDAM, RETOLD]), [])


def test_a_duplicate_told_again_answers_the_same_and_leaves_no_second_copy():
    world, _, receipt = twice()
    again = world.core().store(RETOLD)
    assert (again.status, again.id, again.duplicate_of) == (receipt.status, receipt.id, receipt.duplicate_of)
    assert again.detail == receipt.detail
    assert again.undo is None
    assert world.trash_texts() == [RETOLD]


@pytest.mark.parametrize("text", [FACT, RULE])
def test_the_very_words_need_no_second_place(text):
    world = World()
    world.core().store(text)
    for same in (text, text.lower(), f"  {text.rstrip('.')} "):
        assert world.core().store(same).undo is None
    assert world.trash_texts() == []


@given(st.text(max_size=40))
def test_case_punctuation_and_space_are_no_words(text):
    assert same_words(text, f" {text}. ")
    assert not same_words(text, f"{text}x1")


@pytest.mark.parametrize(("old", "new"), [(CAT, CAT_UPSTAIRS), (SHORT, LONG)], ids=["cold", "hot"])
def test_what_a_longer_text_replaces_is_history(old, new):
    world = World()
    first = world.core().store(old)
    before = world.state()[:3]
    receipt = world.core().store(new)
    for asked in (first.id, receipt.id):
        told = world.core().fact_history(asked).versions
        assert [(one.text, one.superseded_by) for one in told] == [(old, receipt.id), (new, None)]
        assert "adds to" in told[0].why
        assert told[0].run == receipt.undo
    shown = world.core().recall(old, include_superseded=True).results
    assert {hit.content for hit in shown} == {old, new}
    moved = {move.text: move.after for action in detail(world, receipt) for move in action.moves}
    assert moved[old] == ("history",)
    again = world.core().store(new)
    assert (again.id, again.duplicate_of, again.undo) == (receipt.id, receipt.id, None)
    world.core().undo(receipt.undo)
    assert world.state()[:3] == before


def detail(world, receipt):
    return world.core().show(receipt.undo).actions


def test_what_contradicts_a_fact_is_stored_though_it_reads_as_a_status():
    world = World()
    first = world.core().store(TESTS_RED, route="cold")
    receipt = world.core().store(TESTS_GREEN, route="stale")
    assert (receipt.status, receipt.superseded) == ("cold_stored", (first.id,))
    assert world.cold.get(first.id).superseded_by == receipt.id
