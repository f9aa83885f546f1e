"""What every cold store must do with recalls and with what was superseded."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from memorycore.adapters import cold_schema
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.policy.decay import MOST_RECALLS
from tests.adapters.sqlite_fixtures import COLD_STORES, MODEL, START, embedding, open_cold, record


@pytest.fixture(params=COLD_STORES)
def store(request, tmp_path):
    cold = open_cold(request.param, tmp_path / "cold.db")
    yield cold
    cold.close()


def recalls(store):
    return store.get("m_001").recalls


def test_a_recall_counts_once_an_hour_however_often_it_is_noted(store):
    store.put(record(1), None)
    for minutes in (0, 0, 1, 30, 59):
        store.mark_recalled(["m_001"], START + timedelta(minutes=minutes))
    assert recalls(store) == 1
    store.mark_recalled(["m_001"], START + timedelta(minutes=60, microseconds=3))
    store.mark_recalled(["m_001"], START + timedelta(minutes=61))
    assert recalls(store) == 2


def test_a_record_that_is_asked_for_all_day_long_is_counted_all_day_long(store):
    store.put(record(1), None)
    for minutes in range(0, 24 * 60, 20):
        store.mark_recalled(["m_001"], START + timedelta(minutes=minutes))
    assert recalls(store) == 24


def test_the_hour_is_that_of_utc(store):
    store.put(record(1), None)
    store.mark_recalled(["m_001"], START.replace(minute=10))
    store.mark_recalled(
        ["m_001"], START.replace(minute=40).astimezone(timezone(timedelta(hours=5, minutes=45)))
    )
    assert recalls(store) == 1


def test_a_note_that_comes_late_turns_nothing_back(store):
    store.put(record(1), None)
    store.mark_recalled(["m_001"], START)
    store.mark_recalled(["m_001"], START - timedelta(days=1))
    assert (store.get("m_001").recalled_at, recalls(store)) == (START, 1)


def test_counting_stops_at_a_bound_and_lowers_nothing(store):
    store.put(record(1, recalls=MOST_RECALLS - 1), None)
    store.put(record(2, recalls=MOST_RECALLS + 50), None)
    for hours in range(4):
        store.mark_recalled(["m_001", "m_002"], START + timedelta(hours=hours))
    assert recalls(store) == MOST_RECALLS
    assert store.get("m_002").recalls == MOST_RECALLS + 50


def test_no_count_is_lost_or_doubled_by_many_at_once(store):
    store.put(record(1), None)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: store.mark_recalled(["m_001"], START + timedelta(minutes=n)), range(40)))
    assert recalls(store) == 1


def test_reading_is_no_use(store):
    store.put(record(1), None)
    before = store.get("m_001")
    store.scan("local", after=None, limit=9)
    store.counts("local", None)
    store.search(owner="local", vector=None, model=None, terms=["fact"], limit=5)
    assert store.get("m_001") == before


def test_what_a_record_replaced_is_found_from_it(store):
    store.put(record(3, superseded_by="m_009"), None)
    store.put(record(1, superseded_by="m_009", owner="ann"), None)
    store.put(record(2, superseded_by="m_003"), None)
    store.put(record(9), None)
    assert [old.id for old in store.replaced_by("m_009")] == ["m_001", "m_003"]
    assert store.replaced_by("m_001") == []


def test_a_store_of_before_is_taken_over(tmp_path):
    path = tmp_path / "cold.db"
    old = sqlite3.connect(path)
    old.executescript(cold_schema.MIGRATIONS[0])
    old.execute(f"PRAGMA application_id = {cold_schema.APPLICATION_ID}")
    old.execute("PRAGMA user_version = 1")
    columns = cold_schema.RECORD_COLUMNS.removesuffix(", recalls") + ", hash, seq"
    values = cold_schema.record_values(record(1, "tea"))
    marks = ", ".join("?" * 15)
    old.execute(f"INSERT INTO records ({columns}) VALUES ({marks})", (*values[:13], values[-1], 1))
    old.commit()
    old.close()
    store = SqliteColdStore(path)
    assert store.get("m_001") == replace(record(1, "tea"), recalls=0)
    store.mark_recalled(["m_001"], START)
    assert store.get("m_001").recalls == 1
    store.close()


def test_records_that_hold_a_text_are_found_whoever_owns_them(store):
    text = "the zanzibar passphrase"
    store.put(record(1, text), None)
    store.put(record(2, text, owner="ann", superseded_by="m_x"), None)
    store.put(record(3, f"he said {text}!"), None)
    store.put(record(4, "tea", context=f"after {text}"), None)
    store.put(record(5, "the zanzibar"), None)
    assert {one.id for one in store.holding(text)} == {"m_001", "m_002", "m_003", "m_004"}
    assert {one.id for one in store.holding("tea")} == {"m_004"}
    assert store.holding("zanzibar%") == []


def test_all_embeddings_of_a_record_are_told_the_newest_model_alone_when_none_is_named(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    assert store.embedding("m_001", None).model == MODEL
    store.set_embedding("m_001", record(1).hash, embedding(0, 1, 0, model="new/3"))
    assert [one.model for one in store.embeddings("m_001")] == [MODEL, "new/3"]
    assert store.embedding("m_001", None).model == "new/3"
    assert store.embeddings("m_002") == []
    assert store.embedding("m_002", None) is None
