"""The tables of the cold store, and how records, words and vectors become rows."""

from __future__ import annotations

import math
import sqlite3
import string
from datetime import datetime
from typing import Any

import numpy as np

from memorycore.adapters.sqlite import broken_character, committed, moment, stamp
from memorycore.errors import EmbedderMismatch, InvalidInput
from memorycore.model import Embedding, Record, Vector
from memorycore.policy import words

APPLICATION_ID = 0x4D434F4C  # "MCOL"

# The application cuts the words, so the tokenizer must leave every character but the space alone.
_PUNCTUATION = string.punctuation.replace("'", "''").replace('"', '""')

_TABLES = """
CREATE TABLE records (
    row INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used twice, so that an index may remember it
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    scope TEXT NOT NULL,
    text TEXT NOT NULL,
    hash TEXT NOT NULL,
    context TEXT,
    importance REAL NOT NULL,
    origin TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    event_at TEXT,
    recalled_at TEXT,
    superseded_by TEXT,
    superseded_at TEXT,
    seq INTEGER NOT NULL
);
CREATE UNIQUE INDEX active_text ON records (owner, scope, hash) WHERE superseded_by IS NULL;
CREATE INDEX change ON records (seq);
CREATE INDEX age ON records (owner, created_at);

CREATE TABLE tombstones (seq INTEGER PRIMARY KEY, row INTEGER NOT NULL);
CREATE TABLE clock (seq INTEGER NOT NULL);
INSERT INTO clock VALUES (0);
CREATE TABLE cutting (rules TEXT NOT NULL);

CREATE TABLE models (model INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL);
CREATE TABLE vectors (
    record INTEGER NOT NULL REFERENCES records (row) ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES models (model),
    find BLOB NOT NULL,
    own BLOB,  -- NULL where it equals find
    norm REAL NOT NULL,
    UNIQUE (record, model)
);
"""
_WORDS = f"""
CREATE VIRTUAL TABLE words USING fts5(text, context, tokenize = "ascii tokenchars '{_PUNCTUATION}'");
"""
_USE_AND_HISTORY = """
ALTER TABLE records ADD COLUMN recalls INTEGER NOT NULL DEFAULT 0;
CREATE INDEX replaced ON records (superseded_by) WHERE superseded_by IS NOT NULL;
"""
MIGRATIONS = (_TABLES + _WORDS, _USE_AND_HISTORY)

RECORD_COLUMNS = (
    "id, owner, scope, text, context, importance, origin, created_at, updated_at, event_at, recalled_at,"
    " superseded_by, superseded_at, recalls"
)


def record_values(record: Record) -> tuple[str | float | None, ...]:
    """Return the record's row, `RECORD_COLUMNS` and then its hash. Raises `InvalidInput`."""
    if not math.isfinite(record.importance):
        raise InvalidInput("An importance must be a number.", advice="Give one between 0 and 1.")
    try:
        text_hash = record.hash
        "".join([record.id, record.owner, record.scope, record.origin, record.context or ""]).encode()
    except UnicodeEncodeError as error:
        raise broken_character() from error
    return (
        record.id,
        record.owner,
        record.scope,
        record.text,
        record.context,
        record.importance,
        record.origin,
        stamp(record.created_at),
        stamp(record.updated_at),
        stamp(record.event_at),
        stamp(record.recalled_at),
        record.superseded_by,
        stamp(record.superseded_at),
        record.recalls,
        text_hash,
    )


def record_of(row: tuple[Any, ...]) -> Record:
    """Return the record whose row begins with `RECORD_COLUMNS`."""
    return Record(
        id=row[0],
        owner=row[1],
        scope=row[2],
        text=row[3],
        context=row[4],
        importance=row[5],
        origin=row[6],
        created_at=datetime.fromisoformat(row[7]),
        updated_at=datetime.fromisoformat(row[8]),
        event_at=moment(row[9]),
        recalled_at=moment(row[10]),
        superseded_by=row[11],
        superseded_at=moment(row[12]),
        recalls=row[13],
    )


def word_values(text: str, context: str | None) -> tuple[str, str]:
    """Return the columns of the word index: the tokens of text and context, separated by spaces."""
    return " ".join(words.tokens(text)), " ".join(words.tokens(context or ""))


def recut_if_rules_changed(connection: sqlite3.Connection) -> None:
    """Cut all words anew if they were cut by other rules, or by another stemmer, than today's.

    Opens a transaction of its own, so it must be called outside any.
    """
    from importlib import metadata

    rules = f"{words.RULES_VERSION}/snowball-{metadata.version('snowballstemmer')}"
    if connection.execute("SELECT 1 FROM cutting WHERE rules = ?", (rules,)).fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    with committed(connection):
        connection.execute("DELETE FROM words")
        for row, text, context in connection.execute("SELECT row, text, context FROM records").fetchall():
            insert_words(connection, row, text, context)
        connection.execute("UPDATE records SET seq = ?", (next_seq(connection),))
        connection.execute("DELETE FROM cutting")
        connection.execute("INSERT INTO cutting VALUES (?)", (rules,))


def insert_words(connection: sqlite3.Connection, row: int, text: str, context: str | None) -> None:
    connection.execute(
        "INSERT INTO words (rowid, text, context) VALUES (?, ?, ?)", (row, *word_values(text, context))
    )


def next_seq(connection: sqlite3.Connection) -> int:
    """Advance the change counter that resident indexes follow, and return it."""
    seq: int = connection.execute("UPDATE clock SET seq = seq + 1 RETURNING seq").fetchone()[0]
    return seq


def checked_embedding(embedding: Embedding) -> Embedding:
    """Return the embedding as contiguous float32. Raises `EmbedderMismatch` if it can't be compared."""
    own, find = (checked_vector(vector) for vector in (embedding.own, embedding.find))
    if own.shape != find.shape:
        raise EmbedderMismatch(
            f"The two vectors of an embedding have {own.size} and {find.size} dimensions.",
            advice="Make both with the same model.",
        )
    return Embedding(embedding.model, own, find)


def checked_vector(vector: Vector) -> Vector:
    """Return the vector as contiguous float32. Raises `EmbedderMismatch`."""
    vector = np.ascontiguousarray(vector, dtype="<f4")
    if vector.ndim != 1 or not sound(vector):
        raise EmbedderMismatch(
            "A vector must be a row of finite numbers that are not all zero.",
            advice="Store the record without a vector and check the embedder.",
        )
    return vector


def sound(vector: Vector) -> bool:
    """Whether a vector can be compared: its length is finite and not zero."""
    return 0 < float(np.dot(vector, vector)) < math.inf


def check_dimension(model: str, held: int, given: int) -> None:
    """Raise `EmbedderMismatch` if vectors of this length can't be those of the model."""
    if held != given:
        raise EmbedderMismatch(
            f"The store holds vectors of {held} dimensions for {model}; this one has {given}.",
            advice="Check which model the embedder runs; after a change of model run `memorycore reindex`.",
        )
