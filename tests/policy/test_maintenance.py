"""Maintenance as a plan: exactly what is pending, by the text that it was seen with."""

from __future__ import annotations

from memorycore.plan import FillVector
from memorycore.policy.maintenance import fill_plan
from tests.engine.helpers import record


def test_each_pending_record_is_filled_once_and_in_order():
    pending = [record(f"Box {number} holds cables.") for number in range(3)]
    plan = fill_plan(pending)
    assert plan.kind == "maintenance"
    assert [action.cold for action in plan.actions] == [(FillVector(one.id, one.hash),) for one in pending]
    assert all(action.hot is None and action.reason and action.rung == "embed" for action in plan.actions)
    assert fill_plan(pending) == plan


def test_nothing_pending_is_nothing_to_do():
    assert fill_plan([]).actions == ()
