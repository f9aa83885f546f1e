"""How many tokens of a model's context a text takes, at most. Pure, and knows no model's tokenizer."""

from __future__ import annotations

import re
from math import ceil
from typing import Final

_PIECES: Final = re.compile(r"[A-Za-z]+|[0-9]+|\n+|[!-/:-@\[-`{-~]+|[^\x00-\x7f]")
_FIRST_CJK: Final = 0x2E80
_FIRST_ASTRAL: Final = 0x10000


def estimated_tokens(text: str) -> int:
    """Return an estimate of the tokens of a text, on the side of too many.

    Four letters, two digits or two punctuation marks in a row are a token, line breaks in a row are one,
    other white space is part of the word behind it. A Chinese, Japanese or Korean character counts 1.5, one
    outside the Basic Multilingual Plane (an emoji, most of them) 3, any other character beyond ASCII 1.
    """
    return ceil(sum(map(_tokens, _PIECES.findall(text))))


def cut_to_tokens(text: str, most: int) -> str:
    """Return the text, cut to at most `most` (>= 1) tokens by the estimate; an ellipsis says so."""
    if estimated_tokens(text) <= most:
        return text
    while (tokens := estimated_tokens(text)) > most - 1:
        text = text[: min(len(text) - 1, len(text) * max(0, most - 1) // tokens)]
    return f"{text}…"


def _tokens(piece: str) -> float:
    first = piece[0]
    if not first.isascii():
        return 3.0 if ord(first) >= _FIRST_ASTRAL else 1.5 if ord(first) >= _FIRST_CJK else 1.0
    if first == "\n":
        return 1.0
    return ceil(len(piece) / (4 if first.isalpha() else 2))
