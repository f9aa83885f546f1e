"""An embedder for tests: deterministic, instant, without a model."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from memorycore.adapters.embed_text import embed_guarded
from memorycore.engine.ports import EmbedRole
from memorycore.model import Vector

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Hashes words and the three-letter pieces in them, so that texts which share them are near.

    Knows nothing of meaning or of other languages; queries and passages are treated alike. `calls`
    counts how many texts were asked for.
    """

    def __init__(self, dim: int = 256, *, name: str = "hashing-1") -> None:
        self._dim = dim
        self._name = name
        self.calls = 0

    @property
    def identity(self) -> str:
        """Name and dimension."""
        return f"{self._name}/{self._dim}"

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self._dim

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:  # noqa: ARG002
        """Return a unit vector per text; None for a blank one."""
        self.calls += len(texts)
        return embed_guarded(texts, lambda clean: [self._vector(text) for text in clean])

    def close(self) -> None:
        """Do nothing."""

    def _vector(self, text: str) -> Vector:
        vector = np.zeros(self._dim, dtype=np.float32)
        for feature, weight in _features(text.lower()):
            digest = zlib.crc32(feature.encode())
            vector[digest % self._dim] += weight if digest & 0x10000 else -weight
        if not vector.any():
            vector[0] = 1.0  # two features that cancel each other out
        return vector / np.float32(np.linalg.norm(vector))


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Yield whole words, the pieces of longer ones, and single characters of scripts without spaces."""
    yield text, 0.1
    for word in _WORD.findall(text):
        if word.isascii():
            yield word, 1.0
            yield from ((f"{word[at : at + 3]}~", 0.3) for at in range(len(word) - 2))
        else:
            yield from ((character, 0.7) for character in word)
            yield from (("".join(word[at : at + 2]), 1.0) for at in range(len(word) - 1))
