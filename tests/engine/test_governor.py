"""Overflow does what the audit shows; usage says how all of it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memorycore.adapters.embed_none import NoEmbedder
from memorycore.errors import HotFileBusy, HotFileUnreadable, InvalidInput, StoreUnavailable
from tests.engine.helpers import FACT, NOW, RULE, World, encoder_of, entry, record, shared_encoder

DONE = "The move was finished on 2026-04-20, all boxes delivered."


def world_with(*entries, limit=2_200) -> World:
    world = World(limits={"memory": limit, "user": limit})
    for one in entries:
        world.hot.add(one)
    return world


def old_state(number: int, **fields):
    text = f"The kitchen renovation of flat {number} was completed in spring and the carpenter was paid."
    return entry(text, kind="state", written_at=NOW - timedelta(days=30), **fields)


def aged(number: int, **fields):
    return old_state(number, updated_at=NOW - timedelta(days=30), **fields)


def test_the_audit_writes_nothing():
    world = world_with(aged(1), entry(RULE))
    before = world.state()
    world.core().audit()
    assert world.state() == before
    assert world.ledger.runs(limit=5) == []


def test_the_audit_shows_what_waits_for_a_vector():
    world = world_with()
    world.cold.put(record(FACT, id="m_waiting"), None)
    cold = world.core().audit().cold
    assert (cold["total"], cold["embedded"], cold["pending"]) == (1, 0, 1)
    assert cold["pending_ids"] == ["m_waiting"]


def test_the_pages_of_an_audit_hold_every_entry_once():
    world = world_with(
        *(entry(f"Rule {n}.") for n in range(7)), *(entry(f"Wish {n}.", "user") for n in range(6))
    )
    core, seen, cursor = world.core(), [], None
    for _ in range(10):
        page = core.audit(cursor=cursor, page_size=3)
        shown = [one.id for target in page.targets.values() for one in target.entries]
        assert len(shown) <= 3
        seen += shown
        cursor = page.next
        if cursor is None:
            break
    assert seen == [one.id for target in ("memory", "user") for one in world.hot.read(target).entries]


@pytest.mark.parametrize(
    "cursor", ["nonsense", "memory", "memory:", "memory:-1", "memory:x", ":3", "both:1", 5]
)
def test_a_cursor_that_is_none_of_ours_is_refused(cursor):
    with pytest.raises(InvalidInput) as caught:
        world_with().core().audit(cursor=cursor)
    assert caught.value.advice


def test_a_cursor_of_the_other_target_is_refused():
    with pytest.raises(InvalidInput):
        world_with().core().audit("user", cursor="memory:1")


def test_a_cursor_behind_the_end_shows_an_empty_last_page():
    page = world_with(entry(RULE)).core().audit("memory", cursor="memory:99")
    assert (page.targets["memory"].entries, page.next) == ((), None)


def test_long_entries_are_cut_in_the_audit_and_nowhere_else():
    world = world_with(entry("x" * 300))
    (shown,) = world.core().audit("memory").targets["memory"].entries
    assert (len(shown.text), shown.chars) == (80, 300)


def test_what_sank_is_found_by_meaning_and_undo_brings_it_back():
    world = world_with(aged(1))
    report = world.core().overflow("memory")["memory"]
    (sunk,) = world.records()
    assert world.cold.embedding(sunk.id, shared_encoder().identity) is not None
    world.core().undo(report.run)
    assert (world.hot_texts(), world.cold_texts(), world.trash_texts()) == ([sunk.text], [], [])


def test_an_overflow_tells_what_failed():
    world = world_with(aged(1), aged(2))
    real = world.hot

    class Locked:
        def __getattr__(self, name):
            return getattr(real, name)

        def remove(self, one):
            if "flat 1" in one.text:
                raise HotFileBusy("The file is locked.", advice="Wait.")
            return real.remove(one)

    world.hot = Locked()
    report = world.core().overflow("memory")["memory"]
    assert [action.outcome.split(":")[0] for action in report.actions] == ["failed", "done"]
    assert report.errors == ("The file is locked. Wait.",)
    assert world.hot_texts() == [aged(1).text]


def test_a_file_below_soft_is_left_alone_by_writes():
    world = world_with(aged(1))
    assert world.core().store(RULE).overflow is None
    assert aged(1).text in world.hot_texts()


@pytest.mark.parametrize("limit", [105, 140])
def test_a_file_at_soft_or_hard_gets_room_from_what_may_leave(limit):
    world = world_with(aged(1), limit=limit)
    while world.hot.read("memory").pct < 60:
        world.hot.add(aged(len(world.hot_texts()) + 1))
    receipt = world.core().store("Be brief.")
    assert receipt.status == "stored"
    assert receipt.overflow.moved >= 1
    assert world.hot_texts() == ["Be brief."]


def test_a_full_file_of_protected_entries_keeps_them_all():
    world = world_with(entry("Never use emojis in any message."), limit=40)
    receipt = world.core().store(RULE)
    assert (receipt.status, receipt.overflow) == ("cold_stored_fallback", None)
    assert world.hot_texts() == ["Never use emojis in any message."]


def test_usage_says_how_full_everything_is():
    world = world_with(entry(RULE))
    world.core().store(FACT)
    usage = world.core().usage()
    assert usage.hot["memory"].chars == len(RULE)
    assert (usage.cold["total"], usage.cold["embedded"], usage.trash) == (1, 1, {"count": 0})
    assert usage.embedder["dim"] == 256
    assert usage.thresholds == {"soft": 0.6, "hard": 0.8, "target": 0.4}
    assert usage.degraded == ()


def test_usage_names_each_part_that_fails_and_shows_the_others():
    world = world_with()

    class Broken:
        def __getattr__(self, name):
            raise HotFileUnreadable("Not UTF-8.", advice="Save it as UTF-8.")

    class Away:
        def __getattr__(self, name):
            raise StoreUnavailable("The disk is gone.", advice="Plug it in.")

    world.hot, world.cold = Broken(), Away()
    usage = world.core(encoder_of(NoEmbedder())).usage()
    assert "Not UTF-8" in usage.hot["memory"]["error"]
    assert "disk is gone" in usage.cold["error"]
    assert usage.embedder == {"name": "none", "model": None, "dim": 0}
    assert any("words only" in one for one in usage.degraded)
    assert any("cold tier" in one for one in usage.degraded)


def test_an_entry_written_by_hand_is_read_by_its_words():
    world = world_with()
    world.hot.write_by_hand("memory", f"{RULE}\n§\n{DONE}")
    rule, done = world.core().audit("memory").targets["memory"].entries
    assert (rule.protected, rule.verdict) == (True, "keep")
    assert (done.kind, done.verdict, done.age_days) == ("state", "sink", 14)
    assert "its words say" in done.reason
