"""What every ledger must do."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from memorycore.adapters.ledger_sqlite import ACTIVITY_MAX_BYTES, SqliteLedger
from memorycore.errors import InvalidInput, StoreUnavailable, UnknownId
from memorycore.model import Entry, TrashItem, text_hash
from memorycore.plan import Action, BuryEntry, Plan, PutRecord, RemoveEntry
from memorycore.policy.undo import undo_plan, undo_reason
from memorycore.testing_ledger import InMemoryLedger
from tests.adapters.sqlite_fixtures import START, record

HOUR = timedelta(hours=1)


def make(kind, tmp_path, **options):
    return InMemoryLedger(**options) if kind == "memory" else SqliteLedger(tmp_path / "ledger.db", **options)


@pytest.fixture(params=["sqlite", "memory"])
def kind(request):
    return request.param


@pytest.fixture
def ledger(kind, tmp_path):
    made = make(kind, tmp_path)
    yield made
    made.close()


def entry(text="tea at five"):
    return Entry(id="e_1", target="memory", text=text, kind="rule", written_at=START)


def plan(text="tea at five"):
    hot = entry(text)
    return Plan(
        kind="overflow",
        actions=(
            Action(rung="stale", subject="e_1", reason="short", cold=(BuryEntry(hot),), hot=RemoveEntry(hot)),
            Action(rung="write", subject="m_001", reason="new", cold=(PutRecord(record(1, text)),)),
        ),
    )


def trashed(number, text=None, hours=0):
    at = START + hours * HOUR
    return TrashItem(
        item=record(number, text),
        reason="faded",
        run="r_1",
        trashed_at=at,
        expires_at=at + timedelta(days=30),
    )


def test_a_run_comes_back_as_it_was_journalled(ledger):
    ledger.begin("r_1", plan(), START)
    run = ledger.run("r_1")
    assert (run.id, run.state, run.started_at, run.finished_at) == ("r_1", "open", START, None)
    assert run.plan == plan()
    assert [(step.seq, step.state, step.outcome) for step in run.steps] == [
        (0, "planned", ""),
        (1, "planned", ""),
    ]
    assert ledger.run("r_2") is None


def test_steps_are_marked_one_by_one(ledger):
    ledger.begin("r_1", plan(), START)
    ledger.mark("r_1", 0, "cold_done", "")
    ledger.mark("r_1", 1, "failed", "disk full")
    ledger.mark("r_1", 0, "done", "moved")
    assert [(s.state, s.outcome) for s in ledger.run("r_1").steps] == [
        ("done", "moved"),
        ("failed", "disk full"),
    ]


def test_finished_runs_are_open_no_more(ledger):
    for name in ("r_b", "r_a", "r_c"):
        ledger.begin(name, Plan(kind="store"), START)
    ledger.finish("r_b", "done", START + HOUR)
    assert [run.id for run in ledger.open_runs()] == ["r_a", "r_c"]
    assert ledger.run("r_b").state == "done"
    assert ledger.run("r_b").finished_at == START + HOUR
    ledger.finish("r_a", "abandoned", START + HOUR)
    assert [run.id for run in ledger.open_runs()] == ["r_c"]


def test_runs_are_paged_from_the_newest(ledger):
    for name in ("r_3", "r_1", "r_2"):
        ledger.begin(name, Plan(kind="store"), START)
    assert [run.id for run in ledger.runs(limit=2)] == ["r_2", "r_1"]
    assert [run.id for run in ledger.runs(limit=2, before="r_1")] == ["r_3"]
    with pytest.raises(UnknownId):
        ledger.runs(limit=2, before="r_9")


def test_undo_runs_are_found_by_what_they_took_back(ledger):
    ledger.begin("r_1", plan(), START)
    for name, of in (("r_2", "r_1"), ("r_3", "p_1"), ("r_4", "r_1")):
        ledger.begin(name, undo_plan(plan().actions, undo_reason(of)), START)
    assert [run.id for run in ledger.undos(["r_1"])] == ["r_2", "r_4"]
    assert [run.id for run in ledger.undos(["r_1", "p_1"])] == ["r_2", "r_3", "r_4"]
    assert ledger.undos(["r_2"]) == ledger.undos([]) == []


def test_runs_are_found_by_their_kinds(ledger):
    for name, kind in (("r_1", "store"), ("r_2", "undo"), ("r_3", "restore"), ("r_4", "undo")):
        ledger.begin(name, replace(plan(), kind=kind), START)
    assert [run.id for run in ledger.runs_of(("undo", "restore"))] == ["r_2", "r_3", "r_4"]
    assert ledger.runs_of(("forget",)) == ledger.runs_of(()) == []


def test_runs_and_steps_that_are_not_there_are_told(ledger):
    ledger.begin("r_1", plan(), START)
    with pytest.raises(InvalidInput):
        ledger.begin("r_1", plan(), START)
    for run, seq in (("r_2", 0), ("r_1", 2)):
        with pytest.raises(UnknownId):
            ledger.mark(run, seq, "done", "")
    with pytest.raises(UnknownId):
        ledger.finish("r_2", "done", START)


def test_receipts_come_newest_first(ledger):
    ledger.add_receipt("r_1", "store_fact", {"status": "stored", "ids": ("a",), "文": None}, START)
    ledger.add_receipt(None, "recall", {}, START + HOUR)
    newest, oldest = ledger.receipts(limit=5)
    assert newest == {"run": None, "tool": "recall", "at": START + HOUR, "answer": {}}
    assert oldest["answer"] == {"status": "stored", "ids": ["a"], "文": None}
    assert ledger.receipts(limit=1) == [newest]


def test_the_trash_keeps_whole_items(ledger):
    item = trashed(1, "tea")
    hot = replace(trashed(2), item=entry())
    ledger.bury(item)
    ledger.bury(hot)
    assert ledger.buried("m_001") == item
    assert ledger.buried("e_1") == hot
    assert ledger.trash_count() == 2
    assert ledger.exhume("m_001") is True
    assert ledger.exhume("m_001") is False
    assert ledger.buried("m_001") is None
    assert ledger.trash_count() == 1


def test_burying_again_overwrites(ledger):
    ledger.bury(trashed(1, "tea"))
    ledger.bury(trashed(1, "milk", hours=1))
    assert ledger.trash_count() == 1
    assert ledger.buried_text(text_hash("tea")) is None
    assert ledger.buried_text(text_hash("milk")).item.id == "m_001"


def test_of_equal_texts_the_newest_is_found(ledger):
    for number, hours in ((1, 1), (2, 5), (3, 2)):
        ledger.bury(trashed(number, "tea", hours))
    assert ledger.buried_text(text_hash(" tea ")).id == "m_002"


def test_the_trash_is_paged_by_id(ledger):
    for number in (3, 1, 2):
        ledger.bury(trashed(number))
    assert [item.id for item in ledger.trash(limit=2)] == ["m_001", "m_002"]
    assert [item.id for item in ledger.trash(limit=2, after="m_002")] == ["m_003"]


def test_activity_comes_oldest_first_since_a_time(ledger):
    for hours, query in ((2, "milk"), (0, "茶"), (3, "tea")):
        ledger.log_activity(query, ["m_001"], START + hours * HOUR)
    notes = list(ledger.activity(since=START + 2 * HOUR))
    assert notes == [(START + 2 * HOUR, "milk", ("m_001",)), (START + 3 * HOUR, "tea", ("m_001",))]
    assert len(list(ledger.activity(since=START))) == 3


def test_activity_is_kept_for_45_days(ledger):
    ledger.log_activity("old", [], START)
    ledger.log_activity("edge", [], START + timedelta(days=5))
    ledger.log_activity("new", [], START + timedelta(days=50))
    assert [query for _, query, _ in ledger.activity(since=START)] == ["edge", "new"]


def test_activity_is_kept_within_its_size(ledger):
    big = "茶" * 20_000
    for number in range(8):
        ledger.log_activity(f"{number}{big}", ["m_001"], START + number * HOUR)
    kept = [query for _, query, _ in ledger.activity(since=START)]
    assert [query[0] for query in kept] == ["4", "5", "6", "7"]
    assert sum(len(query.encode()) for query in kept) <= ACTIVITY_MAX_BYTES


def test_without_activity_nothing_is_noted_or_told(kind, tmp_path):
    ledger = make(kind, tmp_path, activity_enabled=False)
    ledger.log_activity("tea", [], START)
    assert list(ledger.activity(since=START)) == []
    ledger.close()


def test_vectors_are_cached_per_model(ledger):
    vector = np.array([0.25, -1], np.float32)
    ledger.cache_vectors("a/2", {"h1": vector, "h2": -vector})
    ledger.cache_vectors("a/2", {"h2": vector})
    cached = ledger.cached_vectors("a/2", ["h1", "h2", "h3"])
    assert {key: value.tolist() for key, value in cached.items()} == {"h1": [0.25, -1], "h2": [0.25, -1]}
    assert all(value.dtype == np.float32 for value in cached.values())
    assert ledger.cached_vectors("b/2", ["h1"]) == {}
    assert ledger.cached_vectors("a/2", []) == {}


def test_vectors_cached_longest_ago_are_dropped(ledger, kind, monkeypatch):
    module = "memorycore.testing_ledger" if kind == "memory" else "memorycore.adapters.ledger_sqlite"
    monkeypatch.setattr(f"{module}.MAX_CACHED_VECTORS", 3)
    vector = np.ones(2, np.float32)
    for name in ("h1", "h2", "h3", "h1", "h4"):
        ledger.cache_vectors("a/2", {name: vector})
    assert set(ledger.cached_vectors("a/2", ["h1", "h2", "h3", "h4"])) == {"h1", "h3", "h4"}


def test_a_purge_leaves_no_copy_of_the_text(ledger):
    secret = 'the "secret" word\nis 茶'
    ledger.begin("r_1", plan(secret), START)
    ledger.bury(trashed(1, secret))
    ledger.bury(trashed(2, "other"))
    ledger.add_receipt("r_1", "recall", {"results": [{"content": secret}]}, START)
    ledger.log_activity(f"about {secret}", [], START)
    ledger.log_activity("tea", [], START)
    ledger.cache_vectors("a/2", {text_hash(secret): np.ones(2, np.float32)})
    ledger.purge(f" {secret}")
    assert ledger.run("r_1").plan == plan("[purged]")
    assert ledger.receipts(limit=1)[0]["answer"] == {"results": [{"content": "[purged]"}]}
    assert [item.id for item in ledger.trash(limit=9)] == ["m_002"]
    assert [query for _, query, _ in ledger.activity(since=START)] == ["tea"]
    assert ledger.cached_vectors("a/2", [text_hash(secret)]) == {}
    with pytest.raises(InvalidInput):
        ledger.purge("  ")


@pytest.mark.parametrize("text", ["a", "is", "id", "Action", "stale", "short", "put_record", "tea"])
def test_a_purge_of_a_short_text_harms_nothing_else(ledger, text):
    ledger.begin("r_1", plan("a tea with a id"), START)
    ledger.bury(trashed(2, "a tea"))
    ledger.log_activity("is a tea there?", [], START)
    ledger.purge(text)
    actions = ledger.run("r_1").plan.actions
    assert [action.cold for action in actions] == [action.cold for action in plan("a tea with a id").actions]
    assert ledger.trash_count() == 1
    assert len(list(ledger.activity(since=START))) == 1


def test_a_closed_ledger_says_so(ledger):
    ledger.close()
    with pytest.raises(StoreUnavailable):
        ledger.trash_count()


def test_the_runs_of_a_pass_are_found_by_its_id(ledger):
    ledger.begin("r_1", plan(), START, part_of="p_1")
    ledger.begin("r_2", plan(), START)
    ledger.begin("r_3", plan(), START, part_of="p_1")
    assert [run.id for run in ledger.parts("p_1")] == ["r_1", "r_3"]
    assert [run.part_of for run in ledger.runs(limit=3)] == ["p_1", None, "p_1"]
    assert ledger.parts("p_2") == []


def test_answers_are_cached_by_judge_question_and_key(ledger):
    ledger.cache_answer("j", "compare", "k", {"verdict": "same", "reason": "茶"}, about=["h1", "h2"])
    ledger.cache_answer("j", "dormant", "k", {"dormant": True}, about=["h1"])
    assert ledger.cached_answer("j", "compare", "k") == {"verdict": "same", "reason": "茶"}
    assert ledger.cached_answer("j", "dormant", "k") == {"dormant": True}
    ledger.cache_answer("j", "dormant", "k", {"dormant": False}, about=["h1"])
    assert ledger.cached_answer("j", "dormant", "k") == {"dormant": False}
    for other in (("i", "compare", "k"), ("j", "shorten", "k"), ("j", "compare", "l")):
        assert ledger.cached_answer(*other) is None


def test_answers_cached_longest_ago_are_dropped(ledger, kind, monkeypatch):
    module = "memorycore.testing_ledger" if kind == "memory" else "memorycore.adapters.ledger_answers"
    monkeypatch.setattr(f"{module}.MAX_CACHED_ANSWERS", 2)
    for key in ("k1", "k2", "k1", "k3"):
        ledger.cache_answer("j", "dormant", key, {"dormant": True}, about=[])
    kept = [key for key in ("k1", "k2", "k3") if ledger.cached_answer("j", "dormant", key) is not None]
    assert kept == ["k1", "k3"]


def test_a_purge_drops_the_answers_about_a_text_and_those_that_quote_it(ledger):
    secret = 'the "secret" word\nis 茶'
    ledger.cache_answer("j", "dormant", "about", {"dormant": True}, about=["h0", text_hash(secret)])
    ledger.cache_answer("j", "compare", "quoting", {"reason": f"It says {secret}."}, about=["h0"])
    ledger.cache_answer("j", "shorten", "other", {"text": "the secret word"}, about=["h0"])
    ledger.purge(secret)
    kept = [
        key
        for question, key in (("dormant", "about"), ("compare", "quoting"), ("shorten", "other"))
        if ledger.cached_answer("j", question, key) is not None
    ]
    assert kept == ["other"]


def test_what_is_due_comes_longest_overdue_first(ledger):
    for number, hours in ((1, 0), (2, -5), (3, 2)):
        ledger.bury(replace(trashed(number), expires_at=START + hours * HOUR))
    assert [item.id for item in ledger.expired(START, limit=9)] == ["m_002", "m_001"]
    assert [item.id for item in ledger.expired(START, limit=1)] == ["m_002"]
    assert ledger.expired(START - 9 * HOUR, limit=9) == []


def test_an_item_that_expires_takes_its_copies_along_and_no_others(ledger):
    ours, theirs = record(1, "tea at five"), record(2, "tea at five")
    actions = tuple(
        Action(rung="write", subject=one.id, reason="new", cold=(PutRecord(one),)) for one in (ours, theirs)
    )
    ledger.begin("r_1", Plan(kind="store", actions=actions), START)
    ledger.bury(replace(trashed(1), item=ours))
    ledger.add_receipt(
        "r_1", "recall", {"results": [{"id": one.id, "content": one.text} for one in (ours, theirs)]}, START
    )
    ledger.cache_vectors("a/2", {ours.hash: np.ones(2, np.float32)})
    assert ledger.expire("m_001") is True
    assert ledger.expire("m_001") is False
    first, second = ledger.run("r_1").plan.actions
    assert (first.cold[0].record.text, second.cold[0].record.text) == ("[purged]", "tea at five")
    kept = ledger.receipts(limit=1)[0]["answer"]["results"]
    assert [one["content"] for one in kept] == ["[purged]", "tea at five"]
    assert ledger.cached_vectors("a/2", [ours.hash]) == {}
    assert ledger.trash_count() == 0
