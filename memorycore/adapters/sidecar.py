"""The sidecar beside a hot file: what is known of each entry, keyed by the SHA-256 of its text.

Hands and older tools write it too, so reading is lenient: what can't be used is passed over with a
warning, and whatever is not understood is written back as it was found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, get_args

from memorycore.adapters.files import read_whole, write_whole
from memorycore.errors import HotFileError, HotFileUnreadable
from memorycore.model import Entry, Kind, Target, text_hash
from memorycore.policy.hot_text import derived_id, filled

T = TypeVar("T")

_KINDS: tuple[Kind, ...] = get_args(Kind)
_KEY = re.compile(r"[0-9a-f]{64}")
_ASIDE = ".broken"
_OURS = ("id", "type", "written_at", "updated_at", "origin", "importance")


@dataclass(slots=True)
class Sidecar:
    """The items of one sidecar file as JSON objects.

    `broken` if the file could not be read to its end, not `writable` if it could not be opened.
    """

    items: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    broken: bool = False
    writable: bool = True

    def entry(self, target: Target, text: str) -> tuple[Entry, tuple[str, ...]]:
        """Return the entry of this text with all that its item says, and a warning per unusable value."""
        item = self._item(text)
        entry, warnings = _read(item, target, text)
        if (key := text_hash(text)) in self.items and self.items[key] != _fields(entry):
            entry = replace(entry, noted=json.dumps(self.items[key]))
        return entry, tuple(f"{text_hash(text)[:12]}: {warning}" for warning in warnings)

    def put(self, entry: Entry) -> bool:
        """Make the item of the entry's text say what `entry` says; False if it does already.

        The item is as it was `noted` where that says the same, and none where nothing is said.
        """
        noted = None if entry.noted is None else json.loads(entry.noted)
        if noted is not None and _read(noted, entry.target, entry.text)[0] == entry:
            return self._set(entry.text, noted)
        foreign = _foreign(noted) | _foreign(self._item(entry.text))
        if not foreign and _fields(entry) == {"id": derived_id(entry.text)}:
            return self.drop(entry.text)
        return self._set(entry.text, _fields(entry) | foreign)

    def fill(self, entry: Entry, now: datetime) -> bool:
        """Give an item that has no usable kind what it lacks; False if there was nothing to give."""
        known, _ = self.entry(entry.target, entry.text)
        if known.kind is not None or entry.kind is None:
            return False
        return self.put(filled(known, entry, now))

    def drop(self, text: str) -> bool:
        """Forget the item of a text; False if there was none."""
        return self.items.pop(text_hash(text), None) is not None

    def drop_orphans(self, texts: Collection[str]) -> int:
        """Forget the items of all texts but these, and return how many; what is no item stays."""
        kept = {text_hash(text) for text in texts}
        orphans = [key for key in self.items if _KEY.fullmatch(key) and key not in kept]
        for key in orphans:
            del self.items[key]
        return len(orphans)

    def _item(self, text: str) -> Mapping[str, Any]:
        item = self.items.get(text_hash(text))
        return item if isinstance(item, dict) else {}

    def _set(self, text: str, item: Any) -> bool:
        if text_hash(text) in self.items and self.items[text_hash(text)] == item:
            return False
        self.items[text_hash(text)] = item
        return True


class SidecarFile:
    """One sidecar on disk. Its faults are told and never raised: metadata may lack, the texts come first.

    `fault` says why the last `save` did not happen, None if it did.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.fault: str | None = None

    def load(self) -> Sidecar:
        """Read the sidecar; no file is an empty one. One that can't be opened is never written either."""
        try:
            data = read_whole(self._path)
        except HotFileUnreadable as error:
            return Sidecar(warnings=(error.message,), writable=False)
        return Sidecar() if data is None else parse(data, self._path.name)

    def set_aside(self) -> tuple[str, ...]:
        """Say where the bytes of a damaged sidecar are, as long as they are there."""
        aside = self._path.with_name(f"{self._path.name}{_ASIDE}")
        if not aside.exists():
            return ()
        return (
            f"{self._path.name} was damaged and is set aside as {aside.name}; move it away once it is read.",
        )

    def save(self, sidecar: Sidecar) -> None:
        """Write the sidecar if that changes its bytes; those of a damaged one are set aside first."""
        if not sidecar.writable:
            return
        try:
            self._save(sidecar)
        except HotFileError as error:
            self.fault = f"The last change of {self._path.name} is lost: {error.message}"
        else:
            self.fault = None

    def _save(self, sidecar: Sidecar) -> None:
        before = read_whole(self._path)
        data = f"{json.dumps(sidecar.items, indent=2)}\n".encode()
        if data == before or (before is None and not sidecar.items):
            return
        if sidecar.broken and before is not None:
            write_whole(_aside(self._path, before), before)
        write_whole(self._path, data)


def parse(data: bytes, name: str) -> Sidecar:
    """Read the bytes of a sidecar; of a broken one, every whole item before the break."""
    text = data.decode(errors="replace").lstrip("\ufeff")
    try:
        data.decode()
        items = json.loads(text)
    except (ValueError, RecursionError):
        items = None
    if isinstance(items, dict):
        return Sidecar(items)
    saved = dict(_whole_items(text))
    warning = f"{name} is damaged; {len(saved)} of its items could be read, the others count as unknown."
    return Sidecar(saved, (warning,), broken=True)


def _whole_items(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the members of a JSON object that are whole objects themselves, up to the first fault."""
    decoder = json.JSONDecoder()
    at = _after(text, 0, "{")
    while at is not None:
        try:
            key, at = decoder.raw_decode(text, at)
            value_at = _after(text, at, ":")
            if not isinstance(key, str) or value_at is None:
                return
            value, at = decoder.raw_decode(text, value_at)
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            yield key, value
        at = _after(text, at, ",")


def _after(text: str, at: int, sign: str) -> int | None:
    found = re.compile(rf"\s*{re.escape(sign)}\s*").match(text, at)
    return found.end() if found else None


def _aside(path: Path, data: bytes) -> Path:
    """Return the first of `.broken`, `.broken.1`, ... that is free or holds this very data."""
    names = (path.with_name(f"{path.name}{_ASIDE}{f'.{n}' if n else ''}") for n in count())
    return next(name for name in names if read_whole(name) in {None, data})


def _read(item: Any, target: Target, text: str) -> tuple[Entry, list[str]]:
    """Return the entry that an item describes, and what of it can't be used."""
    said: Mapping[str, Any] = item if isinstance(item, dict) else {}
    warnings: list[str] = []
    entry = Entry(
        id=_usable(said, "id", _word, warnings) or derived_id(text),
        target=target,
        text=text,
        kind=_usable(said, "type", _kind, warnings),
        importance=_usable(said, "importance", _share, warnings),
        origin=_usable(said, "origin", _word, warnings),
        written_at=_usable(said, "written_at", _moment, warnings),
        updated_at=_usable(said, "updated_at", _moment, warnings),
    )
    return entry, warnings


def _foreign(item: Any) -> dict[str, Any]:
    """Return what an item says that we have no word for."""
    said = item if isinstance(item, dict) else {}
    return {name: value for name, value in said.items() if name not in _OURS}


def _fields(entry: Entry) -> dict[str, Any]:
    said = {
        "type": entry.kind,
        "written_at": _stamp(entry.written_at),
        "updated_at": _stamp(entry.updated_at),
        "origin": entry.origin,
        "importance": entry.importance,
        "id": entry.id,
    }
    return {name: value for name, value in said.items() if value is not None}


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else _in_utc(at).isoformat()


def _in_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _usable(item: Mapping[str, Any], name: str, read: Callable[[Any], T], warnings: list[str]) -> T | None:
    value = item.get(name)
    if value is None:
        return None
    try:
        return read(value)
    except (TypeError, ValueError, OverflowError):
        warnings.append(f"{name} can't be {json.dumps(value)[:40]}; it counts as unknown.")
        return None


def _word(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    value.encode()
    return value


def _kind(value: Any) -> Kind:
    return _KINDS[_KINDS.index(value)]


def _share(value: Any) -> float:
    if isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value)


def _moment(value: Any) -> datetime:
    """Read an ISO 8601 stamp as UTC; one without offset is taken to be UTC."""
    return _in_utc(datetime.fromisoformat(value))
