"""Records, vectors and stores for the tests of the SQLite adapters."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.engine.ports import ColdStore
from memorycore.errors import StoreUnavailable
from memorycore.model import Embedding, Record, SearchResult
from memorycore.policy.words import query_tokens
from memorycore.testing_cold import InMemoryColdStore

MODEL = "toy/4"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
COLD_STORES = ("matrix", "sqlite-vec", "memory")


def open_cold(kind: str, path: Path) -> ColdStore:
    """Open a store of the kind; skips where this Python can't load the extension."""
    if kind == "memory":
        return InMemoryColdStore()
    store = SqliteColdStore(path, vector_search=kind)
    if kind == "sqlite-vec":
        try:
            store.get("")
        except StoreUnavailable as error:
            pytest.skip(error.message)
    return store


def record(number: int, text: str | None = None, **changes) -> Record:
    at = START + timedelta(minutes=number)
    values = {"id": f"m_{number:03}", "text": text or f"fact {number}", "created_at": at, "updated_at": at}
    return Record(**(values | changes))


def embedding(*numbers: float, model: str = MODEL) -> Embedding:
    vector = np.array(numbers, np.float32)
    return Embedding(model, vector, vector)


def look(store: ColdStore, query: str = "", vector=None, **options) -> SearchResult:
    values = {"owner": "local", "model": MODEL, "limit": 10, "terms": query_tokens(query)}
    vector = None if vector is None else np.array(vector, np.float32)
    return store.search(**(values | {"vector": vector} | options))


def ids(result: SearchResult) -> set[str]:
    return {candidate.record.id for candidate in result.candidates}


def tamper(path: Path, sql: str, *values: object) -> None:
    """Change a database behind the back of the store."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql, values)
    connection.close()
