"""Chooses the pieces of the base vocabulary that the pair model keeps: those of English and Chinese facts.

The base knows 250,000 pieces of a hundred languages; their vectors would be most of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from memorycore.adapters.pair_vocabulary import UNKNOWN, Vocabulary
from tools.pair_model.weights import BaseModel

_GAP: Final = "\u2581"
_WORDS: Final = 120_000
"""So many of the commonest words per language are cut, and what they are cut into is kept."""

_ACCENTED: Final = 8_000
_SHORT: Final = 5
"""Letters of a word that is also met in capitals."""

_LATIN_END: Final = "\u0250"
_PUNCTUATION: Final = frozenset("。，、；：？！“”‘’（）《》「」【】…—·")
_SINGLE: Final = (("\x00", "\u024f"), ("\u2000", "\u303f"), ("\uff00", "\uffef"), ("\u3400", "\u9fff"))
"""First and last of the ranges whose characters are each kept: Latin, punctuation, wide forms, Han."""


def choose(base: BaseModel, written: Iterable[str]) -> list[int]:
    """Return the ids of the pieces to keep, ascending; `written` are texts that must be cut as by the base.

    Needs the package wordfreq.
    """
    whole = Vocabulary(base.pieces, base.scores.tolist())
    kept = set(range(UNKNOWN + 1))
    for text in (*_english(), *_chinese(), *written):
        kept.update(whole.cut(text))
    by_form: tuple[Callable[[str], bool], ...] = (_single, str.isdigit, _han, _sign)
    bare = [piece.replace(_GAP, "") for piece in base.pieces]
    kept.update(at for at, piece in enumerate(bare) if any(of_form(piece) for of_form in by_form))
    accented = [at for at, piece in enumerate(bare) if _accented(piece)]
    accented.sort(key=lambda at: -base.scores[at])
    kept.update(accented[:_ACCENTED])
    return sorted(kept)


def vocabulary(base: BaseModel, kept: Sequence[int]) -> Vocabulary:
    """Return the product's own way to cut, with the pieces that are kept."""
    return Vocabulary([base.pieces[at] for at in kept], [float(base.scores[at]) for at in kept])


def _english() -> Iterator[str]:
    for word in _common("en"):
        if word.isascii():
            yield word
            yield word.capitalize()
            if len(word) <= _SHORT:
                yield word.upper()


def _chinese() -> Iterator[str]:
    """Yield words at the start of a text and within one: only the former begin with a gap."""
    for word in _common("zh"):
        yield word
        yield "我" + word


def _common(lang: str) -> list[str]:
    from wordfreq import top_n_list

    words: list[str] = top_n_list(lang, _WORDS)
    return words


def _single(piece: str) -> bool:
    return len(piece) <= 1 and (not piece or any(first <= piece <= last for first, last in _SINGLE))


def _han(piece: str) -> bool:
    return bool(piece) and all("\u4e00" <= char <= "\u9fff" for char in piece)


def _accented(piece: str) -> bool:
    return not piece.isascii() and all(char < _LATIN_END for char in piece)


def _sign(piece: str) -> bool:
    """Whether a piece is of ASCII that is not letters, or of Chinese punctuation."""
    return bool(piece) and all(
        (char.isascii() and not char.isalpha()) or char in _PUNCTUATION for char in piece
    )
