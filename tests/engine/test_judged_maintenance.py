"""Maintenance with a judge: asked what the rules leave open, outside the lock, once, never obeyed blindly."""

from __future__ import annotations

import pytest

from memorycore.testing import ScriptedJudge
from tests.engine.cold_helpers import CAT, LOVES, day, padded, put, texts
from tests.engine.helpers import World
from tests.engine.test_judged_runs import Outside
from tests.engine.test_judged_store import BIKE, MEAT, NO_MEAT, OTHER_PORT, PORT, RIDE


def asking(world, judge, **fields):
    return world.core(judge=judge, **fields).maintain()


@pytest.mark.parametrize(
    ("older", "newer", "verdict", "stays"),
    [(RIDE, BIKE, "same", RIDE), (MEAT, NO_MEAT, "supersede", NO_MEAT)],
)
def test_what_the_rules_leave_open_is_decided_by_the_judge(older, newer, verdict, stays):
    world = padded(World())
    put(world, day(10, older), day(20, newer))
    judge = Outside(world, verdicts={(older, newer): verdict})
    report = asking(world, judge)
    assert (report.merged, report.superseded) == ((1, 0) if verdict == "same" else (0, 1))
    assert texts(world) == {stays}
    reasons = [action.reason for run in world.ledger.runs(limit=9) for action in run.plan.actions]
    assert any("by the word of the judge: “so it is written”" in reason for reason in reasons)
    world.core().undo(report.run)
    assert texts(world) == {older, newer}
    assert asking(world, judge).run is None  # the caller wants both


def test_a_second_pass_asks_nothing():
    world = padded(World())
    put(world, day(10, RIDE), day(20, BIKE), day(30, MEAT), day(40, NO_MEAT))
    judge = ScriptedJudge(verdicts={(RIDE, BIKE): "different", (MEAT, NO_MEAT): "supersede"})
    assert asking(world, judge).superseded == 1
    asked = len(judge.asked)
    assert asked == 2
    assert asking(world, judge).run is None
    assert len(judge.asked) == asked


def test_the_newest_are_asked_about_first_and_what_is_left_over_is_told():
    world = padded(World())
    put(world, day(10, RIDE), day(20, BIKE), day(30, MEAT), day(40, NO_MEAT))
    judge = ScriptedJudge(verdicts={(MEAT, NO_MEAT): "supersede"})
    report = asking(world, judge, judge_calls=1)
    assert [question[1:] for question in judge.asked] == [(MEAT, NO_MEAT)]
    assert any("Questions left to the rules: 1" in error for error in report.errors)


def test_a_judge_that_is_down_leaves_it_to_the_rules():
    world = padded(World())
    put(world, day(10, RIDE), day(20, BIKE))
    judge = ScriptedJudge(verdicts={(RIDE, BIKE): "same"})
    judge.down = True
    report = asking(world, judge)
    assert (report.run, texts(world)) == (None, {RIDE, BIKE})
    assert any("does not answer" in error for error in report.errors)


def test_nothing_is_asked_of_other_slots_of_the_important_or_by_a_preview():
    world = padded(World())
    put(world, day(10, PORT), day(20, OTHER_PORT), day(30, LOVES), day(40, CAT))
    put(world, day(10, RIDE, importance=0.9), day(20, BIKE))
    judge = ScriptedJudge(verdicts={(RIDE, BIKE): "same", (PORT, OTHER_PORT): "same"})
    asking(world, judge)
    assert {RIDE, BIKE} <= texts(world)
    assert not [question for question in judge.asked if RIDE in question or PORT in question]


def test_a_preview_shows_what_the_judge_said_and_asks_nothing():
    world = padded(World())
    put(world, day(10, RIDE), day(20, BIKE))
    judge = ScriptedJudge(verdicts={(RIDE, BIKE): "same"})
    core = world.core(judge=judge)
    assert core.preview_maintenance().actions == ()
    assert judge.asked == []
    run = core.maintain().run
    core.undo(run)
    assert len(judge.asked) == 1
