"""Which entries leave a hot file, and why. Pure: the audit shows what this says, the overflow does it.

A run keeps this order: what is doubled goes, what is stale is buried, what is of one topic is merged, long
entries of the user file are split, finished things past their time sink; then, under pressure, the ladder.
Each entry takes one exit a run at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memorycore.lexicon import Lexicon
from memorycore.model import HotSnapshot
from memorycore.plan import Action, Plan, PutRecord, RemoveEntry
from memorycore.policy.desk import DELIMITER_CHARS, Desk, items_of, oldest_first
from memorycore.policy.evidence import EntryVerdict, Evidence, OverflowPlan, Typed
from memorycore.policy.ladder import CLEANING, LADDER, Step, why_it_stays
from memorycore.policy.pairs import drop_doubles, merge_topics
from memorycore.policy.profile import profile_action
from memorycore.policy.thresholds import Thresholds
from memorycore.policy.write import record_of

__all__ = [
    "EntryVerdict",
    "Evidence",
    "OverflowPlan",
    "Typed",
    "chars_after",
    "chars_with",
    "judge_entries",
    "overflow_plan",
    "plan_overflow",
]


def plan_overflow(
    snapshot: HotSnapshot,
    typed: Sequence[Typed],
    evidence: Evidence,
    now: datetime,
    thresholds: Thresholds,
    *,
    owner: str,
    lexicon: Lexicon,
) -> OverflowPlan:
    """Return a verdict on each entry and the plan that carries them out. The same input gives the same plan.

    `typed` are the entries of the snapshot, in its order. Evidence that is absent keeps an entry where it is.
    """
    items = items_of(typed, now, thresholds, lexicon)
    desk = Desk(snapshot, items, evidence, now=now, limits=thresholds, owner=owner, lexicon=lexicon)
    drop_doubles(desk)
    _climb(CLEANING, desk)
    merge_topics(desk)
    _climb(LADDER, desk)
    verdicts = tuple(
        desk.verdict(item, why_it_stays(item, desk) if desk.stays(item) else "") for item in items
    )
    actions = (*desk.actions, *_profile(desk))
    return OverflowPlan(
        verdicts=verdicts, plan=Plan(kind="overflow", actions=actions), chars_after=desk.chars
    )


def _climb(steps: Sequence[Step], desk: Desk) -> None:
    for step in steps:
        for item in oldest_first(desk.staying()):
            if step.shut(item, desk) is None:
                step.take(item, desk)


def _profile(desk: Desk) -> tuple[Action, ...]:
    if desk.target != "user" or not desk.sunk:
        return ()
    newest_first = sorted(desk.sunk, key=lambda sunk: float("inf") if sunk[0].age is None else sunk[0].age)
    action = profile_action(
        [text for _, text in newest_first],
        desk.evidence.profile,
        desk.now,
        owner=desk.owner,
        max_chars=desk.limits.profile_chars,
    )
    return () if action is None else (action,)


# -- by time alone, for callers that collect no evidence


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
