"""What holds of every overflow, whatever is in the file and whatever is known."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.model import Entry
from memorycore.plan import BuryEntry, JoinEntries, PutRecord, RemoveEntry, ReplaceEntry
from memorycore.policy.evidence import Evidence, Twin, Typed
from memorycore.policy.hot_text import render
from memorycore.policy.needs import needs
from memorycore.policy.undo import undo_plan

from .scenarios import LEXICON, LIMITS, NOW, applied, plan_of, profile_of, scenarios, snapshot_of

SENTENCES = [
    "The user likes oolong tea.",
    "The user likes coffee with oat milk.",
    "Never deploy on Fridays.",
    "Always answer in British English without emoji.",
    "The billing service listens on port 8443.",
    "The billing service listens on port 8444.",
    "The kitchen renovation was completed on 2026-08-01 and the invoice was paid.",
    "All tests passed.",
    "2026-11-02: the move to the new host was completed.",
    "He grew up in Utrecht and studied hydrology at the university there for six years.",
    "The user collects maps of the coast, mostly from the nineteenth century.",
    "用户喜欢喝乌龙茶。",
    "用户喜欢在家做面包。",
    "绝不能把客户名单发到群里。",
    "订单服务监听端口 8443。",
    "订单服务监听端口 8444。",
    "同事张伟负责仓库的盘点。",
    "2026-11-02 完成论坛数据迁移，旧库已下线。",
    "镜像已推送，全部搞定了。",
    "祖父留下的地图册放在书房的樟木箱里，梅雨季之后要晾晒一回。",
]
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map(" ".join)
MANY = 40
CHECKED = settings(max_examples=MANY, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def files(draw):
    """A hot file at some usage, with evidence for some of its entries."""
    target = draw(st.sampled_from(["memory", "user"]))
    chosen = draw(st.lists(texts, min_size=1, max_size=6, unique=True))
    typed = tuple(draw(typed_entries(f"e{place}", target, text)) for place, text in enumerate(chosen))
    full = draw(st.integers(20, 100))
    snapshot = snapshot_of((one.entry for one in typed), 100 * len(render(chosen)) // full, target)
    return snapshot, typed, draw(evidence(typed))


@st.composite
def typed_entries(draw, id, target, text):
    days = draw(st.none() | st.integers(0, 200))
    since = None if days is None else NOW - timedelta(days=days)
    kind = draw(st.sampled_from(["rule", "rule", "rule", "state", "stub", None]))
    importance = draw(st.sampled_from([None, 0.5, 0.7, 0.95]))
    entry = Entry(id=id, target=target, text=text, kind=kind, importance=importance, updated_at=since)
    return Typed(entry=entry, kind=kind, since=since, by_words=False)


@st.composite
def evidence(draw, typed):
    ids = [one.entry.id for one in typed]
    some = st.lists(st.sampled_from(ids), unique=True)
    texts_by_id = {one.entry.id: one.entry.text for one in typed}
    pairs = [(one, other) for place, one in enumerate(ids) for other in ids[place + 1 :]]
    return Evidence(
        twins={
            key: Twin(id=f"cold-{key}", text=texts_by_id[key], reason="the same words") for key in draw(some)
        },
        likeness={pair: draw(st.floats(-0.2, 1)) for pair in pairs if draw(st.booleans())},
        used={key: draw(st.none() | st.integers(0, 40)) for key in draw(some)},
        log_queries=draw(st.none() | st.integers(0, 60)),
        rewrites={key: texts_by_id[key][: draw(st.integers(1, 200))] for key in draw(some)},
        confirmed_dormant=frozenset(draw(some)),
        profile=draw(st.none() | st.just(profile_of("用户养了一只叫团子的猫。"))),
    )


def retyped(entries):
    """What the engine reads from the file after a run."""
    return tuple(
        Typed(entry=entry, kind=entry.kind, since=entry.updated_at or entry.written_at, by_words=False)
        for entry in entries
    )


@given(files())
@CHECKED
def test_the_same_input_gives_the_same_plan(file):
    assert plan_of(*file) == plan_of(*file)


@given(files())
@CHECKED
def test_no_text_vanishes(file):
    for action in plan_of(*file).plan.actions:
        kept = {op.record.text for op in action.cold if isinstance(op, PutRecord)}
        kept |= {op.entry.text for op in action.cold if isinstance(op, BuryEntry)}
        match action.hot:
            case RemoveEntry(gone) | ReplaceEntry(gone, _):
                assert gone.text in kept
            case JoinEntries(one, other, _):
                assert {one.text, other.text} <= kept


@given(files())
@CHECKED
def test_what_is_protected_never_leaves(file):
    snapshot, *_ = file
    plan = plan_of(*file)
    after = "\n".join(entry.text for entry in applied(snapshot.entries, plan.plan))
    for verdict in plan.verdicts:
        if verdict.protected:
            assert verdict.verdict in ("keep", "merge", "split", "shorten") or verdict.rung == "duplicate"
        if verdict.protected and verdict.verdict == "keep":
            assert verdict.typed.entry.text in after


@given(files())
@CHECKED
def test_the_projected_length_is_what_applying_gives(file):
    snapshot, *_ = file
    plan = plan_of(*file)
    assert plan.chars_after == len(render([entry.text for entry in applied(snapshot.entries, plan.plan)]))


@given(files())
@CHECKED
def test_a_file_never_grows(file):
    snapshot, *_ = file
    assert plan_of(*file).chars_after <= snapshot.chars


@given(files())
@CHECKED
def test_runs_come_to_rest(file):
    snapshot, typed, known = file
    for _ in range(3):
        plan = plan_of(snapshot, typed, known)
        entries = applied(snapshot.entries, plan.plan)
        snapshot, typed = snapshot_of(entries, snapshot.limit, snapshot.target), retyped(entries)
    settled = {action.rung for action in plan_of(snapshot, typed, known).plan.actions}
    assert not settled & {"duplicate", "stale", "merge", "state_ttl", "split"}


@given(files())
@CHECKED
def test_every_entry_has_one_verdict_with_its_reason(file):
    snapshot, *_ = file
    plan = plan_of(*file)
    assert [verdict.typed.entry for verdict in plan.verdicts] == list(snapshot.entries)
    assert all(
        verdict.reason and (verdict.rung is None) == (verdict.verdict == "keep") for verdict in plan.verdicts
    )
    subjects = [subject for action in plan.plan.actions for subject in action.subjects]
    assert len(subjects) == len(set(subjects))


@given(files())
@CHECKED
def test_undo_gives_back_the_file_in_its_order(file):
    snapshot, *_ = file
    plan = plan_of(*file).plan
    after = applied(snapshot.entries, plan)
    assert applied(after, undo_plan(plan.actions, "test")) == list(snapshot.entries)


@given(files())
@CHECKED
def test_what_is_not_asked_for_is_not_used(file):
    snapshot, typed, known = file
    asked = needs(snapshot, typed, NOW, LIMITS, LEXICON)
    told = replace(
        known,
        twins={key: known.twins[key] for key in asked.twins if key in known.twins},
        likeness={pair: known.likeness[pair] for pair in asked.likeness if pair in known.likeness},
        used={key: known.used[key] for key in asked.dormant if key in known.used},
        rewrites={key: known.rewrites[key] for key in asked.rewrites if key in known.rewrites},
        confirmed_dormant=known.confirmed_dormant & set(asked.dormant),
        profile=known.profile if asked.profile else None,
    )
    assert plan_of(snapshot, typed, told).plan == plan_of(snapshot, typed, known).plan


def test_without_evidence_only_words_and_time_move_anything():
    for scenario in scenarios():
        plan = plan_of(scenario.snapshot, scenario.typed, Evidence()).plan
        assert {action.rung for action in plan.actions} <= {
            "duplicate", "stale", "merge", "split", "state_ttl", "retype", "stub", "profile"
        }  # fmt: skip


def test_a_full_file_of_a_thousand_entries_is_asked_about_within_bounds():
    entries = [
        Entry(
            id=f"e{n}", target="memory", text=f"The user likes the walk number {n} of the guide.", kind="rule"
        )
        for n in range(1000)
    ]
    asked = needs(snapshot_of(entries, 60_000), retyped(entries), NOW, LIMITS, LEXICON)
    assert len(asked.likeness) == 2000
    assert len(asked.twins) <= 200
    assert len(asked.dormant) <= 20
    assert len(asked.rewrites) <= 5
