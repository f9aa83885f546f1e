"""What a run wants to know before it decides, so that nothing more is asked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import combinations, islice
from typing import Final

from memorycore.lexicon import Lexicon
from memorycore.model import HotSnapshot
from memorycore.policy.desk import Desk, Item, items_of, oldest_first
from memorycore.policy.evidence import Evidence, Needs, Typed
from memorycore.policy.ladder import shut_by_age, shut_by_pressure
from memorycore.policy.pairs import MOST_PAIRS, near_pairs
from memorycore.policy.thresholds import Thresholds

MOST_TWINS: Final = 200
MOST_DORMANT: Final = 20
MOST_REWRITES: Final = 5


def needs(
    snapshot: HotSnapshot, typed: Sequence[Typed], now: datetime, thresholds: Thresholds, lexicon: Lexicon
) -> Needs:
    """Return what a run will ask, longest idle entries first where there is more to ask than a run may.

    At most 200 searches for twins, 2,000 cosines, 20 looks into the activity log (and as many questions to
    the judge) and 5 rewrites.
    """
    items = items_of(typed, now, thresholds, lexicon)
    desk = Desk(snapshot, items, Evidence(), now=now, limits=thresholds, owner="", lexicon=lexicon)
    return Needs(
        twins=_ids([item for item in items if _wants_twin(item, desk)], MOST_TWINS),
        copies=tuple(item.id for item in items if item.kind in ("rule", None)),
        likeness=_pairs([item for item in items if item.kind != "stub"]),
        dormant=_ids([item for item in items if _may_be_dormant(item, desk)], MOST_DORMANT),
        rewrites=_ids([item for item in items if _wants_rewrite(item, desk)], MOST_REWRITES),
        profile=snapshot.target == "user" and bool(items),
    )


def _wants_twin(item: Item, desk: Desk) -> bool:
    if item.kind == "stub" or item.shield:
        return False
    idle = shut_by_age(item, desk.limits.redundant_idle_days) is None
    return item.kind != "rule" or (idle and shut_by_pressure(desk, hard=False) is None)


def _may_be_dormant(item: Item, desk: Desk) -> bool:
    movable = item.kind in ("rule", None) and not item.shield
    shut = shut_by_pressure(desk, hard=True) or shut_by_age(item, desk.limits.stub_idle_days)
    return movable and shut is None


def _wants_rewrite(item: Item, desk: Desk) -> bool:
    if item.kind not in ("rule", None) or len(item.text) < desk.limits.compress_chars:
        return False
    return (shut_by_pressure(desk, hard=False) or shut_by_age(item, desk.limits.compress_idle_days)) is None


def _ids(items: Sequence[Item], most: int) -> tuple[str, ...]:
    return tuple(item.id for item in oldest_first(items)[:most])


def _pairs(items: Sequence[Item]) -> tuple[tuple[str, str], ...]:
    """All pairs of a file of some sixty entries; of a larger one those that share most words first."""
    near = ((one.id, other.id) for one, other in near_pairs(items))
    every = ((one.id, other.id) for one, other in combinations(items, 2))
    return tuple(dict.fromkeys((*near, *islice(every, MOST_PAIRS))))[:MOST_PAIRS]
