"""The ledger's table of a judge's answers: a cache, so that the same question is asked once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from memorycore.adapters.purging import without_text

MAX_CACHED_ANSWERS = 5_000

TABLE = """
CREATE TABLE answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    judge TEXT NOT NULL,
    question TEXT NOT NULL,
    key TEXT NOT NULL,
    about TEXT NOT NULL,
    answer TEXT NOT NULL,
    UNIQUE (judge, question, key)
);
"""


def cached_answer(
    connection: sqlite3.Connection, judge: str, question: str, key: str
) -> Mapping[str, Any] | None:
    """Return the answer, None if there is none."""
    row = connection.execute(
        "SELECT answer FROM answers WHERE judge = ? AND question = ? AND key = ?", (judge, question, key)
    ).fetchone()
    answer: Mapping[str, Any] | None = None if row is None else json.loads(row[0])
    return answer


def cache_answer(
    connection: sqlite3.Connection,
    judge: str,
    question: str,
    key: str,
    answer: Mapping[str, Any],
    about: Sequence[str],
) -> None:
    """Cache an answer; beyond 5,000 the ones cached longest ago are dropped."""
    values = (judge, question, key, json.dumps(list(about)), json.dumps(answer, ensure_ascii=False))
    connection.execute(
        "INSERT OR REPLACE INTO answers (judge, question, key, about, answer) VALUES (?, ?, ?, ?, ?)", values
    )
    connection.execute(
        "DELETE FROM answers WHERE number <="
        " (SELECT number FROM answers ORDER BY number DESC LIMIT 1 OFFSET ?)",
        (MAX_CACHED_ANSWERS,),
    )


def purge_answers(connection: sqlite3.Connection, text: str, digest: str) -> None:
    """Drop the answers about the text of this hash, and those that quote the text."""
    connection.execute(
        "DELETE FROM answers WHERE EXISTS (SELECT 1 FROM json_each(about) WHERE value = ?)", (digest,)
    )
    told = connection.execute(
        "SELECT number, answer FROM answers WHERE instr(answer, ?)",
        (json.dumps(text, ensure_ascii=False)[1:-1],),
    ).fetchall()
    for number, answer in told:
        plain = json.loads(answer)
        if without_text(plain, text) != plain:
            connection.execute("DELETE FROM answers WHERE number = ?", (number,))
