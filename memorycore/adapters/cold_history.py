"""What the cold store knows of single records: vectors, use, history, and which of them hold a text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memorycore.adapters.cold_schema import RECORD_COLUMNS, record_of, sound
from memorycore.adapters.purging import holds
from memorycore.adapters.sqlite import Database, stamp
from memorycore.model import Embedding, Record
from memorycore.policy.decay import MOST_RECALLS

# Stamps are UTC and sort as text; up to "T12" they name the hour. The right-hand sides see the old row.
_MARK_RECALLED = """
UPDATE records SET
    recalls = recalls + (
        recalls < :most AND substr(coalesce(recalled_at, ''), 1, 13) < substr(:at, 1, 13)
    ),
    recalled_at = max(coalesce(recalled_at, ''), :at)
WHERE id IN (SELECT value FROM json_each(:ids))
"""


class RecordHistory:
    """The part of a cold store that answers about single records; its database has their tables."""

    _database: Database

    def embedding(self, id: str, model: str | None) -> Embedding | None:
        """Return what the record was embedded to under this model, or under its newest one."""
        with self._database.read() as connection:
            found = connection.execute(
                "SELECT v.own, v.find, m.dim, m.name FROM vectors v JOIN models m USING (model)"
                " JOIN records r ON r.row = v.record WHERE r.id = :id AND (:model IS NULL OR m.name = :model)"
                " ORDER BY m.model DESC LIMIT 1",
                {"id": id, "model": model},
            ).fetchone()
        if found is None:
            return None
        own, find, dim, name = found
        vectors = [np.frombuffer(blob, "<f4") for blob in (own or find, find) if len(blob) == 4 * dim]
        return Embedding(name, *vectors) if len(vectors) == 2 and all(map(sound, vectors)) else None

    def mark_recalled(self, ids: Sequence[str], at: datetime) -> None:
        """Set the time of the last recall and count it, once per hour of the clock and record."""
        values = {"at": stamp(at), "ids": json.dumps(list(ids)), "most": MOST_RECALLS}
        with self._database.atomic() as connection:
            connection.execute(_MARK_RECALLED, values)

    def embeddings(self, id: str) -> list[Embedding]:
        """Return what the record was embedded to, under all models that the store knows."""
        with self._database.read() as connection:
            models = connection.execute("SELECT name FROM models ORDER BY model").fetchall()
        found = (self.embedding(id, name) for (name,) in models)
        return [embedding for embedding in found if embedding is not None]

    def holding(self, text: str) -> list[Record]:
        """Return the records, of whatever owner, scope and state, whose text or context holds a text."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE instr(text, :text) OR instr(context, :text)"
                " ORDER BY row",
                {"text": text},
            )
            records = [record_of(row) for row in rows]
        return [one for one in records if holds(one.text, text) or holds(one.context or "", text)]

    def replaced_by(self, id: str) -> list[Record]:
        """Return the records that `id` superseded, the ones that were stored first first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {RECORD_COLUMNS} FROM records WHERE superseded_by = ? ORDER BY created_at, row",
                (id,),
            )
            return [record_of(row) for row in rows]
