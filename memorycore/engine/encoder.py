"""Texts to vectors that can be compared: guarded, centred by language, of one named model."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from memorycore.engine.ports import Embedder, EmbedRole
from memorycore.errors import EmbedderMismatch, EmbedderUnavailable
from memorycore.model import Embedding, Language, Vector, text_hash
from memorycore.policy.calibration import LANGUAGES, Background, Calibration, Matrix, calibrate
from memorycore.policy.words import language

CONTEXT_WEIGHT = 0.7
"""How much a text together with its context weighs in `find`, the text alone weighing 1."""

CONTEXT_CHARS = 500
"""Only the end of a longer context is used: models read the beginning of a text, and the text is last."""

MEMO_TEXTS = 2_000
"""How many centred vectors of often asked texts are kept at hand; beyond it, all but the newest go."""

Prebuilt = Callable[[str], Mapping[tuple[EmbedRole, str], Vector]]
"""Raw vectors that came with the package for a model identity, by role and text hash."""


class VectorCache(Protocol):
    """The two methods of `Ledger` that the encoder keeps raw vectors with."""

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        """Return what is there of these text hashes."""
        ...

    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Cache vectors by text hash."""
        ...


class Encoder:
    """Makes the vectors that records are stored with and queries are asked with.

    A vector that the model got wrong (length, zero, not finite) counts as none: its text stays
    pending, and `faults` says so. The first use of a model computes its calibration from the
    background, out of `prebuilt` vectors, the cache, or the model itself, in this order. Thread-safe
    as far as its parts are.
    """

    def __init__(
        self,
        embedder: Embedder,
        background: Background,
        *,
        prebuilt: Prebuilt = lambda _identity: {},
        cache: VectorCache | None = None,
    ) -> None:
        self._embedder = embedder
        self._background = background
        self._prebuilt = prebuilt
        self._cache = cache
        self._calibration: Calibration | None = None
        self._calibrating = threading.Lock()
        self._faults: deque[str] = deque(maxlen=20)
        self._memo: dict[str, Vector | None] = {}

    @property
    def identity(self) -> str:
        """The model and the calibration, as `name/dim+calibration`.

        Vectors of different identities must not be compared. Raises `EmbedderUnavailable` where the
        model must be asked for its name and is not there.
        """
        return f"{self._embedder.identity}+{self._background.version}"

    @property
    def model(self) -> str:
        """The embedder's own identity, as `name/dim`."""
        return self._embedder.identity

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self._embedder.dim

    @property
    def available(self) -> bool:
        """Whether there is a model that makes sense; the reason why not is in `faults`.

        A model with shipped or cached background vectors is not started to find out.
        """
        try:
            _ = self.calibration
        except (EmbedderUnavailable, EmbedderMismatch) as error:
            self._note(error.message)
            return False
        return True

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong with single vectors so far: the last 20 sentences, each once in a row."""
        return tuple(self._faults)

    @property
    def calibration(self) -> Calibration:
        """The calibration of the model.

        Raises `EmbedderUnavailable`, and `EmbedderMismatch` if what the model says makes no sense.
        """
        with self._calibrating:
            if self._calibration is None:
                self._calibration = self._calibrate()
            return self._calibration

    def passages(self, items: Sequence[tuple[str, str | None]]) -> list[Embedding | None]:
        """Return an embedding per (text, context); None where the text can't be embedded.

        With a context, `find` blends the text's own vector with the one of context and text together;
        if only the latter can't be made, `find` is `own`. Raises `EmbedderUnavailable`, and
        `EmbedderMismatch` if what the model says makes no sense at all.
        """
        if not items:
            return []
        texts = [text for text, _ in items]
        joined = [f"{context[-CONTEXT_CHARS:]}\n{text}" for text, context in items if context]
        vectors = self._centred_passages(texts + joined, self._embedder.embed(texts + joined, "passage"))
        own, blended = vectors[: len(texts)], iter(vectors[len(texts) :])
        identity = self.identity
        return [
            self._embedding(identity, vector, next(blended) if context else None)
            for vector, (_, context) in zip(own, items, strict=True)
        ]

    def cached_passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the centred unit vector per text without embedding a known one again.

        For texts that are asked about over and over: hot entries, examples of the lexicons. Raises
        `EmbedderUnavailable`.
        """
        memo = self._memo
        new = list(dict.fromkeys(text for text in texts if text not in memo))
        if new:
            made = self._centred_passages(new, self._raw(new, "passage"))
            if len(memo) + len(new) > MEMO_TEXTS:
                memo = {text: memo[text] for text in texts if text in memo}
            # A new dict instead of a changed one: threads that look into the old one go on undisturbed.
            self._memo = memo = memo | dict(zip(new, made, strict=True))
        return [memo[text] for text in texts]

    def query(self, text: str) -> Vector:
        """Return the centred unit vector of a query.

        Raises `EmbedderUnavailable`, and `EmbedderMismatch` where this one text can't be embedded.
        """
        (raw,) = self._checked([text], self._embedder.embed([text], "query"))
        if raw is None:
            raise EmbedderMismatch(
                "The model has no vector for this query.", advice="It is looked for by its words alone."
            )
        return self.calibration.centre_query(raw, language(text))

    def drop(self, texts: Sequence[str]) -> None:
        """Forget what is at hand of these texts."""
        gone = set(texts)
        self._memo = {text: vector for text, vector in self._memo.items() if text.strip() not in gone}

    def z(self, cosine: float, query_language: Language, passage_language: Language) -> float:
        """Return how far the cosine of a query and a passage lies above unrelated ones, in deviations."""
        return self.calibration.z(cosine, query_language, passage_language)

    def passage_z(self, cosine: float, one: Language, other: Language) -> float:
        """Return how far the cosine of two passages lies above unrelated ones, in deviations."""
        return self.calibration.passage_z(cosine, one, other)

    def close(self) -> None:
        """Close the embedder; a second call does nothing."""
        self._embedder.close()

    def _calibrate(self) -> Calibration:
        return calibrate(
            {lang: self._background_rows(self._background.passages[lang], "passage") for lang in LANGUAGES},
            {lang: self._background_rows(self._background.queries[lang], "query") for lang in LANGUAGES},
        )

    def _background_rows(self, texts: Sequence[str], role: EmbedRole) -> Matrix:
        vectors = [vector for vector in self._raw(texts, role) if vector is not None]
        if len(vectors) < len(texts):
            raise EmbedderMismatch(
                f"The model has no vector for {len(texts) - len(vectors)} of {len(texts)} plain sentences.",
                advice="Check the embedding endpoint, or choose another model; words still find everything.",
            )
        return np.stack(vectors)

    def _raw(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        hashes = [text_hash(text) for text in texts]
        known = self._known(hashes, role)
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        if missing:
            made = self._checked(list(missing.values()), self._embedder.embed(list(missing.values()), role))
            fresh = {key: vector for key, vector in zip(missing, made, strict=True) if vector is not None}
            if self._cache is not None:
                self._cache.cache_vectors(self._cache_name(role), fresh)
            known |= fresh
        return [known.get(key) for key in hashes]

    def _known(self, hashes: Sequence[str], role: EmbedRole) -> dict[str, Vector]:
        shipped = self._prebuilt(self._embedder.identity)
        known = {key: shipped[role, key] for key in hashes if (role, key) in shipped}
        rest = [key for key in hashes if key not in known]
        if self._cache is None or not rest:
            return known
        cached = self._cache.cached_vectors(self._cache_name(role), rest)
        return known | {key: vector for key, vector in cached.items() if self._fault(vector) is None}

    def _cache_name(self, role: EmbedRole) -> str:
        """Raw vectors depend on the role and not on the calibration."""
        return f"{self._embedder.identity}#{role}"

    def _centred_passages(self, texts: Sequence[str], raw: Sequence[Vector | None]) -> list[Vector | None]:
        checked = self._checked(texts, raw)
        return [
            None if vector is None else self._centred(vector, text)
            for text, vector in zip(texts, checked, strict=True)
        ]

    def _centred(self, vector: Vector, text: str) -> Vector | None:
        try:
            return self.calibration.centre(vector, language(text))
        except EmbedderMismatch as error:
            self._note(error.message)
            return None

    def _embedding(self, identity: str, own: Vector | None, both: Vector | None) -> Embedding | None:
        if own is None:
            return None
        if both is None:
            return Embedding(identity, own, own)
        find = (own + CONTEXT_WEIGHT * both) / (1 + CONTEXT_WEIGHT)
        return Embedding(identity, own, find.astype(np.float32))

    def _checked(self, texts: Sequence[str], raw: Sequence[Vector | None]) -> list[Vector | None]:
        """Turn vectors that can't be right into None, and say so."""
        if len(raw) != len(texts):
            raise EmbedderMismatch(
                f"The embedder gave {len(raw)} vectors for {len(texts)} texts.",
                advice="Check the embedding endpoint; the texts stay pending.",
            )
        checked: list[Vector | None] = []
        for vector in raw:
            fault = "The model could not embed a text." if vector is None else self._fault(vector)
            if fault is not None:
                self._note(fault)
            checked.append(vector if fault is None else None)
        return checked

    def _fault(self, vector: Vector) -> str | None:
        if vector.shape != (self._embedder.dim,):
            return f"The model made a vector of shape {vector.shape} instead of {self._embedder.dim}."
        if not np.isfinite(vector).all():
            return "The model made a vector that is not finite."
        return None if vector.any() else "The model made a vector of zeros."

    def _note(self, fault: str) -> None:
        if not self._faults or self._faults[-1] != fault:
            self._faults.append(fault)
