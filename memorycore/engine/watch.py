"""How far a long run is, and whether it should end early."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]


class Stopped(Exception):
    """A signal, no error: the run was asked to end; what it has done so far stands."""


class Watch:
    """Counts the steps of a long run and tells of each hundredth; `stopping` is asked at each step."""

    def __init__(
        self, progress: Progress | None = None, stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self._progress = progress
        self._stopping = stopping
        self._done = 0
        self._total = 0
        self._told = 0

    def expect(self, steps: int) -> None:
        """Take in that so many more steps are to come."""
        self._total += steps

    def step(self, steps: int = 1) -> None:
        """Count steps as done. Raises `Stopped`."""
        if self._stopping():
            raise Stopped
        if steps:
            self._done = min(self._total, self._done + steps)
            if self._done == self._total or 100 * (self._done - self._told) >= self._total:
                self._tell()

    def finish(self) -> None:
        """Tell that all is done, whatever was expected and turned out to be needless."""
        self._done = self._total
        if self._told < self._total:
            self._tell()

    def _tell(self) -> None:
        self._told = self._done
        if self._progress is not None:
            self._progress(self._done, self._total)
