"""Memories to test with: stores that outlive a crash, a clock to turn, ports that fail on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from memorycore.adapters.embed_data import background
from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.engine.encoder import Encoder
from memorycore.engine.executor import Executor
from memorycore.engine.parts import Parts
from memorycore.engine.ports import EmbedRole, Judge, PairModel
from memorycore.engine.verdicts import Verdicts
from memorycore.errors import EmbedderUnavailable
from memorycore.lexicon import Lexicon, load
from memorycore.model import Entry, Record, Vector, new_id
from memorycore.policy.thresholds import Thresholds
from memorycore.settings import Settings
from memorycore.testing import HashingEmbedder, InMemoryColdStore, InMemoryHotStore, InMemoryLedger

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
RULE = "Always answer in English."
FACT = "The garden shed key hangs behind the blue door."
STALE = "Done, tests passed."


@dataclass
class TurnableClock:
    """A clock that stands still until it is turned."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **time: float) -> None:
        self.now += timedelta(**time)


class CrashError(BaseException):
    """The process dies here. No handler of the code under test may catch it."""


@dataclass
class Fuse:
    """Counts the calls of ports and dies at the given one, before or after it has done its work."""

    at: int | None = None
    after: bool = False
    calls: int = 0

    def guard(self, port: Any) -> Any:
        return _Guarded(port, self)

    def run(self, call: Callable[[], Any]) -> Any:
        self.calls += 1
        dies = self.calls == self.at
        if dies and not self.after:
            raise CrashError
        try:
            return call()
        finally:
            if dies:
                raise CrashError


class _Guarded:
    def __init__(self, port: Any, fuse: Fuse) -> None:
        self._port = port
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        return lambda *args, **kwargs: self._fuse.run(lambda: method(*args, **kwargs))


@dataclass
class World:
    """Stores that live on while one MemoryCore after another works on them."""

    limits: dict[str, int] = field(default_factory=lambda: {"memory": 2_200, "user": 1_375})
    clock: TurnableClock = field(default_factory=TurnableClock)
    cold: InMemoryColdStore = field(default_factory=InMemoryColdStore)
    ledger: InMemoryLedger = field(default_factory=InMemoryLedger)

    def __post_init__(self) -> None:
        self.hot = InMemoryHotStore(self.limits, clock=self.clock)
        self._lock = RLock()

    def executor(self, fuse: Fuse | None = None) -> Executor:
        guard = (fuse or Fuse()).guard
        return Executor(
            hot=guard(self.hot),
            cold=guard(self.cold),
            ledger=guard(self.ledger),
            lock=self.lock,
            clock=self.clock,
            trash_days=30,
        )

    def core(
        self,
        encoder: Encoder | None = None,
        fuse: Fuse | None = None,
        judge: Judge | None = None,
        judge_calls: int = 20,
        pair_model: PairModel | None = None,
        **thresholds: Any,
    ) -> MemoryCore:
        guard = (fuse or Fuse()).guard
        return MemoryCore(
            Parts(
                hot=guard(self.hot),
                cold=guard(self.cold),
                ledger=guard(self.ledger),
                encoder=encoder or shared_encoder(),
                lexicon=shared_lexicon(),
                thresholds=Thresholds(**thresholds),
                executor=self.executor(fuse),
                lock=self.lock,
                clock=self.clock,
                judge=judge,
                judge_calls=judge_calls,
                verdicts=Verdicts(pair_model),
            )
        )

    @contextmanager
    def lock(self) -> Iterator[None]:
        with self._lock:
            yield

    def hot_texts(self) -> list[str]:
        return [entry.text for target in ("memory", "user") for entry in self.hot.read(target).entries]

    def records(self) -> list[Record]:
        return self.cold.scan("local", after=None, limit=10_000)

    def cold_texts(self) -> list[str]:
        return [record.text for record in self.records()]

    def trash_texts(self) -> list[str]:
        return [item.item.text for item in self.ledger.trash(limit=10_000)]

    def state(self) -> tuple[Any, ...]:
        """Everything that a user could tell apart: entries, records, and the items of the trash.

        Not when a record was used last: what comes back counts as used.
        """
        return (
            self.hot.read("memory").entries,
            self.hot.read("user").entries,
            [replace(one, recalled_at=None) for one in self.records()],
            [item.item for item in self.ledger.trash(limit=10_000)],
        )


@cache
def shared_encoder() -> Encoder:
    return Encoder(HashingEmbedder(), background())


@cache
def shared_lexicon() -> Lexicon:
    return load(())


class Flaky(HashingEmbedder):
    """Fails on every `nth` call once `armed`; down altogether while `down`."""

    def __init__(self, nth: int = 0, **names: Any) -> None:
        super().__init__(**names)
        self._nth = nth
        self._asked = 0
        self.down = False
        self.armed = False

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        self._asked += self.armed
        if self.down or (self.armed and self._nth and self._asked % self._nth == 0):
            raise EmbedderUnavailable("The model does not answer.", advice="Start it.")
        return super().embed(texts, role)


def encoder_of(embedder: HashingEmbedder) -> Encoder:
    return Encoder(embedder, background())


def entry(text: str, target: Any = "memory", **fields: Any) -> Entry:
    given = {"kind": "rule", "importance": 0.5, "origin": "store_fact", "written_at": NOW, "updated_at": NOW}
    return Entry(**{"id": new_id(), "target": target, "text": text} | given | fields)


def record(text: str, **fields: Any) -> Record:
    return Record(**{"id": new_id(), "text": text, "created_at": NOW, "updated_at": NOW} | fields)


def settings(root: Path, **changes: Any) -> Settings:
    """Settings of a home below `root`, away from whatever this machine has in its own."""
    given = {"home": root / "home", "memory_dir": root / "memories", "embedder": "none"}
    given["pair_model"] = "none"  # the rules alone; what the model says is tested where a test gives one
    return Settings(**given | changes)


def on_disk(root: Path, clock: Callable[[], datetime] | None = None, **changes: Any) -> MemoryCore:
    """A MemoryCore on real files, with an embedder that knows no meaning."""
    return build(settings(root, **changes), embedder=HashingEmbedder(), clock=clock or TurnableClock())


def all_bytes(root: Path) -> dict[str, bytes]:
    """The content of every file; what SQLite keeps in -shm is its readers' place, no content."""
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix != ".sqlite3-shm"]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}
