"""Facts that later facts overrule (MemoryAgentBench, FactConsolidation), through `store` and `recall`.

The facts of one list are stored in order; of two that say different things of one subject the later one
holds. Each single-hop question is then asked: is the answer that holds in the first hit ("first"), and does
one of the first five still show the value that it overruled ("overruled"), or any overruled value at all?
"dense" is the cosine of the model's own vectors over all facts, in the same run. What is overruled is read
off the sentences by `split`, which the product does not have.

    python -m benchmarks.factconsolidation [--data FILE] [--size 6k|32k]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.cached import CachedEmbedder
from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.settings import Settings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "factconsolidation.json"
SIZES = ("6k", "32k")
TOP = 5

_RELATION = re.compile(
    r"""(?P<key>.*?(?:
        \ (?:was\ born|died|worked|was\ founded)\ in\ the\ city\ of
      | \ is\ located\ in\ the\ (?:continent|city)\ of
      | \ is\ associated\ with\ the\ sport\ of
      | \ is\ affiliated\ with\ the\ religion\ of
      | \ is\ (?:married\ to|a\ citizen\ of|famous\ for)
      | \ (?:is|was)\ (?:employed|founded|created|developed|performed)\ by
      | \ plays\ the\ position\ of
      | \ (?:speaks|was\ written\ in)\ the\ language\ of
      | \ works\ in\ the\ field\ of
      | \ was\ created\ in\ the\ country\ of
      | 's\ child\ is) | The\ .*?\ is)\ (?P<value>.*)\.""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its answer, and the facts on the same subject that no longer hold."""

    text: str
    answer: str
    overruled: frozenset[str]


@dataclass(frozen=True, slots=True)
class FactList:
    """One list of the data set: its facts in order, the questions, and all facts that no longer hold."""

    size: str
    facts: tuple[str, ...]
    questions: tuple[Question, ...]
    overruled: frozenset[str]


Ranker = Callable[[str], list[str]]


def split(fact: str) -> tuple[str, str]:
    """Return what a fact is about, subject and relation, and the value it gives. Raises ValueError."""
    match = _RELATION.fullmatch(fact)
    if match is None:
        raise ValueError(f"a sentence of no known shape: {fact!r}")
    return match["key"], match["value"]


def read_lists(path: Path) -> list[FactList]:
    """Return the lists of a data file; the end of its `source` tells the size of each."""
    return [_fact_list(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _fact_list(entry: dict[str, Any]) -> FactList:
    facts = tuple(re.findall(r"^\d+\. (.+)$", entry["context"], re.MULTILINE))
    by_key: dict[str, dict[str, str]] = {}  # value -> fact, in order of mention
    for fact in facts:
        key, value = split(fact)
        values = by_key.setdefault(key, {})
        values.pop(value, None)
        values[value] = fact
    return FactList(
        size=entry["metadata"]["source"].rpartition("_")[2],
        facts=facts,
        questions=tuple(
            _question(text, answers[0], by_key)
            for text, answers in zip(entry["questions"], entry["answers"], strict=True)
        ),
        overruled=frozenset(fact for values in by_key.values() for fact in list(values.values())[:-1]),
    )


def _question(text: str, answer: str, by_key: dict[str, dict[str, str]]) -> Question:
    """Find what a question asks for: of all that has its answer, what shares most words with it."""
    words = Counter(re.findall(r"\w+", text.lower()))

    def likeness(key: str) -> float:
        mine = Counter(re.findall(r"\w+", key.lower()))
        return 2 * (mine & words).total() / (mine.total() + words.total())

    key = max((key for key, values in by_key.items() if list(values)[-1] == answer), key=likeness)
    return Question(text, answer, frozenset(list(by_key[key].values())[:-1]))


def score(rank: Ranker, asked: FactList) -> dict[str, float]:
    """Ask every question and return the shares; a ranker gives the texts of its hits, best first."""
    started = time.perf_counter()
    hits = [rank(question.text)[:TOP] for question in asked.questions]
    seconds = time.perf_counter() - started
    both = list(zip(asked.questions, hits, strict=True))
    return {
        "first": fmean(bool(found) and question.answer in found[0] for question, found in both),
        "top 5": fmean(any(question.answer in hit for hit in found) for question, found in both),
        "overruled": fmean(not question.overruled.isdisjoint(found) for question, found in both),
        "any overruled": fmean(not asked.overruled.isdisjoint(found) for _, found in both),
        "ms": 1000 * seconds / len(both),
    }


def store(core: MemoryCore, asked: FactList) -> dict[str, float]:
    """Store the facts in order and return what was retired: rightly, wrongly, not though overruled."""
    started = time.perf_counter()
    text_of: dict[str, str] = {}
    retired: set[str] = set()
    for fact in asked.facts:
        receipt = core.store(fact, route="cold", origin="benchmark")
        if receipt.id is not None:
            text_of[receipt.id] = fact
        retired.update(text_of[old] for old in receipt.superseded)
    return {
        "seconds": time.perf_counter() - started,
        "records": len(text_of),
        "retired": len(retired & asked.overruled),
        "retired wrongly": len(retired - asked.overruled),
        "left standing": len(asked.overruled - retired),
    }


def dense(embedder: CachedEmbedder, facts: tuple[str, ...]) -> Ranker:
    """Return the ranking by the cosine of the model's own vectors."""
    matrix = np.stack([vector for vector in embedder.embed(facts, "passage") if vector is not None])

    def rank(question: str) -> list[str]:
        (vector,) = embedder.embed([question], "query")
        return [facts[place] for place in np.argsort(-(matrix @ vector), kind="stable")[:TOP]]

    return rank


def measure(asked: FactList, embedder: CachedEmbedder) -> dict[str, Any]:
    """Store and ask one list, in a memory of its own and by plain dense search."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), memory_dir=Path(home) / "hot", activity_log=False)
        with build(settings, embedder=embedder) as core:
            stored = store(core, asked)
            ours = score(lambda text: [hit.content for hit in core.recall(text, top_k=TOP).results], asked)
    plain = score(dense(embedder, asked.facts), asked)
    return {"size": asked.size, "stored": stored, "memorycore recall": ours, "dense": plain}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="the data file (default: %(default)s)")
    parser.add_argument("--size", choices=SIZES, help="one of the two lists (default: both)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if not arguments.data.is_file():
        sys.exit(f"There is no {arguments.data}. Name the FactConsolidation file with --data FILE.")
    lists = [one for one in read_lists(arguments.data) if arguments.size in (None, one.size)]
    embedder = CachedEmbedder()
    for one in lists:
        embedder.prime(one.facts, "passage")
        embedder.prime([question.text for question in one.questions], "query")
    embedder.save()
    found = [measure(one, embedder) for one in lists]
    if arguments.json:
        print(json.dumps(found))
        return
    for row in found:
        stored = row["stored"]
        print(f"{row['size']}: " + ", ".join(f"{name} {value:,.0f}" for name, value in stored.items()))
        for name in ("memorycore recall", "dense"):
            shares = ", ".join(f"{key} {value:.2f}" for key, value in row[name].items())
            print(f"  {name:18} {shares}")


if __name__ == "__main__":
    main()
