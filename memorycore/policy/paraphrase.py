"""What goes into history beside a fact that was superseded: whatever says the very same. Pure.

A fact that was told twice in other words is outdated twice. Both texts have to say the same in either
direction, so that nothing goes that holds a detail more, differs in a slot or names the same person only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memorycore.model import Entry, Judgement, Record
from memorycore.plan import Action, Plan, PutRecord, RemoveEntry, ReplaceRecord
from memorycore.policy.similarity import judge_pair
from memorycore.policy.write import Decision, NewFact, record_of


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """An item that says what the superseded item `of` says, and why it is taken to."""

    item: Entry | Record
    of: str
    reason: str


def says_the_same(forth: Judgement, back: Judgement | None) -> str | None:
    """Return why two texts say the same, None unless that is the verdict in both directions."""
    return forth.reason if back is not None and forth.verdict == back.verdict == "same" else None


def with_paraphrases(decision: Decision, fact: NewFact, found: Sequence[Paraphrase]) -> Decision:
    """Return the decision with an action for each paraphrase of what it supersedes.

    A hostile fact takes nothing out of a hot file; what is the same as the new fact itself stays.
    """
    if decision.plan is None:
        return decision
    going = [one for one in found if not (fact.hostile and isinstance(one.item, Entry))]
    going = [one for one in going if judge_pair(fact.text, one.item.text, cosine=None).verdict != "same"]
    actions = tuple(_retired(one, decision.id, fact) for one in going)
    return replace(
        decision,
        plan=Plan(kind=decision.plan.kind, actions=(*decision.plan.actions, *actions)),
        superseded=(*decision.superseded, *_ids(going)),
    )


def _ids(found: Iterable[Paraphrase]) -> tuple[str, ...]:
    return tuple(one.item.id for one in found)


def _retired(one: Paraphrase, by: str, fact: NewFact) -> Action:
    reason = f"it says the same as {one.of}, which {by} supersedes: {one.reason}"
    if isinstance(one.item, Record):
        after = replace(one.item, superseded_by=by, superseded_at=fact.at)
        return Action(
            rung="paraphrase", subject=one.item.id, reason=reason, cold=(ReplaceRecord(one.item, after),)
        )
    history = record_of(one.item, fact.at, owner=fact.owner, superseded_by=by)
    return Action(
        rung="paraphrase",
        subject=one.item.id,
        reason=reason,
        target=one.item.target,
        cold=(PutRecord(history),),
        hot=RemoveEntry(one.item),
    )
