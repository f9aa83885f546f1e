"""What becomes of a new fact, given where it is routed and what is there already. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memorycore.answers import StoreStatus
from memorycore.model import Entry, Judgement, Kind, Record, Route, Target, Tier
from memorycore.plan import (
    Action,
    AddEntry,
    BuryUnstored,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
    Rung,
)
from memorycore.policy.meaning import may_outdate

_SHOWN_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFact:
    """A fact that is to be stored, checked and stripped, under the id that it will bear.

    One that is not `prompt_safe` never goes into a hot file; a `hostile` one takes nothing out of it either.
    """

    id: str
    text: str
    importance: float
    scope: str
    target: Target
    origin: str
    at: datetime
    kind: Kind | None = None
    context: str | None = None
    event_at: datetime | None = None
    owner: str = "local"
    prompt_safe: bool = True
    hostile: bool = False

    def as_record(self) -> Record:
        """Return the record that this fact is in the cold tier."""
        return Record(
            id=self.id,
            text=self.text,
            created_at=self.at,
            updated_at=self.at,
            owner=self.owner,
            importance=self.importance,
            scope=self.scope,
            origin=self.origin,
            context=self.context,
            event_at=self.event_at,
        )

    def as_entry(self) -> Entry:
        """Return the entry that this fact is in the hot tier."""
        return Entry(
            id=self.id,
            target=self.target,
            text=self.text,
            kind=self.kind,
            importance=self.importance,
            origin=self.origin,
            written_at=self.at,
            updated_at=self.at,
        )


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something like the new fact that is there already, and what the new fact is to it."""

    item: Entry | Record
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do with a new fact and what to tell of it.

    `plan` is None when there is nothing to write. `target` is the hot file where the fact stands, None in
    the cold tier.
    """

    status: StoreStatus
    id: str
    tier: Tier | None
    detail: str
    plan: Plan | None = None
    duplicate_of: str | None = None
    superseded: tuple[str, ...] = ()
    target: Target | None = None


def record_of(entry: Entry, now: datetime, *, owner: str, superseded_by: str | None = None) -> Record:
    """Return the record that an entry becomes when it leaves the hot tier; it keeps its id."""
    return Record(
        id=entry.id,
        text=entry.text,
        created_at=entry.written_at or now,
        updated_at=entry.updated_at or entry.written_at or now,
        owner=owner,
        importance=0.5 if entry.importance is None else entry.importance,
        origin=entry.origin or f"hot:{entry.target}",
        superseded_by=superseded_by,
        superseded_at=None if superseded_by is None else now,
    )


def decide_write(fact: NewFact, route: Route, reason: str, neighbours: Sequence[Neighbour]) -> Decision:
    """Return what to do with a fact. Neighbours come nearest first; each has been judged.

    A fact that supersedes a hot entry takes its place there, whatever its own route: what is in the
    prompt must not be outdated. What supersedes something, or may, is no finished status, whatever its words.
    """
    if fact.hostile:
        neighbours = [n for n in neighbours if n.judgement.verdict == "same" or isinstance(n.item, Record)]
    if route == "stale" and not any(map(_tells_more_than_a_status, neighbours)):
        return _discard(fact, reason)
    same = _first(neighbours, "same", Entry)
    if same is not None and isinstance(same.item, Entry):
        return Decision(
            status="stored",
            id=same.item.id,
            tier="hot",
            detail=f"Already in the hot tier: {same.judgement.reason}.",
            duplicate_of=same.item.id,
            target=same.item.target,
        )
    if fact.prompt_safe and (route == "hot" or _first(neighbours, "supersede", Entry) is not None):
        return _write_hot(fact, reason, neighbours)
    return write_cold(fact, reason, neighbours)


def write_cold(
    fact: NewFact, reason: str, neighbours: Sequence[Neighbour], status: StoreStatus = "cold_stored"
) -> Decision:
    """Return how the fact goes into the cold tier: skipped, merged into its neighbour, or put.

    A hot entry that it supersedes leaves the prompt all the same.
    """
    same = _first(neighbours, "same", Record)
    if same is not None:
        return Decision(
            status="cold_duplicate",
            id=same.item.id,
            tier="cold",
            detail=f"Already stored: {same.judgement.reason}.",
            duplicate_of=same.item.id,
        )
    merged = [n for n in neighbours if isinstance(n.item, Record) and _adds_to(fact, n)]
    taken = _outdated_records(fact, merged, ("merge",))
    outdated = _outdated_records(fact, neighbours, ("supersede",))
    retired = _outdated_entries(neighbours)
    kept = _as_important_as(fact, merged)
    rung: Rung = "merge" if merged else "supersede" if outdated else "write"
    why = _with_verdicts(reason, neighbours, merged)
    history = taken or outdated  # what it takes in stands apart from what it contradicts: see `taken_in`
    action = Action(rung=rung, subject=fact.id, reason=why, cold=(PutRecord(kept.as_record()), *history))
    retiring = [_retire_entry(entry, why, fact) for entry in retired]
    if taken:
        retiring += _contradicted(outdated, why)
    return Decision(
        status="cold_updated" if merged and status == "cold_stored" else status,
        id=fact.id,
        tier="cold",
        detail=f"Merged with what was there: {merged[0].judgement.reason}."
        if merged
        else _with_likely(reason, neighbours),
        plan=Plan(kind="store", actions=(action, *retiring)),
        superseded=(*(entry.id for entry in retired), *_ids((*taken, *outdated))),
    )


def _tells_more_than_a_status(neighbour: Neighbour) -> bool:
    return neighbour.judgement.verdict in ("same", "supersede") or may_outdate(neighbour.judgement)


def _discard(fact: NewFact, reason: str) -> Decision:
    action = Action(rung="stale", subject=fact.id, reason=reason, cold=(BuryUnstored(fact.as_record()),))
    return Decision(
        status="stale", id=fact.id, tier=None, detail=reason, plan=Plan(kind="store", actions=(action,))
    )


def _adds_to(fact: NewFact, neighbour: Neighbour) -> bool:
    """Whether the fact repeats all of the neighbour and says more: the other becomes its history."""
    return neighbour.judgement.verdict == "merge" and neighbour.item.text != fact.text


def taken_in(action: Action, id: str) -> tuple[str, ...]:
    """Return the ids of what became history in an action because the item of this id says all of it."""
    if action.rung != "merge":
        return ()
    states = (
        op.after if isinstance(op, ReplaceRecord) else op.record
        for op in action.cold
        if isinstance(op, ReplaceRecord | PutRecord)
    )
    return tuple(one.id for one in states if one.superseded_by == id)


def _as_important_as(fact: NewFact, merged: Sequence[Neighbour]) -> NewFact:
    """Return the fact as important as anything that it takes in."""
    return replace(fact, importance=max(fact.importance, *(n.item.importance or 0.0 for n in merged), 0.0))


def _write_hot(fact: NewFact, reason: str, neighbours: Sequence[Neighbour]) -> Decision:
    """The cold records that say the same or are outdated become history of the new entry."""
    repeated, outdated = (_outdated_records(fact, neighbours, (one,)) for one in ("same", "supersede"))
    merged = [n for n in neighbours if isinstance(n.item, Entry) and _adds_to(fact, n)]
    replaced = _replaced_entries(neighbours, merged)
    entry = _as_important_as(fact, merged).as_entry()
    why = _with_verdicts(reason, neighbours, merged)
    if replaced:
        (first, rung), *others = replaced
        kinds = [n.item.kind for n in merged if isinstance(n.item, Entry) and n.item.kind]
        entry = replace(entry, target=first.target, kind=(*kinds, entry.kind)[0])
        along = repeated if rung == "merge" else (*repeated, *outdated)
        actions = [
            _replace_entry(first, entry, why, fact, along, rung),
            *(_retire_entry(other, why, fact, rung) for other, rung in others),
            *(_contradicted(outdated, why) if rung == "merge" else ()),
        ]
    else:
        add = Action(
            rung="write",
            subject=entry.id,
            reason=why,
            target=entry.target,
            cold=(*repeated, *outdated),
            hot=AddEntry(entry),
        )
        actions = [add]
    return Decision(
        status="stored",
        id=entry.id,
        tier="hot",
        detail=_with_likely(reason, neighbours),
        plan=Plan(kind="store", actions=tuple(actions)),
        superseded=(*(item.id for item, _ in replaced), *_ids((*repeated, *outdated))),
        target=entry.target,
    )


def _contradicted(outdated: Sequence[ReplaceRecord], reason: str) -> list[Action]:
    """Return an action of its own for each: what a fact contradicts must not count as taken in by it."""
    return [Action(rung="supersede", subject=op.before.id, reason=reason, cold=(op,)) for op in outdated]


def _replaced_entries(
    neighbours: Sequence[Neighbour], merged: Sequence[Neighbour]
) -> list[tuple[Entry, Rung]]:
    """Return the entries that make room for the fact, those that it contradicts first."""
    outdated: list[tuple[Entry, Rung]] = [(entry, "supersede") for entry in _outdated_entries(neighbours)]
    return outdated + [(n.item, "merge") for n in merged if isinstance(n.item, Entry)]


def _replace_entry(
    old: Entry, new: Entry, reason: str, fact: NewFact, outdated: Sequence[ReplaceRecord], rung: Rung
) -> Action:
    history = PutRecord(record_of(old, fact.at, owner=fact.owner, superseded_by=new.id))
    return Action(
        rung=rung,
        subject=old.id,
        reason=reason,
        target=old.target,
        cold=(*outdated, history),
        hot=ReplaceEntry(old, new),
    )


def _retire_entry(old: Entry, reason: str, fact: NewFact, rung: Rung = "supersede") -> Action:
    history = PutRecord(record_of(old, fact.at, owner=fact.owner, superseded_by=fact.id))
    return Action(
        rung=rung,
        subject=old.id,
        reason=reason,
        target=old.target,
        cold=(history,),
        hot=RemoveEntry(old),
    )


def _outdated_records(
    fact: NewFact, neighbours: Sequence[Neighbour], verdicts: tuple[str, ...]
) -> tuple[ReplaceRecord, ...]:
    return tuple(
        ReplaceRecord(n.item, replace(n.item, superseded_by=fact.id, superseded_at=fact.at))
        for n in neighbours
        if isinstance(n.item, Record) and n.judgement.verdict in verdicts
    )


def _with_verdicts(reason: str, neighbours: Sequence[Neighbour], merged: Sequence[Neighbour] = ()) -> str:
    """Return the reason with what the fact is to each that it supersedes or adds to: history is asked why."""
    outdated = [n for n in neighbours if n.judgement.verdict == "supersede"]
    reason = _with(reason, "supersedes", [(n.item.id, n) for n in outdated])
    return _with(reason, "adds to", [(n.item.id, n) for n in merged])


def _with_likely(reason: str, neighbours: Sequence[Neighbour]) -> str:
    """Return the reason with what is replaced, or may have to be, on a likelihood alone.

    Who stored the fact may know better.
    """
    likely = [(f"“{_shown(n.item.text)}”", n) for n in neighbours if n.judgement.likelihood is not None]
    reason = _with(reason, "replaces", [one for one in likely if one[1].judgement.verdict == "supersede"])
    return _with(reason, "may take the place of", [one for one in likely if may_outdate(one[1].judgement)])


def _with(reason: str, does: str, named: Sequence[tuple[str, Neighbour]]) -> str:
    told = "; ".join(f"{name}: {neighbour.judgement.reason}" for name, neighbour in named)
    return f"{reason}; it {does} {told}" if told else reason


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _outdated_entries(neighbours: Sequence[Neighbour]) -> list[Entry]:
    return [n.item for n in neighbours if n.judgement.verdict == "supersede" and isinstance(n.item, Entry)]


def _first(neighbours: Sequence[Neighbour], verdict: str, kind: type[Entry | Record]) -> Neighbour | None:
    return next((n for n in neighbours if n.judgement.verdict == verdict and isinstance(n.item, kind)), None)


def _ids(ops: Sequence[ReplaceRecord]) -> tuple[str, ...]:
    return tuple(op.before.id for op in ops)
