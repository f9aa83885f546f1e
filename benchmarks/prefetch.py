"""What a prefetch costs: alone in a large store, and in a turn of the real Hermes Agent.

Alone: the bundled model embeds each message; the store holds synthetic vectors around common centres and,
among them, facts with real ones. In Hermes: the same conversation with and without the provider, turn by turn
against a scripted model on the loopback, so that what is left is what Hermes and the provider do themselves;
HERMES_PYTHON names its interpreter, and without it this part is left out. Ratios are what to read.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.speed import DIM, Corpus, record
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.app import build, choose_embedder
from memorycore.model import Embedding
from memorycore.settings import Settings

FACTS = (
    "The garden shed key hangs behind the blue door.",
    "Robin's dentist is Dr. Okafor on Mill Street.",
    "The staging host is blue-7 in rack 4.",
    "Backups of the shop run at 03:00 and go to the cellar.",
    "项目蓝鹭的部署端口是 8443。",
    "陈敏每周三下午在上海办公室。",
)
MESSAGES = (
    "Where is the key to the garden shed?",
    "Who is Robin's dentist, and where?",
    "On which host does staging run?",
    "When do the backups of the shop run?",
    "蓝鹭的部署端口是多少？",
    "陈敏什么时候在上海？",
    "What is the airspeed of a laden swallow?",
    "Please write a haiku about the sea.",
)


def alone(size: int, rounds: int) -> dict[str, Any]:
    """Time the prefetch of messages in a store of this size, and the embedding of the same ones."""
    corpus = Corpus()
    matrix = corpus.vectors(size)
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), memory_dir=Path(home) / "hot")
        with build(settings) as core:
            usage = core.usage().embedder
            if usage["dim"] != DIM:
                raise SystemExit(f"This benchmark is for a model of {DIM} dimensions, not {usage['model']}.")
            for fact in FACTS:
                core.store(fact, route="cold")
            store = SqliteColdStore(settings.cold_path)
            for place in range(size - len(FACTS)):
                vector = Embedding(usage["model"], matrix[place], matrix[place])
                store.put(record(corpus.text(12), place), vector)
            store.close()
            whole, embedding, shown = [], [], 0
            model = choose_embedder(settings)
            for turn in range(rounds * len(MESSAGES)):
                message = f"{MESSAGES[turn % len(MESSAGES)]} ({turn})"
                began = time.perf_counter()
                found = core.prefetch(message)
                whole.append(1000 * (time.perf_counter() - began))
                shown += bool(found.shown)
                began = time.perf_counter()
                model.embed([f"{message} again"], "query")
                embedding.append(1000 * (time.perf_counter() - began))
            model.close()
    return {
        "records": size,
        "messages": len(whole),
        "answered": shown,
        "prefetch p50": median(whole),
        "prefetch p95": quantiles(whole, n=20)[-1],
        "embedding p50": median(embedding),
        "prefetch/embedding": median(whole) / median(embedding),
    }


def in_hermes(rounds: int) -> dict[str, Any]:
    """Time turns of Hermes with and without the provider, one conversation each, in turn."""
    from tests.hermes.host import NAME, Host

    taken: dict[str, list[float]] = {"": [], NAME: []}
    for _ in range(rounds):
        for provider, times in taken.items():
            with tempfile.TemporaryDirectory() as root:
                host = Host(Path(root), provider=provider)
                if provider:
                    with host.core() as core:
                        for fact in FACTS:
                            core.store(fact, route="cold")
                times.extend(turn["seconds"] for turn in host.play(*MESSAGES)[1:])
                host.close()
    without, with_provider = (1000 * median(times) for times in taken.values())
    return {
        "turns each": len(taken[NAME]),
        "turn without p50": without,
        "turn with p50": with_provider,
        "with/without": with_provider / without,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--conversations", type=int, default=2)
    given = parser.parse_args(arguments)
    print(json.dumps(alone(given.size, given.rounds), indent=2))
    if os.environ.get("HERMES_PYTHON"):
        print(json.dumps(in_hermes(given.conversations), indent=2))


if __name__ == "__main__":
    main()
