"""What the cold store on SQLite owes beyond the contract: processes, crashes, damage, traces."""

import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.adapters import cold_schema, cold_upkeep
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.sqlite import Database
from memorycore.errors import StoreUnavailable
from memorycore.model import Embedding
from memorycore.policy import words
from memorycore.testing_cold import InMemoryColdStore
from tests.adapters.sqlite_fixtures import MODEL, embedding, ids, look, open_cold, record, tamper


@pytest.fixture(params=["matrix", "sqlite-vec"])
def kind(request):
    return request.param


@pytest.fixture
def store(kind, tmp_path):
    cold = open_cold(kind, tmp_path / "cold.db")
    yield cold
    cold.close()


def test_another_store_on_the_same_file_sees_each_change(store, kind, tmp_path):
    other = open_cold(kind, tmp_path / "cold.db")
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    assert ids(look(other, "tea", vector=[1, 0, 0, 0])) == {"m_001"}
    store.replace(record(1, "milk"), embedding(0, 1, 0, 0))
    assert ids(look(other, "tea")) == set()
    assert [c.cosine for c in look(other, vector=[0, 1, 0, 0]).candidates] == [1.0]
    store.delete("m_001")
    assert look(other, "milk", vector=[0, 1, 0, 0]).candidates == ()
    other.close()


def test_a_reopened_store_finds_what_it_held(store, kind, tmp_path):
    store.put(record(1, "tea", context="breakfast"), embedding(1, 0, 0, 0))
    store.close()
    again = open_cold(kind, tmp_path / "cold.db")
    assert ids(look(again, "breakfast")) == ids(look(again, vector=[1, 0, 0, 0])) == {"m_001"}
    again.close()


def test_reading_answers_while_another_connection_writes(store, tmp_path):
    store.put(record(1, "tea"), embedding(1, 0, 0, 0))
    writer = sqlite3.connect(tmp_path / "cold.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM records")
    assert ids(look(store, "tea", vector=[1, 0, 0, 0])) == {"m_001"}
    assert store.get("m_001") is not None
    assert store.counts("local", MODEL).total == 1
    assert store.scan("local", after=None, limit=5)
    assert store.status()["broken_vectors"] == "0"
    writer.execute("ROLLBACK")
    writer.close()


def test_a_broken_vector_is_skipped_reported_and_pending(store, tmp_path):
    for number in range(1, 7):
        store.put(record(number, f"tea {number}"), embedding(1, 0, 0, number))
    for number, blob in enumerate([b"short", b"", b"\x00" * 16, np.full(4, np.nan, "<f4").tobytes()], 1):
        tamper(tmp_path / "cold.db", "UPDATE vectors SET find = ? WHERE record = ?", blob, number)
    result = look(store, "tea", vector=[1, 0, 0, 0])
    assert {c.record.id for c in result.candidates if c.cosine is None} == {f"m_00{n}" for n in range(1, 5)}
    assert store.status()["broken_vectors"] == "4"
    assert [r.id for r in store.pending("local", MODEL, 9)] == [f"m_00{n}" for n in range(1, 5)]
    assert store.counts("local", MODEL).embedded == 2
    assert store.embedding("m_004", MODEL) is None
    assert not next(c for c in look(store, "4").candidates).embedded
    assert store.set_embedding("m_004", record(4, "tea 4").hash, embedding(0, 0, 1, 0))
    assert look(store, vector=[0, 0, 1, 0], limit=1).candidates[0].record.id == "m_004"
    assert store.status()["broken_vectors"] == "3"


def test_what_was_deleted_is_in_no_file_after_a_vacuum(store, tmp_path):
    for number in range(40):
        store.put(record(number, f"ordinary note {number} on tea"), embedding(1, 0, 0, 0))
    secret = record(99, "the zanzibar passphrase is xylophone42", context="whispered quietly")
    store.put(secret, embedding(0.123456, 0, 0, 0))
    look(store, "zanzibar", vector=[1, 0, 0, 0])
    store.delete(secret.id)
    store.vacuum()
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    traces = [b"zanzibar", b"xylophon", b"whisper", np.float32(0.123456).tobytes(), secret.id.encode()]
    assert [trace for trace in traces if trace in content] == []
    assert len(look(store, "tea", limit=50).candidates) == 40


def test_words_are_cut_anew_when_the_rules_have_changed(store, kind, tmp_path, monkeypatch):
    store.put(record(1, "running"), None)
    store.close()
    tamper(tmp_path / "cold.db", "UPDATE words SET text = 'stale'")
    monkeypatch.setattr(words, "RULES_VERSION", words.RULES_VERSION + 1)
    again = open_cold(kind, tmp_path / "cold.db")
    assert ids(look(again, "run")) == {"m_001"}
    assert look(again, "stale").candidates == ()
    again.close()


def test_a_python_without_extensions_is_told_so(tmp_path):
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        pytest.skip("this Python can load extensions")
    store = SqliteColdStore(tmp_path / "cold.db", vector_search="sqlite-vec")
    with pytest.raises(StoreUnavailable, match="extensions"):
        store.get("m_001")
    store.close()


def test_status_says_which_search_runs(store, kind, tmp_path):
    status = store.status()
    assert status["vector_search"] == kind
    assert status["path"] == str(tmp_path / "cold.db")


# -- against the reference

_texts = st.sampled_from(
    ["tea", "green tea", "tea and milk", "喝茶", "喝绿茶", "port 8443", "!", "milk milk milk"]
)
_vectors = st.lists(st.sampled_from([-1.0, -0.5, 0.25, 1.0]), min_size=3, max_size=3).map(tuple)
_records = st.builds(
    record,
    st.integers(1, 8),
    _texts,
    owner=st.sampled_from(["local", "local", "ann"]),
    context=st.sampled_from([None, None, "breakfast tea"]),
    superseded_by=st.sampled_from([None, None, None, "m_x"]),
)
_embeddings = st.none() | st.builds(
    lambda numbers, model: embedding(*numbers, model=model), _vectors, st.sampled_from(["a/3", "a/3", "b/3"])
)
_operations = st.one_of(
    st.tuples(st.just("put"), _records, _embeddings),
    st.tuples(st.just("replace"), _records, _embeddings),
    st.tuples(st.just("delete"), st.integers(1, 8)),
    st.tuples(st.just("search"), _texts, st.none() | _vectors, st.booleans(), st.sampled_from([1, 2, 20])),
)


def _answer(store, operation):
    match operation:
        case ("put", item, vectors) | ("replace", item, vectors):
            try:
                return getattr(store, operation[0])(item, vectors)
            except Exception as error:
                return type(error)
        case ("delete", number):
            return store.delete(f"m_{number:03}")
        case ("search", query, vector, everything, limit):
            result = look(store, query, vector, model="a/3", limit=limit, include_superseded=everything)
            found = {
                c.record.id: (
                    c.record,
                    c.embedded,
                    c.cosine if c.cosine is None else pytest.approx(c.cosine, abs=1e-5),
                    pytest.approx(c.words, rel=1e-4),
                )
                for c in result.candidates
            }
            return found, result.document_frequency, result.total


@given(st.lists(_operations, max_size=25))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_calls_gives_what_the_reference_gives(kind, tmp_path_factory, operations):
    reference = InMemoryColdStore()
    store = open_cold(kind, tmp_path_factory.mktemp("cold") / "cold.db")
    store._database._busy_timeout = 1.0
    try:
        for operation in [*operations, ("search", "tea 喝茶 milk", (1.0, 0.5, 0.25), True, 50)]:
            assert _answer(store, operation) == _answer(reference, operation)
        assert store.counts("local", "a/3") == reference.counts("local", "a/3")
        assert store.pending("local", "a/3", 9) == reference.pending("local", "a/3", 9)
        assert store.scan("local", after=None, limit=99) == reference.scan("local", after=None, limit=99)
    finally:
        store.close()


# -- processes

_SPAWN = multiprocessing.get_context("spawn")


def _write_and_delete(path: Path, writer: int) -> None:
    store = SqliteColdStore(path)
    rng = np.random.default_rng(writer)
    for number in range(40):
        vector = rng.normal(size=8).astype(np.float32)
        note = record(number, f"writer {writer} note {number}", id=f"w{writer}_{number:02}")
        store.put(note, Embedding("r/8", vector, vector))
        if number % 5 == 4:
            store.delete(f"w{writer}_{number - 2:02}")
    store.close()


def test_processes_write_while_another_searches(tmp_path):
    path = tmp_path / "cold.db"
    writers = [_SPAWN.Process(target=_write_and_delete, args=(path, n)) for n in range(4)]
    for process in writers:
        process.start()
    reader = SqliteColdStore(path)
    query = np.ones(8, np.float32)
    while any(process.is_alive() for process in writers):
        look(reader, "note", query, model="r/8", limit=20)
    for process in writers:
        process.join()
    assert [process.exitcode for process in writers] == [0] * 4
    rows = {r.id for r in reader.scan("local", after=None, limit=1_000_000)}
    assert rows == {f"w{n}_{number:02}" for n in range(4) for number in range(40) if number % 5 != 2}
    fresh = SqliteColdStore(path)
    for store in (reader, fresh):
        assert ids(look(store, "note", limit=len(rows) + 9)) == rows
        assert ids(look(store, vector=query, model="r/8", limit=len(rows) + 9)) == rows
        store.close()


def _write_for_ever(path: Path) -> None:
    store = SqliteColdStore(path)
    for number in range(1_000_000):
        store.put(record(number, f"note {number}", id=f"n{number:06}"), embedding(1, 0, 0, number))
        if number % 3 == 2:
            store.replace(record(number, f"changed {number}", id=f"n{number:06}"), None)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_a_store_whose_writer_was_killed_is_whole(tmp_path):
    path = tmp_path / "cold.db"
    writer = _SPAWN.Process(target=_write_for_ever, args=(path,))
    writer.start()
    reader = SqliteColdStore(path)
    while reader.counts("local", None).total < 40:
        time.sleep(0.02)
    os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    rows = reader.scan("local", after=None, limit=1_000_000)
    assert [r.id for r in rows] == [f"n{n:06}" for n in range(len(rows))]
    fresh = SqliteColdStore(path)
    for store in (reader, fresh):
        assert ids(look(store, "note change", limit=len(rows) + 9)) == {r.id for r in rows}
        missing = {r.id for r in store.pending("local", MODEL, 1_000_000)}
        assert missing == {r.id for r in rows if r.text.startswith("changed")}
    fresh.put(replace(rows[0], id="after", text="written afterwards"), None)
    assert ids(look(reader, "afterwards")) == {"after"}
    reader.close()
    fresh.close()


def test_the_schema_lets_no_second_active_text_in(store, tmp_path):
    store.put(record(1, "tea"), None)
    columns = cold_schema.RECORD_COLUMNS.removeprefix("id, ") + ", hash, seq"
    with pytest.raises(sqlite3.IntegrityError):
        tamper(
            tmp_path / "cold.db",
            f"INSERT INTO records (id, {columns}) SELECT 'copy', {columns} FROM records",
        )


def test_dropping_the_vectors_of_a_model_never_keeps_writers_out_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(cold_upkeep, "_DROPPED_AT_ONCE", 2)
    store = SqliteColdStore(tmp_path / "cold.db")
    for number in range(5):
        store.put(record(number), embedding(1, 0, model="old/2"))
    left, atomic = [], Database.atomic

    @contextmanager
    def counted(database):
        with atomic(database) as connection:
            yield connection
            left.append(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])

    monkeypatch.setattr(Database, "atomic", counted)
    assert store.drop_vectors(keep=MODEL) == 5
    assert left == [3, 1, 0, 0]
    assert store.models("local") == {}
