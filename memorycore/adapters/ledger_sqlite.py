"""The ledger: runs and their steps, receipts, trash, activity and cached vectors in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memorycore.adapters import ledger_answers
from memorycore.adapters.ledger_purge import expire_item, purge_text, vectors_of
from memorycore.adapters.ledger_trash import TRASH_VECTORS, TrashShelf
from memorycore.adapters.plan_codec import dump, load_action
from memorycore.adapters.purging import checked_text
from memorycore.adapters.sqlite import Database, moment, stamp
from memorycore.engine.ports_ledger import JournalRun, JournalStep, Mention, RunState, StepState
from memorycore.errors import InvalidInput, UnknownId
from memorycore.model import Vector, text_hash
from memorycore.plan import Plan, RunKind
from memorycore.policy.undo import undo_reason

APPLICATION_ID = 0x4D434C47  # "MCLG"

ACTIVITY_KEPT = timedelta(days=45)
ACTIVITY_MAX_BYTES = 256 * 1024
MAX_CACHED_VECTORS = 20_000

_TABLES = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT
);
CREATE INDEX open_runs ON runs (number) WHERE state = 'open';
CREATE TABLE steps (
    run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    action TEXT NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (run, seq)
);
CREATE TABLE receipts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT,
    tool TEXT NOT NULL,
    at TEXT NOT NULL,
    answer TEXT NOT NULL
);
CREATE TABLE trash (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    item TEXT NOT NULL,
    reason TEXT NOT NULL,
    run TEXT NOT NULL,
    trashed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE INDEX trashed_text ON trash (hash, trashed_at);
CREATE TABLE activity (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    query TEXT NOT NULL,
    hits TEXT NOT NULL,
    bytes INTEGER NOT NULL
);
CREATE INDEX activity_time ON activity (at);
CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (model, hash)
);
"""
_PASSES = """
ALTER TABLE runs ADD COLUMN part_of TEXT;
CREATE INDEX passes ON runs (part_of, number) WHERE part_of IS NOT NULL;
"""
MIGRATIONS = (_TABLES, _PASSES, ledger_answers.TABLE, TRASH_VECTORS)

_RUNS = "number, id, kind, state, started_at, finished_at, part_of"
_UNDOES = """kind = 'undo' AND EXISTS (
    SELECT 1 FROM steps WHERE steps.run = runs.number AND seq = 0
    AND json_extract(action, '$.reason') IN (SELECT value FROM json_each(?))
) ORDER BY number"""
_OVERFLOWING = """
SELECT max(number) FROM (SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS kept FROM activity)
WHERE kept > ?
"""


class SqliteLedger(TrashShelf):
    """A `Ledger` in a SQLite file that is opened, and made, at the first use.

    With `activity_enabled` False no recall is noted and `activity` is empty, also of what an earlier
    ledger noted: a log with gaps is no evidence of what went unused.
    """

    def __init__(self, path: Path, *, activity_enabled: bool = True) -> None:
        super().__init__()
        self._activity_enabled = activity_enabled
        self._database = Database(path, application_id=APPLICATION_ID, migrations=MIGRATIONS)

    # -- runs

    def begin(self, run: str, plan: Plan, at: datetime, *, part_of: str | None = None) -> None:
        """Journal a plan, all steps `planned`. Raises `InvalidInput` if the run was begun before."""
        steps = [(seq, dump(action)) for seq, action in enumerate(plan.actions)]
        with self._database.atomic() as connection:
            if connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone():
                raise InvalidInput(f"The run {run} was begun before.", advice="Give each run a fresh id.")
            number = connection.execute(
                "INSERT INTO runs (id, kind, state, started_at, part_of) VALUES (?, ?, 'open', ?, ?)",
                (run, plan.kind, stamp(at), part_of),
            ).lastrowid
            connection.executemany(
                "INSERT INTO steps VALUES (?, ?, ?, 'planned', '')",
                ((number, seq, action) for seq, action in steps),
            )

    def mark(self, run: str, seq: int, state: StepState, outcome: str) -> None:
        """Record how far a step got. Raises `UnknownId`."""
        with self._database.atomic() as connection:
            marked = connection.execute(
                "UPDATE steps SET state = ?, outcome = ?"
                " WHERE seq = ? AND run = (SELECT number FROM runs WHERE id = ?)",
                (state, outcome, seq, run),
            )
            if not marked.rowcount:
                raise _unknown_run(f"{run}, step {seq}")

    def finish(self, run: str, state: RunState, at: datetime) -> None:
        """Close a run. Raises `UnknownId`."""
        with self._database.atomic() as connection:
            closed = connection.execute(
                "UPDATE runs SET state = ?, finished_at = ? WHERE id = ?", (state, stamp(at), run)
            )
            if not closed.rowcount:
                raise _unknown_run(run)

    def open_runs(self) -> list[JournalRun]:
        """Return the runs that were begun and not finished, oldest first."""
        return self._runs("state = 'open' ORDER BY number")

    def run(self, id: str) -> JournalRun | None:
        """Return one run."""
        return next(iter(self._runs("id = ?", id)), None)

    def parts(self, of: str) -> list[JournalRun]:
        """Return the runs of a pass, oldest first."""
        return self._runs("part_of = ? ORDER BY number", of)

    def runs(self, *, limit: int, before: str | None = None) -> list[JournalRun]:
        """Return the newest runs first, older than the run `before`. Raises `UnknownId`."""
        if before is None:
            return self._runs("1 ORDER BY number DESC LIMIT ?", limit)
        if self.run(before) is None:
            raise _unknown_run(before)
        older = "number < (SELECT number FROM runs WHERE id = ?) ORDER BY number DESC LIMIT ?"
        return self._runs(older, before, limit)

    def runs_of(self, kinds: Sequence[RunKind]) -> list[JournalRun]:
        """Return all runs of these kinds, oldest first."""
        return self._runs("kind IN (SELECT value FROM json_each(?)) ORDER BY number", json.dumps(list(kinds)))

    def undos(self, of: Sequence[str]) -> list[JournalRun]:
        """Return the undo runs that took back one of these runs or passes, oldest first."""
        return self._runs(_UNDOES, json.dumps([undo_reason(run) for run in of]))

    def mentions(self, id: str) -> list[Mention]:
        """Return the actions that speak of this id, oldest first. Reads all steps."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT r.id, r.started_at, s.action, s.state FROM steps s JOIN runs r ON r.number = s.run"
                " WHERE instr(s.action, ?) ORDER BY s.run, s.seq",
                (_json(id),),
            ).fetchall()
        return [
            Mention(run=run, at=datetime.fromisoformat(at), action=load_action(action), state=state)
            for run, at, action, state in rows
        ]

    def _runs(self, condition: str, *values: str | int) -> list[JournalRun]:
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT {_RUNS} FROM runs WHERE {condition}", values).fetchall()
            return [_journal_run(connection, row) for row in rows]

    # -- receipts

    def add_receipt(self, run: str | None, tool: str, answer: Mapping[str, Any], at: datetime) -> None:
        """Keep what a call answered."""
        with self._database.atomic() as connection:
            connection.execute(
                "INSERT INTO receipts (run, tool, at, answer) VALUES (?, ?, ?, ?)",
                (run, tool, stamp(at), _json(answer)),
            )

    def receipts(self, *, limit: int) -> list[Mapping[str, Any]]:
        """Return the newest receipts first: {run, tool, at, answer}; `at` is a datetime."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT run, tool, at, answer FROM receipts ORDER BY number DESC LIMIT ?", (limit,)
            ).fetchall()
        return [
            {"run": run, "tool": tool, "at": moment(at), "answer": json.loads(answer)}
            for run, tool, at, answer in rows
        ]

    # -- expiry

    def expire(self, id: str) -> bool:
        """Drop an item from the trash with its copies in runs and receipts; False if it was not there.

        The bytes go from the file with the next `purge`, which rewrites it.
        """
        item = self.buried(id)
        if item is None:
            return False
        with self._database.atomic() as connection:
            expire_item(connection, item)
        return True

    # -- activity

    def log_activity(self, query: str, hits: Sequence[str], at: datetime) -> None:
        """Note a recall and the ids that answered it.

        Kept are 45 days and 256 KB of queries and ids, counted from the newest note.
        """
        if not self._activity_enabled:
            return
        ids = _json(list(hits))
        with self._database.atomic() as connection:
            connection.execute(
                "INSERT INTO activity (at, query, hits, bytes) VALUES (?, ?, ?, ?)",
                (stamp(at), query, ids, len(query.encode()) + len(ids.encode())),
            )
            connection.execute("DELETE FROM activity WHERE at < ?", (stamp(at - ACTIVITY_KEPT),))
            (last,) = connection.execute(_OVERFLOWING, (ACTIVITY_MAX_BYTES,)).fetchone()
            connection.execute("DELETE FROM activity WHERE number <= ?", (last or 0,))

    def activity(self, *, since: datetime) -> Iterator[tuple[datetime, str, tuple[str, ...]]]:
        """Yield (time, query, ids of the hits) since a time, oldest first."""
        if not self._activity_enabled:
            return
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT at, query, hits FROM activity WHERE at >= ? ORDER BY at, number", (stamp(since),)
            ).fetchall()
        for at, query, hits in rows:
            yield datetime.fromisoformat(at), query, tuple(json.loads(hits))

    # -- cached vectors

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        """Return the cached vectors of these text hashes; what is not there is absent."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT hash, vector FROM vectors"
                " WHERE model = ? AND hash IN (SELECT value FROM json_each(?))",
                (model, json.dumps(list(hashes))),
            ).fetchall()
        return {digest: np.frombuffer(vector, "<f4") for digest, vector in rows}

    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Cache vectors by text hash; beyond 20,000 the ones cached longest ago are dropped."""
        rows = [(model, digest, np.asarray(vector, "<f4").tobytes()) for digest, vector in vectors.items()]
        with self._database.atomic() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (model, hash, vector) VALUES (?, ?, ?)", rows
            )
            connection.execute(
                "DELETE FROM vectors WHERE number <="
                " (SELECT number FROM vectors ORDER BY number DESC LIMIT 1 OFFSET ?)",
                (MAX_CACHED_VECTORS,),
            )

    # -- cached answers of a judge

    def cached_answer(self, judge: str, question: str, key: str) -> Mapping[str, Any] | None:
        """Return what this judge answered to a question of this kind about the texts of this key."""
        with self._database.read() as connection:
            return ledger_answers.cached_answer(connection, judge, question, key)

    def cache_answer(
        self, judge: str, question: str, key: str, answer: Mapping[str, Any], *, about: Sequence[str]
    ) -> None:
        """Cache an answer; beyond 5,000 the ones cached longest ago are dropped."""
        with self._database.atomic() as connection:
            ledger_answers.cache_answer(connection, judge, question, key, answer, about)

    # -- purge

    def vectors_of(self, text_hash: str) -> list[Vector]:
        """Return all vectors, of whatever model, that are kept for the text of this hash."""
        with self._database.read() as connection:
            return [np.frombuffer(blob, "<f4") for blob in vectors_of(connection, text_hash)]

    def purge(self, text: str) -> None:
        """Remove every trace of an item's text: trash, caches, queries, copies in runs and receipts.

        Runs and receipts stay, with "[purged]" in its place: what was done to it can't be undone any
        more. A text of under 12 characters is left alone inside longer ones. Then the file is
        rewritten, which takes seconds if it is large. Raises `InvalidInput` for an empty text.
        """
        text = checked_text(text)
        with self._database.atomic() as connection:
            purge_text(connection, text)
            ledger_answers.purge_answers(connection, text, text_hash(text))
        self._database.vacuum()

    def scrub(self) -> bool:
        """Empty the WAL without waiting; False if another connection needs it just now."""
        return self._database.scrub()

    def close(self) -> None:
        """Release the file."""
        self._database.close()


def _journal_run(connection: sqlite3.Connection, row: tuple[Any, ...]) -> JournalRun:
    number, run, kind, state, started, finished, part_of = row
    steps = connection.execute(
        "SELECT seq, state, outcome, action FROM steps WHERE run = ? ORDER BY seq", (number,)
    ).fetchall()
    return JournalRun(
        id=run,
        part_of=part_of,
        state=state,
        started_at=datetime.fromisoformat(started),
        finished_at=moment(finished),
        plan=Plan(kind=kind, actions=tuple(load_action(action) for *_, action in steps)),
        steps=tuple(JournalStep(seq=seq, state=state, outcome=outcome) for seq, state, outcome, _ in steps),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unknown_run(what: str) -> UnknownId:
    return UnknownId(f"The ledger has no run {what}.", advice="The id of a run is the `undo` of its receipt.")
