"""Small writes that an answer does not wait for: when a record was recalled, what was asked, vectors."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence

from memorycore.engine.encoder import VectorCache
from memorycore.errors import MemoryCoreError
from memorycore.model import Vector

Job = Callable[[], None]
_log = logging.getLogger(__name__)
_MAX_JOBS = 1_000


class Afterwork:
    """Runs jobs one by one on a thread of its own that starts with the first of them.

    A job that fails is logged and dropped, and so is one that finds a thousand waiting: nothing that
    must not be lost belongs here. Once a job has failed because a store is busy, `close` drops the rest.
    """

    def __init__(self) -> None:
        self._jobs: queue.Queue[Job | None] = queue.Queue(_MAX_JOBS)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing = False
        self._busy = False

    def add(self, job: Job) -> None:
        """Take a job in and return at once."""
        self._start()
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            _log.warning("Too much is waiting to be noted; a recall goes unnoted.")

    def drain(self) -> None:
        """Wait until all that was added is done."""
        if self._thread is not None:
            self._jobs.join()

    def close(self) -> None:
        """Finish what is waiting and stop; a second call does nothing."""
        with self._starting:
            thread, self._thread = self._thread, None
            self._closing = True
        if thread is not None:
            self._jobs.put(None)
            thread.join()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._closing = self._busy = False
                self._thread = threading.Thread(target=self._work, name="memorycore-afterwork", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                if not (self._closing and self._busy):
                    job()
            except MemoryCoreError as error:
                self._busy = True
                _log.warning("Not noted: %s", error)
            finally:
                self._jobs.task_done()
        self._jobs.task_done()


class LateCache:
    """A vector cache that is written behind the answer, so that reading waits for no writer."""

    def __init__(self, cache: VectorCache, afterwork: Afterwork) -> None:
        self._cache = cache
        self._afterwork = afterwork

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        """Return what is there of these text hashes."""
        return self._cache.cached_vectors(model, hashes)

    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Cache vectors by text hash, soon; ones that can't be written are made again another time."""
        self._afterwork.add(lambda: self._cache.cache_vectors(model, vectors))
