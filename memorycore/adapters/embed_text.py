"""What a text goes through before any embedding model sees it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from memorycore.model import Vector

MAX_CHARS = 2_000
"""The bundled models read about this much; time grows with length, and one of them has fixed buffers."""


def guarded(text: str) -> str:
    """Return the text as models may see it: at most 2,000 characters, NFKC, no NUL, no lone surrogate.

    Empty if there is nothing but white space. Compatibility forms are resolved here since a single
    one may stand for many characters, more than a model's own normaliser has room for.
    """
    text = text[:MAX_CHARS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", text)[:MAX_CHARS].strip()


def embed_guarded(
    texts: Sequence[str], embed: Callable[[list[str]], list[Vector | None]]
) -> list[Vector | None]:
    """Return `embed` of the guarded texts, in the order of the texts; blank ones get None unasked."""
    clean = [guarded(text) for text in texts]
    asked = [text for text in clean if text]
    vectors = iter(embed(asked) if asked else [])
    return [next(vectors) if text else None for text in clean]
