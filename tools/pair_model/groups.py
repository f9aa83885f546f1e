"""The written data: groups of texts around one stored fact, and the labelled pairs that a group holds.

A line of a file is one group in JSON; README.md tells what is in which field.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import permutations, product
from pathlib import Path
from typing import Final, NamedTuple

DATA: Final = Path(__file__).parent / "data"

LANGUAGES: Final = ("en", "zh")
_NEEDED_LISTS: Final = ("same", "now", "apart")
_LISTS: Final = (*_NEEDED_LISTS, "richer", "other_language")


class Verdict(IntEnum):
    """What a new text is to an old one; the first five are the outputs of the network, in its order."""

    DIFFERENT = 0
    SAME = 1
    ADDS = 2
    HELD = 3
    SUPERSEDES = 4
    NOT_ONE = 5
    """Different or superseding, either is right: one text must not stand for both."""


OUTPUTS: Final = 5
KEEP_ONE: Final = (Verdict.SAME, Verdict.ADDS, Verdict.HELD)
"""The verdicts by which one of the two texts is enough."""


class Pair(NamedTuple):
    """A new text, an old text, and what the new one is to the old one."""

    new: str
    old: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A fact (`base`) and texts around it.

    `same` says what the base says, `other_language` says so in the other language, `richer` says more;
    `now` tells, each in its way, the state that came after it; `apart` stands beside it.
    """

    lang: str
    base: str
    same: Sequence[str]
    now: Sequence[str]
    apart: Sequence[str]
    richer: Sequence[str] = ()
    other_language: Sequence[str] = ()

    def texts(self) -> Iterator[str]:
        """Yield every text of the group, the base first."""
        yield self.base
        for name in _LISTS:
            yield from getattr(self, name)


class BadGroup(ValueError):
    """A line that is no group; the message says what is wrong with it."""


def parse(line: str) -> Group:
    """Return the group of a line, or raise `BadGroup`."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise BadGroup(f"no JSON: {error}") from error
    if not isinstance(fields, dict):
        raise BadGroup("no JSON object")
    if unknown := fields.keys() - {"lang", "base", *_LISTS}:
        raise BadGroup(f"unknown fields: {', '.join(sorted(unknown))}")
    if fields.get("lang") not in LANGUAGES:
        raise BadGroup(f"lang is {fields.get('lang')!r}, not one of {', '.join(LANGUAGES)}")
    if not _is_text(fields.get("base")):
        raise BadGroup("base is missing or no text")
    lists = {name: _texts(fields, name) for name in _LISTS}
    group = Group(lang=fields["lang"], base=fields["base"], **lists)
    texts = list(group.texts())
    if len(set(texts)) < len(texts):
        raise BadGroup("one text stands twice in it")
    return group


def load(without: Collection[str] = (), *, only: Collection[str] | None = None) -> list[Group]:
    """Return the groups of all authors, or `only` of some, but for those `without`; in a stable order.

    Raises `BadGroup` with file and line where a line is none, `ValueError` where there is no such author.
    """
    files = {path.stem: path for path in sorted(DATA.glob("*.jsonl"))}
    if missing := {*without, *(only or ())} - files.keys():
        raise ValueError(f"There is no data of {', '.join(sorted(missing))}; there is of {', '.join(files)}.")
    wanted = [author for author in files if author not in without and (only is None or author in only)]
    return [group for author in wanted for group in read(files[author])]


def read(path: Path) -> list[Group]:
    """Return the groups of one file; raises `BadGroup` with file and line where a line is none."""
    groups = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            groups.append(parse(line))
        except BadGroup as error:
            raise BadGroup(f"{path}, line {number}: {error}") from error
    return groups


def pairs(group: Group) -> list[Pair]:
    """Return every pair of texts of a group whose verdict follows from where they stand in it.

    What came after the base says nothing of the further details of a richer text, so that is no pair.
    """
    alike = (group.base, *group.same)
    across = (*alike, *group.other_language)
    found = [Pair(new, old, Verdict.SAME) for new, old in permutations(across, 2)]
    for text, richer in product(alike, group.richer):
        found += [Pair(richer, text, Verdict.ADDS), Pair(text, richer, Verdict.HELD)]
    for now in group.now:
        found += [Pair(now, old, Verdict.SUPERSEDES) for old in across]
    for apart, text in product(group.apart, alike):
        found += [Pair(apart, text, Verdict.DIFFERENT), Pair(text, apart, Verdict.DIFFERENT)]
    return found


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    texts = fields.get(name, [])
    if not isinstance(texts, list) or not all(map(_is_text, texts)):
        raise BadGroup(f"{name} is not a list of texts")
    if name in _NEEDED_LISTS and not texts:
        raise BadGroup(f"{name} is missing or empty")
    return tuple(texts)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\n" not in value
