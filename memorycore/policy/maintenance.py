"""What a maintenance pass over the cold tier does. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from memorycore.model import Record
from memorycore.plan import Action, FillVector, Plan


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
