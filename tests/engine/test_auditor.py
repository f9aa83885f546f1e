"""The audit in pages of a stated size, each of one plan; looking ahead; why there is nothing to do."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.answers import to_wire
from memorycore.engine.auditor import PAGE_TOKENS
from memorycore.errors import InvalidInput
from memorycore.policy.explain import why_nothing
from memorycore.policy.tokens import cut_to_tokens, estimated_tokens
from memorycore.testing import InMemoryLedger
from tests.engine.helpers import NOW, World, entry, record
from tests.engine.test_overflow import (
    ATLAS,
    LONG,
    PAID,
    PORT,
    RESET,
    RULE,
    TEA,
    TEA_AGAIN,
    aged,
    full,
    queries,
)


def tokens(answer):
    return estimated_tokens(json.dumps(to_wire(answer), ensure_ascii=False, separators=(",", ":")))


def walk(core, target="both", **asked):
    """Yield the pages of an audit."""
    cursor = None
    while True:
        page = core.audit(target, cursor=cursor, **asked)
        yield page
        if page.next is None:
            return
        cursor = page.next


# -- pages


CHINESE = (
    "每次上线之前都要先检查第{}号机房的温度湿度电源网络以及备用发电机的油量，然后由值班的工程师签字确认，"
    "并且把检查的结果发给老王，最后归档保存在三楼的柜子里面，永远不要省略。"
)


@pytest.mark.parametrize("count", [20, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "text", [CHINESE, "Rule {}: check the bolts and never skip it; " + "😀" * 60, "Note {}."]
)
def test_every_page_of_a_long_audit_is_under_its_bound_and_nothing_is_missed(text, count):
    """Twice as many entries as `count`: each file has so many."""
    world = World(limits={"memory": 10**6, "user": 10**6})
    for target in ("memory", "user"):
        for number in range(count):
            one = aged(text.format(number), target=target, id=f"{target}_{number}")
            world.hot._entries[target][one.text] = one
    seen = []
    for page in walk(world.core()):
        assert tokens(page) <= PAGE_TOKENS
        seen += [one.id for target in page.targets.values() for one in target.entries]
    assert seen == [f"{target}_{number}" for target in ("memory", "user") for number in range(count)]


def test_long_reasons_and_many_warnings_are_cut_and_still_fit(monkeypatch):
    world = full(*(aged(f"{CHINESE.format(n)}{n}") for n in range(8)), pct=30)
    core = world.core()
    plan = core._governor._assessor.plan

    def wordy(*given, **at):
        made = plan(*given, **at)
        return replace(made, verdicts=tuple(replace(one, reason="因为" * 900) for one in made.verdicts))

    read = world.hot.read
    monkeypatch.setattr(core._governor._assessor, "plan", wordy)
    monkeypatch.setattr(
        world.hot, "read", lambda target: replace(read(target), warnings=("这一条有问题" * 90,) * 500)
    )
    pages = list(walk(core))
    assert sum(len(page.targets["memory"].entries) for page in pages) == 8
    for page in pages:
        assert tokens(page) <= PAGE_TOKENS
        assert page.targets["memory"].warnings[-1] == "497 more warnings like these."
        assert all(one.reason.endswith("…") for one in page.targets["memory"].entries)


def test_a_walk_is_planned_once_and_anew_when_something_changes():
    world = full(*(aged(f"Shelf {n} holds jars.") for n in range(24)), pct=30)
    core = world.core()
    assessor, made = core._governor._assessor, []
    plan = assessor.plan
    assessor.plan = lambda *given, **at: made.append(given) or plan(*given, **at)
    assert len(list(walk(core, "memory"))) >= 2
    assert len(made) == 1
    core.audit("memory")
    assert len(made) == 2
    cursor = core.audit("memory").next
    core.store("A thing that is new.")
    core.audit("memory", cursor=cursor)
    assert len(made) == 4
    world.hot.remove(world.hot.read("memory").entries[-1])
    core.audit("memory", cursor=cursor)
    assert len(made) == 5
    world.clock.turn(minutes=2)
    core.audit("memory", cursor=cursor)
    assert len(made) == 6


def test_a_page_of_a_given_size_has_that_size():
    world = full(*(aged(f"{CHINESE.format(n)}{n}") for n in range(30)), pct=30)
    assert [len(page.targets["memory"].entries) for page in walk(world.core(), page_size=29)] == [29, 1]


# -- tokens


@given(st.text(), st.text())
@settings(max_examples=200)
def test_an_estimate_of_tokens_grows_with_the_text(one, other):
    assert estimated_tokens(one + other) >= max(estimated_tokens(one), estimated_tokens(other))
    assert 0 <= estimated_tokens(one) <= 3 * len(one)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The quick brown fox jumps over the lazy dog.", 10, 16),
        ("今天天气很好", 9, 9),
        ("2026-05-04T12:30:00+00:00", 14, 24),
        ('{"id":"m_1","chars":12}', 8, 20),
        ("😀", 3, 3),
    ],
)
def test_an_estimate_is_on_the_side_of_too_many(text, least, most):
    assert least <= estimated_tokens(text) <= most


@given(st.text(), st.integers(1, 40))
@settings(max_examples=200)
def test_a_cut_text_is_within_its_tokens_and_the_start_of_the_whole(text, most):
    cut = cut_to_tokens(text, most)
    assert estimated_tokens(cut) <= most
    assert cut == text or text.startswith(cut[:-1])


# -- ahead


def test_an_audit_ahead_is_what_the_overflow_does_then():
    world = full(aged(PAID, 2, kind="state"), aged(RULE), pct=50)
    core = world.core()
    then = NOW + timedelta(days=6)
    assert core.audit("memory").targets["memory"].sink_candidates == 0
    ahead = core.audit("memory", at=then)
    assert ahead.at == "2026-05-10T12:30:00+00:00"
    assert [one.verdict for one in ahead.targets["memory"].entries] == ["sink", "keep"]
    assert core.audit("memory").targets["memory"].sink_candidates == 0
    world.clock.now = then
    assert core.audit("memory") == replace(ahead, at=None)
    assert len(core.overflow("memory")["memory"].actions) == 1


def test_a_time_ahead_is_told_in_utc_and_past_or_unclear_ones_are_refused():
    core = World().core()
    there = (NOW + timedelta(days=1)).astimezone(timezone(timedelta(hours=8)))
    assert core.audit(at=there).at == "2026-05-05T12:30:00+00:00"
    for at in (NOW - timedelta(seconds=1), NOW.replace(tzinfo=None), "2027-01-01"):
        with pytest.raises(InvalidInput) as caught:
            core.audit(at=at)
        assert caught.value.advice


# -- what else, and why nothing


def test_what_is_also_written_is_shown_and_then_done():
    world = full(aged(LONG, target="user"), pct=70)
    shown = world.core().audit("user").targets["user"]
    assert [(one.rung, one.id) for one in shown.also] == [("profile", "profile_user")]
    report = world.core().overflow("user")["user"]
    assert [(one.rung, one.id) for one in report.actions][-1:] == [("profile", "profile_user")]


def test_the_characters_that_leave_are_those_that_the_file_gets_shorter_by():
    for entries in ([TEA, TEA_AGAIN, PORT], [RESET, "Deploys run from Jenkins. Logs are kept for a month."]):
        world = full(*map(aged, entries), pct=30)
        shown = world.core().audit("memory").targets["memory"]
        assert shown.sink_candidates
        world.core().overflow("memory")
        assert shown.chars - shown.sink_chars == world.hot.read("memory").chars


@pytest.mark.parametrize(
    ("world", "told"),
    [
        (World, ["empty"]),
        (lambda: full(aged(PORT), pct=30), ["1 kept as long as the file is below 60%"]),
        (lambda: full(aged(RULE), pct=90), ["1 protected"]),
        (lambda: full(aged(PORT, 3), pct=90), ["1 changed less than 30 days ago"]),
        (lambda: full(aged(PAID, 3, kind="state"), pct=90), ["1 finished less than 7 days ago"]),
        (lambda: full(aged(PORT), pct=70), ["1 idle", "a record of the cold tier", "pressure of 80%"]),
        (lambda: full(aged(PORT), aged(RULE), pct=90), ["1 idle", "activity log"]),
        (lambda: full(aged(ATLAS * 3), pct=90), ["judge that offers shorter texts"]),
        (
            lambda: full(entry(PORT, written_at=None, updated_at=None), entry(RULE), pct=90),
            ["1 of unknown age", "1 protected"],
        ),
    ],
)
def test_why_there_is_nothing_to_do_is_said_in_counts(world, told):
    made = world()
    shown = made.core().audit("memory").targets["memory"]
    assert shown.sink_candidates == 0
    for part in told:
        assert part in shown.why_nothing
    report = made.core().overflow("memory")["memory"]
    assert (report.run, report.note) == (None, shown.why_nothing)


def test_what_the_activity_log_lacks_is_counted():
    world = full(aged(ATLAS), pct=90)
    queries(world, 7)
    assert "30 logged queries (7 are there)" in world.core().audit("memory").targets["memory"].why_nothing
    silent = full(aged(ATLAS), pct=90, ledger=InMemoryLedger(activity_enabled=False))
    assert "an activity log" in silent.core().audit("memory").targets["memory"].why_nothing


def test_there_is_no_why_where_something_is_done():
    world = full(aged(TEA), aged(TEA_AGAIN), pct=30)
    assert world.core().audit("memory").targets["memory"].why_nothing is None
    assert world.core().overflow("memory")["memory"].note is None
    assert why_nothing.__doc__


def test_a_twin_makes_the_why_go():
    world = full(aged(PORT), pct=70)
    world.cold.put(record(PORT), None)
    assert world.core().audit("memory").targets["memory"].why_nothing is None
