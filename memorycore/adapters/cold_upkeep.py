"""The SQLite cold store as a whole: who is near whom, which vectors are of use, whose they are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_schema import next_seq
from memorycore.adapters.sqlite import Database
from memorycore.model import Near, Swept

Matrix = npt.NDArray[np.float32]

_BLOCK = 256
"""Rows that are compared with all others at a time; so much of the product is held in memory."""

_PAGE = 1_000
_DROPPED_AT_ONCE = 200
"""Vectors that one transaction drops, so that no writer waits for long."""

_OWN = """
SELECT r.scope, r.id, coalesce(v.own, v.find)
FROM vectors v JOIN models m USING (model) JOIN records r ON r.row = v.record
WHERE m.name = ? AND r.owner = ? AND r.superseded_by IS NULL AND length(coalesce(v.own, v.find)) = 4 * m.dim
ORDER BY r.scope, r.id
"""
_MODELS = """
SELECT m.name, count(*) FROM vectors v JOIN models m USING (model) JOIN records r ON r.row = v.record
WHERE r.owner = ? AND r.superseded_by IS NULL AND length(v.find) = 4 * m.dim GROUP BY m.name ORDER BY m.name
"""
_VECTORS = """
SELECT v.rowid, v.find, v.own, m.dim, r.row
FROM vectors v LEFT JOIN models m USING (model) LEFT JOIN records r ON r.row = v.record
WHERE v.rowid > ? ORDER BY v.rowid LIMIT ?
"""
_TOUCH = """
UPDATE records SET seq = ? WHERE row IN (
    SELECT record FROM vectors WHERE rowid IN (SELECT value FROM json_each(?))
)
"""
_VECTORS_OF_OTHERS = """
SELECT rowid FROM vectors WHERE rowid > ? AND model IS NOT (SELECT model FROM models WHERE name = ?)
ORDER BY rowid LIMIT ?
"""


class SqliteUpkeep:
    """The methods of `ColdUpkeep`, for a store that keeps its `Database` in `_database`."""

    _database: Database

    def owners(self) -> list[str]:
        """Return the owners of records, in order of their names."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT DISTINCT owner FROM records ORDER BY owner")
            return [owner for (owner,) in rows]

    def size(self, owner: str) -> int:
        """Count the owner's active records."""
        with self._database.read() as connection:
            count: int = connection.execute(
                "SELECT count(*) FROM records WHERE owner = ? AND superseded_by IS NULL", (owner,)
            ).fetchone()[0]
        return count

    def neighbours(
        self, owner: str, *, model: str, floor: float, limit: int, only: Collection[str] | None = None
    ) -> Iterator[tuple[str, tuple[Near, ...]]]:
        """Yield, per active record with a usable vector of the model, its nearest others in its scope.

        Holds the owner's vectors in memory while it runs, and no transaction.
        """
        with self._database.read() as connection:
            rows = connection.execute(_OWN, (model, owner)).fetchall()
        wanted = None if only is None else frozenset(only)
        for _, scope in groupby(rows, key=itemgetter(0)):
            ids, matrix = _stacked([(key, blob) for _, key, blob in scope])
            asked = [at for at, key in enumerate(ids) if wanted is None or key in wanted]
            for start in range(0, len(asked), _BLOCK):
                yield from _nearest(ids, matrix, asked[start : start + _BLOCK], floor, limit)

    def models(self, owner: str) -> Mapping[str, int]:
        """Return how many of the owner's active records have a vector of the right length, by model."""
        with self._database.read() as connection:
            return dict(connection.execute(_MODELS, (owner,)).fetchall())

    def sweep(self) -> Swept:
        """Drop vectors without a record and ones that can't be compared, some at a time."""
        orphans, broken, after = 0, 0, -1
        while True:
            with self._database.read() as connection:
                page = connection.execute(_VECTORS, (after, _PAGE)).fetchall()
            if not page:
                return Swept(orphans=orphans, broken=broken)
            after = page[-1][0]
            lost = [rowid for rowid, *_, row in page if row is None]
            unsound = [row[0] for row in page if row[4] is not None and not _usable(row)]
            orphans += self._drop(lost)
            broken += self._drop(unsound)

    def drop_vectors(self, *, keep: str) -> int:
        """Drop the vectors of all models but `keep`, some at a time; return how many they were."""
        dropped, after = 0, -1
        while rowids := self._of_others(keep, after):
            dropped, after = dropped + self._drop(rowids), rowids[-1]
        with self._database.atomic() as connection:
            connection.execute(
                "DELETE FROM models WHERE name IS NOT ? AND model NOT IN (SELECT model FROM vectors)", (keep,)
            )
        return dropped

    def scrub(self) -> bool:
        """Empty the WAL without waiting; False if another connection needs it just now."""
        return self._database.scrub()

    def _of_others(self, keep: str, after: int) -> list[int]:
        with self._database.read() as connection:
            return [rowid for (rowid,) in connection.execute(_VECTORS_OF_OTHERS, (after, keep, _PAGE))]

    def _drop(self, rowids: list[int]) -> int:
        dropped = 0
        for start in range(0, len(rowids), _DROPPED_AT_ONCE):
            batch = json.dumps(rowids[start : start + _DROPPED_AT_ONCE])
            with self._database.atomic() as connection:
                dropped += _drop_batch(connection, batch)
        return dropped


def _drop_batch(connection: sqlite3.Connection, rowids: str) -> int:
    connection.execute(_TOUCH, (next_seq(connection), rowids))  # indexes in memory follow the change
    return connection.execute(
        "DELETE FROM vectors WHERE rowid IN (SELECT value FROM json_each(?))", (rowids,)
    ).rowcount


def _usable(row: tuple[Any, ...]) -> bool:
    """Whether both vectors of a row are of their model's length, finite and not zero."""
    _, find, own, dim, _ = row
    return dim is not None and all(
        len(blob) == 4 * dim and bool(_sound(np.frombuffer(blob, "<f4")[None, :])[0])
        for blob in (find, find if own is None else own)
    )


def _sound(matrix: Matrix) -> npt.NDArray[np.bool_]:
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.einsum("ij,ij->i", matrix, matrix)
    sound: npt.NDArray[np.bool_] = np.isfinite(lengths) & (lengths > 0)
    return sound


def _stacked(rows: list[tuple[str, bytes]]) -> tuple[list[str], Matrix]:
    """Return ids and vectors, a row each, without the ones that can't be compared."""
    matrix = np.frombuffer(b"".join(blob for _, blob in rows), "<f4").reshape(len(rows), -1)
    sound = _sound(matrix)
    if sound.all():
        return [key for key, _ in rows], matrix
    return [key for (key, _), is_sound in zip(rows, sound, strict=True) if is_sound], matrix[sound]


def _nearest(
    ids: list[str], matrix: Matrix, asked: list[int], floor: float, limit: int
) -> Iterator[tuple[str, tuple[Near, ...]]]:
    cosines = matrix[asked] @ matrix.T
    cosines[np.arange(len(asked)), asked] = -np.inf  # nobody is a neighbour of its own
    for at, row in zip(asked, cosines, strict=True):
        near = np.flatnonzero(row >= floor)
        best = near[np.lexsort((near, -row[near]))][:limit]  # the ids are in order, so places are
        yield ids[at], tuple(Near(ids[place], float(row[place])) for place in best)
