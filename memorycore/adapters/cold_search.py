"""Exact search over the cold store: question, raw signals, and the way that needs no index in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from memorycore.adapters.cold_schema import check_dimension, checked_vector
from memorycore.errors import InvalidInput, StoreUnavailable
from memorycore.model import Vector

BM25_K1 = 1.2
BM25_B = 0.75
CONTEXT_WEIGHT = 0.7
"""How much a word of the context counts against one of the text."""

RARENESS_FLOOR = 1e-6
"""The inverse document frequency of a term that half of the records or more hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A search, checked. `terms` are distinct tokens as `policy.words` cuts them."""

    owner: str
    vector: Vector | None
    model: str | None
    terms: tuple[str, ...]
    limit: int
    include_superseded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What a search found: cosine (None without a vector) and BM25 by row.

    Document frequencies, `total` and BM25 itself count all records of the store, those of other
    owners and superseded ones too.
    """

    found: dict[int, tuple[float | None, float]] = field(default_factory=dict)
    document_frequency: dict[str, int]
    total: int
    vectorless: int


class Searcher(Protocol):
    """A way to search. Both ways give the same signals, up to rounding."""

    name: Literal["matrix", "sqlite-vec"]

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Make a new connection ready."""
        ...

    def search(self, connection: sqlite3.Connection, query: Query) -> Signals:
        """Answer from the snapshot that the connection is about to read."""
        ...

    def broken(self, connection: sqlite3.Connection) -> frozenset[int]:
        """Return the rows that have a vector which can't be compared; reads every vector."""
        ...

    def known_broken(self) -> frozenset[int]:
        """Return those of `broken` that were met so far."""
        ...


def checked_query(
    *,
    owner: str,
    vector: Vector | None,
    model: str | None,
    terms: Sequence[str],
    limit: int,
    include_superseded: bool,
) -> Query:
    """Return the query. Raises `InvalidInput`, and `EmbedderMismatch` for a vector that can't be compared."""
    if limit < 1:
        raise InvalidInput("A search needs room for one candidate.", advice="Give a limit of 1 or more.")
    if vector is not None and model is None:
        raise InvalidInput("A vector says nothing without its model.", advice="Name the model too.")
    for term in terms:
        if term.split() != [term] or "\x00" in term:
            raise InvalidInput(f"{term!r} is not one token.", advice="Cut queries with `words.query_tokens`.")
    return Query(
        owner=owner,
        vector=None if vector is None else checked_vector(vector),
        model=model,
        terms=tuple(dict.fromkeys(terms)),
        limit=limit,
        include_superseded=include_superseded,
    )


def check_query_dimension(connection: sqlite3.Connection, query: Query) -> int | None:
    """Return the dimension that the store holds for the query's model. Raises `EmbedderMismatch`."""
    held = connection.execute("SELECT dim FROM models WHERE name = ?", (query.model,)).fetchone()
    if held is None:
        return None
    if query.vector is not None:
        check_dimension(str(query.model), held[0], query.vector.size)
    dim: int = held[0]
    return dim


_VISIBLE = "r.owner = :owner AND (:all OR r.superseded_by IS NULL)"
# A vector of another length would make sqlite-vec fail the whole query.
_COSINE = (
    "CASE WHEN length(v.find) = :bytes THEN (1 - vec_distance_cosine(v.find, :vector)) * v.norm * :norm END"
)
_NEAREST = f"""
SELECT row, cosine FROM (
    SELECT v.record AS row, {_COSINE} AS cosine
    FROM vectors v JOIN models m USING (model) JOIN records r ON r.row = v.record
    WHERE m.name = :model AND {_VISIBLE}
) WHERE cosine IS NOT NULL ORDER BY cosine DESC, row LIMIT :limit
"""
_VECTORLESS = f"""
SELECT count(*) FROM records r WHERE {_VISIBLE} AND NOT EXISTS (
    SELECT 1 FROM vectors v JOIN models m USING (model)
    WHERE m.name = :model AND v.record = r.row AND length(v.find) = :bytes
)
"""
_COSINES = f"""
SELECT v.record, {_COSINE} FROM vectors v JOIN models m USING (model)
WHERE m.name = :model AND v.record IN (SELECT value FROM json_each(:rows))
"""
# CROSS JOIN and the plus keep FTS5 in the outer loop: looked up row by row it would count all over each time.
_BEST = f"""
SELECT row, score FROM (
    SELECT rowid AS row, -bm25(words, 1.0, {CONTEXT_WEIGHT}) AS score FROM words WHERE words MATCH :match
) CROSS JOIN records r USING (row) WHERE {_VISIBLE} ORDER BY score DESC, row LIMIT :limit
"""
_SCORES = f"""
SELECT rowid, -bm25(words, 1.0, {CONTEXT_WEIGHT}) FROM words
WHERE words MATCH :match AND +rowid IN (SELECT value FROM json_each(:rows))
"""
_BROKEN = """
SELECT v.record FROM vectors v JOIN models m USING (model)
WHERE CASE WHEN length(v.find) = 4 * m.dim THEN vec_distance_cosine(v.find, v.find) END IS NULL
"""


class ExtensionSearch:
    """Search inside SQLite: vectors by the sqlite-vec extension, words by FTS5.

    For processes that live too briefly to fill a resident index, or have no memory for one. Several
    times slower per search.
    """

    name: Literal["matrix", "sqlite-vec"] = "sqlite-vec"

    def __init__(self) -> None:
        self._met: frozenset[int] = frozenset()

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Load the extension. Raises `StoreUnavailable` where this Python or machine can't."""
        advice = 'Use vector_search="auto", which needs no extension.'
        if not hasattr(connection, "enable_load_extension"):
            raise StoreUnavailable("This Python is built without SQLite extensions.", advice=advice)
        try:
            import sqlite_vec

            connection.enable_load_extension(True)
            sqlite_vec.load(connection)
            connection.enable_load_extension(False)
        except (ImportError, sqlite3.Error) as error:
            raise StoreUnavailable(f"sqlite-vec can't be loaded: {error}.", advice=advice) from error

    def search(self, connection: sqlite3.Connection, query: Query) -> Signals:
        """Answer from the snapshot that the connection reads."""
        dim = check_query_dimension(connection, query)
        values = {
            "owner": query.owner,
            "all": query.include_superseded,
            "limit": query.limit,
            "model": query.model,
            "match": " OR ".join(f'"{_quoted(term)}"' for term in query.terms),
        }
        if query.vector is not None and dim is not None:
            values |= {
                "vector": query.vector.tobytes(),
                "bytes": query.vector.nbytes,
                "norm": float(np.linalg.norm(query.vector)),
            }
        nearest = _pairs(connection, _NEAREST, values) if "vector" in values else {}
        best = _pairs(connection, _BEST, values) if query.terms else {}
        values["rows"] = json.dumps([*(nearest | best)])
        cosines = _pairs(connection, _COSINES, values) if "vector" in values else {}
        scores = _pairs(connection, _SCORES, values) if query.terms else {}
        return Signals(
            found={row: (cosines.get(row), scores.get(row, 0.0)) for row in nearest | best},
            document_frequency={term: _frequency(connection, term) for term in query.terms},
            total=connection.execute("SELECT count(*) FROM records").fetchone()[0],
            vectorless=0
            if query.vector is None
            else connection.execute(_VECTORLESS, values | {"bytes": query.vector.nbytes}).fetchone()[0],
        )

    def broken(self, connection: sqlite3.Connection) -> frozenset[int]:
        """Return the rows that have a vector which can't be compared; reads every vector."""
        self._met = frozenset(row for (row,) in connection.execute(_BROKEN))
        return self._met

    def known_broken(self) -> frozenset[int]:
        """Return those of `broken` that were met so far."""
        return self._met


def _pairs(connection: sqlite3.Connection, sql: str, values: dict[str, object]) -> dict[int, float]:
    return dict(connection.execute(sql, values).fetchall())


def _frequency(connection: sqlite3.Connection, term: str) -> int:
    frequency: int = connection.execute(
        "SELECT count(*) FROM words WHERE words MATCH ?", (f'"{_quoted(term)}"',)
    ).fetchone()[0]
    return frequency


def _quoted(term: str) -> str:
    return term.replace('"', '""')
