"""Speed and size, each figure beside a yardstick measured in the same run.

Search is timed on unit vectors around common centres, a thousand words of Zipf's law in sentences of
a dozen; embedding is left out. The yardstick is `matrix @ query` by numpy on the very same vectors.
Ratios are what to read: absolute times depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.app import build
from memorycore.model import Embedding, Record, Vector, new_id
from memorycore.policy.ranking import CROWD
from memorycore.policy.words import query_tokens
from memorycore.settings import Settings

DIM = 384
MODEL = f"benchmark/{DIM}"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUERIES = 60


class Corpus:
    """Records with vectors, and queries of the same kind."""

    def __init__(self, seed: int = 5) -> None:
        self._rng = np.random.default_rng(seed)
        self._random = random.Random(seed)
        self._centres = self._unit(self._rng.standard_normal((200, DIM)))
        self._words = [f"{a}{b}{c}" for a in "bdfgklmnprstv" for b in "aeiou" for c in "lmnrst"] * 3
        self._words = [f"{word}{place // 390}" for place, word in enumerate(self._words)]
        self._weights = [1 / (place + 1) ** 0.9 for place in range(len(self._words))]

    def vectors(self, count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        centres = self._centres[self._rng.integers(0, len(self._centres), count)]
        return self._unit(centres + 0.9 * self._unit(self._rng.standard_normal((count, DIM))))

    def text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, self._weights, k=words))

    @staticmethod
    def _unit(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.float32]]:
        unit: np.ndarray[Any, np.dtype[np.float32]] = (
            rows / np.linalg.norm(rows, axis=-1, keepdims=True)
        ).astype(np.float32)
        return unit


class InstantEmbedder:
    """Answers with a vector that was chosen before, so that recall is timed without a model."""

    identity = MODEL
    dim = DIM

    def __init__(self, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        self._vectors = vectors

    def embed(self, texts: list[str], _role: str) -> list[Vector]:
        return [self._vectors[hash(text) % len(self._vectors)] for text in texts]

    def close(self) -> None:
        pass


def record(text: str, place: int) -> Record:
    at = NOW + timedelta(seconds=place)
    return Record(id=new_id(), text=f"{text} {place}", created_at=at, updated_at=at)


def p50(action: Callable[[int], object], times: int) -> float:
    """Return the median time of an action in milliseconds, after three runs that do not count."""
    for place in range(3):
        action(place)
    taken = []
    for place in range(times):
        start = time.perf_counter()
        action(place)
        taken.append(1000 * (time.perf_counter() - start))
    return median(taken)


def search(size: int) -> dict[str, Any]:
    """Time the store's search, the whole recall and the yardstick, turn by turn, at a size."""
    corpus = Corpus()
    matrix, asked = corpus.vectors(size), corpus.vectors(QUERIES + 3)
    questions = [corpus.text(6) for _ in range(QUERIES + 3)]
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), memory_dir=Path(home) / "hot", activity_log=False)
        core = build(settings, embedder=InstantEmbedder(asked))  # type: ignore[arg-type]
        model = core.usage().embedder["model"]
        store = SqliteColdStore(settings.cold_path)
        for place in range(size):
            store.put(record(corpus.text(12), place), Embedding(model, matrix[place], matrix[place]))
        taken: dict[str, list[float]] = {"matrix": [], "search": [], "recall": []}
        for vector, question in zip(asked, questions, strict=True):
            query = {"owner": "local", "vector": vector, "model": model, "terms": query_tokens(question)}
            actions: dict[str, Callable[[], object]] = {
                "matrix": partial(matrix.__matmul__, vector),
                "search": partial(store.search, limit=CROWD, **query),
                "recall": partial(core.recall, question),
            }
            for name, action in actions.items():
                start = time.perf_counter()
                action()
                taken[name].append(1000 * (time.perf_counter() - start))
        store.close()
        core.close()
    row: dict[str, Any] = {"records": size} | {name: median(times[3:]) for name, times in taken.items()}
    return row | {
        "search/matrix": row["search"] / row["matrix"],
        "recall/matrix": row["recall"] / row["matrix"],
    }


def writing(count: int) -> dict[str, Any]:
    """Time a write of the cold store, and a whole `store` without a model, beside a bare insert."""
    import sqlite3

    corpus = Corpus()
    vectors = corpus.vectors(count + 3)
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), memory_dir=Path(home) / "hot", embedder="none")
        bare = sqlite3.connect(Path(home) / "bare.db", isolation_level=None)
        bare.execute("PRAGMA journal_mode = WAL")
        bare.execute("PRAGMA synchronous = FULL")
        bare.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, vector BLOB)")
        plain = p50(
            lambda place: bare.execute(
                "INSERT INTO t (text, vector) VALUES (?, ?)", ("x" * 90, vectors[place].tobytes())
            ),
            count,
        )
        bare.close()
        store = SqliteColdStore(Path(home) / "other.sqlite3")
        put = p50(
            lambda place: store.put(
                record(corpus.text(12), place), Embedding(MODEL, vectors[place], vectors[place])
            ),
            count,
        )
        store.close()
        with build(settings) as core:
            whole = p50(lambda place: core.store(f"{corpus.text(12)} {place}", route="cold"), count)
    return {"bare insert": plain, "cold write": put, "whole store": whole, "write/bare": put / plain}


def start_up() -> dict[str, Any]:
    """Time a fresh server from its start to the answer of `initialize`, and read its memory."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        },
    }
    times, bare = [], []
    memory = 0
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"MEMORYCORE_HOME": home, "MEMORY_DIR": f"{home}/hot"}
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", "import mcp"], check=True, env=environment)
            bare.append(1000 * (time.perf_counter() - start))
            start = time.perf_counter()
            server = subprocess.Popen(
                [sys.executable, "-m", "memorycore.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(hello).encode() + b"\n")
            server.stdin.flush()
            server.stdout.readline()
            times.append(1000 * (time.perf_counter() - start))
            time.sleep(5)  # by then the model is loaded
            memory = _resident(server.pid)
            server.stdin.close()
            server.wait(20)
            server.stdout.close()
    return {"import mcp": median(bare), "to initialize": median(times), "server MB": memory}


def _resident(pid: int) -> int:
    """Return the resident memory of a process and its children in MB; 0 where /proc does not tell."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        pids = [str(pid), *children]
        pages = sum(int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1]) for one in pids)
    except OSError:
        return 0
    return pages * resource.getpagesize() // 2**20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    result = {
        "start": start_up(),
        "write": writing(300),
        "search": [search(size) for size in arguments.sizes],
    }
    if arguments.json:
        print(json.dumps(result))
        return
    print("start, ms / MB: " + ", ".join(f"{key} {value:.0f}" for key, value in result["start"].items()))
    print("write p50, ms:  " + ", ".join(f"{key} {value:.2f}" for key, value in result["write"].items()))
    for row in result["search"]:
        print("search p50, ms: " + ", ".join(f"{key} {value:.4g}" for key, value in row.items()))


if __name__ == "__main__":
    main()
