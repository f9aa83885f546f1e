"""What every cold store must do."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from memorycore.errors import EmbedderMismatch, InvalidInput
from memorycore.model import ColdCounts, Embedding, text_hash
from tests.adapters.sqlite_fixtures import COLD_STORES, MODEL, START, embedding, ids, look, open_cold, record


@pytest.fixture(params=COLD_STORES)
def store(request, tmp_path):
    cold = open_cold(request.param, tmp_path / "cold.db")
    yield cold
    cold.close()


def test_a_record_comes_back_equal(store):
    full = record(
        1,
        "中文, emoji 🎉, NUL \x00 and\nline ends\r\n",
        owner="ann",
        importance=0.25,
        scope="work",
        origin="import",
        context="said before",
        event_at=datetime(2025, 1, 1, 8, 30, tzinfo=timezone(timedelta(hours=9))),
        recalled_at=START,
        superseded_by="m_other",
        superseded_at=START + timedelta(microseconds=7),
        recalls=7,
    )
    assert store.put(full, None) == full.id
    assert store.get(full.id) == full
    assert store.get("unknown") is None


def test_put_twice_leaves_the_first(store):
    store.put(record(1, "tea"), None)
    assert store.put(record(1, "coffee"), None) == "m_001"
    assert store.get("m_001").text == "tea"


def test_an_active_text_is_there_once_per_owner_and_scope(store):
    store.put(record(1, "tea"), None)
    assert store.put(record(2, "  tea\n"), None) == "m_001"
    assert store.get("m_002") is None
    assert store.put(record(3, "tea", scope="work"), None) == "m_003"
    assert store.put(record(4, "tea", owner="ann"), None) == "m_004"
    assert store.put(record(5, "tea", superseded_by="m_001"), None) == "m_005"


def test_find_text_sees_active_records_only(store):
    store.put(record(1, "tea", superseded_by="m_002"), None)
    assert store.find_text("local", "global", text_hash("tea")) is None
    store.put(record(2, "tea"), None)
    assert store.find_text("local", "global", text_hash("tea")).id == "m_002"
    assert store.find_text("ann", "global", text_hash("tea")) is None


def test_replace_overwrites_and_answers_whether_there_was_one(store):
    assert store.replace(record(1), None) is False
    assert store.get("m_001") is None
    store.put(record(1, "tea"), None)
    changed = record(1, "coffee", importance=0.9)
    assert store.replace(changed, None) is True
    assert store.get("m_001") == changed
    assert ids(look(store, "tea")) == set()
    assert ids(look(store, "coffee")) == {"m_001"}


def test_replace_refuses_the_text_of_another_active_record(store):
    store.put(record(1, "tea"), None)
    store.put(record(2, "coffee"), None)
    with pytest.raises(InvalidInput, match="m_001"):
        store.replace(record(2, "tea"), None)
    assert store.get("m_002").text == "coffee"
    assert store.replace(record(2, "tea", superseded_by="m_001"), None)


def test_an_embedding_outlives_a_change_of_anything_but_text_and_context(store):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    store.replace(record(1, "tea", importance=1.0), None)
    assert store.embedding("m_001", MODEL) is not None
    store.replace(record(1, "tea", context="breakfast"), None)
    assert store.embedding("m_001", MODEL) is None
    store.replace(record(1, "tea", context="breakfast"), embedding(0, 1, 0, 0))
    assert store.embedding("m_001", MODEL).own.tolist() == [0, 1, 0, 0]


def test_both_vectors_of_an_embedding_come_back(store):
    own, find = np.array([1, 0, 0, 0], np.float32), np.array([0.5, 0.5, 0, 0], np.float32)
    store.put(record(1), Embedding(MODEL, own, find))
    stored = store.embedding("m_001", MODEL)
    assert (stored.own == own).all()
    assert (stored.find == find).all()
    assert store.embedding("m_001", "other/4") is None
    assert store.embedding("unknown", MODEL) is None


def test_set_embedding_wants_the_text_unchanged(store):
    store.put(record(1, "tea"), None)
    assert not store.set_embedding("m_001", text_hash("coffee"), embedding(1, 0, 0, 0))
    assert not store.set_embedding("unknown", text_hash("tea"), embedding(1, 0, 0, 0))
    assert store.set_embedding("m_001", text_hash("tea"), embedding(1, 0, 0, 0))
    assert ids(look(store, vector=[1, 0, 0, 0])) == {"m_001"}
    assert store.set_embedding("m_001", text_hash("tea"), embedding(0, 0, 0, 1))
    assert [c.cosine for c in look(store, vector=[1, 0, 0, 0]).candidates] == [0.0]


@pytest.mark.parametrize(
    "numbers", [(1, 0, 0), (1, 0, 0, 0, 0), (0, 0, 0, 0), (float("nan"), 0, 0, 1), (float("inf"), 0, 0, 1)]
)
def test_a_vector_that_cannot_be_compared_is_refused_with_nothing_written(store, numbers):
    store.put(record(1), embedding(1, 0, 0, 0))
    with pytest.raises(EmbedderMismatch):
        store.put(record(2), embedding(*numbers))
    assert store.get("m_002") is None
    with pytest.raises(EmbedderMismatch):
        store.set_embedding("m_001", record(1).hash, embedding(*numbers))
    with pytest.raises(EmbedderMismatch):
        store.replace(record(1, "new"), embedding(*numbers))
    assert store.get("m_001") == record(1)
    with pytest.raises(EmbedderMismatch):
        look(store, vector=numbers)


def test_vectors_of_two_models_are_never_compared(store):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    store.put(record(2, "milk"), embedding(1, 0, model="other/2"))
    result = look(store, "milk", vector=[1, 0, 0, 0])
    assert {c.record.id: (c.cosine, c.embedded) for c in result.candidates} == {
        "m_001": (1.0, True),
        "m_002": (None, False),
    }
    assert ids(look(store, vector=[1, 0, 0, 0], model="unknown/4")) == set()


def test_both_signals_are_filled_in_for_every_candidate(store):
    store.put(record(1, "tea in the morning"), embedding(1, 0, 0, 0))
    store.put(record(2, "coffee at noon"), embedding(0.6, 0.8, 0, 0))
    store.put(record(3, "tea at night"), None)
    store.put(record(4, "water"), embedding(0, 0, 1, 0))
    result = look(store, "coffee", vector=[1, 0, 0, 0], limit=1)
    signals = {c.record.id: (c.cosine, c.words > 0) for c in result.candidates}
    assert signals == {"m_001": (1.0, False), "m_002": (pytest.approx(0.6), True)}
    assert {c.record.id: c.cosine for c in look(store, "tea night").candidates} == {
        "m_001": None,
        "m_003": None,
    }


def test_without_vector_and_terms_there_are_no_candidates(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    assert look(store).candidates == ()
    assert look(store, "", model=None).candidates == ()


def test_equal_signals_prefer_the_older_record(store):
    for number in range(1, 7):
        store.put(record(number, f"tea {number}"), embedding(1, 0, 0, 0))
    store.replace(record(1, "tea again"), embedding(1, 0, 0, 0))
    assert ids(look(store, vector=[1, 0, 0, 0], limit=3)) == {"m_001", "m_002", "m_003"}
    assert ids(look(store, "tea", limit=2)) == {"m_001", "m_002"}


def test_superseded_records_and_other_owners_stay_hidden(store):
    store.put(record(1, "tea", superseded_by="m_002"), embedding(1, 0, 0, 0))
    store.put(record(2, "green tea"), embedding(1, 0, 0, 0))
    store.put(record(3, "tea", owner="ann"), embedding(1, 0, 0, 0))
    for query in ({"query": "tea"}, {"vector": [1, 0, 0, 0]}):
        assert ids(look(store, **query)) == {"m_002"}
        assert ids(look(store, **query, include_superseded=True)) == {"m_001", "m_002"}
        assert ids(look(store, **query, owner="ann")) == {"m_003"}
        assert ids(look(store, **query, owner="nobody")) == set()


def test_superseding_hides_at_once_and_taking_back_shows_again(store):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    assert ids(look(store, "tea")) == {"m_001"}
    store.replace(record(1, "tea", superseded_by="m_009"), None)
    assert ids(look(store, "tea", vector=[1, 0, 0, 0])) == set()
    store.replace(record(1, "tea"), None)
    assert ids(look(store, "tea", vector=[1, 0, 0, 0])) == {"m_001"}


def test_document_frequencies_count_the_whole_store(store):
    store.put(record(1, "green tea"), None)
    store.put(record(2, "black tea", owner="ann"), None)
    store.put(record(3, "water", context="tea time"), None)
    result = look(store, "tea green unknown")
    assert result.document_frequency == {"tea": 3, "green": 1, "unknown": 0}
    assert result.total == 3
    store.delete("m_002")
    assert look(store, "tea").document_frequency == {"tea": 2}
    assert look(store, "tea").total == 2


def test_words_score_as_the_formula_of_bm25_says(store):
    texts = [
        "tea tea tea and milk",
        "tea with sugar",
        "a long note on water pipes and their slow repair",
        "milk",
    ]
    for number, text in enumerate(texts, 1):
        store.put(record(number, text, context="tea shop" if number == 3 else None), None)
    scores = {c.record.id: c.words for c in look(store, "milk water").candidates}
    # 21 tokens in 4 records, 12 of them in the third; idf(milk) is floored, idf(water) = ln(3.5 / 1.5)
    assert scores["m_003"] == pytest.approx(0.8472979 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 12 / 5.25)), rel=1e-5)
    assert scores["m_001"] == pytest.approx(1e-6 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 5 / 5.25)), rel=1e-4)


def test_a_word_of_the_context_counts_for_less(store):
    store.put(record(1, "tea"), None)
    store.put(record(2, "oat", context="tea"), None)
    for number in range(3, 9):
        store.put(record(number, f"filler {number}"), None)
    scores = {c.record.id: c.words for c in look(store, "tea").candidates}
    assert scores["m_001"] > scores["m_002"] > 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("今天玩成语接龙游戏", "成语接龙"),
        ("请把设备的电量同步到手机", "设备"),
        ("重跑gen-itgc后50条", "itgc"),
        ("run the pre-edit hook", "pre-edit"),
        ("TODO: fix the parser", "TODO: fix"),
        ("I don't eat meat", "don't"),
        ("the a/b test", "a/b"),
        ("writes C++ at work", "C++"),
        ("salt AND pepper", "AND"),
        ("***", "*"),
        ("(((", "("),
        ('the "x axis', '"x'),
        ("🎉🎉", "🎉"),
        ("what's NEAR(a b)", "NEAR(a b)"),
        ("text: column", "text:"),
    ],
)
def test_words_of_any_kind_are_found(store, text, query):
    store.put(record(1, text), None)
    store.put(record(2, "something else entirely, said at length"), None)
    assert ids(look(store, query)) == {"m_001"}


def test_a_query_of_hundreds_of_terms_is_answered(store):
    store.put(record(1, " ".join(f"w{n}" for n in range(600))), None)
    assert ids(look(store, " ".join(f"w{n}" for n in range(600)))) == {"m_001"}


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"terms": ["two words"]}, {"terms": [""]}, {"model": None}]
)
def test_a_search_that_means_nothing_is_refused(store, options):
    with pytest.raises(InvalidInput):
        look(store, vector=[1, 0, 0, 0], **options)


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "half \ud800"},
        {"context": "half \udfff"},
        {"importance": float("nan")},
        {"created_at": START.replace(tzinfo=None)},
    ],
)
def test_a_record_that_cannot_be_stored_is_refused(store, changes):
    with pytest.raises(InvalidInput):
        store.put(replace(record(1), **changes), None)
    assert store.get("m_001") is None


def test_delete_leaves_nothing_to_find(store):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    assert ids(look(store, "tea", vector=[1, 0, 0, 0])) == {"m_001"}
    assert store.delete("m_001") is True
    assert store.delete("m_001") is False
    assert store.get("m_001") is None
    assert store.embedding("m_001", MODEL) is None
    assert look(store, "tea", vector=[1, 0, 0, 0]).candidates == ()
    store.put(record(1, "milk"), None)
    assert look(store, vector=[1, 0, 0, 0]).candidates == ()


def test_counts_and_pending_tell_what_lacks_a_vector(store):
    store.put(record(2, "b"), None)
    store.put(record(1, "a"), None)
    store.put(record(3, "c"), embedding(1, 0, 0, 0))
    store.put(record(4, "d", superseded_by="m_003"), None)
    store.put(record(5, "e"), embedding(1, 0, model="other/2"))
    assert store.counts("local", MODEL) == ColdCounts(total=4, embedded=1, pending=3, superseded=1)
    assert store.counts("local", None) == ColdCounts(total=4, embedded=2, pending=2, superseded=1)
    assert store.counts("ann", MODEL) == ColdCounts(total=0, embedded=0, pending=0, superseded=0)
    assert [r.id for r in store.pending("local", MODEL, 2)] == ["m_001", "m_002"]
    assert [r.id for r in store.pending("local", MODEL, 9)] == ["m_001", "m_002", "m_005"]


def test_a_search_says_how_many_it_knows_by_their_words_only(store):
    store.put(record(1, "a"), embedding(1, 0, 0, 0))
    store.put(record(2, "b"), None)
    store.put(record(3, "c"), embedding(1, 0, model="other/2"))
    store.put(record(4, "d", superseded_by="m_001"), None)
    store.put(record(5, "e", owner="ann"), None)
    assert look(store, "a", vector=[1, 0, 0, 0]).vectorless == 2
    assert look(store, "a", vector=[1, 0, 0, 0], include_superseded=True).vectorless == 3
    assert look(store, "a", vector=[1, 0, 0, 0], model="unknown/4").vectorless == 3
    assert look(store, "a").vectorless == 0


def test_scan_pages_through_everything_of_an_owner(store):
    for number in (3, 1, 2, 5):
        store.put(record(number, superseded_by="m_x" if number == 2 else None), None)
    store.put(record(4, owner="ann"), None)
    first = store.scan("local", after=None, limit=3)
    assert [r.id for r in first] == ["m_001", "m_002", "m_003"]
    assert [r.id for r in store.scan("local", after="m_003", limit=3)] == ["m_005"]


def test_mark_recalled_sets_the_time_counts_it_and_does_nothing_else(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    store.mark_recalled(["m_001", "unknown"], START + timedelta(days=2))
    assert store.get("m_001") == replace(record(1), recalled_at=START + timedelta(days=2), recalls=1)
    assert store.embedding("m_001", MODEL) is not None


def test_status_names_the_backend_and_the_search(store):
    status = store.status()
    assert status["backend"]
    assert status["vector_search"]
    assert status["broken_vectors"] == "0"
