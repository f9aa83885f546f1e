"""What a maintenance pass over the cold tier does, but for what it makes of pairs. Pure.

Every action retires one record at most and carries the reason; `within` holds a pass to its share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from memorycore.lexicon import Lexicon
from memorycore.model import Record, Routing, TrashItem
from memorycore.plan import Action, BuryRecord, Expire, FillVector, Plan, Rung
from memorycore.policy.decay import last_used, strength_left
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.thresholds import Thresholds

RETIRING: Final[tuple[Rung, ...]] = ("conflict", "duplicate", "merge", "stale", "fade")
"""The rungs that take a record out of what recall shows, in the order in which they may use the share."""


def fill_plan(pending: Sequence[Record]) -> Plan:
    """Return the plan that gives each record the vector that it lacks."""
    return Plan(
        kind="maintenance",
        actions=tuple(
            Action(
                rung="embed",
                subject=record.id,
                reason="it was stored without a vector of the present model",
                cold=(FillVector(record.id, record.hash),),
            )
            for record in pending
        ),
    )


def expire_actions(due: Sequence[TrashItem]) -> list[Action]:
    """Return what lets these trash items go."""
    return [
        Action(
            rung="expire",
            subject=item.id,
            reason=f"in the trash since {item.trashed_at:%Y-%m-%d}, kept until {item.expires_at:%Y-%m-%d}",
            cold=(Expire(item.id),),
        )
        for item in due
    ]


def worth_classifying(record: Record, now: datetime, limits: Thresholds, lexicon: Lexicon) -> bool:
    """Whether a record may be a finished status whose time is up: short, not important, unused for long.

    Cheap: it looks for the words of a status alone, without which the classifier would not say so.
    """
    idle = now - last_used(record) >= timedelta(days=limits.state_ttl_days)
    plain = len(record.text.strip()) <= limits.stale_chars and _may_leave(record, limits)
    return idle and plain and bool(lexicon.matches(lexicon.plain(record.text), only="status"))


def stale_action(record: Record, routing: Routing, limits: Thresholds) -> Action | None:
    """Return what puts a finished status into the trash; None if the classifier does not see one."""
    if routing.route != "stale":
        return None
    reason = f"{routing.reason}, unused for {limits.state_ttl_days} days or more"
    return Action(rung="stale", subject=record.id, reason=reason, cold=(BuryRecord(record),))


def fade_action(record: Record, now: datetime, limits: Thresholds) -> Action | None:
    """Return what puts a record into the trash whose strength has faded; None while there is enough left."""
    if not record.active or not _may_leave(record, limits):
        return None
    strength = record.importance * strength_left(record, now, limits)
    if strength >= limits.forget_below:
        return None
    days = (now - last_used(record)).days
    reason = f"unused for {days} days: of importance {record.importance:.2f}, {strength:.3f} is left"
    return Action(rung="fade", subject=record.id, reason=reason, cold=(BuryRecord(record),))


def share(active: int, limits: Thresholds) -> int:
    """Return how many of so many active records one pass may retire: at least one."""
    return max(1, int(limits.retire_share * active))


def within(actions: Sequence[Action], room: int) -> tuple[list[Action], int]:
    """Return the actions that a pass may take, and how many it has to leave to the next.

    What is wrong goes before what is there twice, and that before what is merely old; a record is
    retired once.
    """
    once: dict[str, Action] = {}
    for action in sorted(actions, key=lambda action: RETIRING.index(action.rung)):
        once.setdefault(action.subject, action)
    taken = list(once.values())
    return taken[:room], max(0, len(taken) - room)


def _may_leave(record: Record, limits: Thresholds) -> bool:
    return record.importance < limits.hot_importance and record.id != PROFILE_ID
