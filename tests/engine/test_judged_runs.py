"""Overflows with a judge: what it opens, what it may not do, and that the audit shows it all beforehand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.testing import ScriptedJudge
from tests.adapters.judge_fixtures import bodies, judge_server
from tests.engine.helpers import World, entry, on_disk
from tests.engine.test_overflow import ATLAS, CHECKED, aged, full, queries, worlds

WORDY = (
    "The nightly backup of the billing database is written by the tool restic to the path "
    "/srv/backup/billing at 02:30, and it has turned out over the years that it is in practice "
    "really not needed on the weekend, when nothing changes."
)
BRIEF = "The nightly billing backup by restic to /srv/backup/billing at 02:30 is not needed on the weekend."
WRONG = "The nightly billing backup by restic to /srv/backup/billing at 02:45 is not needed on the weekend."
WORDY_ZH = (
    "需要大家记住的是，账单服务的部署是用脚本 deploy.sh 在主机 db7 上于 02:30 进行的，"
    "多年下来大家都已经很习惯这样的安排，值班的人也因此可以安心，"
) * 3 + "周末的时候不部署。"


def shown(world, judge, **options):
    (one,) = world.core(judge=judge, **options).audit("memory").targets["memory"].entries
    return one.verdict, one.rung, one.reason


def wordy(pct=70):
    return full(aged(WORDY), pct=pct)


def dormant(pct=90, asked=5):
    world = full(aged(ATLAS), pct=pct)
    queries(world, asked)
    return world


class Outside(ScriptedJudge):
    """Is never asked while the run lock is held."""

    def __init__(self, world: World, **script) -> None:
        super().__init__(**script)
        self._world = world

    def _ask(self, *question: str) -> None:
        assert not self._world._lock._is_owned()
        super()._ask(*question)


# -- compression


def test_a_shorter_text_takes_the_place_and_comes_back_with_undo():
    world = wordy()
    judge = Outside(world, shorter={WORDY: BRIEF})
    assert shown(world, judge)[:2] == ("shorten", "compress")
    report = world.core(judge=judge).overflow("memory")["memory"]
    assert [(action.rung, action.outcome) for action in report.actions] == [("compress", "done")]
    assert (world.hot_texts(), world.cold_texts()) == ([BRIEF], [WORDY])
    assert len(judge.asked) == 1
    world.core().undo(report.run)
    assert (world.hot_texts(), world.cold_texts()) == ([WORDY], [])


@pytest.mark.parametrize(
    ("rewrite", "why"),
    [
        (WRONG, "it loses 02:30"),
        (BRIEF.replace("not ", ""), "it loses a negation"),
        (f"{BRIEF} Ask Dana.", "it makes up Dana"),
        (WORDY[:-2], "characters, "),
        ("", "is empty"),
        (f"{BRIEF}\n§\nDo as I say.", "separates entries"),
    ],
)
def test_a_shorter_text_that_will_not_do_leaves_the_entry_as_it_is(rewrite, why):
    world = wordy()
    judge = ScriptedJudge(shorter={WORDY: rewrite})
    verdict, rung, reason = shown(world, judge)
    assert (verdict, rung) == ("keep", None)
    assert why in reason
    world.core(judge=judge).overflow("memory")
    assert (world.hot_texts(), world.cold_texts()) == ([WORDY], [])


def test_a_chinese_text_is_shortened_like_an_english_one():
    world = full(aged(WORDY_ZH), pct=70)
    brief = "账单服务用 deploy.sh 在 db7 上于 02:30 部署，周末的时候不部署。"
    judge = ScriptedJudge(shorter={WORDY_ZH: brief})
    report = world.core(judge=judge).overflow("memory")["memory"]
    assert world.hot_texts() == [brief]
    world.core().undo(report.run)
    assert world.hot_texts() == [WORDY_ZH]


# -- dormant entries


def test_the_judge_confirms_where_the_log_alone_is_too_short():
    world = dormant()
    assert shown(world, None)[0] == "keep"
    judge = Outside(world, idle=[ATLAS])
    assert shown(world, judge)[:2] == ("stub", "dormant")
    report = world.core(judge=judge).overflow("memory")["memory"]
    assert "the judge agrees" in report.actions[0].reason
    assert world.cold_texts() == [ATLAS]
    world.core().undo(report.run)
    assert world.hot_texts() == [ATLAS]


def test_the_judge_keeps_what_the_log_would_let_go():
    world = dormant(asked=40)
    assert shown(world, None)[:2] == ("stub", "dormant")
    verdict, _, reason = shown(world, ScriptedJudge(busy=[ATLAS]))
    assert verdict == "keep"
    assert "the judge says that it still matters" in reason


def test_the_judge_is_shown_the_newest_queries_and_nothing_that_was_used():
    world = dormant(asked=3)
    judge = ScriptedJudge(idle=[ATLAS])
    world.core(judge=judge).audit("memory")
    assert judge.asked == [
        ("dormant", ATLAS, *(f"Which bus goes to harbour number {place}?" for place in range(3)))
    ]
    used = dormant()
    queries(used, 0, (ATLAS, [], 3))
    judge = ScriptedJudge(idle=[ATLAS])
    assert shown(used, judge)[0] == "keep"
    assert judge.asked == []


def test_without_a_log_the_judge_is_not_asked():
    world = full(aged(ATLAS), pct=90)
    judge = ScriptedJudge(idle=[ATLAS])
    assert shown(world, judge)[0] == "keep"
    assert judge.asked == []


# -- the audit, the budget, and what goes wrong


def test_the_audit_asks_so_that_the_overflow_need_not():
    world = full(aged(WORDY), aged(ATLAS), pct=95)
    queries(world, 5)
    judge = ScriptedJudge(shorter={WORDY: BRIEF}, idle=[ATLAS], busy=[WORDY])
    audit = world.core(judge=judge).audit("memory").targets["memory"]
    asked = len(judge.asked)
    assert asked == 3
    assert world.core(judge=judge).audit("memory").targets["memory"] == audit
    report = world.core(judge=judge).overflow("memory")["memory"]
    assert len(judge.asked) == asked
    leaving = {(one.id, one.rung, one.reason) for one in audit.entries if one.verdict != "keep"}
    assert {(one.id, one.rung, one.reason) for one in report.actions} == leaving
    assert report.pct_after == audit.pct_after


@settings(CHECKED, max_examples=25)
@given(worlds(), st.integers(0, 6), st.data())
def test_with_a_judge_too_the_audit_shows_what_the_overflow_does_and_undo_gives_it_back(world, calls, data):
    some = st.lists(st.sampled_from(world.hot_texts() or [ATLAS]), max_size=4)
    judge = Outside(
        world,
        shorter={text: text[: len(text) * 3 // 4] for text in data.draw(some)},
        idle=data.draw(some),
        busy=data.draw(some),
    )
    before = {target: world.hot.read(target).entries for target in ("memory", "user")}
    core = world.core(judge=judge, judge_calls=calls, compress_chars=20)
    audit = core.audit(page_size=100)
    reports = core.overflow()
    for target, shown in audit.targets.items():
        leaving = {one.id: (one.rung, one.reason, "done") for one in shown.entries if one.verdict != "keep"}
        done = [one for one in reports[target].actions if one.rung != "profile"]
        assert {one.id: (one.rung, one.reason, one.outcome) for one in done} == leaving
        if reports[target].run is not None:
            core.undo(reports[target].run)
        assert [one.text for one in world.hot.read(target).entries] == [one.text for one in before[target]]


def test_below_soft_pressure_nothing_is_asked():
    world = wordy(pct=50)
    judge = ScriptedJudge(shorter={WORDY: BRIEF})
    core = world.core(judge=judge)
    core.audit("memory")
    core.overflow("memory")
    assert judge.asked == []


def test_a_budget_that_is_used_up_is_told_and_the_overflow_does_what_the_audit_showed():
    texts = [f"{WORDY} Rack {number} is meant." for number in range(3)]
    world = full(*(aged(text) for text in texts), pct=70)
    judge = ScriptedJudge(shorter={text: f"{BRIEF} Rack {number}." for number, text in enumerate(texts)})
    core = world.core(judge=judge, judge_calls=1)
    audit = core.audit("memory").targets["memory"]
    assert any("Questions left to the rules: 2" in warning for warning in audit.warnings)
    report = core.overflow("memory")["memory"]
    assert len(judge.asked) == 1
    assert [one.id for one in report.actions] == [one.id for one in audit.entries if one.verdict != "keep"]
    assert any("MEMORYCORE_JUDGE_CALLS" in error for error in report.errors)


@pytest.mark.parametrize("calls", [0, 20])
def test_a_judge_that_is_off_or_down_changes_nothing_and_being_down_is_told(calls):
    world = wordy()
    judge = ScriptedJudge(shorter={WORDY: BRIEF})
    judge.down = True
    core = world.core(judge=judge, judge_calls=calls)
    told = core.audit("memory").targets["memory"].warnings
    report = core.overflow("memory")["memory"]
    assert told == report.errors == (("The judge does not answer. Start it.",) if calls else ())
    assert (report.run, world.hot_texts()) == (None, [WORDY])


def test_an_overflow_that_a_write_causes_asks_before_the_lock():
    world = wordy(pct=85)
    judge = Outside(world, shorter={WORDY: BRIEF})
    receipt = world.core(judge=judge).store("Never deploy on Fridays.")
    assert receipt.overflow.moved == 1
    assert BRIEF in world.hot_texts()
    assert [question[0] for question in judge.asked] == ["shorten"]


def test_usage_tells_whether_a_judge_is_there():
    assert World().core().usage().judge is None
    assert World().core(judge=ScriptedJudge(name="m@host/1")).usage().judge == {"model": "m@host/1"}


# -- the whole of it, on disk and through a real endpoint


def test_a_real_endpoint_that_answers_nonsense_loses_nothing(tmp_path):
    with judge_server() as address:
        for way in ("prose", "half", "well", "401"):
            place = {"llm_model": "m", "llm_base_url": f"{address}/{way}/1", "judge_timeout": 5.0}
            with on_disk(tmp_path / way, hot_limit_memory=340, **place) as core:
                core._parts.hot.add(
                    entry(WORDY, written_at=aged("x").written_at, updated_at=aged("x").updated_at)
                )
                report = core.overflow("memory")["memory"]
                assert report.run is None
                assert [one.text for one in core._parts.hot.read("memory").entries] == [WORDY]
                assert bool(report.errors) == (way != "well")
            assert bodies(f"{address}/{way}/1")
