"""The resident index: in step with the file, masked and rebuilt, its choice exact."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.adapters import resident_index
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.resident_index import Column, ResidentIndex, Words
from memorycore.model import Embedding
from tests.adapters.sqlite_fixtures import embedding, ids, look, record, tamper


@pytest.fixture
def store(tmp_path):
    cold = SqliteColdStore(tmp_path / "cold.db")
    yield cold
    cold.close()


def slots(store):
    return len(store._searcher._rows.view)


def test_a_column_keeps_what_it_was_given_as_it_grows():
    column = Column(np.int64)
    pairs = Column(np.float32, 2)
    for number in range(100):
        column.append([number])
        pairs.append([[number, -number]])
    column.extend_to(103)
    assert column.view.tolist() == [*range(100), 0, 0, 0]
    assert pairs.view[:, 1].tolist() == [-number for number in range(100)]


def test_a_term_may_stand_more_often_than_a_posting_can_count():
    words = Words()
    words.append(0, [("tea " * 70_000, "tea " * 70_000)])
    assert words.matches("tea", None).frequency.tolist() == [pytest.approx(65_535 * 1.7)]
    assert words.matches("milk", None) is None
    assert words.matches("tea", np.array([False])) is None


def test_only_what_changed_is_taken_in(store):
    for number in range(10):
        store.put(record(number, f"tea {number}"), embedding(1, 0, 0, number))
    look(store, "tea")
    assert slots(store) == 10
    store.put(record(10, "tea 10"), None)
    store.replace(record(1, "tea changed"), None)
    store.mark_recalled(["m_003"], record(3).created_at)
    assert len(look(store, "tea", limit=50).candidates) == 11
    assert slots(store) == 12


def test_too_many_dead_slots_cause_a_rebuild(store, monkeypatch):
    monkeypatch.setattr(resident_index, "_MIN_DEAD_TO_REBUILD", 3)
    for number in range(4):
        store.put(record(number, f"tea {number}"), embedding(1, 0, 0, number))
    for change in range(10):
        store.replace(record(0, f"tea changed {change}"), embedding(0, 0, 1, change))
        assert ids(look(store, "tea", vector=[0, 0, 1, 0])) == {f"m_00{n}" for n in range(4)}
    assert slots(store) <= 8


def test_a_failure_on_the_way_leaves_no_half_of_an_index(store, tmp_path, monkeypatch):
    store.put(record(1, "tea"), None)
    look(store, "tea")
    store.put(record(2, "green tea"), None)

    def fail(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(ResidentIndex, "_append", fail)
        with pytest.raises(MemoryError):
            look(store, "tea")
    assert ids(look(store, "tea")) == {"m_001", "m_002"}
    assert slots(store) == 2


def test_models_met_late_are_loaded_and_kept_in_step(store):
    store.put(record(1, "tea"), embedding(1, 0, model="a/2"))
    look(store, vector=[1, 0], model="a/2")
    store.put(record(2, "milk"), embedding(0, 1, 0, model="b/3"))
    assert ids(look(store, vector=[0, 1, 0], model="b/3")) == {"m_002"}
    store.replace(record(1, "tea"), embedding(0, 1, 0, model="b/3"))
    assert ids(look(store, vector=[0, 1, 0], model="b/3")) == {"m_001", "m_002"}
    assert ids(look(store, vector=[1, 0], model="a/2")) == {"m_001"}


def test_a_broken_vector_that_was_replaced_is_forgotten(store, tmp_path):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    tamper(tmp_path / "cold.db", "UPDATE vectors SET find = x'00'")
    assert store.status()["broken_vectors"] == "1"
    store.replace(record(1, "no tea"), None)
    assert store.status()["broken_vectors"] == "0"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.5, 2.0]), min_size=1, max_size=30),
    st.lists(st.booleans(), min_size=30, max_size=30),
    st.integers(1, 35),
    st.randoms(use_true_random=False),
)
def test_the_top_is_that_of_a_full_sort(values, bits, limit, random):
    index = ResidentIndex()
    rows = list(range(len(values)))
    random.shuffle(rows)
    index._rows.append(rows)
    for mask in (None, np.array(bits[: len(values)])):
        allowed = [slot for slot in range(len(values)) if mask is None or mask[slot]]
        expected = sorted(allowed, key=lambda slot: (-values[slot], rows[slot]))[:limit]
        assert sorted(index._top(np.array(values), mask, limit).tolist()) == sorted(expected)


def test_threads_search_and_write_at_once(store):
    vectors = np.random.default_rng(0).normal(size=(40, 8)).astype(np.float32)
    errors = []

    def write(first):
        for number in range(first, first + 10):
            store.put(record(number, f"tea {number}"), Embedding("r/8", vectors[number], vectors[number]))

    def search():
        for number in range(30):
            found = look(store, "tea", vectors[number], model="r/8", limit=50)
            if any(c.cosine is None or c.words == 0 for c in found.candidates):
                errors.append(found)

    threads = [threading.Thread(target=write, args=(10 * n,)) for n in range(4)]
    threads += [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(look(store, "tea", vectors[0], model="r/8", limit=50).candidates) == 40
