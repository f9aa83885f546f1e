"""Cuts texts into the pieces that the pair model knows: a unigram vocabulary, the likeliest cut wins."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

_GAP: Final = "\u2581"
"""Stands for a space within the pieces."""

_UNKNOWN_COST: Final = 10.0
_NEVER: Final = float("-inf")

START, PAD, END, UNKNOWN = range(4)
"""The ids of the four pieces that no text is cut into."""


class Vocabulary:
    """Pieces with their log-likelihoods; the id of a piece is its place in the list."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        first = UNKNOWN + 1
        self._ids: Mapping[str, int] = {piece: first + at for at, piece in enumerate(pieces[first:])}
        self._scores = scores
        self._unknown = min(scores) - _UNKNOWN_COST
        self._longest = max(map(len, self._ids))

    def cut(self, text: str) -> list[int]:
        """Return the ids of the pieces that a text consists of, a character of no piece as `UNKNOWN`."""
        chars = _GAP + _GAP.join(unicodedata.normalize("NFKC", text).split())
        best = [0.0] + [_NEVER] * len(chars)
        came: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(chars) + 1)
        for start in range(len(chars)):
            so_far = best[start]
            if so_far + self._unknown > best[start + 1]:
                best[start + 1], came[start + 1] = so_far + self._unknown, (start, UNKNOWN)
            for end in range(start + 1, min(len(chars), start + self._longest) + 1):
                piece = self._ids.get(chars[start:end])
                if piece is not None and so_far + self._scores[piece] > best[end]:
                    best[end], came[end] = so_far + self._scores[piece], (start, piece)
        found = []
        at = len(chars)
        while at:
            at, piece = came[at]
            found.append(piece)
        return found[::-1]
