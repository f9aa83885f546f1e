"""What others changed in a hot file between two looks, and the plan that follows it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from memorycore.model import Entry, Kind, Record, Route
from memorycore.plan import (
    Action,
    AnnotateEntry,
    BuryEntry,
    BuryRecord,
    ColdOp,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.write import record_of

ORIGIN = "host"
"""Origin of entries that the host's own memory tool, or a hand, wrote into a hot file."""

_ALIKE = 50
"""Likeness in percent from which on a new text counts as the new wording of one that is gone."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file went through: entries that came, that were reworded (from, to), and that are gone.

    Each entry that is gone comes with the place where it stood.
    """

    added: tuple[Entry, ...] = ()
    reworded: tuple[tuple[Entry, Entry], ...] = ()
    gone: tuple[tuple[int, Entry], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What the words of a new entry say it is."""

    kind: Kind | None
    route: Route


def changes(before: Sequence[Entry], after: Sequence[Entry], ours: Collection[str]) -> Change:
    """Return what others changed; `ours` are texts and ids that runs of our own took out.

    An entry that only moved has not changed. What went and what came at the same place is a rewording
    where as many came as went, or where the texts are alike.
    """
    stays = {entry.text for entry in after}
    taken = {entry.text for entry in before if entry.text in ours or entry.id in ours}
    stood = {entry.text for entry in before}
    gone: list[tuple[int, Entry]] = []
    reworded: list[tuple[Entry, Entry]] = []
    paired: set[str] = set()
    blocks = SequenceMatcher(
        None, [entry.text for entry in before], [entry.text for entry in after], autojunk=False
    )
    for _, first, last, start, end in blocks.get_opcodes():
        went = [
            (place, before[place])
            for place in range(first, last)
            if before[place].text not in stays and before[place].text not in taken
        ]
        came = [entry for entry in after[start:end] if entry.text not in stood]
        pairs = _paired(went, came)
        reworded += [(old, new) for (_, old), new in pairs]
        paired.update(new.text for _, new in pairs)
        known = {place for (place, _), _ in pairs}
        gone += [(place, entry) for place, entry in went if place not in known]
    added = tuple(entry for entry in after if entry.text not in stood | paired)
    return Change(added, tuple(reworded), tuple(gone))


_Place = tuple[int, Entry]


def _paired(went: Sequence[_Place], came: Sequence[Entry]) -> list[tuple[_Place, Entry]]:
    if len(went) == len(came):
        return list(zip(went, came, strict=True))
    left = list(came)
    pairs: list[tuple[_Place, Entry]] = []
    for place in went:
        likeness = [(fuzz.ratio(place[1].text, entry.text), -at) for at, entry in enumerate(left)]
        best = max(likeness, default=(0.0, 0))
        if best[0] >= _ALIKE:
            pairs.append((place, left.pop(-best[1])))
    return pairs


def stamped(entry: Entry, reading: Reading, now: datetime, by: Entry | None = None) -> Entry:
    """Return the entry with what is known of it now; `by` is the entry whose place it took."""
    return replace(
        entry,
        kind=reading.kind,
        importance=entry.importance if by is None else by.importance,
        origin=ORIGIN,
        written_at=now if by is None else by.written_at or now,
        updated_at=now,
    )


def unstamped(entry: Entry) -> bool:
    """Whether nobody has said anything of the entry yet."""
    return entry.kind is None and entry.origin is None and entry.written_at is None


def leaves(reading: Reading) -> bool:
    """Whether an entry is a finished or decided record, which recall finds just as well."""
    return reading.kind == "state" and reading.route == "cold"


def stamp_plan(
    change: Change,
    readings: Mapping[str, Reading],
    copies: Mapping[str, Record],
    now: datetime,
    *,
    owner: str,
) -> Plan:
    """Return the plan that types what came, keeps what was reworded as history and buries what was removed.

    `readings` are by the hash of an entry's text, `copies` the active records of the same text as an
    entry that went. Taking the plan back puts what went into its file again.
    """
    actions: list[Action] = []
    for old, new in change.reworded:
        actions += _reword(old, new, readings[new.hash], copies.get(old.hash), now, owner)
    for place, entry in change.gone:
        actions += _bury(entry, place, copies.get(entry.hash))
    for entry in change.added:
        if unstamped(entry):
            actions.append(_stamp(entry, stamped(entry, readings[entry.hash], now)))
    return Plan(kind="follow", actions=tuple(actions))


def _stamp(entry: Entry, known: Entry) -> Action:
    what = {"rule": "a rule", "state": "a finished or decided thing"}.get(known.kind or "", "a fact")
    return Action(
        rung="write",
        subject=entry.id,
        reason=f"written by the host's memory tool; its words say: {what}",
        target=entry.target,
        hot=AnnotateEntry(entry, known),
    )


def _reword(
    old: Entry, new: Entry, reading: Reading, copy: Record | None, now: datetime, owner: str
) -> list[Action]:
    history: ColdOp = (
        PutRecord(record_of(old, now, owner=owner, superseded_by=new.id))
        if copy is None
        else ReplaceRecord(copy, replace(copy, superseded_by=new.id, superseded_at=now))
    )
    follow = Action(
        rung="supersede",
        subject=old.id,
        reason=f"reworded by the host's memory tool; {new.id} stands in its place",
        target=old.target,
        cold=(history,) if copy is None or copy.text == old.text else (history, BuryEntry(old)),
        hot=ReplaceEntry(old, new),
    )
    if not unstamped(new):
        return [follow]
    return [follow, _stamp(new, stamped(new, reading, now, by=old))]


def _bury(entry: Entry, place: int, copy: Record | None) -> list[Action]:
    reason = "removed by the host's memory tool"
    actions = [
        Action(
            rung="forget",
            subject=entry.id,
            reason=reason,
            target=entry.target,
            cold=(BuryEntry(entry),),
            hot=RemoveEntry(entry, place),
        )
    ]
    if copy is not None:
        actions.append(
            Action(
                rung="forget",
                subject=copy.id,
                reason=f"{reason}; the cold tier held the same text",
                cold=(BuryRecord(copy),),
            )
        )
    return actions


def sink_plan(entries: Sequence[Entry], twins: Mapping[str, str], now: datetime, *, owner: str) -> Plan:
    """Return the plan that moves finished things to the cold tier; `twins` are records that say the same.

    Both by the id of the entry. What has a twin is buried instead of being stored twice.
    """
    return Plan(
        kind="follow", actions=tuple(_sink(entry, twins.get(entry.id), now, owner) for entry in entries)
    )


def _sink(entry: Entry, twin: str | None, now: datetime, owner: str) -> Action:
    reason = "a finished or decided thing; recall finds it, and the prompt need not carry it"
    cold: ColdOp = PutRecord(record_of(entry, now, owner=owner))
    if twin is not None:
        reason, cold = f"{twin} in the cold tier says the same", BuryEntry(entry)
    return Action(
        rung="duplicate" if twin is not None else "state_ttl",
        subject=entry.id,
        reason=reason,
        target=entry.target,
        cold=(cold,),
        hot=RemoveEntry(entry),
    )
