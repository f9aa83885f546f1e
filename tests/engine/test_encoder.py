"""The encoder: comparable vectors, or none and a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.embed_data import background
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.adapters.embed_text import guarded
from memorycore.engine.encoder import CONTEXT_CHARS, CONTEXT_WEIGHT, Encoder
from memorycore.engine.ports import EmbedRole
from memorycore.errors import EmbedderMismatch, EmbedderUnavailable
from memorycore.model import Embedding, Vector, text_hash
from memorycore.testing_embed import HashingEmbedder

BACKGROUND_TEXTS = 2 * (48 + 24)


class DictCache:
    """The vector cache of a ledger, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Vector]] = {}

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        of_model = self.kept.get(model, {})
        return {key: of_model[key] for key in hashes if key in of_model}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        self.kept.setdefault(model, {}).update(vectors)


class Spoiling(HashingEmbedder):
    """Gets the vectors of some texts wrong, as endpoints do: `spoil` is by a part of the text."""

    def __init__(self, spoil: Mapping[str, Vector | None]) -> None:
        super().__init__()
        self._spoil = spoil

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        good = super().embed(texts, role)
        return [self._of(text, vector) for text, vector in zip(texts, good, strict=True)]

    def _of(self, text: str, vector: Vector | None) -> Vector | None:
        return next((bad for part, bad in self._spoil.items() if part in text), vector)


def encoder(embedder: HashingEmbedder | None = None, cache: DictCache | None = None) -> Encoder:
    return Encoder(embedder or HashingEmbedder(), background(), cache=cache)


def passage(made: Encoder, text: str, context: str | None = None) -> Embedding:
    (embedding,) = made.passages([(text, context)])
    assert embedding is not None
    return embedding


def test_the_identity_names_model_dimension_and_calibration() -> None:
    made = encoder()
    assert made.identity == f"hashing-1/256+{background().version}"
    assert (made.model, made.dim) == ("hashing-1/256", 256)
    assert passage(made, "The ladder is in the shed.").model == made.identity


@given(st.text(min_size=1, max_size=40).filter(guarded), st.none() | st.text(max_size=40))
def test_own_has_unit_length_and_find_no_more(text: str, context: str | None) -> None:
    (embedding,) = SHARED.passages([(text, context)])
    assert embedding is not None
    assert float(np.linalg.norm(embedding.own)) == pytest.approx(1.0, abs=1e-5)
    assert float(np.linalg.norm(embedding.find)) <= 1.0 + 1e-5
    assert embedding.own.dtype == embedding.find.dtype == np.float32


SHARED = encoder()


def test_context_moves_find_alone() -> None:
    made = encoder()
    plain = passage(made, "Yes, at nine.")
    told = passage(made, "Yes, at nine.", "When does the dentist open?")
    joined = passage(made, "When does the dentist open?\nYes, at nine.")
    assert np.array_equal(plain.own, told.own)
    assert plain.find is plain.own
    expected = (plain.own + CONTEXT_WEIGHT * joined.own) / (1 + CONTEXT_WEIGHT)
    assert np.allclose(told.find, expected, atol=1e-6)
    asked = made.query("dentist")
    assert float(asked @ told.find) > float(asked @ plain.find)


def test_contexts_go_to_their_texts() -> None:
    made = encoder()
    items = [("one", None), ("two", "ctx a"), ("three", None), ("four", "ctx b")]
    for item, embedding in zip(items, made.passages(items), strict=True):
        assert embedding is not None
        assert np.allclose(embedding.find, passage(made, *item).find, atol=1e-6)
    assert made.passages([]) == []


def test_a_long_context_leaves_room_for_the_text() -> None:
    made = encoder()
    tail = "z" * CONTEXT_CHARS
    assert np.array_equal(
        passage(made, "text", "a" * 5_000 + tail).find, passage(made, "text", "b" * 5_000 + tail).find
    )


BAD = {
    "of zeros": np.zeros(256, dtype=np.float32),
    "of nan": np.full(256, np.nan, dtype=np.float32),
    "of infinity": np.full(256, np.inf, dtype=np.float32),
    "too short": np.ones(3, dtype=np.float32),
    "no vector": None,
}


@pytest.mark.parametrize("fault", BAD)
def test_a_wrong_vector_counts_as_none_and_is_reported(fault: str) -> None:
    made = encoder(Spoiling(BAD))
    good, bad = made.passages([("all well", None), (f"gets {fault}", None)])
    assert good is not None
    assert bad is None
    assert len(made.faults) == 1
    assert made.cached_passages([f"gets {fault}"]) == [None]
    with pytest.raises(EmbedderMismatch):
        made.query(f"gets {fault}")


def test_a_wrong_vector_of_the_context_leaves_the_text_findable() -> None:
    made = encoder(Spoiling({"before\ntext": None}))
    embedding = passage(made, "text", "before")
    assert embedding.find is embedding.own
    assert made.faults


def test_too_few_vectors_are_refused() -> None:
    class Forgetful(HashingEmbedder):
        def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
            return super().embed(texts, role)[:-1]

    with pytest.raises(EmbedderMismatch):
        encoder(Forgetful()).passages([("a", None), ("b", None)])


def test_a_model_that_can_not_embed_the_background_is_not_available() -> None:
    made = encoder(Spoiling({background().passages["en"][0]: None}))
    assert not made.available
    assert made.faults
    with pytest.raises(EmbedderMismatch):
        _ = made.calibration


def test_without_a_model() -> None:
    made = Encoder(NoEmbedder(), background())
    assert not made.available
    for ask in (
        lambda: made.passages([("a", None)]),
        lambda: made.query("a"),
        lambda: made.cached_passages(["a"]),
    ):
        with pytest.raises(EmbedderUnavailable):
            ask()
    made.close()


def test_the_calibration_is_made_once_and_only_from_the_background() -> None:
    embedder = HashingEmbedder()
    made = encoder(embedder)
    assert embedder.calls == 0
    assert made.available
    assert embedder.calls == BACKGROUND_TEXTS
    made.passages([("a", None)])
    made.query("b")
    assert embedder.calls == BACKGROUND_TEXTS + 2


def test_a_cache_spares_the_model_even_after_a_restart() -> None:
    cache, first, second = DictCache(), HashingEmbedder(), HashingEmbedder()
    texts = ["The ladder is in the shed.", "梯子在棚子里。", "The ladder is in the shed."]
    before = encoder(first, cache).cached_passages(texts)
    assert first.calls == BACKGROUND_TEXTS + 2
    made = encoder(second, cache)
    after = made.cached_passages(texts)
    assert second.calls == 0
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
    assert np.array_equal(before[0], passage(made, texts[0]).own)


def test_queries_and_passages_are_cached_apart() -> None:
    cache = DictCache()
    assert encoder(cache=cache).available
    assert set(cache.kept) == {"hashing-1/256#passage", "hashing-1/256#query"}


def test_a_spoilt_cache_is_not_believed() -> None:
    cache = DictCache()
    cache.cache_vectors("hashing-1/256#passage", {text_hash("a"): np.zeros(256, dtype=np.float32)})
    made = encoder(cache=cache)
    assert np.array_equal(made.cached_passages(["a"])[0], encoder().cached_passages(["a"])[0])


def test_prebuilt_vectors_spare_the_model() -> None:
    source, embedder = HashingEmbedder(), HashingEmbedder()
    shipped: dict[tuple[EmbedRole, str], Vector] = {}
    for role, groups in (("passage", background().passages), ("query", background().queries)):
        for texts in groups.values():
            for text, vector in zip(texts, source.embed(texts, role), strict=True):  # type: ignore[arg-type]
                assert vector is not None
                shipped[role, text_hash(text)] = vector  # type: ignore[index]
    asked: list[str] = []

    def prebuilt(identity: str) -> Mapping[tuple[EmbedRole, str], Vector]:
        asked.append(identity)
        return shipped

    made = Encoder(embedder, background(), prebuilt=prebuilt)
    assert made.available
    assert embedder.calls == 0
    assert set(asked) == {"hashing-1/256"}
    assert made.calibration.query_spreads == encoder().calibration.query_spreads


def test_related_texts_score_above_unrelated_ones_in_deviations() -> None:
    made = encoder()
    near = passage(made, "The spare key of the boat hangs behind the stove.")
    far = passage(made, "Invoices from Rotterdam are paid late.")
    asked = made.query("Where does the spare key of the boat hang?")
    assert made.z(float(asked @ near.find), "en", "en") > 2
    assert made.z(float(asked @ far.find), "en", "en") < 2
    assert made.passage_z(float(near.own @ near.own), "en", "en") > 3
