"""An embedder that keeps what it has embedded on disk, so that a benchmark can be run again quickly.

The vectors are the real model's; only the waiting is saved. Delete benchmarks/.cache to start afresh.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.engine.ports import Embedder, EmbedRole
from memorycore.model import Vector

CACHE = Path(__file__).with_name(".cache")


class CachedEmbedder:
    """A bundled model behind a file of vectors; `save` writes the file."""

    def __init__(self, inner: Embedder | None = None) -> None:
        self._inner = inner or BundledEmbedder()
        self._path = CACHE / f"{self.identity.replace('/', '-')}.npz"
        self._vectors: dict[str, Vector] = {}
        self._dirty = False
        if self._path.is_file():
            with np.load(self._path) as held:
                self._vectors = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))

    @property
    def identity(self) -> str:
        return self._inner.identity

    @property
    def dim(self) -> int:
        return self._inner.dim

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        self.prime(texts, role)
        return [self._vectors.get(_key(text, role)) for text in texts]

    def prime(self, texts: Sequence[str], role: EmbedRole) -> None:
        """Embed what is not known yet, saying how far it is where there is much to do."""
        missing = list(dict.fromkeys(text for text in texts if _key(text, role) not in self._vectors))
        for start in range(0, len(missing), 256):
            batch = missing[start : start + 256]
            made = self._inner.embed(batch, role)
            self._vectors |= {
                _key(text, role): vector
                for text, vector in zip(batch, made, strict=True)
                if vector is not None
            }
            self._dirty = True
            if len(missing) > 256:
                print(f"  embedding {start + len(batch):,} of {len(missing):,}", flush=True)
        if len(missing) > 256:
            self.save()

    def save(self) -> None:
        """Write the file if anything is new."""
        if self._dirty:
            CACHE.mkdir(exist_ok=True)
            np.savez(
                self._path, keys=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values()))
            )
            self._dirty = False

    def close(self) -> None:
        self.save()
        self._inner.close()


def _key(text: str, role: EmbedRole) -> str:
    return hashlib.sha256(f"{role}\0{text}".encode(errors="replace")).hexdigest()[:32]
