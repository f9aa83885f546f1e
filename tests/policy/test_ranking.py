"""Strengths, scores and whether anything answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.ranking import CROWD, Lexis, answers, strength

SHARE = st.floats(0, 1)
Z = st.floats(-5, 12)


def of(z=None, coverage=0.0, decay=1.0, *, crosses=False):
    return strength(z=z, crosses_language=crosses, coverage=coverage, decay=decay)


@given(Z, SHARE, SHARE, st.booleans())
def test_more_of_any_signal_is_never_weaker(z, coverage, decay, crosses):
    base = of(z, coverage, decay, crosses=crosses)
    assert of(z + 0.5, coverage, decay, crosses=crosses).total > base.total
    assert of(z, min(1, coverage + 0.1), decay, crosses=crosses).total >= base.total
    assert of(z, coverage, min(1, decay + 0.1), crosses=crosses).total >= base.total


@given(st.none() | Z, SHARE, SHARE)
def test_a_score_is_between_0_and_1_and_keeps_the_order(z, coverage, decay):
    one, other = of(z, coverage, decay), of(z, coverage * 0.5, decay)
    assert 0 <= other.score <= one.score <= 1


def test_all_words_alone_answer_and_one_in_ten_does_not():
    assert answers([of(coverage=1.0).total])
    assert answers([of(coverage=0.3).total])
    assert not answers([of(coverage=0.1).total])


def test_fading_settles_ties_and_turns_no_answer_round():
    assert of(5.0, decay=0.0).total < of(5.0).total < of(5.5, decay=0.0).total


def test_a_translation_counts_a_little_more():
    assert of(4.0, crosses=True).total > of(4.0).total


def test_nothing_answers_where_nothing_is():
    assert not answers([])


def test_the_best_must_stand_out_of_a_crowd():
    alone, crowded = [4.0], [4.0] + [3.5] * CROWD
    assert answers(alone)
    assert not answers(crowded)
    assert answers([9.0] + [3.5] * CROWD)


def test_a_crowd_of_the_unlike_does_not_count():
    assert answers([4.0] + [-3.0] * CROWD)


def lexis(documents, total=100, mean=10.0):
    return Lexis(terms=tuple(documents), documents=documents, total=total, mean_length=mean)


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 100), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 50)),
    st.integers(1, 200),
)
def test_coverage_is_a_share(documents, frequency, length):
    words = lexis(documents)
    assert 0 <= words.coverage(words.bm25(frequency, length)) <= 1


def test_a_rare_word_covers_more_than_a_common_one():
    words = lexis({"rare": 1, "common": 90})
    assert words.coverage(words.bm25({"rare": 1}, 10)) > words.coverage(words.bm25({"common": 1}, 10)) > 0


def test_a_rare_word_that_nothing_shares_weighs_against_the_rest():
    asked, common = lexis({"name": 0, "lives": 60}), lexis({"lives": 60})
    assert asked.coverage(asked.bm25({"lives": 1}, 10)) < common.coverage(common.bm25({"lives": 1}, 10))


def test_even_a_word_of_every_text_counts_in_a_tiny_store():
    words = lexis({"key": 1}, total=1, mean=5.0)
    assert answers([of(coverage=words.coverage(words.bm25({"key": 1}, 5))).total])


def test_no_words_cover_nothing():
    assert lexis({}).coverage(0.0) == 0.0


def test_the_full_score_is_out_of_reach():
    words = lexis({"key": 3})
    assert words.bm25({"key": 1_000}, 10) == pytest.approx(words.full, rel=0.01)
    assert words.bm25({"key": 1_000}, 10) < words.full
