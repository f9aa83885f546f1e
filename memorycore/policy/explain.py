"""Why an overflow finds nothing to do, in a sentence or two. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memorycore.policy.desk import Desk, Item


def why_nothing(desk: Desk) -> str:
    """Return why every entry stays: how many for which reason, and which evidence is missing."""
    if not desk.items:
        return "The file is empty."
    groups = Counter(_group(item, desk) for item in desk.items)
    told = ", ".join(f"{count} {why}" for why, count in groups.most_common())
    lacking = list(dict.fromkeys(_lacking(desk)))
    missing = f" Missing: {'; '.join(lacking)}." if lacking else ""
    return f"Nothing may leave or change at {desk.pct} %; of {len(desk.items)}: {told}.{missing}"


def _group(item: Item, desk: Desk) -> str:
    if item.shield:
        return "protected"
    if item.kind == "stub":
        return "pointers to the cold tier"
    return _age_group(item, desk)


def _age_group(item: Item, desk: Desk) -> str:
    limits = desk.limits
    if item.age is None and (item.kind == "state" or desk.soft):
        return "of unknown age"
    if item.kind == "state":
        return f"finished less than {limits.state_ttl_days} days ago"
    if not desk.soft:
        return f"kept as long as the file is below {limits.soft:.0%}"
    if item.age is not None and item.age < limits.redundant_idle_days:
        return f"changed less than {limits.redundant_idle_days} days ago"
    return "idle, but nothing shows that the prompt can do without"


def _lacking(desk: Desk) -> Iterator[str]:
    """Yield the evidence that would have to be there for an idle rule or fact to leave."""
    limits, evidence = desk.limits, desk.evidence
    idle = [
        item
        for item in desk.items
        if item.kind in ("rule", None) and (item.age or 0) >= limits.redundant_idle_days and desk.soft
    ]
    free = [item for item in idle if not item.shield]
    if any(desk.twin(item) is None for item in free):
        yield "a record of the cold tier that says the same"
    if any(len(item.text) >= limits.compress_chars and item.id not in evidence.rewrites for item in idle):
        yield "a judge that offers shorter texts"
    if not any((item.age or 0) >= limits.stub_idle_days for item in free):
        return
    if not desk.hard:
        yield f"the pressure of {limits.hard:.0%}, from which unused entries leave a pointer"
    elif evidence.log_queries is None:
        yield "an activity log (and an embedder) that shows what is unused"
    elif evidence.log_queries < limits.activity_queries and not evidence.confirmed_dormant:
        yield f"a judge, or {limits.activity_queries} logged queries ({evidence.log_queries} are there)"
