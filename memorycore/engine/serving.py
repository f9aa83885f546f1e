"""Which model queries are asked with: the present one, or the one before while a reindex is to be done."""

from __future__ import annotations

import threading

from memorycore.engine.encoder import Encoder
from memorycore.engine.parts import Parts
from memorycore.model import SearchResult


class Serving:
    """Knows the older model that most vectors are of, and keeps its encoder while it is needed.

    Asked only where a search met records without a vector of the present model: an ordinary recall pays
    nothing for it.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lock = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._other: str | None = None
        self._encoders: dict[str, Encoder | None] = {}

    def other_model(self, found: SearchResult) -> str | None:
        """Return the model that has vectors of more records than the present one, None if none has."""
        if not found.vectorless:
            return None
        seen = (found.total, found.vectorless)
        if seen != self._seen:
            self._other = self._best_other()
            self._seen = seen
        return self._other

    def forget(self) -> None:
        """Look anew next time: what was said of the vectors has turned out to be old."""
        self._seen = None

    def encoder(self, identity: str) -> Encoder | None:
        """Return an encoder that makes vectors of this identity, None where it can't be had here."""
        with self._lock:
            if identity not in self._encoders:
                self._encoders[identity] = self._parts.older(identity)
            return self._encoders[identity]

    def close(self) -> None:
        """Close what was opened; a second call does nothing."""
        with self._lock:
            for encoder in self._encoders.values():
                if encoder is not None:
                    encoder.close()
            self._encoders.clear()

    def _best_other(self) -> str | None:
        known = self._parts.cold.models(self._parts.owner)
        present = self._parts.model()
        best = max(known, key=lambda name: (known[name], name == present, name), default=None)
        return None if best == present else best
