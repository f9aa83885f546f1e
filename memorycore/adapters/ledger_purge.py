"""Taking a text out of every table of the ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from memorycore.adapters.purging import holds, strings_holding, without_item, without_text, without_words
from memorycore.model import TrashItem, text_hash

_JSON_COLUMNS = (("steps", "action"), ("receipts", "answer"), ("trash", "item"))
_PLAIN_COLUMNS = (("steps", "outcome"), ("trash", "reason"))


def purge_text(connection: sqlite3.Connection, text: str) -> None:
    """Remove the text, and the vectors of it and of whatever longer text the ledger knows to hold it.

    Items of the trash that hold it within a longer text of their own stay; it goes out of their context.
    """
    hashes = {text_hash(text)}
    connection.execute("DELETE FROM trash WHERE hash = ?", (text_hash(text),))
    for number, query in _holding(connection, "activity", "query", text):
        if holds(query, text):
            hashes.add(text_hash(query))
            connection.execute("DELETE FROM activity WHERE rowid = ?", (number,))
    _purge_reasons(connection, text)
    for table, column in _JSON_COLUMNS:
        for number, kept in _holding(connection, table, column, _json(text)[1:-1]):
            plain = json.loads(kept)
            hashes.update(map(text_hash, strings_holding(plain, text)))
            purged = _without_context(plain, text) if table == "trash" else without_text(plain, text)
            _write(connection, table, column, _json(purged), number)
    for table, column in _PLAIN_COLUMNS:
        for number, kept in _holding(connection, table, column, text):
            _write(connection, table, column, without_text({"reason": kept}, text)["reason"], number)
    connection.executemany("DELETE FROM vectors WHERE hash = ?", ((one,) for one in hashes))


def expire_item(connection: sqlite3.Connection, item: TrashItem) -> None:
    """Drop the item, its vector and the copies of its text under its id; what others say of it stays."""
    text = item.item.text.strip()
    connection.execute("DELETE FROM trash WHERE id = ?", (item.id,))
    connection.execute("DELETE FROM vectors WHERE hash = ?", (item.item.hash,))
    for table, column in (("steps", "action"), ("receipts", "answer")):
        for number, kept in _holding(connection, table, column, item.id):
            left = _json(without_item(json.loads(kept), item.id, text))
            if left != kept:
                _write(connection, table, column, left, number)


def _purge_reasons(connection: sqlite3.Connection, text: str) -> None:
    """Take quoted words of the text out of the reasons of all runs that it had a part in."""
    steps = [number for number, _ in _holding(connection, "steps", "action", _json(text)[1:-1])]
    runs: set[str] = set()
    for number in steps:
        run, action, outcome = connection.execute(
            "SELECT r.id, s.action, s.outcome FROM steps s JOIN runs r ON r.number = s.run WHERE s.rowid = ?",
            (number,),
        ).fetchone()
        runs.add(run)
        _write(connection, "steps", "action", _json(without_words(json.loads(action), text)), number)
        _write(connection, "steps", "outcome", without_words({"outcome": outcome}, text)["outcome"], number)
    for run in runs:
        kept = connection.execute("SELECT rowid, answer FROM receipts WHERE run = ?", (run,)).fetchall()
        for number, answer in kept:
            _write(connection, "receipts", "answer", _json(without_words(json.loads(answer), text)), number)


def vectors_of(connection: sqlite3.Connection, digest: str) -> Iterator[bytes]:
    """Yield the vectors, of whatever model, that are kept for the text of this hash."""
    cached = connection.execute("SELECT vector FROM vectors WHERE hash = ?", (digest,)).fetchall()
    buried = connection.execute("SELECT find, own FROM trash WHERE hash = ?", (digest,)).fetchall()
    yield from (vector for row in [*cached, *buried] for vector in row if vector is not None)


def _without_context(item: dict[str, Any], text: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "context" or not holds(value, text)}


def _holding(connection: sqlite3.Connection, table: str, column: str, text: str) -> list[tuple[int, str]]:
    return connection.execute(
        f"SELECT rowid, {column} FROM {table} WHERE instr({column}, ?)", (text,)
    ).fetchall()


def _write(connection: sqlite3.Connection, table: str, column: str, value: str, number: int) -> None:
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, number))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
