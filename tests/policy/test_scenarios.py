"""The golden scenarios: each rung opening, and staying shut for want of evidence, pressure, age or leave."""

import pytest

from memorycore.plan import PutRecord, ReplaceRecord
from memorycore.policy.hot_text import render

from .scenarios import applied, scenarios

SCENARIOS = scenarios()


@pytest.fixture(params=SCENARIOS, ids=lambda scenario: scenario.name)
def scenario(request):
    return request.param


def test_the_verdicts_are_as_told(scenario):
    for item, verdict in zip(scenario.told["entries"], scenario.plan().verdicts, strict=True):
        assert (item["id"], verdict.verdict, verdict.rung) == (
            item["id"],
            item["verdict"],
            item.get("rung"),
        ), verdict.reason
        for piece in item.get("says", ()):
            assert piece in verdict.reason, item["id"]


def test_the_file_and_the_cold_tier_end_up_as_told(scenario):
    plan, expected = scenario.plan(), scenario.told["expect"]
    after = [entry.text for entry in applied(scenario.snapshot.entries, plan.plan)]
    assert plan.chars_after == len(render(after)) == expected["chars_after"]
    assert after == expected.get("file", after)
    for item in scenario.told["entries"]:
        if "cold" in item:
            mine = [action for action in plan.plan.actions if action.subject == item["id"]]
            assert [op.op for action in mine for op in action.cold] == item["cold"]


def test_the_profile_gains_what_sank_from_the_user_file(scenario):
    told, expected = scenario.told, scenario.told["expect"]
    summaries = [
        op.record.text if isinstance(op, PutRecord) else op.after.text
        for action in scenario.plan().plan.actions
        if action.rung == "profile"
        for op in action.cold
        if isinstance(op, PutRecord | ReplaceRecord)
    ]
    assert summaries == ([expected["profile"]] if "profile" in expected else []), told["title"]


def test_half_of_the_scenarios_are_chinese():
    chinese = [one for one in SCENARIOS if any("一" <= c <= "鿿" for c in one.told["title"])]
    assert len(SCENARIOS) >= 30
    assert 2 * len(chinese) >= len(SCENARIOS) - 2
