"""Files that other programs read and write too: whole or not at all, and one writer at a time."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from memorycore.errors import HotFileBusy, HotFileUnreadable, HotFileUnwritable

TEMP_PREFIX = ".mem_core_"
TEMP_SUFFIX = ".tmp"

_NEW_FILE_MODE = 0o600
_LOCK_POLL_SECONDS = 0.01
_ABANDONED_AFTER_SECONDS = 600.0
# Seconds before each further try at the rename: a virus scanner or a reader on Windows lets go soon.
_RETRY_PAUSES = (0.02, 0.05, 0.1, 0.2, 0.4)
_MAY_PASS = frozenset({errno.EBUSY, errno.EACCES, errno.EPERM, errno.EXDEV, errno.ETXTBSY})


@contextmanager
def locked(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock of `path`, `<path>.lock`, for the length of a `with` block.

    It is the lock that Hermes takes (flock on POSIX), and it excludes threads as well as processes. The
    lock file is never removed: a waiter that holds its old inode would go on alone. The directory is
    made if it is missing. Raises `HotFileBusy` after `timeout` seconds, `HotFileUnwritable`.
    """
    lock = FileLock(
        str(path.with_name(path.name + ".lock")),
        timeout=timeout,
        poll_interval=_LOCK_POLL_SECONDS,
        preserve_lock_file=True,
    )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise HotFileBusy(
            f"{path} has been locked by another program for {timeout:g} seconds.",
            advice="Try again when it is done; nothing was written.",
        ) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield
    finally:
        lock.release()


def read_whole(path: Path) -> bytes | None:
    """Return the bytes of a file, None if there is no such file. Raises `HotFileUnreadable`."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HotFileUnreadable(
            f"{path} can't be read: {error.strerror or error}.",
            advice="Make it a readable file; it was left as it is.",
        ) from error


def write_whole(path: Path, data: bytes) -> None:
    """Put `data` into the place of the file: readers see the old bytes or the new ones, also after a crash.

    A link stays a link, an existing file keeps its mode, a new one is for its owner only. No temporary
    file is left behind. Raises `HotFileBusy` when the rename stays refused, `HotFileUnwritable`.
    """
    real = Path(os.path.realpath(path))
    try:
        _drop_abandoned(real.parent)
        temporary = _write_beside(real, data)
        try:
            _rename(temporary, real)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_directory(real.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


def _write_beside(real: Path, data: bytes) -> Path:
    descriptor, name = tempfile.mkstemp(prefix=TEMP_PREFIX, suffix=TEMP_SUFFIX, dir=real.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode_for(real))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _mode_for(real: Path) -> int:
    try:
        return stat.S_IMODE(real.stat().st_mode)
    except FileNotFoundError:
        return _NEW_FILE_MODE


def _rename(temporary: Path, real: Path) -> None:
    for pause in (*_RETRY_PAUSES, None):
        try:
            os.replace(temporary, real)  # noqa: PTH105  the call that tests and Windows refuse
        except OSError as error:
            if error.errno not in _MAY_PASS:
                raise
            if pause is None:
                raise HotFileBusy(
                    f"{real} can't be replaced: {error.strerror or error}.",
                    advice="Close the program that holds it, or unmount the file; it was left as it is.",
                ) from error
            time.sleep(pause)
        else:
            return


def _sync_directory(directory: Path) -> None:
    if not hasattr(os, "O_DIRECTORY"):  # Windows has no handle on a directory to sync
        return
    # Where a directory can't be opened or synced, the rename stands all the same.
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _drop_abandoned(directory: Path) -> None:
    """Remove temporary files of ours whose writer was killed; a live one is seconds old."""
    oldest = time.time() - _ABANDONED_AFTER_SECONDS
    for path in directory.glob(f"{TEMP_PREFIX}*{TEMP_SUFFIX}"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def _unwritable(path: Path, error: OSError) -> HotFileUnwritable:
    return HotFileUnwritable(
        f"{path} can't be written: {error.strerror or error}.",
        advice="Check the free space and the permissions of its directory; it was left as it is.",
    )
