"""Looks at all records of an owner and says what a maintenance pass should do about them. Writes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from memorycore.engine.counsel import Counsel
from memorycore.engine.journal import Journal
from memorycore.engine.parts import Parts
from memorycore.engine.second_opinions import LeftOpen
from memorycore.engine.watch import Watch
from memorycore.model import Record
from memorycore.plan import Action, ExpectRecord, ReplaceRecord
from memorycore.policy.classify import classify
from memorycore.policy.maintenance import fade_action, stale_action, worth_classifying
from memorycore.policy.maintenance_pairs import (
    JudgedPair,
    compared,
    follows,
    habit_pairs,
    judge_records,
    subject_pairs,
    word_pairs,
)
from memorycore.policy.maintenance_settle import settle
from memorycore.policy.returns import stands

_PAGE = 500
_STUB = "_stub"
"""What the id of a pointer in a hot file ends with, behind the id of the record that it points to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What to do about an owner's records; `crowded` names, by id, the neighbours where more may be."""

    actions: tuple[Action, ...]
    crowded: Mapping[str, Collection[str]]

    def unsettled(self, done: Collection[Action]) -> set[str]:
        """Return the records to look at once more, now that these actions are done.

        Those that others went up in or gave way to, and those of whose many neighbours one has gone:
        there may be a next one.
        """
        kept = {
            op.record.id if isinstance(op, ExpectRecord) else op.after.id
            for action in done
            for op in action.cold[:1]
            if isinstance(op, ExpectRecord | ReplaceRecord)
        }
        gone = {action.subject for action in done}
        return (kept | {key for key, near in self.crowded.items() if gone.intersection(near)}) - gone


class Surveyor:
    """Holds records against their like, near-linearly: each meets its nearest few, never all others."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def survey(
        self,
        owner: str,
        watch: Watch,
        only: Collection[str] | None = None,
        *,
        fresh: Collection[str] = (),
        counsel: Callable[[], Counsel],
    ) -> Survey:
        """Return what follows from the records as they are now.

        With `only`, their pairs alone are looked at, without what is merely old. Expects two steps per
        active record of `watch`. `fresh` records have their vector only now: the pair model has not read them
        beside their like yet. `counsel` is called where pairs stay open and there is a judge.
        Raises `HotFileError`: pointers there keep records from leaving.
        """
        parts, now = self._parts, self._parts.clock()
        records = self._records(owner)
        active = {record.id: record for record in records if record.active}
        history: defaultdict[str, list[Record]] = defaultdict(list)
        for record in records:
            if record.superseded_by is not None:
                history[record.superseded_by].append(record)
        idle = [] if only is not None else list(self._idle(active, watch))
        crowded: dict[str, frozenset[str]] = {}
        left = LeftOpen(parts.verdicts, parts.judge is not None, parts.thresholds.protect_importance, fresh)
        found = list(self._pairs(owner, active, only, crowded, left, watch))
        found += left.told(counsel, watch)
        back = Journal(parts.ledger).returns() if found else {}
        pairs = [pair for pair in found if not stands(pair, back)]
        return Survey(actions=(*settle(pairs, history, now, parts.thresholds), *idle), crowded=crowded)

    def _records(self, owner: str) -> list[Record]:
        records: list[Record] = []
        while page := self._parts.cold.scan(owner, after=records[-1].id if records else None, limit=_PAGE):
            records += page
        return records

    # -- what is merely old

    def _idle(self, active: Mapping[str, Record], watch: Watch) -> Iterator[Action]:
        pointed = self._pointed_to()
        for record in active.values():
            watch.step()
            if record.id not in pointed and (action := self._idle_action(record)) is not None:
                yield action

    def _idle_action(self, record: Record) -> Action | None:
        parts, now = self._parts, self._parts.clock()
        limits = parts.thresholds
        if worth_classifying(record, now, limits, parts.lexicon):
            stored = None if (model := parts.model()) is None else parts.cold.embedding(record.id, model)
            routing = classify(
                record.text,
                importance=record.importance,
                lexicon=parts.lexicon,
                likeness=None if stored is None else parts.likeness(record.text, stored.own),
                hot_at=limits.hot_importance,
                stale_max_chars=limits.stale_chars,
            )
            if (stale := stale_action(record, routing, limits)) is not None:
                return stale
        return fade_action(record, now, limits)

    def _pointed_to(self) -> frozenset[str]:
        entries = self._parts.entries()
        return frozenset(entry.id.removesuffix(_STUB) for entry in entries if entry.id.endswith(_STUB))

    # -- pairs

    def _pairs(
        self,
        owner: str,
        active: Mapping[str, Record],
        only: Collection[str] | None,
        crowded: dict[str, frozenset[str]],
        left: LeftOpen,
        watch: Watch,
    ) -> Iterator[JudgedPair]:
        """Judge each record with its nearest and those of its subject, or by words if it has no vector."""
        lonely = set(active) if only is None else set(only)
        seen: set[tuple[str, str]] = set()
        for key, other, cosine in self._near(owner, only, crowded, lonely, watch):
            if key in active and other in active and _first_time(seen, key, other):
                yield from self._judged(active[key], active[other], cosine, left)
        everything = list(active.values())
        by_words = word_pairs(everything, lonely, self._parts.thresholds.candidates)
        for one, another in chain(subject_pairs(everything), habit_pairs(everything), by_words):
            wanted = only is None or one.id in only or another.id in only
            if wanted and _first_time(seen, one.id, another.id):
                watch.step(0)
                yield from _found(self._judged_by_words(one, another))

    def _judged(
        self, one: Record, other: Record, cosine: float | None, left: LeftOpen
    ) -> Iterator[JudgedPair]:
        pair = compared(one, other, cosine)
        if pair is not None and follows(pair):
            yield pair
        elif pair is not None:
            left.consider(pair, cosine)

    def _judged_by_words(self, one: Record, other: Record) -> JudgedPair | None:
        """Judge a pair that words brought up; what their vectors say is asked if it matters."""
        if judge_records(one, other, None) is None:
            return None
        return judge_records(one, other, self._cosine(one, other))

    def _cosine(self, one: Record, other: Record) -> float | None:
        if (model := self._parts.model()) is None:
            return None
        first, second = (self._parts.cold.embedding(record.id, model) for record in (one, other))
        return None if first is None or second is None else float(first.own @ second.own)

    def _near(
        self,
        owner: str,
        only: Collection[str] | None,
        crowded: dict[str, frozenset[str]],
        lonely: set[str],
        watch: Watch,
    ) -> Iterator[tuple[str, str, float]]:
        """Yield each record's nearest; take those that have a vector out of `lonely`."""
        parts, limits = self._parts, self._parts.thresholds
        if (model := parts.model()) is None:
            return
        for key, near in parts.cold.neighbours(
            owner, model=model, floor=limits.candidate_cosine, limit=limits.candidates, only=only
        ):
            watch.step(0 if only is not None else 1)
            lonely.discard(key)
            if len(near) == limits.candidates:
                crowded[key] = frozenset(one.id for one in near)
            yield from ((key, one.id, one.cosine) for one in near)


def _first_time(seen: set[tuple[str, str]], one: str, other: str) -> bool:
    pair = (one, other) if one < other else (other, one)
    if pair in seen:
        return False
    seen.add(pair)
    return True


def _found(pair: JudgedPair | None) -> tuple[JudgedPair, ...]:
    return () if pair is None else (pair,)
