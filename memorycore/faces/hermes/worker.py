"""The one thread that does for a home what no turn of a conversation may wait for."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Collection
from functools import partial

_log = logging.getLogger(__name__)

QUEUE_SIZE = 128


class Worker:
    """Takes hints and hands them, all that are waiting at once, to `work` on its own thread.

    A hint says where to look, never what is there; so equal ones are done once, and one that finds the
    queue full is dropped, which is logged: the next look sees the same. Work that raises is logged.
    """

    def __init__(
        self, work: Callable[[Collection[str]], None], finish: Callable[[], None], size: int = QUEUE_SIZE
    ) -> None:
        self._work = work
        self._finish = finish
        self._hints: queue.Queue[str] = queue.Queue(size)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memorycore-follower", daemon=True)
        self._thread.start()

    def hint(self, where: str) -> bool:
        """Take a hint in and return at once; False if there was no room for it."""
        try:
            self._hints.put_nowait(where)
        except queue.Full:
            _log.warning("%d hints are waiting; a change of %s is left to the next look", QUEUE_SIZE, where)
            return False
        return True

    def drain(self) -> None:
        """Wait until all hints that were taken in are done."""
        self._hints.join()

    def close(self, seconds: float) -> bool:
        """Do what is waiting, then `finish`, and stop; False if that takes longer than so many seconds."""
        self._stopping.set()
        self.hint("")
        self._thread.join(seconds)
        if self._thread.is_alive():
            _log.warning("still at work after %.1f s; the rest is left to the next start", seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            hints = self._waiting()
            self._attempt(partial(self._work, {hint for hint in hints if hint}))
            for _ in hints:
                self._hints.task_done()
            if self._stopping.is_set() and self._hints.empty():
                self._attempt(self._finish)
                return

    def _waiting(self) -> list[str]:
        hints = [self._hints.get()]
        while True:
            try:
                hints.append(self._hints.get_nowait())
            except queue.Empty:
                return hints

    def _attempt(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception as error:  # the thread must outlive a fault of one look
            _log.warning("what was written to the hot files is left to the next look: %s", error)
            _log.debug("the fault was", exc_info=True)
