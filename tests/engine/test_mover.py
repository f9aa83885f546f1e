"""forget, restore and undo: whole items, the same ids, and nothing on the way back is lost."""

from __future__ import annotations

import pytest

from memorycore.errors import HotFileBusy, HotFileFull
from memorycore.policy.write import record_of
from tests.engine.helpers import FACT, NOW, RULE, World, entry, shared_encoder

LOVES, HATES = "I love Chinese food.", "I hate Chinese food."
CAT, CAT_UPSTAIRS = "The cat is called Mimi.", "The cat is called Mimi and lives upstairs."


def embedded(world: World, id: str) -> bool:
    return world.cold.embedding(id, shared_encoder().identity) is not None


@pytest.mark.parametrize("text", [RULE, FACT])
def test_forget_and_restore_give_back_the_same_item(text):
    world = World()
    receipt = world.core().store(text, importance=0.6)
    before = world.state()
    forgotten = world.core().forget(receipt.id)
    assert (forgotten.status, forgotten.id) == ("forgotten", receipt.id)
    assert (world.hot_texts(), world.cold_texts(), world.trash_texts()) == ([], [], [text])
    restored = world.core().restore(receipt.id)
    assert (restored.status, restored.id, restored.detail) == ("restored", receipt.id, "")
    assert world.state() == before
    if receipt.tier == "cold":
        assert embedded(world, receipt.id)


@pytest.mark.parametrize("text", [RULE, FACT])
def test_forget_and_restore_can_be_undone(text):
    world = World()
    receipt = world.core().store(text)
    before = world.state()
    forgotten = world.core().forget(receipt.id)
    world.core().undo(forgotten.undo)
    assert world.state() == before
    world.core().forget(receipt.id)
    restored = world.core().restore(receipt.id)
    world.core().undo(restored.undo)
    assert (world.hot_texts(), world.cold_texts(), world.trash_texts()) == ([], [], [text])


@pytest.mark.parametrize("call", ["forget", "restore", "undo"])
def test_an_unknown_id_is_not_found_and_changes_nothing(call):
    world = World()
    world.core().store(RULE)
    before = world.state()
    answer = getattr(world.core(), call)("m_0000")
    assert (answer.status, answer.id, answer.undo) == ("not_found", "m_0000", None)
    assert answer.detail
    assert world.state() == before


def test_forgetting_or_restoring_twice_is_forgetting_or_restoring_once():
    world = World()
    kept = world.core().store(FACT).id
    world.core().forget(kept)
    state = world.state()
    again = world.core().forget(kept)
    assert (again.status, again.undo, world.state()) == ("forgotten", None, state)
    world.core().restore(kept)
    state = world.state()
    again = world.core().restore(kept)
    assert (again.status, again.undo, world.state()) == ("restored", None, state)


def test_an_entry_that_no_longer_fits_comes_back_cold():
    world = World(limits={"memory": 30, "user": 30})
    kept = world.core().store(RULE).id
    world.core().forget(kept)
    world.hot.add(entry("Never use emojis, please."))
    answer = world.core().restore(kept)
    assert (answer.status, bool(answer.detail)) == ("restored", True)
    assert (world.cold_texts(), world.trash_texts()) == ([RULE], [])
    assert embedded(world, kept)


def test_a_failing_restore_leaves_the_item_in_the_trash():
    world = World()
    kept = world.core().store(RULE).id
    world.core().forget(kept)
    real = world.hot

    class Locked:
        def __getattr__(self, name):
            return getattr(real, name)

        def add(self, one, at=None):
            raise HotFileBusy("The file is locked.", advice="Wait.")

    world.hot = Locked()
    with pytest.raises(HotFileBusy):
        world.core().restore(kept)
    assert world.trash_texts() == [RULE]
    world.hot = real
    assert world.core().restore(kept).status == "restored"


def test_undo_of_a_forget_without_room_leaves_the_item_in_the_trash():
    world = World(limits={"memory": 30, "user": 30})
    forgotten = world.core().forget(world.core().store(RULE).id)
    world.hot.add(entry("Never use emojis, please."))
    with pytest.raises(HotFileFull):
        world.core().undo(forgotten.undo)
    assert world.trash_texts() == [RULE]


def test_a_text_that_was_stored_again_meanwhile_is_not_doubled():
    world = World()
    first = world.core().store(FACT).id
    world.core().forget(first)
    second = world.core().store(FACT).id
    answer = world.core().restore(first)
    assert answer.status == "restored"
    assert second in answer.detail
    assert (world.cold_texts(), world.trash_texts()) == ([FACT], [])


def test_undo_leaves_what_was_built_on_it_and_says_so():
    world = World()
    first = world.core().store(CAT)
    second = world.core().store(CAT_UPSTAIRS)
    answer = world.core().undo(first.undo)
    assert answer.status == "undone"
    assert first.id in answer.detail
    assert world.cold.get(second.id).active
    assert not world.cold.get(first.id).active
    world.core().undo(second.undo)
    assert world.cold_texts() == [CAT]
    assert embedded(world, first.id)


def test_undo_twice_is_undo_once():
    world = World()
    world.core().store(LOVES)
    receipt = world.core().store(HATES)
    world.core().undo(receipt.undo)
    hot = world.hot_texts()
    world.core().undo(receipt.undo)
    assert world.hot_texts() == hot == [LOVES]


def test_an_undone_fact_is_in_the_trash_and_can_be_restored():
    world = World()
    receipt = world.core().store(RULE)
    world.core().undo(receipt.undo)
    assert world.trash_texts() == [RULE]
    assert world.core().restore(receipt.id).status == "restored"
    assert world.hot_texts() == [RULE]


def test_what_an_undone_merge_had_added_is_in_the_trash():
    world = World()
    world.core().store(RULE)
    receipt = world.core().store("Always answer in English and in short sentences.")
    world.core().undo(receipt.undo)
    assert world.hot_texts() == [RULE]
    assert world.trash_texts() == ["Always answer in English and in short sentences."]


def test_an_id_in_both_tiers_is_forgotten_in_both():
    world = World()
    world.hot.write_by_hand("memory", RULE)
    (by_hand,) = world.hot.read("memory").entries
    world.cold.put(record_of(by_hand, NOW, owner="local"), None)
    assert world.core().forget(by_hand.id).status == "forgotten"
    assert (world.hot_texts(), world.cold_texts()) == ([], [])


def test_each_move_keeps_its_receipt():
    world = World()
    kept = world.core().store(FACT).id
    world.core().forget(kept)
    world.core().restore(kept)
    tools = [one["tool"] for one in world.ledger.receipts(limit=9)]
    assert tools == ["restore", "forget", "store_fact"]
