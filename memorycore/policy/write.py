"""What becomes of a new fact, given where it is routed and what is there already. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memorycore.answers import StoreStatus
from memorycore.model import Entry, Judgement, Kind, Record, Route, Target, Tier
from memorycore.plan import (
    Action,
    AddEntry,
    BuryEntry,
    BuryUnstored,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
    Rung,
)
from memorycore.policy.similarity import merged_text


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

    `embed` is the text whose vector the record `id` needs if it is not the fact's own; `plan` is None
    when there is nothing to write. `target` is the hot file where the fact stands, None in the cold tier.
    """

    status: StoreStatus
    id: str
    tier: Tier | None
    detail: str
    plan: Plan | None = None
    duplicate_of: str | None = None
    superseded: tuple[str, ...] = ()
    embed: str | None = None
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
    prompt must not be outdated.
    """
    if fact.hostile:
        neighbours = [n for n in neighbours if n.judgement.verdict == "same" or isinstance(n.item, Record)]
    if route == "stale" and not any(n.judgement.verdict == "same" for n in neighbours):
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
    merge = _first(neighbours, "merge", Record)
    if merge is not None and isinstance(merge.item, Record):
        text = merged_text(fact.text, merge.item.text)
        if text is not None and text != merge.item.text:
            return _merge_record(fact, merge.item, text, merge.judgement.reason)
    outdated = _outdated_records(fact, neighbours, ("supersede",))
    retired = _outdated_entries(neighbours)
    rung: Rung = "supersede" if outdated else "write"
    why = _with_verdicts(reason, neighbours)
    action = Action(rung=rung, subject=fact.id, reason=why, cold=(PutRecord(fact.as_record()), *outdated))
    retiring = (_retire_entry(entry, why, fact) for entry in retired)
    return Decision(
        status=status,
        id=fact.id,
        tier="cold",
        detail=reason,
        plan=Plan(kind="store", actions=(action, *retiring)),
        superseded=(*(entry.id for entry in retired), *_ids(outdated)),
    )


def _discard(fact: NewFact, reason: str) -> Decision:
    action = Action(rung="stale", subject=fact.id, reason=reason, cold=(BuryUnstored(fact.as_record()),))
    return Decision(
        status="stale", id=fact.id, tier=None, detail=reason, plan=Plan(kind="store", actions=(action,))
    )


def _merge_record(fact: NewFact, old: Record, text: str, reason: str) -> Decision:
    after = replace(
        old,
        text=text,
        importance=max(old.importance, fact.importance),
        updated_at=fact.at,
        context=fact.context,
    )
    action = Action(rung="merge", subject=old.id, reason=reason, cold=(ReplaceRecord(old, after),))
    return Decision(
        status="cold_updated",
        id=old.id,
        tier="cold",
        detail=f"Merged into what was there: {reason}.",
        plan=Plan(kind="store", actions=(action,)),
        embed=None if text == fact.text else text,
    )


def _write_hot(fact: NewFact, reason: str, neighbours: Sequence[Neighbour]) -> Decision:
    """The cold records that say the same or are outdated become history of the new entry."""
    outdated = _outdated_records(fact, neighbours, ("same", "supersede"))
    replaced = _outdated_entries(neighbours)
    entry = fact.as_entry()
    why = _with_verdicts(reason, neighbours)
    if replaced:
        first, *others = replaced
        entry = replace(entry, target=first.target)
        actions = [
            _replace_entry(first, entry, why, fact, outdated),
            *(_retire_entry(other, why, fact) for other in others),
        ]
    else:
        actions = [_merge_or_add(fact, entry, why, neighbours, outdated)]
    stored = actions[0].hot
    return Decision(
        status="stored",
        id=stored.after.id if isinstance(stored, ReplaceEntry) else entry.id,
        tier="hot",
        detail=reason,
        plan=Plan(kind="store", actions=tuple(actions)),
        superseded=(*(item.id for item in replaced), *_ids(outdated)),
        target=entry.target,
    )


def _merge_or_add(
    fact: NewFact,
    entry: Entry,
    reason: str,
    neighbours: Sequence[Neighbour],
    outdated: Sequence[ReplaceRecord],
) -> Action:
    merge = _first(neighbours, "merge", Entry)
    if merge is not None and isinstance(merge.item, Entry):
        text = merged_text(fact.text, merge.item.text)
        if text is not None and text != merge.item.text:
            after = replace(
                merge.item,
                text=text,
                kind=merge.item.kind or entry.kind,
                importance=max(merge.item.importance or 0.0, fact.importance),
                written_at=merge.item.written_at or fact.at,
                updated_at=fact.at,
            )
            return Action(
                rung="merge",
                subject=after.id,
                reason=merge.judgement.reason,
                target=after.target,
                cold=(*_retargeted(outdated, after.id), BuryEntry(merge.item)),
                hot=ReplaceEntry(merge.item, after),
            )
    return Action(
        rung="write",
        subject=entry.id,
        reason=reason,
        target=entry.target,
        cold=tuple(outdated),
        hot=AddEntry(entry),
    )


def _replace_entry(
    old: Entry, new: Entry, reason: str, fact: NewFact, outdated: Sequence[ReplaceRecord]
) -> Action:
    history = PutRecord(record_of(old, fact.at, owner=fact.owner, superseded_by=new.id))
    return Action(
        rung="supersede",
        subject=old.id,
        reason=reason,
        target=old.target,
        cold=(*outdated, history),
        hot=ReplaceEntry(old, new),
    )


def _retire_entry(old: Entry, reason: str, fact: NewFact) -> Action:
    history = PutRecord(record_of(old, fact.at, owner=fact.owner, superseded_by=fact.id))
    return Action(
        rung="supersede",
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


def _retargeted(ops: Sequence[ReplaceRecord], id: str) -> tuple[ReplaceRecord, ...]:
    """What became history became that of the entry which now holds the new fact."""
    return tuple(ReplaceRecord(op.before, replace(op.after, superseded_by=id)) for op in ops)


def _with_verdicts(reason: str, neighbours: Sequence[Neighbour]) -> str:
    """Return the reason with what the fact is to each that it supersedes: history is asked why."""
    verdicts = [
        f"{n.item.id}: {n.judgement.reason}" for n in neighbours if n.judgement.verdict == "supersede"
    ]
    return f"{reason}; it supersedes {'; '.join(verdicts)}" if verdicts else reason


def _outdated_entries(neighbours: Sequence[Neighbour]) -> list[Entry]:
    return [n.item for n in neighbours if n.judgement.verdict == "supersede" and isinstance(n.item, Entry)]


def _first(neighbours: Sequence[Neighbour], verdict: str, kind: type[Entry | Record]) -> Neighbour | None:
    return next((n for n in neighbours if n.judgement.verdict == verdict and isinstance(n.item, kind)), None)


def _ids(ops: Sequence[ReplaceRecord]) -> tuple[str, ...]:
    return tuple(op.before.id for op in ops)
