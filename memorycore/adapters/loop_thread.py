"""An event loop in a thread of its own: what it runs can be cut off wherever it hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_GRACE_SECONDS = 1.0


class LoopThread:
    """Runs coroutines for callers that are not asynchronous. Thread-safe; ends with the process."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Return what the coroutine returns; raises `TimeoutError` and cancels it after so many seconds."""
        future = asyncio.run_coroutine_threadsafe(_within(work, seconds), self._loop)
        try:
            # The grace is for a loop that is held up itself; a coroutine ends by its own limit.
            return future.result(seconds + _GRACE_SECONDS)
        finally:
            future.cancel()

    def close(self) -> None:
        """Stop the loop; what still runs in it is dropped."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_GRACE_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()


async def _within(work: Coroutine[Any, Any, T], seconds: float) -> T:
    async with asyncio.timeout(seconds):
        return await work
