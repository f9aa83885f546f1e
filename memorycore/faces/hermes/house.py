"""What all conversations on one home share: one MemoryCore, and one worker that follows the hot files."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from memorycore.faces.hermes.errand import Errand
from memorycore.faces.hermes.worker import Worker
from memorycore.faces.session import Session
from memorycore.model import TARGETS, HotSnapshot, Target

if TYPE_CHECKING:
    from memorycore.engine.core import MemoryCore
    from memorycore.settings import Settings

T = TypeVar("T")
_log = logging.getLogger(__name__)

TIDY = "tidy"
"""The hint that a conversation has ended: room is made from the soft threshold on."""

_START = "start"
DRAIN_SECONDS = 4.0
"""The host gives up on a shutdown after 5 s."""


class House:
    """A home in use. The hot files are looked at when it is opened, before anybody can write to them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._seen = self.look()
        self._session = Session(self._build)
        self._worker = Worker(self._work, self._finish)
        self._worker.hint(_START)
        self._warming = Errand(self._session.warm_up, "warm-up")

    def use(self, call: Callable[[MemoryCore], T]) -> T:
        """Return what `call` makes of the MemoryCore. Raises `StoreUnavailable` once closed."""
        return self._session.use(call)

    def look(self) -> dict[Target, HotSnapshot]:
        """Return the hot files as they stand; one that can't be read is absent, and logged."""
        from memorycore.adapters.hot_markdown import MarkdownHotStore
        from memorycore.engine.readable import readable

        hot = MarkdownHotStore(
            self.settings.hot_dir, self.settings.hot_limits, clock=lambda: datetime.now(UTC)
        )
        files = readable(hot)
        for error in files.faults.values():
            _log.warning("%s", error)
        return dict(files.snapshots)

    def hint(self, where: str) -> None:
        """Have the worker look at `memory`, `user` or, with `TIDY`, at both; returns at once."""
        self._worker.hint(where)

    def drain(self) -> None:
        """Wait until all that was hinted at is done."""
        self._worker.drain()

    def close(self, seconds: float = DRAIN_SECONDS) -> bool:
        """Follow what is left, then close the MemoryCore; False if that takes longer than so many seconds."""
        return self._worker.close(seconds)

    def _build(self) -> MemoryCore:
        from memorycore.app import build

        return build(self.settings)

    def _work(self, hints: Collection[str]) -> None:
        if _START in hints:
            self.use(lambda core: core.watch(self._seen))
        tidy = TIDY in hints
        for target in TARGETS:
            if tidy or target in hints:
                self._follow(target, tidy=tidy)

    def _follow(self, target: Target, *, tidy: bool) -> None:
        report = self.use(lambda core: core.follow(target, tidy=tidy))
        for fault in report.errors:
            _log.warning("%s: %s", target, fault)
        if report.runs or report.overflow is not None:
            _log.info("followed %s: %s", target, report)

    def _finish(self) -> None:
        try:
            for target in TARGETS:
                self._follow(target, tidy=False)
        finally:
            self._session.close(grace=1.0)


class Houses:
    """The homes in use in this process, each opened once however many conversations it has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Settings, tuple[House, int]] = {}

    def enter(self, settings: Settings) -> House:
        """Return the house of these settings, opened at the first call."""
        with self._lock:
            house, guests = self._open.get(settings) or (House(settings), 0)
            if not self._open:
                atexit.register(self.close)
            self._open[settings] = house, guests + 1
            return house

    def leave(self, house: House) -> None:
        """Give a house back; the last to leave closes it, the others only have it look once more."""
        with self._lock:
            guests = self._guests().get(house, 0)
            if guests > 1:
                self._open[house.settings] = house, guests - 1
            else:
                self._open.pop(house.settings, None)
        if guests == 1:
            house.close()
        elif guests > 1:
            for target in TARGETS:
                house.hint(target)

    def close(self) -> None:
        """Close what nobody gave back."""
        with self._lock:
            left = list(self._guests())
            self._open.clear()
        atexit.unregister(self.close)
        for house in left:
            house.close()

    def _guests(self) -> Mapping[House, int]:
        return dict(self._open.values())


HOUSES = Houses()
"""The host makes a provider per conversation and knows of nothing that they share; this is where it is."""
