"""The default cold store: records, their words and their vectors in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from memorycore.adapters.cold_history import RecordHistory
from memorycore.adapters.cold_schema import (
    APPLICATION_ID,
    MIGRATIONS,
    RECORD_COLUMNS,
    check_dimension,
    checked_embedding,
    insert_words,
    next_seq,
    record_of,
    record_values,
    recut_if_rules_changed,
)
from memorycore.adapters.cold_search import ExtensionSearch, Searcher, Signals, checked_query
from memorycore.adapters.cold_upkeep import SqliteUpkeep
from memorycore.adapters.resident_index import ResidentIndex
from memorycore.adapters.sqlite import Database
from memorycore.errors import InvalidInput
from memorycore.model import Candidate, ColdCounts, Embedding, Record, SearchResult, Vector

_INSERT = (
    f"INSERT INTO records ({RECORD_COLUMNS}, hash, seq)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE = (
    f"UPDATE records SET ({RECORD_COLUMNS}, hash, seq)"
    " = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " WHERE row = ?"
)
_SAME_TEXT = "owner = ? AND scope = ? AND hash = ? AND superseded_by IS NULL"
# Under a model, or under any where none is named. What the searcher could not use does not count.
_EMBEDDED = """(
    r.row NOT IN (SELECT value FROM json_each(:broken)) AND EXISTS (
        SELECT 1 FROM vectors v JOIN models m USING (model)
        WHERE v.record = r.row AND (:model IS NULL OR m.name = :model) AND length(v.find) = 4 * m.dim
    )
)"""
_COUNTS = f"""
SELECT count(*) FILTER (WHERE superseded_by IS NULL),
       count(*) FILTER (WHERE superseded_by IS NULL AND {_EMBEDDED}),
       count(*) FILTER (WHERE superseded_by IS NOT NULL)
FROM records r WHERE owner = :owner
"""
_PENDING = f"""
SELECT {RECORD_COLUMNS} FROM records r
WHERE owner = :owner AND superseded_by IS NULL AND NOT {_EMBEDDED}
ORDER BY created_at, row LIMIT :limit
"""
_CANDIDATES = f"SELECT {RECORD_COLUMNS}, row FROM records WHERE row IN (SELECT value FROM json_each(?))"
_EMBEDDED_AMONG = f"""
SELECT row FROM records r WHERE row IN (SELECT value FROM json_each(:rows)) AND {_EMBEDDED}
"""


class SqliteColdStore(RecordHistory, SqliteUpkeep):
    """A `ColdStore` in a SQLite file that is opened, and made, at the first use.

    `vector_search` chooses how searches run: "matrix" keeps vectors and words in memory and follows
    the file; "sqlite-vec" leaves both in the file and needs an extension that not every Python can
    load; "auto" is "matrix". Both give the same candidates and signals.
    """

    def __init__(
        self, path: Path, *, vector_search: Literal["auto", "matrix", "sqlite-vec"] = "auto"
    ) -> None:
        self._searcher: Searcher = ExtensionSearch() if vector_search == "sqlite-vec" else ResidentIndex()
        self._database = Database(
            path, application_id=APPLICATION_ID, migrations=MIGRATIONS, connected=self._connected
        )

    def _connected(self, connection: sqlite3.Connection) -> None:
        self._searcher.prepare(connection)
        recut_if_rules_changed(connection)

    def put(self, record: Record, embedding: Embedding | None) -> str:
        """Insert the record and return its id, or the id of the active record that has its text.

        A record of the same id is left as it is. Raises `InvalidInput` and `EmbedderMismatch`.
        """
        values = record_values(record)
        embedding = None if embedding is None else checked_embedding(embedding)
        with self._database.atomic() as connection:
            if _row_of(connection, record.id) is not None:
                return record.id
            if record.active and (other := _id_of_text(connection, record)):
                return other
            cursor = connection.execute(_INSERT, (*values, next_seq(connection)))
            row = int(cursor.lastrowid or 0)
            insert_words(connection, row, record.text, record.context)
            if embedding is not None:
                _set_vector(connection, row, embedding)
        return record.id

    def replace(self, record: Record, embedding: Embedding | None) -> bool:
        """Overwrite the record of this id; False if there is none.

        With no embedding given, the stored one stays as long as text and context are the same. Raises
        `InvalidInput` if the record would become active with the text of another active one.
        """
        values = record_values(record)
        embedding = None if embedding is None else checked_embedding(embedding)
        with self._database.atomic() as connection:
            row = _row_of(connection, record.id)
            if row is None:
                return False
            if record.active and (other := _id_of_text(connection, record)) not in (None, record.id):
                raise InvalidInput(
                    f"The active record {other} has this text already.",
                    advice="Supersede or delete one of the two first.",
                )
            content = connection.execute("SELECT text, context FROM records WHERE row = ?", (row,)).fetchone()
            connection.execute(_UPDATE, (*values, next_seq(connection), row))
            if content != (record.text, record.context):
                connection.execute("DELETE FROM vectors WHERE record = ?", (row,))
                connection.execute("DELETE FROM words WHERE rowid = ?", (row,))
                insert_words(connection, row, record.text, record.context)
            if embedding is not None:
                _set_vector(connection, row, embedding)
        return True

    def set_embedding(self, id: str, text_hash: str, embedding: Embedding) -> bool:
        """Store a vector for a record whose text still has that hash; False otherwise."""
        embedding = checked_embedding(embedding)
        with self._database.atomic() as connection:
            found = connection.execute(
                "SELECT row FROM records WHERE id = ? AND hash = ?", (id, text_hash)
            ).fetchone()
            if found is None:
                return False
            _set_vector(connection, found[0], embedding)
            connection.execute("UPDATE records SET seq = ? WHERE row = ?", (next_seq(connection), found[0]))
        return True

    def delete(self, id: str) -> bool:
        """Remove a record with its words and vectors; False if there was none.

        Pages that are given up are overwritten; what older pages of the WAL and of the word index
        still hold goes with `vacuum`.
        """
        with self._database.atomic() as connection:
            row = _row_of(connection, id)
            if row is None:
                return False
            connection.execute("INSERT INTO tombstones VALUES (?, ?)", (next_seq(connection), row))
            connection.execute("DELETE FROM words WHERE rowid = ?", (row,))
            connection.execute("DELETE FROM records WHERE row = ?", (row,))
        return True

    def vacuum(self) -> None:
        """Rewrite all files of the store, so that no file holds anything of a deleted record.

        Takes seconds at 100,000 records, and the write lock meanwhile.
        """
        with self._database.atomic() as connection:
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._database.vacuum()

    def get(self, id: str) -> Record | None:
        """Return the record, active or not."""
        return self._one("id = ?", (id,))

    def find_text(self, owner: str, scope: str, text_hash: str) -> Record | None:
        """Return the active record with exactly this text."""
        return self._one(_SAME_TEXT, (owner, scope, text_hash))

    def search(
        self,
        *,
        owner: str,
        vector: Vector | None,
        model: str | None,
        terms: Sequence[str],
        limit: int,
        include_superseded: bool = False,
    ) -> SearchResult:
        """Return the union of the `limit` nearest records and the `limit` best by words.

        `terms` are tokens of `words.query_tokens`. `words` is BM25 (k1 1.2, b 0.75), where a word of
        the context counts 0.7. BM25, `document_frequency` and `total` are about all records of the
        store, whatever their owner, superseded ones included. Of equal signals the older records
        win. Raises `InvalidInput`, and `EmbedderMismatch` for a vector that can't be compared.
        """
        query = checked_query(
            owner=owner,
            vector=vector,
            model=model,
            terms=terms,
            limit=limit,
            include_superseded=include_superseded,
        )
        with self._database.read() as connection:
            signals = self._searcher.search(connection, query)
            candidates = self._candidates(connection, signals, model)
        return SearchResult(
            candidates=candidates,
            document_frequency=signals.document_frequency,
            total=signals.total,
            vectorless=signals.vectorless,
        )

    def counts(self, owner: str, model: str | None) -> ColdCounts:
        """Count the owner's records; embedded means: under `model`, or under any if None."""
        with self._database.read() as connection:
            total, embedded, superseded = connection.execute(
                _COUNTS, {"owner": owner, "model": model, "broken": self._broken()}
            ).fetchone()
        return ColdCounts(total=total, embedded=embedded, pending=total - embedded, superseded=superseded)

    def pending(self, owner: str, model: str, limit: int) -> list[Record]:
        """Return at most `limit` active records that have no usable vector under `model`, oldest first."""
        values = {"owner": owner, "model": model, "limit": limit, "broken": self._broken()}
        with self._database.read() as connection:
            return [record_of(row) for row in connection.execute(_PENDING, values)]

    def scan(self, owner: str, *, after: str | None, limit: int) -> list[Record]:
        """Return a page of all records, superseded ones too, ordered by id, behind the id `after`."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE owner = ? AND id > ? ORDER BY id LIMIT ?",
                (owner, after or "", limit),
            )
            return [record_of(row) for row in rows]

    def status(self) -> Mapping[str, str]:
        """Return what a doctor wants to know; reads every vector to find broken ones."""
        with self._database.read() as connection:
            broken = self._searcher.broken(connection)
            models = connection.execute("SELECT name FROM models ORDER BY model").fetchall()
            sqlite_version = connection.execute("SELECT sqlite_version()").fetchone()[0]
        return {
            "backend": "local",
            "path": str(self._database.path),
            "schema": str(self._database.schema_version),
            "sqlite": sqlite_version,
            "vector_search": self._searcher.name,
            "models": ", ".join(name for (name,) in models),
            "broken_vectors": str(len(broken)),
        }

    def close(self) -> None:
        """Release files; the store can't be used after it."""
        self._database.close()

    def _one(self, condition: str, values: tuple[str, ...]) -> Record | None:
        with self._database.read() as connection:
            row = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE {condition}", values
            ).fetchone()
        return None if row is None else record_of(row)

    def _candidates(
        self, connection: sqlite3.Connection, signals: Signals, model: str | None
    ) -> tuple[Candidate, ...]:
        embedded = {row for row, (cosine, _) in signals.found.items() if cosine is not None}
        if others := signals.found.keys() - embedded:
            values = {"rows": json.dumps(list(others)), "model": model, "broken": self._broken()}
            embedded.update(row for (row,) in connection.execute(_EMBEDDED_AMONG, values))
        rows = connection.execute(_CANDIDATES, (json.dumps(list(signals.found)),)).fetchall()
        return tuple(
            Candidate(
                record=record_of(row),
                cosine=signals.found[row[-1]][0],
                words=signals.found[row[-1]][1],
                embedded=row[-1] in embedded,
            )
            for row in rows
        )

    def _broken(self) -> str:
        return json.dumps(list(self._searcher.known_broken()))


def _row_of(connection: sqlite3.Connection, id: str) -> int | None:
    found = connection.execute("SELECT row FROM records WHERE id = ?", (id,)).fetchone()
    return None if found is None else int(found[0])


def _id_of_text(connection: sqlite3.Connection, record: Record) -> str | None:
    found = connection.execute(
        f"SELECT id FROM records WHERE {_SAME_TEXT}", (record.owner, record.scope, record.hash)
    ).fetchone()
    return None if found is None else str(found[0])


def _set_vector(connection: sqlite3.Connection, row: int, embedding: Embedding) -> None:
    own, find = embedding.own, embedding.find
    connection.execute(
        "INSERT INTO models (name, dim) VALUES (?, ?) ON CONFLICT DO NOTHING", (embedding.model, find.size)
    )
    model, dim = connection.execute(
        "SELECT model, dim FROM models WHERE name = ?", (embedding.model,)
    ).fetchone()
    check_dimension(embedding.model, dim, find.size)
    connection.execute(
        "INSERT OR REPLACE INTO vectors (record, model, find, own, norm) VALUES (?, ?, ?, ?, ?)",
        (
            row,
            model,
            find.tobytes(),
            None if np.array_equal(own, find) else own.tobytes(),
            float(np.linalg.norm(find)),
        ),
    )
