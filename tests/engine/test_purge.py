"""A purge leaves no trace in any file, proves it, and says what it could not do."""

from __future__ import annotations

import json
import sqlite3

import pytest

from memorycore.answers import to_wire
from memorycore.model import text_hash
from memorycore.policy.traces import forms
from tests.engine.helpers import FACT, STALE, TurnableClock, World, all_bytes, entry, on_disk, record

SECRET = 'The "zanzibar" vault opens with the phrase violet armadillo 茶.'
PORT, NEWER = "The zanzibar server listens on port 48443.", "The zanzibar server listens on port 48555."
WORDS = (b"violet", b"violet armadillo", "violet".encode("utf-16-le"))


def grep(root, *needles):
    return {name for name, data in all_bytes(root).items() for needle in needles if needle in data}


@pytest.fixture
def root(tmp_path):
    return tmp_path


def purged(core, id):
    answer = core.forget(id, purge=True)
    assert answer.status == "purged", answer
    assert set(answer.proof.forms.values()) == {0}
    assert answer.proof.left == answer.proof.unread == ()
    return answer


@pytest.mark.parametrize("route", ["hot", "cold", "stale"])
def test_nothing_of_a_fact_is_left_in_any_file(root, route):
    with on_disk(root) as core:
        other = core.store(FACT)
        kept = core.store(SECRET, route=route, context="We spoke of travel.")
        core.recall("zanzibar vault phrase")
        core.recall(f"is it true that {SECRET}")
        vectors = core._parts.ledger.vectors_of(text_hash(SECRET))
        vectors += [e.own for e in core._parts.cold.embeddings(kept.id)]
        core._parts.afterwork.drain()
        assert grep(root, b"violet")
        answer = purged(core, kept.id)
        assert (answer.proof.files >= 3, answer.proof.bytes > 0) == (True, True)
        assert grep(root, *WORDS, text_hash(SECRET).encode(), *(v.tobytes() for v in vectors)) == set()
        assert core.recall("zanzibar vault phrase").results == ()
        assert core.recall("garden shed key").results[0].id == other.id
    assert grep(root, *WORDS) == set()


def test_a_whole_life_is_purged_from_every_place_that_it_passed(root):
    clock = TurnableClock()
    with on_disk(root, clock) as core:
        first = core.store(PORT, route="hot")
        core.recall("zanzibar server port")
        clock.turn(days=60)
        core.overflow()
        core.forget(first.id)
        core.restore(first.id)
        second = core.store(NEWER, route="cold")
        assert second.superseded == (first.id,)
        core.recall("zanzibar server port", include_superseded=True)
        core.forget(first.id)
        assert grep(root, b"48443")
        purged(core, first.id)
        assert grep(root, b"48443", text_hash(PORT).encode()) == set()
        assert core.recall("zanzibar server port").results[0].content == NEWER
        assert [one.text for one in core.fact_history(second.id).versions] == [NEWER]


def test_copies_of_the_text_under_other_ids_and_scopes_go_too(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        core.store(SECRET, route="cold", scope="work")
        core._parts.cold.put(record(SECRET, superseded_by="m_x", superseded_at=core._parts.clock()), None)
        answer = purged(core, kept.id)
        assert answer.removed["records"] == 3
        assert grep(root, *WORDS) == set()


def test_what_the_text_was_before_it_was_merged_goes_with_it(root):
    with on_disk(root) as core:
        first = core.store("The violet armadillo is called Mimi.", route="cold")
        second = core.store("The violet armadillo is called Mimi and lives upstairs.", route="cold")
        third = core.store("The violet armadillo is called Mimi and lives upstairs with Tom.", route="cold")
        assert (second.superseded, third.superseded) == ((first.id,), (second.id,))
        answer = purged(core, third.id)
        assert answer.removed["texts"] == 3
        assert grep(root, *WORDS) == set()


def test_what_a_rule_was_before_it_was_merged_goes_with_it(root):
    with on_disk(root) as core:
        first = core.store("Always call the violet armadillo Mimi.", route="hot")
        second = core.store("Always call the violet armadillo Mimi and be polite.", route="hot")
        assert second.superseded == (first.id,)
        assert purged(core, second.id).removed["texts"] == 2
        assert grep(root, *WORDS) == set()


def test_the_context_of_others_loses_it_and_the_others_stay_findable(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        other = core.store(FACT, route="cold", context=f"{SECRET} And then?")
        gone = core.store("The cellar lamp is broken in two.", route="cold", context=f"{SECRET} And then?")
        core.forget(gone.id)
        answer = purged(core, kept.id)
        assert answer.removed["contexts"] == 1
        (hit,) = core.recall("garden shed key").results
        assert (hit.id, core._parts.cold.get(other.id).context) == (other.id, None)
        assert core._parts.cold.counts("local", core._parts.model()).pending == 0
        assert grep(root, *WORDS) == set()
        assert core.restore(gone.id).status == "restored"


def test_an_item_of_the_trash_and_one_that_only_the_journal_knows_can_be_purged(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        core.forget(kept.id)
        assert purged(core, kept.id).removed["trash"] == 1
        again = core.store(SECRET, route="cold")
        core._parts.cold.delete(again.id)
        purged(core, again.id)
        assert grep(root, *WORDS) == set()


def test_a_longer_text_that_holds_it_is_named_and_nothing_is_removed(root):
    with on_disk(root) as core:
        kept = core.store("The violet armadillo sleeps.", route="cold")
        holder = record("Remember this one: The violet armadillo sleeps. So be quiet.")
        core._parts.cold.put(holder, None)
        answer = core.forget(kept.id, purge=True)
        assert (answer.status, answer.held_by, answer.proof) == ("held", (holder.id,), None)
        assert holder.id in answer.detail
        assert core._parts.cold.get(kept.id) is not None
        purged(core, holder.id)
        purged(core, kept.id)
        assert grep(root, *WORDS) == set()


def test_runs_and_receipts_stay_and_what_was_purged_can_not_be_undone_into_being(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        forgotten = core.forget(kept.id)
        purged(core, kept.id)
        assert core._parts.ledger.run(kept.undo).plan.actions[0].cold[0].record.text == "[purged]"
        for run in (forgotten.undo, kept.undo):
            core.undo(run)
        assert core._parts.cold.scan("local", after=None, limit=9) == []
        assert core.restore(kept.id).status == "not_found"
        receipt = core._parts.ledger.receipts(limit=9)
        assert "purge" in {one["tool"] for one in receipt}


@pytest.mark.parametrize("text", ["Tea at 5.", "绿茶。", STALE[:10]])
def test_a_short_text_is_purged_and_the_answer_says_what_was_searched_for(root, text):
    with on_disk(root) as core:
        longer = core.store(f"Nobody has ever read “{text}” aloud to the door.", route="cold")
        kept = core.store(text, route="cold")
        answer = core.forget(kept.id, purge=True)
        assert answer.status == "purged", answer
        assert "So short a text" in answer.detail
        assert "utf-8" not in answer.proof.forms
        assert core._parts.cold.get(kept.id) is None
        assert core._parts.cold.get(longer.id) is not None
        assert text_hash(text).encode() not in b"".join(all_bytes(root).values())


def test_files_of_others_are_searched_named_and_left_alone(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="hot")
        backup = root / "memories" / "MEMORY.md.bak.1700000000"
        backup.write_text(SECRET, encoding="utf-8")
        answer = core.forget(kept.id, purge=True)
        assert answer.status == "left"
        assert {trace.file for trace in answer.proof.left} == {str(backup)}
        assert not any(trace.ours for trace in answer.proof.left)
        assert str(backup) in answer.detail
        assert backup.read_text(encoding="utf-8") == SECRET


def test_temporary_files_and_broken_sidecars_of_ours_that_hold_it_are_removed(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="hot")
        waste = root / "memories" / ".mem_core_abc.tmp"
        broken = root / "memories" / "MEMORY.meta.json.broken"
        innocent = root / "memories" / "USER.meta.json.broken"
        waste.write_text(SECRET, encoding="utf-8")
        broken.write_text(json.dumps({text_hash(SECRET): {}}), encoding="utf-8")
        innocent.write_text("{", encoding="utf-8")
        purged(core, kept.id)
        assert not waste.exists()
        assert not broken.exists()
        assert innocent.exists()


def test_a_trace_in_a_file_of_ours_is_an_error_that_names_the_file(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        planted = root / "home" / "cold.sqlite3.copy"
        planted.write_bytes(b"x" * 5_000_000 + SECRET.encode("utf-16-le"))
        answer = core.forget(kept.id, purge=True)
        assert answer.status == "left"
        assert [(one.file, one.form, one.count, one.ours) for one in answer.proof.left] == [
            (str(planted), "utf-16-le", 1, True)
        ]
        assert "cold.sqlite3.copy" in answer.detail


def test_a_long_text_is_looked_for_in_pieces_and_gone(root):
    long = " ".join(f"Paragraph {n} tells of the violet armadillo number {n * n}." for n in range(200))
    with on_disk(root) as core:
        kept = core.store(long, route="cold")
        answer = purged(core, kept.id)
        assert "part 8" in answer.proof.forms
        assert grep(root, b"violet") == set()


def test_the_locks_of_the_stores_survive_the_search(root):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        purged(core, kept.id)
        # A second process' last connection would remove the WAL if ours were no longer seen.
        other = sqlite3.connect(root / "home" / "cold.sqlite3")
        other.execute("SELECT count(*) FROM records").fetchone()
        other.close()
        assert core.store(FACT).status == "cold_stored"
    with on_disk(root) as core:
        assert core.recall("garden shed key").results


def test_a_purge_that_is_cut_off_is_finished_by_the_next(root, monkeypatch):
    with on_disk(root) as core:
        kept = core.store(SECRET, route="cold")
        monkeypatch.setattr(core._parts.ledger, "purge", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            core.forget(kept.id, purge=True)
        monkeypatch.undo()
        assert grep(root, b"violet")
    with on_disk(root) as core:
        purged(core, kept.id)
        assert grep(root, *WORDS) == set()


def test_an_unknown_id_is_not_found():
    answer = World().core().forget("m_unknown", purge=True)
    assert to_wire(answer)["status"] == "not_found"


def test_in_memory_it_is_the_same():
    world = World()
    kept = world.core().store(SECRET, route="hot")
    world.hot.add(entry("Never shout."))
    assert world.core().forget(kept.id, purge=True).status == "purged"
    assert world.hot_texts() == ["Never shout."]
    assert world.trash_texts() == []


def test_the_forms_are_those_in_which_our_files_hold_a_text():
    looked_for = forms('say "é" twice to the clerk', ())
    assert looked_for["json"] == b'say \\"\xc3\xa9\\" twice to the clerk'
    assert looked_for["json, ascii"] == b'say \\"\\u00e9\\" twice to the clerk'
    assert looked_for["hash"].decode() == text_hash('say "é" twice to the clerk')
    assert len(looked_for["hash, binary"]) == 32
