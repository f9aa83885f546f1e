"""The parent's side of the worker process: start it, ask it, notice that it died, end it."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import threading
from collections.abc import Sequence
from typing import IO, cast


class WorkerDiedError(Exception):
    """Raised when the worker ended, or was ended for lack of an answer, before it answered in full."""


class WorkerProcess:
    """A child process that answers frames with frames, one at a time.

    A frame is a 4-byte little-endian length and as many bytes. Not thread-safe. A worker that takes
    longer than the given seconds is killed. Raises `OSError` where the process can't be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._owner = os.getpid()
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._stdout = cast("IO[bytes]", self._process.stdout)
        # Collects the exit code at once, so that a worker which ended by itself is never a zombie.
        self._reaper = threading.Thread(target=self._process.wait, name="embed-worker-reaper", daemon=True)
        self._reaper.start()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it runs and belongs to this process; a fork of its owner must not share the pipes."""
        return self._owner == os.getpid() and self._process.returncode is None

    def hear(self, timeout: float) -> bytes:
        """Return the next frame that the worker sends on its own. Raises `WorkerDiedError`."""
        return self._within(timeout, None)

    def ask(self, body: bytes, timeout: float) -> bytes:
        """Send a frame and return the answer. Raises `WorkerDiedError`."""
        return self._within(timeout, body)

    def stop(self) -> None:
        """End the worker and wait for its end; a second call does nothing."""
        if self._owner != os.getpid():
            self._disown()
            return
        self._close_pipe(self._stdin)
        self._reaper.join(2)
        if self._reaper.is_alive():
            self._process.kill()
            self._reaper.join(5)
        self._close_pipe(self._stdout)

    def _within(self, timeout: float, body: bytes | None) -> bytes:
        timer = threading.Timer(timeout, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            if body is not None:
                self._stdin.write(struct.pack("<I", len(body)) + body)
                self._stdin.flush()
            return self._read_frame()
        except OSError as error:
            raise WorkerDiedError(self._obituary()) from error
        finally:
            timer.cancel()

    def _read_frame(self) -> bytes:
        head = self._stdout.read(4)
        (length,) = struct.unpack("<I", head) if len(head) == 4 else (1,)
        body = self._stdout.read(length)
        if len(body) < length:
            raise WorkerDiedError(self._obituary())
        return body

    def _obituary(self) -> str:
        self._reaper.join(1)
        return f"the worker process ended with exit code {self._process.returncode}"

    def _disown(self) -> None:
        """In a fork: let go of the pipes; the process is somebody else's child."""
        self._process.returncode = 0
        self._close_pipe(self._stdin)
        self._close_pipe(self._stdout)

    @staticmethod
    def _close_pipe(pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError):  # unsent bytes for a worker that is no more
            pipe.close()
