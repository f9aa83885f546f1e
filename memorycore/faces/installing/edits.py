"""An edit of another program's file: shown as a diff, or written whole with the old one kept beside it."""

from __future__ import annotations

import codecs
import difflib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memorycore.adapters.files import read_whole, write_whole
from memorycore.errors import HostConfigError

BACKUP = ".memorycore-backup-"

_SHOWN_LINE = 300
_BACKUPS_READ = 10
_BACKUPS_A_SECOND = 100


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of a file; None stands for no file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """Return a unified diff; very long lines are cut, for a file in one line may hold anything."""
        lines = difflib.unified_diff(
            _shown(self.before), _shown(self.after), str(self.path), str(self.path), lineterm=""
        )
        return "\n".join(line if len(line) <= _SHOWN_LINE else f"{line[:_SHOWN_LINE]}…" for line in lines)

    def write(self, now: datetime) -> Path | None:
        """Write the file whole and return the backup of the old one, None if there was no file.

        A link stays a link, the mode stays. Raises `HostConfigError` if the file is read-only or was
        changed since it was read; then nothing was written.
        """
        with on_disk(self.path):
            return self._write(now)

    def _write(self, now: datetime) -> Path | None:
        backup = self._back_up(now) if self.before is not None else None
        if read_whole(self.path) != self.before:
            if backup:
                backup.unlink()
            raise HostConfigError(
                f"Another program has just changed {self.path}.", advice="Close it and try again."
            )
        if self.after is None:
            self.path.unlink()
        else:
            write_whole(self.path, self.after)
        return backup

    def _back_up(self, now: datetime) -> Path:
        mode = stat.S_IMODE(self.path.stat().st_mode)
        if not mode & stat.S_IWUSR:
            raise HostConfigError(
                f"{self.path} is read-only; it was left as it is.",
                advice="Make it writable, or edit it where it is made from.",
            )
        for path in _backup_names(self.path, now):
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            except FileExistsError:
                continue
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.before or b"")
            path.chmod(mode)
            return path
        raise HostConfigError(
            f"There are too many backups of {self.path}.", advice=f"Remove some *{BACKUP}* files."
        )


def text_of(path: Path, data: bytes | None) -> tuple[str, bytes]:
    """Return the text of a file and the byte order mark before it; no file is an empty text."""
    data = data or b""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        return data[len(mark) :].decode("utf-8"), mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start + len(mark)) + 1
        raise HostConfigError(
            f"{path} is not UTF-8: line {line}.", advice="Save it as UTF-8, then try again."
        ) from error


def backups(path: Path) -> Iterator[str]:
    """Yield the texts of the latest backups of a file, newest first; what can't be read is left out."""
    found = sorted(path.parent.glob(f"{_escaped(path.name)}{BACKUP}*"), reverse=True)
    for one in found[:_BACKUPS_READ]:
        try:
            yield text_of(one, one.read_bytes())[0]
        except (OSError, HostConfigError):
            continue


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Say of errors in a text which file it is that of."""
    try:
        yield
    except HostConfigError as error:
        raise HostConfigError(f"{path} was left as it is. {error.message}", advice=error.advice) from error


@contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Turn what the disk refuses below a path into an error that says so."""
    try:
        yield
    except OSError as error:
        raise HostConfigError(
            f"{error.filename or path} can't be written: {error.strerror or error}.",
            advice="Check the free space and its permissions, then run the command again.",
        ) from error


def encoded(text: str) -> bytes:
    """Return the bytes of a text. Raises `HostConfigError` for a path that is no text."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise HostConfigError(
            "A path of this installation is not valid UTF-8.", advice="Install it under another path."
        ) from error


def _backup_names(path: Path, now: datetime) -> Iterator[Path]:
    stamp = f"{path.name}{BACKUP}{now:%Y%m%dT%H%M%SZ}"
    yield path.with_name(stamp)
    for number in range(2, _BACKUPS_A_SECOND):
        yield path.with_name(f"{stamp}-{number:02}")


def _shown(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", errors="replace").splitlines()


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
