"""What follows from the judged pairs of a pass: history, and doubles that go up in one record. Pure.

Outdated records are told first: one that a newer record contradicts takes part in no merge, so that of
A, B and A again the last A stands, B is its history and the first A is B's. A merge takes no text
further than it was judged: one record holds all of the other, which goes into the trash whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memorycore.model import Record
from memorycore.plan import Action, BuryRecord, ColdOp, ExpectRecord, ReplaceRecord, Rung
from memorycore.policy.decay import last_used
from memorycore.policy.maintenance_pairs import JudgedPair, moment
from memorycore.policy.scan import hostile, scan
from memorycore.policy.thresholds import Thresholds

History = Mapping[str, Sequence[Record]]
"""The superseded records of each record that superseded some, by its id."""


def settle(pairs: Sequence[JudgedPair], history: History, now: datetime, limits: Thresholds) -> list[Action]:
    """Return the actions that follow, each resting on a verdict on the very two records it names.

    The same pairs in any order give the same actions.
    """
    outdating = _outdating(pairs)
    kept = {pair.newer.id for pair in outdating.values()}
    doubles = [
        pair
        for pair in pairs
        if pair.judgement.verdict in ("same", "merge")
        and not {pair.older.id, pair.newer.id} & outdating.keys()
    ]
    return _conflicts(outdating, now) + _Merging(doubles, kept, history, limits).actions()


def _outdating(pairs: Sequence[JudgedPair]) -> dict[str, JudgedPair]:
    """Return, by the id of each outdated record, the pair with the first that contradicted it."""
    outdating: dict[str, JudgedPair] = {}
    for pair in sorted(pairs, key=lambda pair: (moment(pair.newer), pair.newer.id)):
        if pair.judgement.verdict == "supersede" and not _overreaches(pair.newer, pair.older):
            outdating.setdefault(pair.older.id, pair)
    return outdating


def _conflicts(outdating: Mapping[str, JudgedPair], now: datetime) -> list[Action]:
    """Make outdated records history, the oldest first: what they give way to stands as it was seen."""
    in_turn = sorted(outdating.values(), key=lambda pair: (moment(pair.older), pair.older.id))
    return [
        Action(
            rung="conflict",
            subject=pair.older.id,
            reason=f"{pair.newer.id} is newer: {pair.judgement.reason}",
            cold=(
                ExpectRecord(pair.newer),
                ReplaceRecord(
                    pair.older, replace(pair.older, superseded_by=pair.newer.id, superseded_at=now)
                ),
            ),
        )
        for pair in in_turn
    ]


class _Merging:
    """Takes one double after the other, the longest text first, each into a record that stays."""

    def __init__(
        self, pairs: Sequence[JudgedPair], kept: Collection[str], history: History, limits: Thresholds
    ) -> None:
        self._limits = limits
        self._history = history
        self._holders: dict[str, list[tuple[Record, JudgedPair]]] = {}
        self._held: dict[str, Record] = {}
        for pair in pairs:
            held, holder = _held_and_holder(pair)
            if held.id not in kept and self._may_absorb(holder, held):
                self._held[held.id] = held
                self._holders.setdefault(held.id, []).append((holder, pair))
        self._now: dict[str, Record] = {}
        self._parts: Counter[str] = Counter()
        self._gone: set[str] = set()

    def actions(self) -> list[Action]:
        in_turn = sorted(self._held.values(), key=lambda record: (-len(record.text), record.id))
        return [action for held in in_turn if (action := self._absorbed(held)) is not None]

    def _may_absorb(self, holder: Record, held: Record) -> bool:
        """A document must not swallow the facts that it mentions: they would be harder to find."""
        short = len(holder.text) <= self._limits.absorbed_chars or len(holder.text) <= 2 * len(held.text)
        return short and not _overreaches(holder, held)

    def _absorbed(self, held: Record) -> Action | None:
        if self._parts[held.id]:
            return None  # what went up in it was judged against it and not against what it would go up in
        for holder, pair in sorted(self._holders[held.id], key=_best_holder):
            if holder.id not in self._gone and self._parts[holder.id] < self._limits.absorbed_parts:
                self._gone.add(held.id)
                self._parts[holder.id] += 1
                return self._merge(self._now.get(holder.id, holder), held, pair)
        return None

    def _merge(self, holder: Record, held: Record, pair: JudgedPair) -> Action:
        after = _with_past_of(holder, held)
        self._now[holder.id] = after
        stays: ColdOp = ExpectRecord(holder) if after == holder else ReplaceRecord(holder, after)
        led = [
            ReplaceRecord(one, replace(one, superseded_by=holder.id))
            for one in self._history.get(held.id, ())
        ]
        rung: Rung = "duplicate" if pair.judgement.verdict == "same" else "merge"
        return Action(
            rung=rung,
            subject=held.id,
            reason=f"{holder.id} holds all of it: {pair.judgement.reason}",
            cold=(stays, *led, BuryRecord(held)),
        )


def retired_by(pair: JudgedPair) -> tuple[Record, Record]:
    """Return the record that leaves because of the pair, and the one that stays."""
    return (pair.older, pair.newer) if pair.judgement.verdict == "supersede" else _held_and_holder(pair)


def _held_and_holder(pair: JudgedPair) -> tuple[Record, Record]:
    """Say which of two goes up in the other: the newer if it says nothing more, else the older."""
    return (pair.newer, pair.older) if pair.judgement.verdict == "same" else (pair.older, pair.newer)


def _best_holder(candidate: tuple[Record, JudgedPair]) -> tuple[int, datetime, str]:
    """The one that says most; of equal ones the oldest."""
    holder, _ = candidate
    return -len(holder.text), moment(holder), holder.id


def _with_past_of(holder: Record, held: Record) -> Record:
    """Return the holder as old and as important as the older and the more important of the two.

    It counts as used when the other was, or a merge would let what is in use fade.
    """
    events = [event for event in (holder.event_at, held.event_at) if event is not None]
    return replace(
        holder,
        created_at=min(holder.created_at, held.created_at),
        updated_at=max(holder.updated_at, last_used(held)),
        event_at=min(events, default=None),
        importance=max(holder.importance, held.importance),
    )


def _overreaches(winner: Record, loser: Record) -> bool:
    """Whether a text that gives the agent orders would push out one that does not."""
    return hostile(scan(winner.text)) and not hostile(scan(loser.text))
