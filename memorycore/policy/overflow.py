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
from memorycore.plan import Action, Plan
from memorycore.policy.desk import DELIMITER_CHARS, Desk, items_of, oldest_first
from memorycore.policy.evidence import EntryVerdict, Evidence, OverflowPlan, Typed
from memorycore.policy.explain import why_nothing
from memorycore.policy.ladder import CLEANING, LADDER, Step, why_it_stays
from memorycore.policy.pairs import drop_doubles, merge_topics
from memorycore.policy.profile import profile_action
from memorycore.policy.thresholds import Thresholds

__all__ = [
    "EntryVerdict",
    "Evidence",
    "OverflowPlan",
    "Typed",
    "chars_with",
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
        verdicts=verdicts,
        plan=Plan(kind="overflow", actions=actions),
        chars_after=desk.chars,
        note="" if actions else why_nothing(desk),
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


def chars_with(snapshot: HotSnapshot, text: str) -> int:
    """Return the length of the file with one more entry."""
    return snapshot.chars + len(text) + (DELIMITER_CHARS if snapshot.entries else 0)
