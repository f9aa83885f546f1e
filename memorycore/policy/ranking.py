"""How good each candidate answers a query, and whether anything does. Pure.

All is counted in deviations of unrelated pairs, so one number means the same under every model:

    strength = z of the cosine + WORDS x coverage - FADING x (1 - decay)

Coverage is BM25 over what a perfect match would score: the share of the query's weight that a text
holds, 0..1. A question of rare words that nothing shares therefore gains nothing by the one common
word that a text does hold, which a query's own best score would hide. The weights were chosen on
public dialogue and half of a labelled set, and checked on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

WORDS_WEIGHT = 10.0
"""Deviations that a full coverage of the query's words is worth beside a cosine."""

WORDS_ALONE_WEIGHT = 14.0
"""The same where a text has no vector: what shares all words is taken to be near as well."""

CROSS_LANGUAGE_FACTOR = 1.1
"""A translation's cosine stays below a paraphrase's; its z counts for so much more."""

FADING_WEIGHT = 0.4
"""Deviations that a fact loses once it has faded altogether: it settles near ties, no more."""

ANSWER_FLOOR = 6.4
"""Below this, the best candidate does not stand out enough to be an answer."""

HIT_FLOOR = 2.5
"""Behind a good answer, candidates below this strength are left out."""

CROWD = 30
"""The rank of the candidate that the best one is held against."""

_BM25_K1 = 1.2
_BM25_B = 0.75
_SCORE_MIDDLE = 4.0
_SCORE_WIDTH = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A candidate's strength and its parts, as `why` shows them; `z` is None without a vector."""

    total: float
    z: float | None
    coverage: float
    decay: float

    @property
    def score(self) -> float:
        """The strength as a number in 0..1."""
        return 1 / (1 + math.exp(-(self.total - _SCORE_MIDDLE) / _SCORE_WIDTH))


def strength(*, z: float | None, crosses_language: bool, coverage: float, decay: float) -> Strength:
    """Return how strongly a candidate answers; `coverage` and `decay` in 0..1."""
    if z is None:
        signal = WORDS_ALONE_WEIGHT * coverage
    else:
        signal = z * (CROSS_LANGUAGE_FACTOR if crosses_language else 1.0) + WORDS_WEIGHT * coverage
    return Strength(total=signal - FADING_WEIGHT * (1 - decay), z=z, coverage=coverage, decay=decay)


def answers(strengths: Sequence[float]) -> bool:
    """Whether the best of these strengths, in falling order, stands out as an answer.

    It has to be strong by itself and to rise above the crowd: among many texts that are all about the
    topic, one that answers is better than its thirtieth neighbour by more than one that does not.
    """
    if not strengths:
        return False
    crowd = max(0.0, strengths[CROWD - 1]) if len(strengths) >= CROWD else 0.0
    return 2 * strengths[0] - crowd >= ANSWER_FLOOR


@dataclass(frozen=True, kw_only=True)
class Lexis:
    """How common the asked terms are: in how many of `total` texts each occurs, how long texts are."""

    terms: tuple[str, ...]
    documents: Mapping[str, int]
    total: int
    mean_length: float = 1.0

    @cached_property
    def rarity(self) -> dict[str, float]:
        """The BM25 weight of each term; positive even for one that every text holds."""
        counts = {term: self.documents.get(term, 0) for term in self.terms}
        return {
            term: math.log(1 + (self.total - count + 0.5) / (count + 0.5)) for term, count in counts.items()
        }

    @cached_property
    def full(self) -> float:
        """The BM25 score that no text can exceed for these terms."""
        return (_BM25_K1 + 1) * sum(self.rarity.values())

    def coverage(self, score: float) -> float:
        """Return a BM25 score as a share of the full one, 0..1."""
        return min(1.0, score / self.full) if self.terms else 0.0

    def bm25(self, frequency: Mapping[str, float], length: int) -> float:
        """Return the BM25 score of one text; `length` is its number of terms.

        For texts that no index holds, and for stores so small that an index's own scores vanish.
        """
        norm = _BM25_K1 * (1 - _BM25_B + _BM25_B * length / self.mean_length)
        return sum(
            weight * frequency[term] * (_BM25_K1 + 1) / (frequency[term] + norm)
            for term, weight in self.rarity.items()
            if term in frequency
        )
