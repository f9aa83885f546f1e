"""Recall looks into the trash: what the system retired comes back when it is asked for, nothing else does."""

from __future__ import annotations

import pytest

from memorycore.adapters.embed_none import NoEmbedder
from memorycore.engine.encoder import Encoder
from memorycore.errors import HotFileUnreadable, StoreUnavailable
from memorycore.model import Embedding, Record, TrashItem
from memorycore.plan import Action, BuryEntry, BuryRecord, Plan, RemoveEntry
from memorycore.policy.revival import REVIVABLE, stands_out
from tests.engine.helpers import FACT, STALE, Flaky, World, encoder_of, entry, on_disk, record, shared_encoder

SHED = "The garden shed key hangs behind the blue door."
ASK = "where does the garden shed key hang"


@pytest.fixture
def world():
    return World()


def retire(world, text, rung="fade", kind="maintenance", **fields):
    """Bury a record by a run of the system, as maintenance does."""
    kept = record(text, importance=0.3, **fields)
    world.cold.put(kept, world.core()._parts.embed(text)[0])
    plan = Plan(
        kind=kind, actions=(Action(rung=rung, subject=kept.id, reason="faded", cold=(BuryRecord(kept),)),)
    )
    run = world.executor().apply(plan)
    assert run.error is None
    return kept, run.run


def ask(world, query=ASK, **options):
    core = world.core()
    answer = core.recall(query, **options)
    core._parts.afterwork.drain()
    return answer.results


def test_what_faded_is_found_and_is_back_under_its_id(world):
    kept, _ = retire(world, SHED)
    (hit,) = ask(world)
    assert (hit.id, hit.content, hit.tier, hit.why["revived"]) == (kept.id, SHED, "cold", True)
    assert world.trash_texts() == []
    back = world.cold.get(kept.id)
    assert (back.text, back.recalls, back.recalled_at) == (SHED, 1, world.clock())
    assert world.cold.embedding(kept.id, shared_encoder().identity) is not None
    (again,) = ask(world)
    assert (again.id, "revived" in again.why) == (kept.id, False)


def test_the_revival_is_a_run_with_its_reason_and_can_be_undone(world):
    kept, _ = retire(world, SHED)
    ask(world)
    run = world.ledger.runs(limit=1)[0]
    assert (run.plan.kind, run.plan.actions[0].rung) == ("restore", "revive")
    assert ASK in run.plan.actions[0].reason
    receipt = world.ledger.receipts(limit=1)[0]
    assert receipt["answer"] == {"revived": kept.id, "undo": run.id}
    world.core().undo(run.id)
    assert (world.cold_texts(), world.trash_texts()) == ([], [SHED])
    assert ask(world) == ()
    assert world.trash_texts() == [SHED]


def test_a_stale_status_comes_back_as_a_record_when_it_is_asked_for(world):
    stale = world.core().store("The migration of the wiki is finished.", route="stale")
    (hit,) = ask(world, "is the migration of the wiki finished")
    assert hit.id == stale.id
    assert world.cold_texts() == ["The migration of the wiki is finished."]


def test_an_entry_that_an_overflow_dropped_as_stale_comes_back_cold(world):
    old = entry("The migration of the wiki is finished.")
    world.hot.add(old)
    plan = Plan(
        kind="overflow",
        actions=(
            Action(
                rung="stale", subject=old.id, reason="short", cold=(BuryEntry(old),), hot=RemoveEntry(old)
            ),
        ),
    )
    world.executor().apply(plan, world.core()._parts.plan_embeddings(plan))
    (hit,) = ask(world, "is the migration of the wiki finished")
    assert hit.why["revived"]
    assert (world.hot_texts(), world.trash_texts()) == ([], [])
    assert world.cold.get(old.id).origin == "hot:memory"


@pytest.mark.parametrize(
    "rung", ["forget", "undo", "merge", "duplicate", "conflict", "supersede", "paraphrase"]
)
def test_what_left_for_another_reason_stays_where_it_is(world, rung):
    retire(world, SHED, rung=rung)
    assert rung not in REVIVABLE
    assert ask(world) == ()
    assert world.trash_texts() == [SHED]


def test_what_a_caller_forgot_or_undid_never_comes_back_by_itself(world):
    forgotten = world.core().store(SHED, route="cold")
    world.core().forget(forgotten.id)
    assert ask(world) == ()
    world.core().restore(forgotten.id)
    world.core().undo(forgotten.undo)
    assert ask(world) == ()
    assert world.trash_texts() == [SHED]


@pytest.mark.parametrize(
    "other",
    [
        SHED,
        "The garden shed key hangs behind the blue door, on the left.",
        "The garden shed key no longer hangs behind the blue door.",
    ],
    ids=["the same", "says it and more", "contradicts it"],
)
@pytest.mark.parametrize("where", ["hot", "cold", "history"])
def test_what_has_a_place_already_is_not_brought_back(world, other, where):
    retire(world, SHED)
    if where == "hot":
        world.hot.write_by_hand("memory", other)
    else:
        told = {} if where == "cold" else {"superseded_by": "m_newer", "superseded_at": world.clock()}
        one = record(other, **told)
        world.cold.put(one, world.core()._parts.embed(other)[0])
    assert all("revived" not in hit.why for hit in ask(world))
    assert world.trash_texts() == [SHED]


def test_what_was_forgotten_after_it_had_faded_stays_forgotten(world):
    retire(world, SHED)
    world.clock.turn(days=1)
    told_again = world.core().store(SHED, route="cold")
    world.core().forget(told_again.id)
    assert ask(world) == ()


def test_a_question_about_something_else_revives_nothing(world):
    retire(world, SHED)
    assert ask(world, "when does the orchestra rehearse") == ()
    assert world.trash_texts() == [SHED]


def test_words_without_a_vector_revive_nothing(world):
    retire(world, SHED)
    embedder = Flaky()
    core = world.core(encoder=encoder_of(embedder))
    core.recall("warm up")
    embedder.down = True
    assert core.recall(ASK).results == ()
    none = Encoder(NoEmbedder("none", advice="none"), shared_encoder()._background)
    assert world.core(encoder=none).recall(ASK).results == ()
    assert world.trash_texts() == [SHED]


def test_what_was_buried_under_another_model_or_without_a_vector_stays(world):
    kept = record(SHED, importance=0.3)
    item = TrashItem(
        item=kept,
        reason="faded",
        run="r",
        trashed_at=world.clock(),
        expires_at=world.clock().replace(year=2030),
    )
    world.ledger.bury(item)
    assert ask(world) == ()
    own = world.core()._parts.embed(SHED)[0].own
    world.ledger.bury(item, Embedding("other/256+1", own, own))
    assert ask(world) == ()


def test_what_has_expired_is_gone(world):
    retire(world, SHED)
    world.clock.turn(days=31)
    assert ask(world) == ()


def test_only_as_many_come_back_as_are_hits(world):
    texts = [SHED, "Anna borrowed the garden shed key.", "The garden shed key is made of brass."]
    for text in texts:
        retire(world, text)
    hits = ask(world, "garden shed key", top_k=2)
    assert len(hits) == 2
    assert sorted(world.cold_texts()) == sorted(hit.content for hit in hits)
    assert len(world.trash_texts()) == 1


def test_of_two_that_contradict_each_other_the_newer_comes_back(world):
    retire(world, "The staging server listens on port 8443.")
    world.clock.turn(days=1)
    now = world.clock()
    retire(world, "The staging server listens on port 8444.", created_at=now, updated_at=now)
    hits = ask(world, "which port does the staging server listen on")
    assert [hit.content for hit in hits] == ["The staging server listens on port 8444."]
    assert world.trash_texts() == ["The staging server listens on port 8443."]


def test_a_revival_that_fails_harms_neither_the_answer_nor_the_next_one(world, monkeypatch):
    kept, _ = retire(world, SHED)
    core = world.core()
    monkeypatch.setattr(world.cold, "put", lambda *_: (_ for _ in ()).throw(_busy()))
    assert [hit.id for hit in core.recall(ASK).results] == [kept.id]
    core._parts.afterwork.drain()
    assert world.trash_texts() == [SHED]
    monkeypatch.undo()
    ask(world)
    assert world.cold_texts() == [SHED]


def _busy():
    return StoreUnavailable("The store is busy.", advice="Wait.")


def test_two_recalls_at_once_revive_once(world):
    kept, _ = retire(world, SHED)
    core = world.core()
    core.recall(ASK)
    core.recall(ASK)
    core._parts.afterwork.drain()
    assert world.cold_texts() == [SHED]
    assert sum(run.plan.kind == "restore" for run in world.ledger.runs(limit=9)) == 1
    assert isinstance(world.cold.get(kept.id), Record)


def test_meaning_alone_has_to_make_it_an_answer():
    assert stands_out(3.3, 3.3, [])
    assert not stands_out(9.0, 3.1, [])
    assert not stands_out(3.3, 3.3, [3.0] * 40)
    assert stands_out(12.1, 3.3, [9.0, 8.0])
    assert not stands_out(11.9, 3.3, [9.0, 8.0])
    assert stands_out(3.1, 3.3, [3.0])


def test_on_real_files_it_survives_the_process(tmp_path):
    with on_disk(tmp_path) as core:
        stale = core.store(STALE, route="stale")
        assert core.recall("done tests passed").results[0].id == stale.id
    with on_disk(tmp_path) as core:
        (hit,) = core.recall("done tests passed").results
        assert (hit.id, "revived" in hit.why) == (stale.id, False)
        assert core.usage().trash == {"count": 0}
        assert core.store(FACT).id


def test_a_trash_that_can_not_be_searched_is_said_and_the_rest_answers(world, monkeypatch):
    world.core().store(SHED, route="cold")
    monkeypatch.setattr(world.ledger, "buried_near", lambda *_, **__: (_ for _ in ()).throw(_busy()))
    answer = world.core().recall(ASK)
    assert [hit.content for hit in answer.results] == [SHED]
    assert "the trash was not searched" in answer.degraded


def test_what_can_not_be_compared_with_the_hot_file_stays_in_the_trash(world, monkeypatch):
    retire(world, SHED)

    def unreadable(_):
        raise HotFileUnreadable("MEMORY.md is not UTF-8.", advice="Mend it.")

    monkeypatch.setattr(world.hot, "read", unreadable)
    answer = world.core().recall(ASK)
    assert answer.results == ()
    assert "MEMORY.md" in answer.degraded
    assert world.trash_texts() == [SHED]


def test_history_in_the_trash_is_never_revived(world):
    retire(world, SHED, superseded_by="m_newer", superseded_at=world.clock())
    assert ask(world, include_superseded=True) == ()
