"""A call that may take too long, on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Errand(Generic[T]):
    """Runs a call at once, beside its caller; one that fails is logged at debug level and has no result.

    The thread does not keep the process alive.
    """

    def __init__(self, call: Callable[[], T], name: str) -> None:
        self._call = call
        self._name = name
        self._answer: T | None = None
        self._thread = threading.Thread(target=self._run, name=f"memorycore-{name}", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def result(self, seconds: float) -> T | None:
        """Return what came of the call, None if it failed or is not back within so many seconds."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            _log.debug("%s took longer than %.1f s; going on without it", self._name, seconds)
            return None
        return self._answer

    def _run(self) -> None:
        try:
            self._answer = self._call()
        except Exception:  # whoever waits goes on without it
            _log.debug("%s failed", self._name, exc_info=True)
