"""Everything that a user could tell apart, in one value: hot files, sidecars, records, vectors, trash."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memorycore.engine.core import MemoryCore
from memorycore.model import TARGETS, Entry, Record, TrashItem

NAMES = {"memory": "MEMORY", "user": "USER"}


@dataclass(frozen=True)
class State:
    """A memory at one moment. `files` are the bytes of the hot files, `sidecars` parsed JSON."""

    files: dict[str, bytes]
    sidecars: dict[str, Any]
    entries: dict[str, tuple[Entry, ...]]
    records: tuple[Record, ...]
    embedded: frozenset[str]
    trash: tuple[Entry | Record, ...]

    @property
    def texts(self) -> set[str]:
        """Every text that is kept anywhere."""
        hot = {entry.text for entries in self.entries.values() for entry in entries}
        return hot | {record.text for record in self.records} | {item.text for item in self.trash}

    def left_by(self, told: set[str], before: State) -> State:
        """The state but for copies of told texts that the trash has beside what it had `before`.

        A copy takes its item's id; another text that lay there under the same id bears a number behind it.
        """
        had = {(item.id, item.text) for item in before.trash}
        kept = [replace(item, id=item.id.partition("~")[0]) for item in self.trash]
        trash = [item for item in kept if item.text not in told or (item.id, item.text) in had]
        return replace(self, trash=tuple(sorted(trash, key=lambda item: (item.id, item.text))))


def state(core: MemoryCore, root: Path | None = None) -> State:
    """Read the state of a core; `root` is the home of one on real files."""
    parts = core._parts
    found = parts.cold.scan("local", after=None, limit=10_000)
    model = parts.model()
    embedded = {one.id for one in found if model and parts.cold.embedding(one.id, model) is not None}
    files, sidecars = {}, {}
    for target in TARGETS if root is not None else ():
        hot, beside = (root / "memories" / f"{NAMES[target]}{end}" for end in (".md", ".meta.json"))
        files[target] = hot.read_bytes() if hot.exists() else b""
        sidecars[target] = json.loads(beside.read_bytes()) if beside.exists() else {}
    return State(
        files=files,
        sidecars=sidecars,
        entries={target: parts.hot.read(target).entries for target in TARGETS},
        records=tuple(replace(one, recalled_at=None) for one in found),
        embedded=frozenset(embedded),
        trash=tuple(sorted(map(_item, parts.ledger.trash(limit=10_000)), key=lambda one: (one.id, one.text))),
    )


def _item(buried: TrashItem) -> Entry | Record:
    item = buried.item
    return replace(item, recalled_at=None) if isinstance(item, Record) else item
