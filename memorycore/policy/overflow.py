"""Which entries leave a hot file, and why. Pure: the audit shows what this says, the overflow does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memorycore.answers import AuditVerdict
from memorycore.model import Entry, HotSnapshot, Kind
from memorycore.plan import Action, Plan, PutRecord, RemoveEntry, Rung
from memorycore.policy.thresholds import Thresholds
from memorycore.policy.write import record_of

DELIMITER_CHARS = 3
"""What each entry but the first costs beside its own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What an entry is and since when, from its metadata or, failing that, from its words.

    `by_words` tells the two apart; `since` is None where nobody knows.
    """

    entry: Entry
    kind: Kind | None
    since: datetime | None
    by_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVerdict:
    """What a run does with one entry, by which rung and why."""

    typed: Typed
    verdict: AuditVerdict
    rung: Rung | None
    reason: str
    protected: bool
    age_days: int | None


def judge_entries(typed: Sequence[Typed], now: datetime, thresholds: Thresholds) -> list[EntryVerdict]:
    """Return a verdict per entry, in the order of the file."""
    return [_judge(item, now, thresholds) for item in typed]


def overflow_plan(verdicts: Sequence[EntryVerdict], now: datetime, *, owner: str) -> Plan:
    """Return the plan that carries the verdicts out: into the cold tier first, then out of the file."""
    return Plan(
        kind="overflow",
        actions=tuple(
            Action(
                rung=verdict.rung,
                subject=verdict.typed.entry.id,
                reason=verdict.reason,
                target=verdict.typed.entry.target,
                cold=(PutRecord(record_of(verdict.typed.entry, now, owner=owner)),),
                hot=RemoveEntry(verdict.typed.entry),
            )
            for verdict in verdicts
            if verdict.verdict == "sink" and verdict.rung is not None
        ),
    )


def chars_after(snapshot: HotSnapshot, verdicts: Sequence[EntryVerdict]) -> int:
    """Return the length of the file once the verdicts are carried out."""
    kept = [verdict.typed.entry.text for verdict in verdicts if verdict.verdict != "sink"]
    if len(kept) == len(snapshot.entries):
        return snapshot.chars
    return sum(map(len, kept)) + DELIMITER_CHARS * max(0, len(kept) - 1)


def chars_with(snapshot: HotSnapshot, text: str) -> int:
    """Return the length of the file with one more entry."""
    return snapshot.chars + len(text) + (DELIMITER_CHARS if snapshot.entries else 0)


def _judge(typed: Typed, now: datetime, thresholds: Thresholds) -> EntryVerdict:
    age = None if typed.since is None else (now - typed.since).days
    protected = typed.kind == "rule" or (typed.entry.importance or 0.0) >= thresholds.protect_importance
    sinks = typed.kind == "state" and age is not None and age >= thresholds.state_ttl_days and not protected
    return EntryVerdict(
        typed=typed,
        verdict="sink" if sinks else "keep",
        rung="state_ttl" if sinks else None,
        reason=_reason(typed, age, protected=protected, sinks=sinks, ttl=thresholds.state_ttl_days),
        protected=protected,
        age_days=age,
    )


def _reason(typed: Typed, age: int | None, *, protected: bool, sinks: bool, ttl: int) -> str:
    if sinks:
        source = "its words say" if typed.by_words else "it is"
        return f"{source} a finished or decided thing, {age} days old; such entries leave after {ttl} days"
    if protected:
        return "a rule or preference" if typed.kind == "rule" else "important enough to be protected"
    if typed.kind == "state" and age is None:
        return "a finished or decided thing, but nothing says how old it is"
    if typed.kind == "state":
        return f"a finished or decided thing, {age} days old; it stays until it is {ttl} days old"
    if typed.kind == "stub":
        return "a pointer to a rule in the cold tier"
    return "nothing says that it may leave"
