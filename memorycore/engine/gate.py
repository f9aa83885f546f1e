"""The capacity gate: a cold tier over its limits is maintained, and no write waits for that or is refused.

A write that finds the tier over soft starts a pass before it writes and goes on after a twentieth of a
second, whether the pass is through or not: with thousands of records it takes seconds, and it takes the
lock in small batches, so that writes go in between. Over hard, passes follow one another until the tier is
under soft.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from memorycore.engine.maintainer import Maintainer
from memorycore.engine.parts import Parts
from memorycore.engine.watch import Watch
from memorycore.errors import MemoryCoreError
from memorycore.policy.maintenance import share

_log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 0.05
"""How long a write waits for the pass that it started."""

_CLOSING_SECONDS = 2.0
"""How long `close` waits for a pass before it has it end early."""

_MOST_UNASKED = 100
"""So many writes may go by without counting the records, where the limit is far off."""

_MOST_GROWTH = 0.25

_TOOL = "capacity_gate"
_RECEIPTS = 200
"""Among so many of the newest receipts, other processes' passes are looked for."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """What the last passes left: after that many records nothing more could go."""

    size: int
    at: datetime
    growth: float
    """By what share the tier has to grow before it is worth another look."""


class Gate:
    """Watches the size of the cold tier. What passes could not bring under soft rests for a while.

    After passes that found no more to retire and left the tier over soft, none is started again before it
    grew by a hundredth or a day went by; each further time on one day it has to grow twice as much, up to a
    quarter, or a bulk of new facts would start hundreds of passes. The outcome is a receipt in the ledger, so
    that other processes rest as well.
    """

    def __init__(self, parts: Parts, maintainer: Maintainer) -> None:
        self._parts = parts
        self._maintainer = maintainer
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._far_off = 0
        self._rest: _Rest | None = None
        self._asked_ledger = False

    def check(self) -> str | None:
        """Start what is due before a cold write; return a sentence for its receipt if the tier is over soft.

        Called without the run lock, which the passes need.
        """
        if self._far_off > 0:
            self._far_off -= 1
            return None
        limits = self._parts.thresholds
        size = self._parts.cold.size(self._parts.owner)
        if size <= limits.cold_soft:
            self._far_off = min(_MOST_UNASKED, (limits.cold_soft - size) // 2)
            return None
        limit = (
            f"hard limit of {limits.cold_hard:,}"
            if size > limits.cold_hard
            else f"soft limit of {limits.cold_soft:,}"
        )
        over = f"The cold tier holds {size:,} records, over its {limit}"
        if self._resting(size):
            return f"{over}; the last maintenance found no more to retire."
        self._start(size)
        return f"{over}; a maintenance pass was started."

    def close(self) -> None:
        """Wait a moment for a running pass, then have it end after its present batch."""
        thread = self._thread
        if thread is not None:
            thread.join(_CLOSING_SECONDS)
            self._stopping.set()
            thread.join()

    def _start(self, size: int) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._work, args=(size,), name="memorycore-gate", daemon=True
                )
                self._thread.start()
            thread = self._thread
        thread.join(_PATIENCE_SECONDS)

    def _work(self, size: int) -> None:
        try:
            self._maintain(size)
        except MemoryCoreError as error:
            _log.warning("Maintenance of a cold tier over its limit failed: %s", error)

    def _maintain(self, size: int) -> None:
        limits, passes = self._parts.thresholds, 0
        most = limits.gate_passes if size > limits.cold_hard else 1
        while size > limits.cold_soft and passes < most:
            report = self._maintainer.run(Watch(stopping=self._stopping.is_set), asks=False)
            if self._stopping.is_set():
                return  # a pass that was cut short says nothing about what can go
            passes += 1
            size = self._parts.cold.size(self._parts.owner)
            retired = report.merged + report.cleaned + report.superseded + report.forgotten
            if retired < share(report.scanned, limits):
                break  # it retired all that could go
        else:
            if size > limits.cold_soft:
                return  # there is more, for the next write to start a pass for
        now = self._parts.clock()
        self._rest = _Rest(size, now, self._next_growth(now))
        told = {"size": size, "passes": passes, "growth": self._rest.growth}
        self._parts.ledger.add_receipt(None, _TOOL, told, now)

    def _next_growth(self, now: datetime) -> float:
        limits, last = self._parts.thresholds, self._rest or self._known_rest()
        if last is None or now - last.at >= timedelta(days=limits.gate_days):
            return limits.gate_growth
        return min(2 * last.growth, _MOST_GROWTH)

    def _resting(self, size: int) -> bool:
        limits = self._parts.thresholds
        rest = self._rest or self._known_rest()
        if rest is None:
            return False
        grown = size >= rest.size * (1 + rest.growth)
        return not grown and self._parts.clock() - rest.at < timedelta(days=limits.gate_days)

    def _known_rest(self) -> _Rest | None:
        """Ask the ledger, once, what other processes' passes left."""
        if self._asked_ledger:
            return None
        self._asked_ledger = True
        receipts = self._parts.ledger.receipts(limit=_RECEIPTS)
        kept = next((one for one in receipts if one["tool"] == _TOOL), None)
        if kept is not None:
            told = kept["answer"]
            growth = float(told.get("growth", self._parts.thresholds.gate_growth))
            self._rest = _Rest(int(told["size"]), kept["at"], growth)
        return self._rest
