"""Two records of the cold tier against each other: which came first, what one is to the other. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final

from memorycore.model import Judgement, Record
from memorycore.policy.comparison import keys
from memorycore.policy.dates import mentions_date
from memorycore.policy.habits import tells_of_deed, tells_of_habit
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.similarity import MAX_CHARS, judge_pair, worth_judging
from memorycore.policy.slots import read
from memorycore.policy.words import tokens

_RARE: Final = 50
"""A word that more records have does not tell which belong together."""

_ONE_SUBJECT: Final = 20
"""A subject that more records have, as "I", is a topic."""

_RAREST: Final = 8
"""So many of a record's rare words, the rarest, are looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """What the newer record is to the older one: the same, a merge or what supersedes it."""

    older: Record
    newer: Record
    judgement: Judgement


def judge_records(one: Record, other: Record, cosine: float | None) -> JudgedPair | None:
    """Return the pair if anything follows from it, None if both stay as they are."""
    pair = compared(one, other, cosine)
    return pair if pair is not None and follows(pair) else None


def compared(one: Record, other: Record, cosine: float | None) -> JudgedPair | None:
    """Return what two records are to each other, None where they are not to be compared.

    Records of two scopes or owners never meet; history and the profile summary take no part.
    """
    if (one.owner, one.scope) != (other.owner, other.scope) or not (one.active and other.active):
        return None
    if one.id == other.id or PROFILE_ID in (one.id, other.id):
        return None
    older, newer = sorted((one, other), key=lambda record: (moment(record), record.created_at, record.id))
    if cosine is None and not worth_judging(newer.text, older.text, None):
        return None
    return JudgedPair(older=older, newer=newer, judgement=judge_pair(newer.text, older.text, cosine=cosine))


def follows(pair: JudgedPair) -> bool:
    """Whether one of the two has to give way.

    Where it is not certain which is newer, neither outdates the other.
    """
    match pair.judgement.verdict:
        case "same" | "merge":
            return not _two_events(pair.older, pair.newer)
        case "supersede":
            return in_order(pair.older, pair.newer)
        case _:
            return False


def moment(record: Record) -> datetime:
    """Return when what the record says was so: its event, else when it was first stored."""
    return record.event_at or record.created_at


def in_order(older: Record, newer: Record) -> bool:
    """Whether it is certain that one was so before the other.

    Not at the same moment; nor where the older one was written again after the newer, unless the
    events have dates: it may have been confirmed.
    """
    if moment(older) >= moment(newer):
        return False
    dated = older.event_at is not None and newer.event_at is not None
    return dated or older.updated_at < max(newer.updated_at, moment(newer))


def subject_pairs(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Yield pairs that speak of the very same subject, where not many do: the admin port of relay-3.

    Where fifty facts differ in a name and a number, the nearest ten of one need not hold the fact that
    it outdates; what one fact can outdate speaks of the same.
    """
    groups: defaultdict[tuple[str, frozenset[str]], list[Record]] = defaultdict(list)
    for record in records:
        subject = keys(read(record.text).subject) if len(record.text) <= MAX_CHARS else set()
        if subject:
            groups[record.scope, frozenset(subject)].append(record)
    for group in groups.values():
        if len(group) <= _ONE_SUBJECT:
            yield from combinations(group, 2)


def habit_pairs(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Yield what tells of somebody's habit with what tells of a deed of theirs that may break with it.

    The two need not be near: the vegetarian and the steak.
    """
    habits: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if who := tells_of_habit(record.text):
            habits[record.scope, who].append(record)
    for record in records if habits else ():
        if who := tells_of_deed(record.text):
            yield from ((habit, record) for habit in habits.get((record.scope, who), ()))


def word_pairs(
    records: Sequence[Record], lonely: Collection[str], limit: int
) -> Iterator[tuple[Record, Record]]:
    """Yield pairs that share rare words, of which one at least is among the `lonely` ids.

    These are the records without a vector: their words are all there is to find their like by. At most
    `limit` pairs begin at each, those with the rarest words in common.
    """
    if not lonely:
        return
    known = {record.id: record for record in records}
    words = {record.id: frozenset(tokens(record.text)) for record in records}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for key, own in words.items():
        for word in own:
            holders[word].append(key)
    for key in (key for key in known if key in lonely):
        shared: defaultdict[str, float] = defaultdict(float)
        rare = sorted((len(holders[word]), word) for word in words[key] if len(holders[word]) <= _RARE)
        for count, word in rare[:_RAREST]:
            for other in holders[word]:
                shared[other] += 1 / count
        shared.pop(key, None)
        for other in sorted(shared, key=lambda other: (-shared[other], other))[:limit]:
            yield known[key], known[other]


def _two_events(one: Record, other: Record) -> bool:
    """Whether the same words speak of two days: a date without a year, told in two years."""
    if one.event_at is None or other.event_at is None or one.event_at.date() == other.event_at.date():
        return False
    return mentions_date(one.text) and mentions_date(other.text)
