"""One run at a time per home, across threads and processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from memorycore.errors import StoreUnavailable

_WAIT_SECONDS = 60.0


class RunLock:
    """A lock on `run.lock` in the home; a thread that holds it may take it again.

    Raises `StoreUnavailable` when another process keeps it for a minute or the home can't be written.
    The lock ends with its process, however that dies.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.RLock()
        self._file: FileLock | None = None
        self._depth = 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold the lock for the length of a `with` block."""
        with self._threads:
            if self._depth == 0:
                self._acquire()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._file is not None:
                    self._file.release()

    def _acquire(self) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = self._file or FileLock(str(self._path), timeout=_WAIT_SECONDS, thread_local=False)
            self._file.acquire()
        except Timeout as error:
            raise StoreUnavailable(
                f"Another process has been working on {self._path.parent} for a minute.",
                advice="Wait for it, or end it; nothing was written.",
            ) from error
        except OSError as error:
            raise StoreUnavailable(
                f"{self._path.parent} can't be written: {error.strerror or error}.",
                advice="Make it writable, or point MEMORYCORE_HOME elsewhere.",
            ) from error
