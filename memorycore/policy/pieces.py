"""Cuts a text into words, values, Chinese characters and marks, and drops decoration. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from memorycore.policy.values import VALUE

HAN: Final = "\u3400-\u9fff"

_PIECE: Final = re.compile(
    rf"""
    (?P<dull>[\s"'`*_–—“”‘’«»「」『』【】\[\]{{}}…·\u200b-\u200d\u2060\ufeff]+
        | (?<=[A-Za-z0-9])- | -+(?!\d)  # any dash but a minus
        | 一[个名位只条台辆份家种款些支本场](?![人个]))
    | {VALUE}
    | (?P<id>[A-Za-z][A-Za-z0-9]*+(?:[-_./][A-Za-z0-9]++)+ | [A-Za-z]++\d[A-Za-z0-9]*+ | [A-Za-z](?:\+\+|\#)
        | \#\d+)
    | (?P<word>[^\W\d_{HAN}]++(?:'[a-z]+)?)
    | (?P<han>[{HAN}])
    | (?P<colon>:)
    | (?P<stop>[,;.()、。\n] | !(?!=))
    | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ENDINGS: Final = {"re": "are", "m": "am", "ve": "have", "ll": "will", "d": "will"}


class Piece(NamedTuple):
    """A piece as it is written. `kind` is the group of the pattern; `owner`: it has an 's."""

    text: str
    kind: str
    owner: bool = False

    @property
    def folded(self) -> str:
        """The text without regard to case, except where case tells two things apart."""
        return self.text if self.kind == "address" else self.text.casefold()


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text in order. Full width and ligatures are folded, case is kept."""
    for match in _PIECE.finditer(unicodedata.normalize("NFKC", text).replace("’", "'")):
        kind, piece = match.lastgroup or "mark", match.group()
        if kind == "dull":
            continue
        if kind == "id" and piece.replace("-", "").isalpha():
            yield Piece(piece.replace("-", "") if piece.islower() else piece, "word")
        elif kind == "word" and "'" in piece:
            yield from _apostrophe(piece)
        else:
            yield Piece(piece, kind)


def _apostrophe(piece: str) -> Iterator[Piece]:
    head, tail = piece.split("'", 1)
    if tail == "s":
        yield Piece(head, "word", owner=True)
    elif tail == "t":
        yield Piece({"ca": "can", "wo": "will"}.get(head.casefold(), head.removesuffix("n")), "word")
        yield Piece("not", "word")
    elif tail in _ENDINGS:
        yield Piece(head, "word")
        yield Piece(_ENDINGS[tail], "word")
    else:
        yield Piece(piece, "word")  # Chang'an
