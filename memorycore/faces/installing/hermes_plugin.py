"""The plugin's directory in Hermes' home: copied there, compared with ours, taken out again."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from memorycore.adapters.files import read_whole, write_whole
from memorycore.faces.installing.edits import BACKUP, Edit
from memorycore.faces.installing.registering import make_directory

RECORD = "memorycore-install.json"
"""Beside the plugin's files: what was put there, and which provider it took the place of."""

State = Literal["installed", "absent", "outdated", "different"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What an installation left behind of itself: files by digest, and the provider that there was."""

    files: dict[str, str] = field(default_factory=dict)
    provider_before: str | None = None

    @classmethod
    def read(cls, target: Path) -> Record:
        """Return the record in a plugin directory; an empty one if there is none that can be read."""
        try:
            known: Any = json.loads((target / RECORD).read_text(encoding="utf-8"))
            return cls(files=dict(known["files"]), provider_before=known["provider_before"])
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, target: Path) -> None:
        """Write the record into a plugin directory."""
        known = {"provider_before": self.provider_before, "files": self.files}
        write_whole(target / RECORD, json.dumps(known, indent=1, ensure_ascii=False).encode())


def state(source: Path | None, target: Path) -> State:
    """Compare the directory with ours: outdated is an older copy of ours, different has other hands in it."""
    if not target.is_dir():
        return "different" if target.is_symlink() or target.exists() else "absent"
    record = Record.read(target)
    if source is None:
        return "installed" if record.files and not _touched(record, target) else "different"
    if target.resolve() == source.resolve():
        return "installed"
    wanted = contents(source)
    if all(read_whole(target / name) == data for name, data in wanted.items()):
        return "installed"
    return "outdated" if record.files and not _touched(record, target) else "different"


def changed(source: Path, target: Path) -> list[str]:
    """Return the names of the files that an installation would write."""
    if target.is_dir() and target.resolve() == source.resolve():
        return []
    return sorted(name for name, data in contents(source).items() if read_whole(target / name) != data)


def copy(source: Path, target: Path, provider_before: str | None, now: datetime) -> list[Path]:
    """Bring the directory up to date and return the backups of files that other hands had changed.

    A directory that is a link to ours stays one.
    """
    if target.is_dir() and target.resolve() == source.resolve():
        return []
    record, wanted, backups = Record.read(target), contents(source), []
    for name in changed(source, target):
        path, data = target / name, wanted[name]
        make_directory(path.parent)
        before = read_whole(path)
        if before is None or record.files.get(name) == _digest(before):
            write_whole(path, data)
        else:
            backup = Edit(path, before, data).write(now)
            backups.extend([backup] if backup else [])
    for name in record.files.keys() - wanted.keys():
        _drop(target / name, record.files[name])
    files = {name: _digest(data) for name, data in wanted.items()}
    Record(files=files, provider_before=provider_before).write(target)
    return backups


def remove(source: Path | None, target: Path) -> list[str]:
    """Take out what an installation put there and return the names of what stays, changed by other hands."""
    if target.is_symlink():
        target.unlink()
        return []
    if not target.is_dir():
        return []
    files = Record.read(target).files
    if not files and source is not None:
        files = {name: _digest(data) for name, data in contents(source).items()}
    for name, digest in files.items():
        _drop(target / name, digest)
    (target / RECORD).unlink(missing_ok=True)
    for cache in [*target.rglob("__pycache__")]:
        shutil.rmtree(cache)
    for directory in sorted((path for path in target.rglob("*") if path.is_dir()), reverse=True):
        _drop_if_empty(directory)
    _drop_if_empty(target)
    return sorted(path.name for path in target.rglob("*") if path.is_file()) if target.is_dir() else []


def contents(source: Path) -> dict[str, bytes]:
    """Return the files of a plugin directory by name, without what Python or we put beside them."""
    return {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and path.name != RECORD
        and BACKUP not in path.name
    }


def _touched(record: Record, target: Path) -> bool:
    return any(_digest(read_whole(target / name)) != digest for name, digest in record.files.items())


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""


def _drop(path: Path, digest: str) -> None:
    if _digest(read_whole(path)) == digest:
        path.unlink()


def _drop_if_empty(directory: Path) -> None:
    if not any(directory.iterdir()):
        directory.rmdir()
