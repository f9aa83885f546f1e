"""Recall of 80 facts among 10,000 other sentences, half of them Chinese, through `store` and `recall`.

Each fact is asked for by its own text, by a paraphrase, by a short query and in the other language;
`oblique` questions name nothing and are beyond what is promised. Noise queries ask for what is not
there. Half "a" of the queries chose the weights and the floor, half "b" checks them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.cached import CachedEmbedder
from benchmarks.filler import filler
from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.settings import Settings

DATA = Path(__file__).with_name("data")
KINDS = ("text", "paraphrase", "short", "cross", "oblique")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def fill(core: MemoryCore, embedder: CachedEmbedder, texts: list[str]) -> Counter[str]:
    """Store the texts and count what became of them."""
    embedder.prime(texts, "passage")
    return Counter(core.store(text, route="cold", origin="benchmark").status for text in texts)


def measure(
    core: MemoryCore, facts: list[dict[str, Any]], noise: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a row per language and half: the share of facts found at 5, and of noise left unanswered."""
    rows = []
    for language in ("en", "zh"):
        for half in ("a", "b"):
            row: dict[str, Any] = {"facts": language, "half": half}
            mine = [fact for fact in facts if (fact["lang"], fact["half"]) == (language, half)]
            for kind in KINDS:
                row[kind] = fmean(_found(core, fact[kind], fact["text"]) for fact in mine)
            asked = [query for query in noise if (query["lang"], query["half"]) == (language, half)]
            row["noise"] = fmean(not core.recall(query["text"]).results for query in asked)
            rows.append(row)
    return rows


def _found(core: MemoryCore, query: str, text: str) -> bool:
    return any(hit.content == text for hit in core.recall(query, top_k=5).results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--filler", type=int, default=10_000, help="how many other sentences (default 10,000)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    facts, noise = lines("facts.jsonl"), lines("noise.jsonl")
    embedder = CachedEmbedder()
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(
            home=Path(home),
            memory_dir=Path(home) / "hot",
            activity_log=False,
            cold_soft=10_000_000,  # what is measured is search: no pass of maintenance on the way
            cold_hard=10_000_000,
        )
        with build(settings, embedder=embedder) as core:
            outcome = fill(core, embedder, [*(fact["text"] for fact in facts), *filler(arguments.filler)])
            rows = measure(core, facts, noise)
    if arguments.json:
        print(json.dumps({"stored": outcome, "rows": rows}, ensure_ascii=False))
        return
    print(f"stored: {dict(outcome)}")
    print(f"{'facts':6}{'half':6}" + "".join(f"{kind:>12}" for kind in (*KINDS, "noise")))
    for row in rows:
        print(
            f"{row['facts']:6}{row['half']:6}" + "".join(f"{row[kind]:12.3f}" for kind in (*KINDS, "noise"))
        )


if __name__ == "__main__":
    main()
