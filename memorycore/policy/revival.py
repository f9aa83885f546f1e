"""When what lies in the trash comes back because somebody asks for it. Pure.

An item is revived by a recall when
(a) the system retired it for its age or its kind (`REVIVABLE`), no caller did, and nothing that is there
    says the same, contradicts it or has taken its place; and
(b) the query was embedded now, the item's meaning alone, without a shared word, would make it an answer, and
    nothing that is not in the trash answers, or the item does so far better.
What was superseded, merged, dropped for a double or forgotten by a caller never comes back by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memorycore.model import Entry, Record
from memorycore.plan import Action, Exhume, Plan, PutRecord, Rung
from memorycore.policy.ranking import answers
from memorycore.policy.similarity import judge_pair
from memorycore.policy.write import record_of

REVIVABLE: Final[frozenset[Rung]] = frozenset({"stale", "state_ttl", "fade"})
"""The rungs that retire an item though nothing else says what it said."""

LEADS_BY: Final = 3.0
"""Deviations by which an item is ahead of answers that are there before it comes back beside them."""

_QUERY_CHARS = 200


def stands_out(strength: float, meaning: float, others: Sequence[float]) -> bool:
    """Whether an item leads, by far if others answer too, and would be an answer by its meaning alone.

    `others` are the strengths of what is not in the trash, in falling order.
    """
    lead = LEADS_BY if others and answers(others) else 0.0
    return strength > max(others, default=0.0) + lead and answers((meaning, *others))


def takes_its_place(present: str, buried: str, cosine: float | None) -> bool:
    """Whether a text that is there says what the buried one says, or something that it contradicts."""
    if judge_pair(buried, present, cosine=cosine).verdict in ("same", "supersede"):
        return True
    return judge_pair(present, buried, cosine=cosine).verdict == "supersede"


def revived(item: Entry | Record, now: datetime, *, owner: str) -> Record:
    """Return the record that an item of the trash becomes; an entry comes back into the cold tier."""
    if isinstance(item, Record):
        return item
    return replace(record_of(item, now, owner=owner), origin=f"hot:{item.target}")


def revival_plan(item: Entry | Record, record: Record, query: str) -> Plan:
    """Return what brings an item back that answered a query."""
    action = Action(
        rung="revive",
        subject=record.id,
        reason=f"it answered “{query[:_QUERY_CHARS]}”",
        cold=(PutRecord(record), Exhume(item)),
    )
    return Plan(kind="restore", actions=(action,))
