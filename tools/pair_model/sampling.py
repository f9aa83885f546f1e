"""What one epoch of training sees of the data, and what the held-out authors are measured by."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tools.pair_model.groups import Group, Pair, Verdict, pairs
from tools.pair_model.twists import twisted

_PER_GROUP: Final = {
    Verdict.SAME: 2,
    Verdict.ADDS: 1,
    Verdict.HELD: 1,
    Verdict.SUPERSEDES: 5,
    Verdict.DIFFERENT: 6,
}
_MEASURED: Final = (
    ((Verdict.SAME,), 2),
    ((Verdict.ADDS, Verdict.HELD), 1),
    ((Verdict.SUPERSEDES,), 2),
    ((Verdict.DIFFERENT,), 3),
)
_TWISTED: Final = 0.6
"""The share of groups that a twist is tried with, on as many of their pairs as `_TWISTS_TRIED`."""

_TWISTS_TRIED: Final = 3
_STRANGERS: Final = 0.35
"""The share of groups whose base is set beside a text of some other group."""

_AS_LONG: Final = 0.85
"""A new text of this share of the old one's length is taken to say as much."""


def epoch(groups: Sequence[Group], seed: int, extra: Iterable[Pair] = ()) -> list[Pair]:
    """Return what one epoch sees: some pairs of each group, twists, strangers, `extra`; shuffled.

    One pair in ten is in lower case on one side, one in five has no full stop on one side.
    """
    chance = random.Random(seed)
    seen: list[Pair] = []
    for group in groups:
        of_group = pairs(group)
        for verdict, most in _PER_GROUP.items():
            seen += _some(chance, of_group, (verdict,), most)
        if chance.random() < _TWISTED:
            seen += _one_twist(chance, _some(chance, of_group, (Verdict.SAME,), _TWISTS_TRIED))
    for group in groups:
        other = chance.choice(groups)
        if other is not group and chance.random() < _STRANGERS:
            new = chance.choice([group.base, *group.now])
            seen.append(Pair(new, other.base, Verdict.DIFFERENT))
    seen = [_roughened(chance, pair) for pair in (*seen, *extra)]
    chance.shuffle(seen)
    return seen


def measured(groups: Iterable[Group], seed: int = 1) -> list[Pair]:
    """Return pairs in the mix that a store meets: of a group up to 3 keep-one, 2 superseding, 3 different."""
    chance = random.Random(seed)
    found: list[Pair] = []
    for group in groups:
        of_group = pairs(group)
        for verdicts, most in _MEASURED:
            found += _some(chance, of_group, verdicts, most)
    return found


def labelled(path: Path) -> list[Pair]:
    """Return the pairs of a file of single pairs, as the tests of the policy have them.

    Its verdict `same` does not say which text holds the other, and `merge` not which adds; lengths tell.
    """
    found = []
    for line in path.read_text("utf-8").splitlines():
        fields = json.loads(line)
        new, old = fields["new"], fields["old"]
        found.append(Pair(new, old, _by_length(fields["verdict"], len(new), len(old))))
    return found


def _by_length(verdict: str, new: int, old: int) -> Verdict:
    match verdict:
        case "different":
            return Verdict.DIFFERENT
        case "supersede":
            return Verdict.SUPERSEDES
        case "same":
            return Verdict.SAME if new >= old * _AS_LONG else Verdict.HELD
        case "merge":
            return Verdict.ADDS if new >= old else Verdict.HELD
    raise ValueError(f"{verdict!r} is no verdict of a labelled pair.")


def _some(
    chance: random.Random, of_group: Iterable[Pair], verdicts: Sequence[Verdict], most: int
) -> list[Pair]:
    found = [pair for pair in of_group if pair.verdict in verdicts]
    chance.shuffle(found)
    return found[:most]


def _one_twist(chance: random.Random, alike: Iterable[Pair]) -> list[Pair]:
    for new, old, _ in alike:
        if changed := twisted(chance, new, old):
            return [Pair(*changed, Verdict.NOT_ONE)]
    return []


def _roughened(chance: random.Random, pair: Pair) -> Pair:
    new, old, verdict = pair
    drawn = chance.random()
    if drawn < 0.05:
        new = new.lower()
    elif drawn < 0.1:
        old = old.lower()
    elif drawn < 0.2:
        new = new.rstrip(".。")
    elif drawn < 0.3:
        old = old.rstrip(".。")
    return Pair(new, old, verdict)
