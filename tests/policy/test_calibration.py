"""Centring and scaling make the cosines of any model mean the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.errors import EmbedderMismatch
from memorycore.model import Language
from memorycore.policy.calibration import LANGUAGES, Background, Calibration, Matrix, Spread, calibrate

DIM = 32


def rows(count: int, seed: int, *, offset: float, noise: float = 1.0) -> Matrix:
    """Unit vectors around a direction that depends on nothing but the offset: a made-up model."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(count, DIM)) * noise
    raw[:, 0] += offset
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


def model(offset: float, seed: int = 1) -> Calibration:
    return calibrate(
        {"en": rows(48, seed, offset=offset), "zh": rows(48, seed + 1, offset=2 * offset)},
        {"en": rows(24, seed + 2, offset=offset), "zh": rows(24, seed + 3, offset=2 * offset)},
    )


languages = st.sampled_from(LANGUAGES)


@given(st.integers(0, 10_000), languages, st.floats(0, 30))
def test_a_centred_vector_has_unit_length(seed: int, language: Language, offset: float) -> None:
    calibration = model(offset)
    (vector,) = rows(1, seed, offset=offset)
    for centred in (calibration.centre(vector, language), calibration.centre_query(vector, language)):
        assert centred.dtype == np.float32
        assert float(np.linalg.norm(centred)) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("offset", [0.0, 5.0, 20.0])
@pytest.mark.parametrize("one", LANGUAGES)
@pytest.mark.parametrize("other", LANGUAGES)
def test_unrelated_pairs_lie_around_zero_whatever_band_the_model_uses(
    offset: float, one: Language, other: Language
) -> None:
    calibration = model(offset)
    factor = {"en": 1, "zh": 2}
    queries = rows(40, 901, offset=offset * factor[one])
    passages = rows(40, 902, offset=offset * factor[other])
    scores = [
        calibration.z(
            float(calibration.centre_query(query, one) @ calibration.centre(passage, other)), one, other
        )
        for query in queries
        for passage in passages
    ]
    assert abs(float(np.mean(scores))) < 0.3
    assert 0.7 < float(np.std(scores)) < 1.4


def test_the_same_cosine_counts_more_in_a_model_of_narrower_spread() -> None:
    narrow, wide = Spread(0.0, 0.05), Spread(0.0, 0.2)
    assert narrow.z(0.3) > wide.z(0.3)


@given(st.floats(-1, 1), st.floats(-1, 1), languages, languages)
def test_z_keeps_the_order_of_cosines(one: float, other: float, asked: Language, stored: Language) -> None:
    calibration = model(5.0)
    if one <= other:
        assert calibration.z(one, asked, stored) <= calibration.z(other, asked, stored)
        assert calibration.passage_z(one, asked, stored) <= calibration.passage_z(other, asked, stored)


def test_translations_do_not_count_as_unrelated() -> None:
    sentences, queries = rows(48, 1, offset=0), rows(24, 2, offset=0)
    calibration = calibrate({"en": sentences, "zh": sentences}, {"en": queries, "zh": queries})
    assert calibration.passage_spreads["en", "zh"].mean < 0.0
    across, within = calibration.passage_spreads["en", "zh"], calibration.passage_spreads["en", "en"]
    assert across.mean == pytest.approx(within.mean, abs=1e-6)


def test_the_same_vectors_give_the_same_calibration() -> None:
    one, other = model(3.0), model(3.0)
    assert one.query_spreads == other.query_spreads
    assert all(np.array_equal(one.passage_centres[lang], other.passage_centres[lang]) for lang in LANGUAGES)


def test_a_model_that_says_the_same_of_everything_is_refused() -> None:
    same = np.ones((48, DIM), dtype=np.float32)
    with pytest.raises(EmbedderMismatch):
        calibrate({"en": same, "zh": same}, {"en": same[:24], "zh": same[:24]})


def test_a_vector_that_can_not_be_centred_is_refused() -> None:
    calibration = model(5.0)
    with pytest.raises(EmbedderMismatch, match="length 3"):
        calibration.centre(np.ones(3, dtype=np.float32), "en")
    with pytest.raises(EmbedderMismatch):
        calibration.centre(calibration.passage_centres["en"], "en")
    with pytest.raises(EmbedderMismatch):
        calibration.centre(np.full(DIM, np.nan, dtype=np.float32), "en")
    assert calibration.dim == DIM


def test_the_version_follows_every_sentence() -> None:
    background = Background(
        passages={"en": ("One.", "Two."), "zh": ("一。", "二。")},
        queries={"en": ("Who?", "When?"), "zh": ("谁?", "何时?")},
    )
    assert background.version == replace(background).version
    changed = {
        replace(background, passages={"en": ("One!", "Two."), "zh": ("一。", "二。")}).version,
        replace(background, passages={"en": ("Two.", "One."), "zh": ("一。", "二。")}).version,
        replace(background, queries={"en": ("Who?", "When?"), "zh": ("谁?", "哪天?")}).version,
        background.version,
    }
    assert len(changed) == 4
