"""Of hits that give one thing several values, the newest leads. Pure.

What adds up is never retired, so several values of one thing can be found together: two languages that
somebody speaks, two things that somebody is known for. Where the query prefers none of them, which one the
model happens to like best says nothing, and the newest is what the asker most likely wants.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memorycore.policy.slots import Token, read
from memorycore.policy.words import tokens

LEADS_WITHIN: Final = 1.5
"""Deviations by which the newest may fall behind: a value that the query means lies further ahead."""

LOOKED_AT: Final = 15
"""How many of the best are looked at."""

_VALUE_TOKENS: Final = 6


class Candidate(NamedTuple):
    """A text, how strongly it answers, and when it was last said; None where that is unknown."""

    text: str
    strength: float
    at: datetime | None


def newest_first(found: Sequence[Candidate], asked: Collection[str]) -> list[tuple[int, float]]:
    """Return places and strengths in the order in which to tell them; `found` is in falling strength.

    Texts that differ in one value take the places of each other, the newest the best one, with the strength
    that belongs to the place. `asked` are the words of the query: a text whose own value is among them stays.
    """
    order = [(place, one.strength) for place, one in enumerate(found)]
    seen: set[int] = set()
    for place, best in enumerate(found[:LOOKED_AT]):
        if place in seen or best.at is None:
            continue
        group = [place, *(at for at in _rivals(found, place, asked) if at not in seen)]
        seen.update(group)
        if len(group) > 1:
            newest = sorted(group, key=lambda at: _time(found[at]), reverse=True)
            for spot, member in zip(group, newest, strict=True):
                order[spot] = (member, found[spot].strength)
    return order


def _rivals(found: Sequence[Candidate], place: int, asked: Collection[str]) -> list[int]:
    best = found[place]
    rivals = []
    for at in range(place + 1, min(len(found), LOOKED_AT)):
        other = found[at]
        if best.strength - other.strength > LEADS_WITHIN:
            break
        if other.at is not None and other.text != best.text and other_value(best.text, other.text):
            own = set(tokens(best.text)) ^ set(tokens(other.text))
            if own.isdisjoint(asked):
                rivals.append(at)
    return rivals


def _time(one: Candidate) -> float:
    return 0.0 if one.at is None else one.at.timestamp()


def other_value(text: str, other: str) -> bool:
    """Whether two texts say the same of the same subject, each with another value in one place."""
    one, two = read(text), read(other)
    if one.negations != two.negations:
        return False
    start = _alike(one.tokens, two.tokens)
    rest_one, rest_two = one.tokens[start:], two.tokens[start:]
    end = _alike(rest_one[::-1], rest_two[::-1])
    spans = (len(rest_one) - end, len(rest_two) - end)
    subject = max(one.subject_end, two.subject_end, 1)
    return start >= subject and start + end >= 2 and 0 < min(spans) <= max(spans) <= _VALUE_TOKENS


def _alike(one: Sequence[Token], two: Sequence[Token]) -> int:
    count = 0
    for first, second in zip(one, two, strict=False):
        if first.key != second.key:
            break
        count += 1
    return count
