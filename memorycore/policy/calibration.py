"""What cosines mean under one embedding model: pure arithmetic on vectors of background sentences.

Raw cosines of a model sit in a narrow band of its own, another one for each pair of languages.
Taking away what all texts of a language have in common, and counting in deviations of unrelated
pairs, makes one threshold mean the same under every model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import get_args

import numpy as np
import numpy.typing as npt

from memorycore.errors import EmbedderMismatch
from memorycore.model import Language, Vector

Matrix = npt.NDArray[np.float32]

LANGUAGES: tuple[Language, ...] = get_args(Language)

RULES_VERSION = 1
"""Grows whenever the arithmetic of centring changes, since stored vectors are centred ones."""

# Queries are centred midway between the mean passage and the mean query: a compromise. The mean passage
# alone loses across languages with a model that prefixes queries, and on dialogue with one that does
# not; the mean query alone loses on dialogue with the former.
_QUERY_SHARE = 0.5
_LEAST_NORM = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Sentences that are about nothing in particular: no two are related, no query asks for a passage.

    The passages of the languages are translations of one another, in the same order; so are the
    queries. At least two of each.
    """

    passages: Mapping[Language, tuple[str, ...]]
    queries: Mapping[Language, tuple[str, ...]]

    @property
    def version(self) -> str:
        """A short name of these sentences and of the arithmetic; vectors centred by others differ."""
        content = [RULES_VERSION, *([self.passages[lang], self.queries[lang]] for lang in LANGUAGES)]
        digest = hashlib.sha256(json.dumps(content, ensure_ascii=False).encode())
        return f"c{RULES_VERSION}.{digest.hexdigest()[:6]}"


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and deviation of the cosines of unrelated pairs; `deviation` > 0."""

    mean: float
    deviation: float

    def z(self, cosine: float) -> float:
        """Return how many deviations a cosine lies above the mean."""
        return (cosine - self.mean) / self.deviation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """The centres of a model's vectors and the spreads of centred cosines, per language."""

    passage_centres: Mapping[Language, Vector]
    query_centres: Mapping[Language, Vector]
    query_spreads: Mapping[tuple[Language, Language], Spread]
    passage_spreads: Mapping[tuple[Language, Language], Spread]

    @property
    def dim(self) -> int:
        """Length of the vectors that this calibration fits."""
        return len(self.passage_centres[LANGUAGES[0]])

    def centre(self, passage: Vector, language: Language) -> Vector:
        """Return a raw passage vector without what all passages of its language share, at unit length.

        Raises `EmbedderMismatch` for another length and where nothing is left.
        """
        return _centred(passage, self.passage_centres[language])

    def centre_query(self, query: Vector, language: Language) -> Vector:
        """Return a raw query vector, centred like `centre` does with passages."""
        return _centred(query, self.query_centres[language])

    def z(self, cosine: float, query_language: Language, passage_language: Language) -> float:
        """Return how far the cosine of a query and a passage lies above unrelated ones, in deviations."""
        return self.query_spreads[query_language, passage_language].z(cosine)

    def passage_z(self, cosine: float, one: Language, other: Language) -> float:
        """Return how far the cosine of two passages lies above unrelated ones, in deviations."""
        return self.passage_spreads[one, other].z(cosine)


def calibrate(passages: Mapping[Language, Matrix], queries: Mapping[Language, Matrix]) -> Calibration:
    """Return the calibration that the raw vectors of a background give; one row per sentence.

    Row n of one language's passages is the translation of row n of another's. Raises
    `EmbedderMismatch` when the model gives every sentence nearly the same vector.
    """
    passage_centres = {lang: _mean(passages[lang]) for lang in LANGUAGES}
    query_centres = {
        lang: (1 - _QUERY_SHARE) * passage_centres[lang] + _QUERY_SHARE * _mean(queries[lang])
        for lang in LANGUAGES
    }
    rows = {lang: _centred_rows(passages[lang], passage_centres[lang]) for lang in LANGUAGES}
    asked = {lang: _centred_rows(queries[lang], query_centres[lang]) for lang in LANGUAGES}
    pairs = list(product(LANGUAGES, LANGUAGES))
    return Calibration(
        passage_centres=passage_centres,
        query_centres=query_centres,
        query_spreads={(one, other): _spread(asked[one] @ rows[other].T) for one, other in pairs},
        passage_spreads={
            (one, other): _spread(_off_diagonal(rows[one] @ rows[other].T)) for one, other in pairs
        },
    )


def _mean(rows: Matrix) -> Vector:
    mean: Vector = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean


def _centred(vector: Vector, centre: Vector) -> Vector:
    if vector.shape != centre.shape:
        raise EmbedderMismatch(
            f"A vector of length {vector.size} came where {centre.size} are usual.",
            advice="Check which model the endpoint serves; `memorycore reindex` makes vectors anew.",
        )
    rest: Vector = (vector - centre).astype(np.float32)
    norm = float(np.linalg.norm(rest))
    if not norm > _LEAST_NORM * float(np.linalg.norm(centre)):
        raise EmbedderMismatch(
            "A vector says nothing beyond what all texts share.",
            advice="If this happens with every text, the embedding endpoint is at fault.",
        )
    return rest / np.float32(norm)


def _centred_rows(rows: Matrix, centre: Vector) -> Matrix:
    return np.stack([_centred(row, centre) for row in rows])


def _off_diagonal(cosines: Matrix) -> Matrix:
    """Leave out each sentence with itself or with its own translation."""
    off: Matrix = cosines[~np.eye(len(cosines), dtype=np.bool_)]
    return off


def _spread(cosines: Matrix) -> Spread:
    return Spread(float(cosines.mean(dtype=np.float64)), max(float(cosines.std(dtype=np.float64)), 1e-6))
