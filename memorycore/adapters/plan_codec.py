"""Actions, entries and records as JSON, exactly: what is loaded equals what was dumped.

Every object names its class in `is`; fields that are None are left out; fields named `*_at` are times in
ISO 8601 with their offset.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, get_args

from memorycore.errors import StoreCorrupt
from memorycore.model import Entry, Record
from memorycore.plan import Action, ColdOp, HotEdit, Plan

_CLASSES: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (Plan, Action, Entry, Record, *get_args(ColdOp), *get_args(HotEdit))
}


def dump(value: Plan | Action | Entry | Record) -> str:
    """Return the value as JSON text."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def load_plan(text: str) -> Plan:
    """Return the plan that was dumped. Raises `StoreCorrupt`."""
    plan: Plan = _load(text, Plan)
    return plan


def load_action(text: str) -> Action:
    """Return the action that was dumped. Raises `StoreCorrupt`."""
    action: Action = _load(text, Action)
    return action


def load_item(text: str) -> Entry | Record:
    """Return the entry or record that was dumped. Raises `StoreCorrupt`."""
    item: Entry | Record = _load(text, Entry, Record)
    return item


def _load(text: str, *kinds: type[Any]) -> Any:
    try:
        value = _value(json.loads(text))
    except (ValueError, TypeError, KeyError) as error:
        raise _unreadable(str(error)) from error
    if not isinstance(value, kinds):
        raise _unreadable(f"it is no {kinds[0].__name__}")
    return value


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {"is": type(value).__name__} | {name: _plain(item) for name, item in pairs if item is not None}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_value(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    kind = _CLASSES[plain["is"]]
    return kind(**{name: _field(name, item) for name, item in plain.items() if name != "is"})


def _field(name: str, plain: Any) -> Any:
    return datetime.fromisoformat(plain) if name.endswith("_at") else _value(plain)


def _unreadable(why: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"An action or item in the ledger can't be read: {why}.",
        advice="Restore the ledger from a copy; nothing else was touched.",
    )
