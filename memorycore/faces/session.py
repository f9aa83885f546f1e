"""One MemoryCore for the life of a server."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from memorycore.errors import StoreUnavailable

if TYPE_CHECKING:
    from memorycore.engine.core import MemoryCore

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Session:
    """Builds its MemoryCore at the first use and closes it once; safe to use from many threads.

    A build that fails is tried anew by the next call, so a mended setting takes effect at once.
    """

    def __init__(self, build: Callable[[], MemoryCore]) -> None:
        self._build = build
        self._core: MemoryCore | None = None
        self._building = threading.Lock()
        self._idle = threading.Condition()
        self._running = 0
        self._closed = False

    def use(self, call: Callable[[MemoryCore], T]) -> T:
        """Return what `call` makes of the MemoryCore. Raises `StoreUnavailable` once closed."""
        with self._idle:
            if self._closed:
                raise StoreUnavailable("The server is shutting down.", advice="Call again in a moment.")
            self._running += 1
        try:
            return call(self._ready())
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def warm_up(self) -> None:
        """Load now what the first call would wait for; a fault is left for that call to report."""
        try:
            self.use(lambda core: core.warm_up())
        except Exception:  # nobody waits for an answer here
            _log.info("warm-up failed; the first call will say why", exc_info=True)

    def close(self, *, grace: float) -> bool:
        """Refuse further calls, wait up to `grace` seconds for those that run, close the MemoryCore.

        False, with the MemoryCore left open, if a call still runs; a run cut off by the process's end
        is finished or dropped at the next start.
        """
        deadline = time.monotonic() + grace
        with self._idle:
            self._closed = True
            while self._running and (left := deadline - time.monotonic()) > 0:
                self._idle.wait(left)
            if self._running:
                return False
            core, self._core = self._core, None
        if core is not None:
            core.close()
        return True

    def _ready(self) -> MemoryCore:
        with self._building:
            if self._core is None:
                self._core = self._build()
            return self._core
