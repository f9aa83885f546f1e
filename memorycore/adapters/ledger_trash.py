"""The trash of the ledger: whole items, when they expire, and how those that may come back are found."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_schema import checked_embedding
from memorycore.adapters.plan_codec import dump, load_item
from memorycore.adapters.sqlite import Database, stamp
from memorycore.engine.ports_ledger import Buried
from memorycore.model import Embedding, TrashItem, Vector

TRASH_VECTORS = """
ALTER TABLE trash ADD COLUMN model TEXT;
ALTER TABLE trash ADD COLUMN find BLOB;
ALTER TABLE trash ADD COLUMN own BLOB;
CREATE INDEX trash_expiry ON trash (expires_at);
CREATE TABLE trash_clock (seq INTEGER NOT NULL);
INSERT INTO trash_clock VALUES (0);
CREATE TRIGGER trash_in AFTER INSERT ON trash BEGIN UPDATE trash_clock SET seq = seq + 1; END;
CREATE TRIGGER trash_out AFTER DELETE ON trash BEGIN UPDATE trash_clock SET seq = seq + 1; END;
"""

_COLUMNS = "item, reason, run, trashed_at, expires_at"


@dataclass(frozen=True, slots=True)
class _Known:
    """The vectors of one model as the trash stood at `seq`."""

    seq: int
    model: str
    ids: list[str]
    expiry: npt.NDArray[np.str_]
    vectors: Vector


class TrashIndex:
    """The vectors of the trash in memory, read anew when the trash has changed since the last search."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: _Known | None = None

    def near(
        self, connection: sqlite3.Connection, model: str, vector: Vector, limit: int, now: datetime
    ) -> list[tuple[str, float]]:
        """Return the ids of the nearest items that have not expired, and their cosines, nearest first."""
        known = self._refreshed(connection, model, vector.size)
        cosines = known.vectors @ vector
        cosines = np.where(known.expiry > str(stamp(now)), cosines, -np.inf)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(known.ids[at], float(cosines[at])) for at in best if cosines[at] > -np.inf]

    def _refreshed(self, connection: sqlite3.Connection, model: str, dim: int) -> _Known:
        seq = connection.execute("SELECT seq FROM trash_clock").fetchone()[0]
        with self._lock:
            known = self._known
            if known is None or (known.seq, known.model, known.vectors.shape[1]) != (seq, model, dim):
                self._known = known = _load(connection, seq, model, dim)
            return known


def _load(connection: sqlite3.Connection, seq: int, model: str, dim: int) -> _Known:
    rows = connection.execute(
        "SELECT id, expires_at, find FROM trash WHERE model = ? AND length(find) = ? ORDER BY id",
        (model, 4 * dim),
    ).fetchall()
    blob = b"".join(row[2] for row in rows)
    return _Known(
        seq=seq,
        model=model,
        ids=[row[0] for row in rows],
        expiry=np.array([row[1] for row in rows], dtype=np.str_),
        vectors=np.frombuffer(blob, "<f4").reshape(len(rows), dim),
    )


class TrashShelf:
    """The part of a ledger that keeps the trash; its database has the table `trash`."""

    _database: Database

    def __init__(self) -> None:
        self._index = TrashIndex()

    def bury(self, item: TrashItem, embedding: Embedding | None = None) -> None:
        """Put an item into the trash; one of the same id is overwritten."""
        vectors = (None, None, None) if embedding is None else _blobs(checked_embedding(embedding))
        values = (item.id, item.item.hash, dump(item.item), item.reason, item.run)
        times = (stamp(item.trashed_at), stamp(item.expires_at))
        with self._database.atomic() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO trash (id, hash, {_COLUMNS}, model, find, own)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*values, *times, *vectors),
            )

    def exhume(self, id: str) -> bool:
        """Drop an item from the trash; False if it was not there."""
        with self._database.atomic() as connection:
            return connection.execute("DELETE FROM trash WHERE id = ?", (id,)).rowcount > 0

    def buried(self, id: str) -> TrashItem | None:
        """Return a trash item."""
        return next(iter(self._trash("id = ?", id)), None)

    def buried_text(self, text_hash: str) -> TrashItem | None:
        """Return the trash item with exactly this text, the newest if several."""
        return next(iter(self._trash("hash = ? ORDER BY trashed_at DESC, id LIMIT 1", text_hash)), None)

    def trash(self, *, limit: int, after: str | None = None) -> list[TrashItem]:
        """Return a page of the trash, ordered by id, behind the id `after`."""
        return self._trash("id > ? ORDER BY id LIMIT ?", after or "", limit)

    def expired(self, now: datetime, *, limit: int) -> list[TrashItem]:
        """Return at most `limit` items whose time is over, the longest overdue first."""
        return self._trash("expires_at <= ? ORDER BY expires_at, id LIMIT ?", str(stamp(now)), limit)

    def trash_count(self) -> int:
        """Count the trash."""
        with self._database.read() as connection:
            count: int = connection.execute("SELECT count(*) FROM trash").fetchone()[0]
        return count

    def buried_near(self, model: str, vector: Vector, *, limit: int, now: datetime) -> list[Buried]:
        """Return the unexpired items with a vector of this model that are nearest, nearest first."""
        with self._database.read() as connection:
            near = self._index.near(connection, model, vector, limit, now)
            found = [(_row(connection, key), cosine) for key, cosine in near]
        return [
            Buried(item=_item(row[:5]), embedding=_embedding(row[5:]), cosine=cosine)
            for row, cosine in found
            if row is not None
        ]

    def _trash(self, condition: str, *values: str | int) -> list[TrashItem]:
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM trash WHERE {condition}", values).fetchall()
        return [_item(row) for row in rows]


def _row(connection: sqlite3.Connection, id: str) -> tuple[str | bytes, ...] | None:
    row: tuple[str | bytes, ...] | None = connection.execute(
        f"SELECT {_COLUMNS}, model, find, own FROM trash WHERE id = ?", (id,)
    ).fetchone()
    return row


def _item(row: tuple[str | bytes, ...]) -> TrashItem:
    item, reason, run, trashed, expires = map(str, row)
    return TrashItem(
        item=load_item(item),
        reason=reason,
        run=run,
        trashed_at=datetime.fromisoformat(trashed),
        expires_at=datetime.fromisoformat(expires),
    )


def _blobs(embedding: Embedding) -> tuple[str, bytes, bytes | None]:
    own = None if np.array_equal(embedding.own, embedding.find) else embedding.own.tobytes()
    return embedding.model, embedding.find.tobytes(), own


def _embedding(row: tuple[str | bytes | None, ...]) -> Embedding:
    model, find, own = row
    vectors = [np.frombuffer(blob, "<f4") for blob in (own or find, find) if isinstance(blob, bytes)]
    return Embedding(str(model), *vectors)
