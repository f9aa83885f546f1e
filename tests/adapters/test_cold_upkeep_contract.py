"""What every cold store must do for maintenance: neighbours, owners, models, vectors of no use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.model import Embedding, Near, Swept
from memorycore.testing import InMemoryColdStore
from tests.adapters.sqlite_fixtures import COLD_STORES, MODEL, embedding, ids, look, open_cold, record, tamper


@pytest.fixture(params=COLD_STORES)
def store(request, tmp_path):
    cold = open_cold(request.param, tmp_path / "cold.db")
    yield cold
    cold.close()


def near(store, owner="local", floor=0.0, limit=9, **options):
    return dict(store.neighbours(owner, model=MODEL, floor=floor, limit=limit, **options))


def test_neighbours_are_the_nearest_others_above_the_floor(store):
    for number, numbers in enumerate([(1, 0, 0, 0), (0.8, 0.6, 0, 0), (0.6, 0.8, 0, 0), (-1, 0, 0, 0)]):
        store.put(record(number), embedding(*numbers))
    found = near(store)
    assert list(found) == ["m_000", "m_001", "m_002", "m_003"]
    assert found["m_000"] == (Near("m_001", pytest.approx(0.8)), Near("m_002", pytest.approx(0.6)))
    assert [one.id for one in found["m_001"]] == ["m_002", "m_000"]
    assert found["m_003"] == ()
    assert [one.id for one in near(store, limit=1)["m_001"]] == ["m_002"]
    assert near(store, floor=0.9)["m_001"] == (Near("m_002", pytest.approx(0.96)),)


def test_of_equally_near_ones_the_lower_id_comes_first(store):
    for number in (4, 2, 3, 1):
        store.put(record(number), embedding(0, 0, 1, 0))
    assert [one.id for one in near(store, limit=2)["m_003"]] == ["m_001", "m_002"]


def test_neighbours_meet_within_an_owner_and_a_scope_only(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    store.put(record(2, owner="ann"), embedding(1, 0, 0, 0))
    store.put(record(3, scope="work"), embedding(1, 0, 0, 0))
    store.put(record(4, superseded_by="m_001"), embedding(1, 0, 0, 0))
    store.put(record(5), embedding(1, 0, model="other/2"))
    store.put(record(6), None)
    assert near(store) == {"m_001": (), "m_003": ()}
    assert near(store, "ann") == {"m_002": ()}
    assert near(store, "nobody") == {}


def test_neighbours_go_by_the_own_vector_and_not_by_the_one_with_context(store):
    own, find = np.array([1, 0, 0, 0], np.float32), np.array([0, 0.9, 0, 0], np.float32)
    store.put(record(1), Embedding(MODEL, own, find))
    store.put(record(2), embedding(1, 0, 0, 0))
    assert near(store, floor=0.5)["m_002"] == (Near("m_001", pytest.approx(1.0)),)


def test_neighbours_of_some_records_are_asked_for_by_id(store):
    for number in range(4):
        store.put(record(number), embedding(1, 0, 0, number))
    found = near(store, only={"m_002", "unknown"})
    assert list(found) == ["m_002"]
    assert len(found["m_002"]) == 3


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(0, 40), limit=st.integers(1, 6))
def test_the_real_store_finds_what_the_plain_one_finds(tmp_path_factory, seed, count, limit):
    rng = np.random.default_rng(seed)
    real = open_cold("matrix", tmp_path_factory.mktemp("cold") / "cold.db")
    plain = InMemoryColdStore()
    for number in range(count):
        vector = rng.standard_normal(4).astype(np.float32)
        vector /= np.linalg.norm(vector)
        for store in (real, plain):
            store.put(record(number, scope="ab"[number % 2]), Embedding(MODEL, vector, vector))
    one, other = near(real, floor=0.3, limit=limit), near(plain, floor=0.3, limit=limit)
    assert list(one) == list(other)
    for key, found in one.items():
        assert [hit.cosine for hit in found] == pytest.approx([hit.cosine for hit in other[key]], abs=1e-5)
    real.close()


def test_owners_and_sizes(store):
    assert (store.owners(), store.size("local")) == ([], 0)
    store.put(record(1), None)
    store.put(record(2, superseded_by="m_001"), None)
    store.put(record(3, owner="ann"), None)
    assert store.owners() == ["ann", "local"]
    assert (store.size("local"), store.size("ann"), store.size("nobody")) == (1, 1, 0)


def test_models_count_the_active_records_of_an_owner(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    store.put(record(2), embedding(1, 0, model="other/2"))
    store.set_embedding("m_002", record(2).hash, embedding(1, 0, 0, 0))
    store.put(record(3, superseded_by="m_001"), embedding(1, 0, 0, 0))
    store.put(record(4, owner="ann"), embedding(1, 0, 0, 0))
    store.put(record(5), None)
    assert store.models("local") == {MODEL: 2, "other/2": 1}
    assert store.models("nobody") == {}


def test_vectors_of_other_models_go_in_one_call_and_the_kept_ones_serve_on(store):
    store.put(record(1), embedding(1, 0, model="old/2"))
    store.put(record(2), embedding(1, 0, model="old/2"))
    assert ids(look(store, vector=[1, 0], model="old/2")) == {"m_001", "m_002"}
    store.set_embedding("m_001", record(1).hash, embedding(1, 0, 0, 0))
    assert store.drop_vectors(keep=MODEL) == 2
    assert store.models("local") == {MODEL: 1}
    assert store.embedding("m_001", "old/2") is None
    assert ids(look(store, vector=[1, 0], model="old/2")) == set()
    assert ids(look(store, vector=[1, 0, 0, 0])) == {"m_001"}
    assert [one.id for one in store.pending("local", MODEL, 9)] == ["m_002"]
    assert store.drop_vectors(keep=MODEL) == 0


def test_a_dropped_model_may_come_back(store):
    store.put(record(1), embedding(1, 0, model="old/2"))
    look(store, vector=[1, 0], model="old/2")
    store.drop_vectors(keep=MODEL)
    store.put(record(2), embedding(0, 1, model="old/2"))
    found = look(store, vector=[1, 0], model="old/2")
    assert {hit.record.id: hit.cosine for hit in found.candidates} == {"m_002": 0.0}
    assert found.vectorless == 1


def test_a_sound_store_has_nothing_to_sweep(store):
    store.put(record(1), embedding(1, 0, 0, 0))
    assert store.sweep() == Swept(orphans=0, broken=0)
    assert store.embedding("m_001", MODEL) is not None


BROKEN = {
    "short": np.ones(3, "<f4").tobytes(),
    "odd": b"abc",
    "zeros": np.zeros(4, "<f4").tobytes(),
    "nan": np.array([np.nan, 0, 0, 1], "<f4").tobytes(),
    "infinite": np.array([np.inf, 0, 0, 1], "<f4").tobytes(),
}


@pytest.mark.parametrize("column", ["find", "own"])
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_vector_in_the_file_is_dropped_and_its_record_pending(tmp_path, kind, column):
    path = tmp_path / "cold.db"
    store = open_cold("matrix", path)
    store.put(record(1), embedding(1, 0, 0, 0))
    store.put(record(2), embedding(1, 0, 0, 0))
    look(store, vector=[1, 0, 0, 0])
    tamper(path, f"UPDATE vectors SET {column} = ? WHERE record = 1", BROKEN[kind])
    assert "m_001" not in dict(store.neighbours("local", model=MODEL, floor=-1, limit=9))
    assert store.sweep() == Swept(orphans=0, broken=1)
    assert [one.id for one in store.pending("local", MODEL, 9)] == ["m_001"]
    assert look(store, vector=[1, 0, 0, 0]).vectorless == 1
    assert store.set_embedding("m_001", record(1).hash, embedding(0, 1, 0, 0))
    assert store.sweep() == Swept(orphans=0, broken=0)
    store.close()


def test_a_vector_without_a_record_is_dropped(tmp_path):
    path = tmp_path / "cold.db"
    store = open_cold("matrix", path)
    for number in (1, 2):
        store.put(record(number), embedding(1, 0, 0, 0))
    tamper(path, "DELETE FROM records WHERE id = 'm_001'")
    assert store.sweep() == Swept(orphans=1, broken=0)
    assert store.sweep() == Swept(orphans=0, broken=0)
    store.close()
