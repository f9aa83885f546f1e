"""The five promises of an overflow, with a crash at every step of every way out of a hot file.

The plans are made by the policy from given evidence, so that the ways which need a judge are among them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.model import Entry
from memorycore.plan import Action, JoinEntries, Plan, PutRecord, RemoveEntry
from memorycore.policy.desk import items_of
from memorycore.policy.evidence import Evidence, OverflowPlan, Twin, Typed
from memorycore.policy.hot_text import render
from memorycore.policy.overflow import plan_overflow
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.thresholds import Thresholds
from memorycore.policy.undo import undo_plan
from tests.engine.helpers import NOW, CrashError, Fuse, World, entry, record, shared_lexicon

LIMITS = Thresholds()
PORT = "The billing service listens on port 8443."
RESET = "Deploys run from Jenkins. The staging box is reset at night."
LOGS = "Deploys run from Jenkins. Logs are kept for a month."
NEVER, NEVER_EITHER = (
    "Never deploy on Fridays from Jenkins.",
    "Never deploy on Fridays from Jenkins, nor late.",
)
ATLAS = "The heirloom atlas of grandfather lies in the camphor chest of the study all year round."
PAID = "The kitchen renovation was completed on 2026-01-20 and the invoice of the carpenter was paid."
STALE = "All tests passed."
STATE = "2026-01-02: the move of the forum to the new host was completed."
TWINNED = "The spare key of the cellar hangs behind the blue door of the shed."
SPLIT = (
    "Always answer in British English. He grew up in Utrecht and studied hydrology at the university there "
    "for six years before he moved to the coast, where he lives with two cats."
)
LONG = (
    "The backup of the archive runs at 02:30 and takes three hours. " + "It is a slow and old machine. " * 6
)
SHORT = "The backup of the archive runs at 02:30 and takes three hours. It is a slow and old machine."
GUARDED = "绝不能把客户名单发到群里。"
LAPTOP, LAPTOP_TOO = "笔记本放在书房的桌子上。充电器在抽屉里。", "笔记本放在书房的桌子上。鼠标在背包里。"


@dataclass
class Case:
    """A user file and what is known of it; `short` is a judge's text for the long entry."""

    world: World
    evidence: Evidence
    target: str = "user"

    def planned(self) -> OverflowPlan:
        snapshot = self.world.hot.read(self.target)
        typed = tuple(typed_of(one) for one in snapshot.entries)
        return plan_overflow(
            snapshot,
            typed,
            self.evidence,
            self.world.clock(),
            LIMITS,
            owner="local",
            lexicon=shared_lexicon(),
        )

    def plan(self) -> Plan:
        return self.planned().plan

    def protected(self) -> list[Entry]:
        typed = [typed_of(one) for one in self.world.hot.read(self.target).entries]
        return [one.entry for one in items_of(typed, NOW, LIMITS, shared_lexicon()) if one.shield]


def typed_of(one: Entry) -> Typed:
    return Typed(entry=one, kind=one.kind, since=one.updated_at, by_words=False)


def aged(text, id, days=100, **fields):
    then = NOW - timedelta(days=days)
    return entry(text, fields.pop("target", "user"), id=id, written_at=then, updated_at=then, **fields)


EVERY_WAY = (
    aged(PORT, "port"),
    aged(PORT[:-1], "port_again"),
    aged(STALE, "stale", kind="state"),
    aged(NEVER, "never", importance=0.95),
    aged(NEVER_EITHER, "never_either", importance=0.95),
    aged(SPLIT, "split"),
    aged(STATE, "state", kind="state"),
    aged(PAID, "paid"),
    aged(TWINNED, "twinned"),
    aged(LONG, "long"),
    aged(ATLAS, "atlas"),
    aged("Cellar plan", "pointer", kind="stub"),
    aged(RESET, "reset"),
    aged(LOGS, "logs"),
    aged(GUARDED, "guarded"),
)
KNOWN = Evidence(
    twins={"twinned": Twin(id="m_twin", text=TWINNED, reason="the same words")},
    copies=frozenset({"twinned"}),
    used={"atlas": None},
    log_queries=40,
    rewrites={"long": SHORT},
    confirmed_dormant=frozenset({"atlas"}),
)


def case_of(entries, evidence, full=95) -> Case:
    chars = len(render([one.text for one in entries]))
    world = World(limits={"memory": 2_200, "user": max(80, 100 * chars // full)})
    for one in entries:
        world.hot.add(one)
    for twin in evidence.twins.values():
        world.cold.put(record(twin.text, id=twin.id), None)
    if evidence.profile is not None:
        world.cold.put(evidence.profile, None)
    return Case(world, evidence)


def every_way() -> Case:
    """One file that leaves by every way at once; as full as a run can find it."""
    return case_of(EVERY_WAY, KNOWN)


RUNGS = {
    "duplicate",
    "stale",
    "merge",
    "split",
    "state_ttl",
    "retype",
    "redundant",
    "compress",
    "dormant",
    "stub",
    "profile",
}


def kept_texts(world: World) -> set[str]:
    return {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}


def assert_kept(case: Case, texts: set[str], guarded: list[Entry], plan: Plan) -> None:
    """No text lost, none twice in the file, and every protected one there, alone or inside another."""
    world = case.world
    hot = world.hot_texts()
    assert texts <= kept_texts(world)
    assert len(hot) == len(set(hot))
    assert world.hot.read(case.target).chars <= world.limits[case.target]
    doubled = {action.subject for action in plan.actions if action.rung == "duplicate"}
    became = {
        gone: action.hot.after.text if isinstance(action.hot, JoinEntries) else None
        for action in plan.actions
        for gone in action.subjects
        if action.rung == "merge"
    }
    for one in guarded:
        here = one.text in hot or became.get(one.id) in hot or one.id in doubled
        assert here or any(other.id == one.id for other in world.hot.read(case.target).entries), one
    assert not {one.id for one in world.records() if one.active} & {one.id for one in guarded}


def test_the_case_leaves_by_every_way():
    assert {action.rung for action in every_way().plan().actions} == RUNGS


def calls_of(make) -> int:
    case, fuse = make(), Fuse()
    case.world.executor(fuse).apply(case.plan())
    return fuse.calls


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_call_loses_nothing_and_a_second_run_finishes(after):
    whole = every_way()
    plan = whole.plan()
    whole.world.executor().apply(plan)
    for at in range(1, calls_of(every_way) + 1):
        case = every_way()
        texts, guarded = kept_texts(case.world), case.protected()
        with pytest.raises(CrashError):
            case.world.executor(Fuse(at=at, after=after)).apply(plan)
        assert_kept(case, texts, guarded, plan)  # what Hermes puts into a prompt before we are back
        case.world.executor().recover()
        assert_kept(case, texts, guarded, plan)
        recovered = case.world.state()
        case.world.executor().recover()
        assert case.world.state() == recovered
        case.world.executor().apply(plan)
        assert_kept(case, texts, guarded, plan)
        assert case.world.hot_texts() == whole.world.hot_texts()
        assert set(case.world.cold_texts()) == set(whole.world.cold_texts())


def test_applying_twice_equals_applying_once():
    case = every_way()
    plan = case.plan()
    case.world.executor().apply(plan)
    once = case.world.state()
    assert {outcome.state for outcome in case.world.executor().apply(plan).outcomes} == {"done"}
    assert case.world.state() == once


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_cut_off_undo_loses_nothing_and_is_finished_by_a_second_one(after):
    plan = every_way().plan()

    def undone():
        case = every_way()
        before = case.world.hot.read("user").entries
        run = case.world.executor().apply(plan)
        return case, before, undo_plan(run.done, "undo of it")

    case, before, back = undone()
    fuse = Fuse()
    case.world.executor(fuse).apply(back)
    assert case.world.hot.read("user").entries == before
    for at in range(1, fuse.calls + 1):
        case, before, back = undone()
        texts = kept_texts(case.world)
        with pytest.raises(CrashError):
            case.world.executor(Fuse(at=at, after=after)).apply(back)
        case.world.executor().recover()
        assert texts - merged_by(back) <= kept_texts(case.world)
        case.world.executor().apply(back)
        assert {one.text for one in before} == set(case.world.hot_texts())


def merged_by(back: Plan) -> set[str]:
    """The profile's own words: taken back, no one's text is in them."""
    return {
        op.record.text
        for action in back.actions
        for op in action.cold
        if getattr(getattr(op, "record", None), "id", None) == PROFILE_ID
    }


# -- random files


POOL = [PORT, PORT[:-1], STALE, NEVER, NEVER_EITHER, SPLIT, STATE, PAID, TWINNED, LONG, ATLAS, RESET, LOGS]
POOL += [GUARDED, LAPTOP, LAPTOP_TOO, "用户喜欢喝乌龙茶。", "2026-01-02 完成论坛数据迁移，旧库已下线。"]


@st.composite
def cases(draw):
    chosen = draw(st.lists(st.sampled_from(POOL), min_size=1, max_size=9, unique=True))
    entries = [
        aged(
            text,
            f"e{place}",
            draw(st.sampled_from([0, 5, 20, 50, 100])),
            kind=draw(st.sampled_from(["rule", "rule", "rule", "state", "stub", None])),
            importance=draw(st.sampled_from([None, 0.5, 0.95])),
        )
        for place, text in enumerate(chosen)
    ]
    some = st.sets(st.sampled_from(entries))
    twins = draw(some)
    evidence = Evidence(
        twins={one.id: Twin(id=f"m_{one.id}", text=one.text, reason="the same words") for one in twins},
        copies=frozenset(one.id for one in twins),
        used={one.id: draw(st.sampled_from([None, 3, 35])) for one in draw(some)},
        log_queries=draw(st.sampled_from([None, 5, 40])),
        rewrites={one.id: SHORT for one in entries if one.text == LONG},
        confirmed_dormant=frozenset(one.id for one in draw(some)),
    )
    return entries, evidence, draw(st.integers(30, 100))


CHECKED = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@CHECKED
@given(cases(), st.integers(1, 60), st.booleans(), st.integers(1, 12))
def test_random_files_lose_nothing_and_no_protected_entry_leaves(given_case, at, after, second):
    case = case_of(*given_case)
    texts, guarded, plan = kept_texts(case.world), case.protected(), case.plan()
    assert plan == case_of(*given_case).plan()
    try:
        case.world.executor(Fuse(at=at, after=after)).apply(plan)
    except CrashError:
        assert_kept(case, texts, guarded, plan)
        try:
            case.world.executor(Fuse(at=second, after=after)).recover()
        except CrashError:
            case.world.executor().recover()
    assert_kept(case, texts, guarded, plan)
    assert case.world.ledger.open_runs() == []
    case.world.executor().apply(plan)
    once = case.world.state()
    case.world.executor().apply(plan)
    assert case.world.state() == once
    assert_kept(case, texts, guarded, plan)


@CHECKED
@given(cases(), st.integers(1, 60), st.booleans())
def test_after_a_crash_the_audit_shows_what_the_next_overflow_does(given_case, at, after):
    case = case_of(*given_case)
    world = case.world
    try:
        world.executor(Fuse(at=at, after=after)).apply(case.plan())
    except CrashError:
        world.executor().recover()
    world.clock.turn(seconds=5)
    core = world.core()
    shown = core.audit("user", page_size=100).targets["user"]
    report = core.overflow("user")["user"]
    leaving = [(one.id, one.rung, one.reason) for one in shown.entries if one.verdict != "keep"]
    done = [(one.id, one.rung, one.reason) for one in report.actions if one.rung != "profile"]
    assert sorted(done) == sorted(leaving)
    assert {one.outcome for one in report.actions} <= {"done"}
    assert report.pct_after == shown.pct_after


# -- another process dies while this one is running


@pytest.mark.parametrize("at", range(1, 9))
def test_what_another_process_left_half_done_is_settled_before_the_next_run_decides(at):
    """Else the half that is there is taken for a copy that makes the entry redundant, and is then taken
    back."""
    world = World(limits={"memory": 2_200, "user": 200})
    sinks = aged(STATE, "sinks", kind="state", target="memory")
    world.hot.add(sinks)
    living = world.core()
    living.usage()
    living.overflow("user")
    cut_off = Plan(
        kind="overflow",
        actions=(sinking(sinks),),
    )
    with suppress(CrashError):
        world.executor(Fuse(at=at, after=True)).apply(cut_off)
    living.overflow("memory")
    assert [one.text for one in world.records() if one.active] == [STATE]
    assert world.trash_texts() == []
    assert world.hot_texts() == []


def sinking(one: Entry) -> Action:
    return Action(
        rung="state_ttl",
        subject=one.id,
        reason="a test",
        target=one.target,
        cold=(PutRecord(record(one.text, id=one.id)),),
        hot=RemoveEntry(one),
    )


def test_a_merge_of_two_protected_entries_is_one_step():
    """In two, a crash in between left one of them out of the file and active in the cold tier."""
    (merge,) = (
        case_of((aged(RESET, "reset", importance=0.95), aged(LOGS, "logs", importance=0.95)), Evidence())
        .plan()
        .actions
    )
    assert isinstance(merge.hot, JoinEntries)
    assert merge.subjects == ("reset", "logs")
    assert [op.op for op in merge.cold] == ["put_record", "bury_entry"]
