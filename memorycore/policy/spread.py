"""Whether a text is put together from different parts of another, which then does not say it. Pure.

“She prefers metric units for the manual” has all its words, and in order, in “She prefers metric units for
the inventory; bullet points for the manual”, and is no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorycore.policy.slots import PREDICATES, Token, read

_ENDS = re.compile(r"[;；。！？，\n]|[.!?](?=\s|$)")
"""Marks behind which another statement begins; an English comma is one only before a verb."""


def put_together(shorter: str, longer: str) -> bool:
    """Whether some statement of `shorter` takes its words from several of `longer`, and not from whole ones.

    For pairs of which the longer has all words of the shorter and more. Who or what the longer text is about
    and its first verb count as said in each of its parts.
    """
    whole = read(longer)
    asked, had = {token.key for token in read(shorter).tokens}, {token.key for token in whole.tokens}
    if had <= asked:
        return False
    head = {token.key for token in whole.tokens[: whole.subject_end + 1]}
    parts = [part - head for part in _parts(longer)]
    return any(_from_several(wanted - head, parts) for wanted in _parts(shorter))


def _from_several(wanted: set[str], parts: list[set[str]]) -> bool:
    touched = [part for part in parts if part & wanted]
    return not any(wanted <= part for part in touched) and not all(part <= wanted for part in touched)


def _parts(text: str) -> list[set[str]]:
    return [part for sentence in _ENDS.split(text) for part in _at_verbs(read(sentence).tokens) if part]


def _at_verbs(tokens: tuple[Token, ...]) -> Iterator[set[str]]:
    part: set[str] = set()
    for token in tokens:
        if token.clause and token.kind in PREDICATES and part:
            yield part
            part = set()
        part.add(token.key)
    yield part
