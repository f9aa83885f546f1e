"""A 5,000-character hot file held against 10,000 cold records: how long does an overflow take?

Each run has fresh copies of the files and stores, with the real model. The yardstick is the time of the very
calls to the model that the same run makes; `warm audit` is a second look by a process that has looked before.
Ratios are what to read: absolute times depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.filler import filler
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.hot_markdown import FILE_NAMES, MarkdownHotStore
from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.engine.ports import Embedder, EmbedRole
from memorycore.model import Embedding, Entry, Record, Vector, new_id
from memorycore.policy.overflow import chars_with
from memorycore.settings import Settings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LIMIT = 5_000


class TimedEmbedder:
    """The bundled model, with a stopwatch around each call."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.seconds = 0.0
        self.texts = 0

    @property
    def identity(self) -> str:
        return self._inner.identity

    @property
    def dim(self) -> int:
        return self._inner.dim

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        start = time.perf_counter()
        made = self._inner.embed(texts, role)
        self.seconds += time.perf_counter() - start
        self.texts += len(texts)
        return made

    def close(self) -> None:
        """The model is shared by all runs, so it stays."""


def settings_of(root: Path) -> Settings:
    return Settings(
        home=root / "home", memory_dir=root / "memories", hot_limit_memory=LIMIT, hot_limit_user=LIMIT
    )


def prepare(root: Path, records: int, model: str, dim: int) -> None:
    """Fill both tiers: a file of 99 %, its entries old, and records that look like real ones.

    The records' vectors are random: searching them costs what searching real ones does.
    """
    settings, texts = settings_of(root), filler(records + 200, 5)
    file = MarkdownHotStore(settings.hot_dir, settings.hot_limits, clock=lambda: NOW)
    for place, text in enumerate(texts[:200]):
        snapshot = file.read("memory")
        if chars_with(snapshot, text) > 0.99 * LIMIT:
            break
        kind = ("rule", "rule", "rule", "state")[place % 4]
        then = NOW - timedelta(days=40 + place)
        file.add(
            Entry(
                id=new_id(),
                target="memory",
                text=text,
                kind=kind,  # type: ignore[arg-type]
                written_at=then,
                updated_at=then,
            )
        )
    vectors = np.random.default_rng(5).standard_normal((records, dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store = SqliteColdStore(settings.cold_path)
    for text, vector in zip(texts[200:], vectors, strict=True):
        store.put(
            Record(id=new_id(), text=text, created_at=NOW, updated_at=NOW), Embedding(model, vector, vector)
        )
    store.close()


def timed(action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run(master: Path, model: Embedder) -> dict[str, float]:
    """Overflow a copy of the files once; times in milliseconds."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "copy"
        shutil.copytree(master, root)
        embedder = TimedEmbedder(model)
        with opened(root, embedder) as core:
            load_index(core, settings_of(root).hot_dir / FILE_NAMES["memory"])
            embedder.seconds, embedder.texts = 0.0, 0
            whole = timed(lambda: core.overflow("memory"))
            embedding, texts = embedder.seconds, embedder.texts
        shutil.rmtree(root)
        shutil.copytree(master, root)
        with opened(root, embedder) as core:
            first = timed(lambda: core.audit("memory", page_size=200))
            warm = timed(lambda: core.audit("memory", page_size=200))
    return {
        "overflow": 1000 * whole,
        "embedding": 1000 * embedding,
        "texts": texts,
        "overflow/embedding": whole / embedding,
        "first audit": 1000 * first,
        "warm audit": 1000 * warm,
    }


def load_index(core: MemoryCore, file: Path) -> None:
    """Have the cold tier loaded, as any use does, while no entry is there that would be embedded."""
    aside = file.rename(file.with_suffix(".aside"))
    core.recall("Which of the machines has the most memory?")
    aside.rename(file)


def opened(root: Path, embedder: Embedder) -> MemoryCore:
    return build(settings_of(root), embedder=embedder, clock=lambda: NOW)


def measure(records: int, runs: int) -> dict[str, float]:
    """Return the medians over so many runs."""
    model = BundledEmbedder()
    with tempfile.TemporaryDirectory() as place:
        master = Path(place)
        with opened(master, model) as core:
            identity = core.usage().embedder["model"]
        model = BundledEmbedder()
        prepare(master, records, identity, model.dim)
        rows = [run(master, model) for _ in range(runs)]
    model.close()
    return {name: median(row[name] for row in rows) for name in rows[0]}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    row = measure(arguments.records, arguments.runs)
    if arguments.json:
        print(json.dumps(row))
        return
    print(f"{LIMIT} characters against {arguments.records:,} records, median of {arguments.runs}, ms:")
    print(", ".join(f"{name} {value:.4g}" for name, value in row.items()))


if __name__ == "__main__":
    main()
