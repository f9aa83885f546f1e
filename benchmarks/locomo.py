"""Evidence recall on public dialogue (LoCoMo), through `store` and `recall`, beside two plain rankings.

Each turn is one record, stored with the two turns before it as its context; each question of the
categories 1 to 4 is asked, and the share of its evidence turns among the first k hits is averaged.
Each conversation has a memory of its own. "dense" is the cosine of the model's own vectors, "BM25"
counts 5-letter stems; both rank the same turns in the same run.

    python -m benchmarks.locomo PATH_TO_LOCOMO.json
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.cached import CachedEmbedder
from memorycore.app import build
from memorycore.settings import Settings

KS = (1, 5, 10, 20)
CONTEXT_TURNS = 2
CATEGORIES = (1, 2, 3, 4)


@dataclass(frozen=True)
class Turn:
    """A turn of a conversation: its id, what was said, and what was said just before."""

    id: str
    text: str
    context: str | None


def turns_of(conversation: dict[str, Any]) -> list[Turn]:
    """Return the turns in order; the context never reaches into another session."""
    sessions = sorted(
        (key for key, value in conversation.items() if re.fullmatch(r"session_\d+", key) and value),
        key=lambda key: int(key.split("_")[1]),
    )
    turns: list[Turn] = []
    for session in sessions:
        said: list[str] = []
        for turn in conversation[session]:
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" [shares {turn['blip_caption']}]"
            turns.append(Turn(turn["dia_id"], text, "\n".join(said[-CONTEXT_TURNS:]) or None))
            said.append(text)
    return turns


def questions_of(sample: dict[str, Any], known: set[str]) -> list[tuple[str, list[str]]]:
    """Return each question with its evidence, as far as the evidence names turns that exist."""
    asked = [(qa["question"], qa.get("evidence", [])) for qa in sample["qa"] if qa["category"] in CATEGORIES]
    return [
        (question, found)
        for question, evidence in asked
        if (found := [turn for text in evidence for turn in re.findall(r"D\d+:\d+", text) if turn in known])
    ]


class Memory:
    """The conversation in a MemoryCore of its own."""

    def __init__(self, turns: list[Turn], embedder: CachedEmbedder, home: Path) -> None:
        self._core = build(
            Settings(home=home, memory_dir=home / "hot", activity_log=False), embedder=embedder
        )
        texts = [turn.text for turn in turns]
        joined = [f"{turn.context[-500:]}\n{turn.text}" for turn in turns if turn.context]
        embedder.prime(texts + joined, "passage")
        self._turns: dict[str, list[str]] = {}
        for turn in turns:
            receipt = self._core.store(turn.text, context=turn.context, route="cold", origin="benchmark")
            if receipt.id is not None:
                self._turns.setdefault(receipt.id, []).append(turn.id)

    def rank(self, question: str) -> list[str]:
        hits = self._core.recall(question, top_k=max(KS)).results
        return [turn for hit in hits for turn in self._turns[hit.id]]


class Dense:
    """The cosine of the model's own vectors."""

    def __init__(self, turns: list[Turn], embedder: CachedEmbedder) -> None:
        self._ids = [turn.id for turn in turns]
        self._embedder = embedder
        self._matrix = np.stack(embedder.embed([turn.text for turn in turns], "passage"))  # type: ignore[arg-type]

    def rank(self, question: str) -> list[str]:
        (vector,) = self._embedder.embed([question], "query")
        order = np.argsort(-(self._matrix @ vector), kind="stable")  # type: ignore[operator]
        return [self._ids[place] for place in order[: max(KS)]]


class Bm25:
    """BM25 over 5-letter stems."""

    def __init__(self, turns: list[Turn]) -> None:
        self._ids = [turn.id for turn in turns]
        self._words = [Counter(_stems(turn.text)) for turn in turns]
        self._lengths = [words.total() for words in self._words]
        self._mean = fmean(self._lengths)

    def rank(self, question: str) -> list[str]:
        terms = set(_stems(question))
        rarity = {term: self._rarity(term) for term in terms}
        scores = [self._score(place, rarity) for place in range(len(self._ids))]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        return [self._ids[place] for place in order[: max(KS)]]

    def _rarity(self, term: str) -> float:
        holding = sum(term in words for words in self._words)
        return math.log(1 + (len(self._words) - holding + 0.5) / (holding + 0.5))

    def _score(self, place: int, rarity: dict[str, float]) -> float:
        words, norm = self._words[place], 1.2 * (0.25 + 0.75 * self._lengths[place] / self._mean)
        return sum(weight * words[term] * 2.2 / (words[term] + norm) for term, weight in rarity.items())


def _stems(text: str) -> list[str]:
    return [word[:5] for word in re.findall(r"[a-z0-9]+", text.lower())]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "path", type=Path, help="a LoCoMo file: a list of samples with `conversation` and `qa`"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    found: dict[str, dict[int, list[float]]] = {}
    embedder = CachedEmbedder()
    for sample in json.loads(arguments.path.read_text(encoding="utf-8")):
        turns = turns_of(sample["conversation"])
        questions = questions_of(sample, {turn.id for turn in turns})
        with tempfile.TemporaryDirectory() as home:
            rankers = {
                "memorycore recall": Memory(turns, embedder, Path(home)),
                "dense": Dense(turns, embedder),
                "BM25": Bm25(turns),
            }
            for name, ranker in rankers.items():
                at = found.setdefault(name, {k: [] for k in KS})
                for question, evidence in questions:
                    ranked = ranker.rank(question)
                    for k in KS:
                        at[k].append(sum(turn in ranked[:k] for turn in evidence) / len(evidence))
    embedder.close()
    table = {
        name: {f"R@{k}": round(fmean(values), 3) for k, values in at.items()} for name, at in found.items()
    }
    if arguments.json:
        print(json.dumps(table))
        return
    print(f"{len(found['dense'][1])} questions")
    for name, row in table.items():
        print(f"{name:20}" + "".join(f"{key:>7} {value:.3f}" for key, value in row.items()))


if __name__ == "__main__":
    main()
