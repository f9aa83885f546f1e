"""Maintenance: what a pass finds, how long it takes per record as the store grows, how long it holds locks.

Distinct filler facts, with doubles (the same words, written a little otherwise) and outdated facts (a port
that changed later) sown among them; vectors of a fake model that knows words, made beforehand. Times
depend on the machine; what to read is the time per record at each size, which should hardly grow, and the
longest hold of a lock, which is what another process would have to wait. "own" is the processor time of
this process alone: on a busy machine, the rest of a hold is time that others had.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.filler import filler
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.embed_data import background
from memorycore.adapters.run_lock import RunLock
from memorycore.adapters.sqlite import Database
from memorycore.app import build
from memorycore.engine.encoder import Encoder
from memorycore.model import Record
from memorycore.settings import Settings
from memorycore.testing import HashingEmbedder

NOW = datetime(2026, 6, 1, tzinfo=UTC)
DOUBLES_IN, OUTDATED_IN = 100, 200
"""Of so many facts one has a double, or is outdated."""


class Holds:
    """The longest time that the run lock and any write transaction were held."""

    def __init__(self) -> None:
        self.run = self.write = self.own = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Time every lock that this process takes within the block."""
        lock, atomic = RunLock.__call__, Database.atomic

        @contextmanager
        def timed_lock(which: RunLock) -> Iterator[None]:
            with lock(which):
                start, own_start = time.perf_counter(), time.thread_time()
                yield
                self.run = max(self.run, time.perf_counter() - start)
                self.own = max(self.own, time.thread_time() - own_start)

        @contextmanager
        def timed_atomic(which: Database) -> Iterator[Any]:
            with atomic(which) as connection:
                start = time.perf_counter()
                yield connection
            self.write = max(self.write, time.perf_counter() - start)

        RunLock.__call__, Database.atomic = timed_lock, timed_atomic  # type: ignore[method-assign]
        try:
            yield
        finally:
            RunLock.__call__, Database.atomic = lock, atomic  # type: ignore[method-assign]


def facts(count: int) -> list[tuple[str, datetime]]:
    """Return the texts to store, each with the time from which it is known."""
    plain = [(text, NOW - timedelta(minutes=place)) for place, text in enumerate(filler(count))]
    doubles = [(_otherwise(text), at) for text, at in plain[::DOUBLES_IN]]
    ports = [
        (f"The admin port of relay-{place} is {8000 + later}.", NOW - timedelta(days=2 - later))
        for place in range(count // OUTDATED_IN)
        for later in (0, 1)
    ]
    return plain + doubles + ports


def _otherwise(text: str) -> str:
    bare = text.rstrip(".。!！")
    return bare[:1].lower() + bare[1:] if bare[0].isascii() else bare


def fill(path: Path, encoder: Encoder, texts: list[tuple[str, datetime]]) -> None:
    store = SqliteColdStore(path)
    for start in range(0, len(texts), 500):
        batch = texts[start : start + 500]
        made = encoder.passages([(text, None) for text, _ in batch])
        for place, ((text, at), vector) in enumerate(zip(batch, made, strict=True), start):
            store.put(Record(id=f"m_{place:020x}", text=text, created_at=at, updated_at=at), vector)
    store.close()


def measure(count: int) -> dict[str, Any]:
    """Run two passes over a fresh store of so many facts and what is sown among them."""
    embedder, holds = HashingEmbedder(), Holds()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), memory_dir=Path(home) / "hot")
        sown = facts(count)
        fill(settings.cold_path, Encoder(embedder, background()), sown)
        with build(settings, embedder=embedder, clock=lambda: NOW) as core:
            core.warm_up()
            core.recall("What its index is filled by.")
            asked = embedder.calls
            with holds.watched():
                start, own = time.perf_counter(), time.process_time()
                first = core.maintain()
                middle, own_middle = time.perf_counter(), time.process_time()
                second = core.maintain()
                end, own_end = time.perf_counter(), time.process_time()
    return {
        "records": first.scanned,
        "ms per record": 1000 * (middle - start) / first.scanned,
        "own ms per record": 1000 * (own_middle - own) / first.scanned,
        "second pass ms per record": 1000 * (end - middle) / first.scanned,
        "second pass own ms per record": 1000 * (own_end - own_middle) / first.scanned,
        "run lock ms": 1000 * holds.run,
        "run lock own ms": 1000 * holds.own,
        "write lock ms": 1000 * holds.write,
        "doubles": f"{first.merged} of {len(range(0, count, DOUBLES_IN))}",
        "outdated": f"{first.superseded} of {count // OUTDATED_IN}",
        "others": first.cleaned + first.forgotten,
        "second pass rests": second.run is None and embedder.calls == asked,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 5_000, 10_000])
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    rows = [measure(size) for size in arguments.sizes]
    if arguments.json:
        print(json.dumps(rows))
        return
    for row in rows:
        shown = (
            f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
            for key, value in row.items()
        )
        print(", ".join(shown))


if __name__ == "__main__":
    main()
