"""How often `judge_pair` says of two texts what people say of them.

    python -m benchmarks.verdicts [FILE...] [--filler N] [--json] [--errors]

A file holds one {"new", "old", "lang", "verdict", "cosine"} per line. Without arguments: the unseen pairs in
benchmarks/data and the pairs that the rules were tuned on in tests/policy, as far as they are there. The
rules were never tuned on pairs_unseen.jsonl, which is why wrong verdicts are printed only when asked for.
With --filler, the verdicts among the nearest neighbours of N sentences of which each is another fact: all
but a few of them have to be *different*.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cached import CachedEmbedder
from benchmarks.filler import filler
from memorycore.adapters.embed_data import background
from memorycore.engine.encoder import Encoder
from memorycore.model import Verdict
from memorycore.policy.calibration import Matrix
from memorycore.policy.similarity import judge_pair, worth_judging

HERE = Path(__file__).parent
BUILT_ON = HERE.parent / "tests" / "policy"
DEFAULT_FILES = (
    HERE / "data" / "pairs_unseen.jsonl",
    BUILT_ON / "pairs_build.jsonl",
    BUILT_ON / "pairs_build2.jsonl",
    BUILT_ON / "pairs_build3.jsonl",
    BUILT_ON / "pairs_first_unseen.jsonl",
)
KEEP_ONE = ("same", "merge")
NEIGHBOURS = 20
RATES = ("false merge", "false split", "supersession right", "wrong supersession")


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled pair and what was said of it; `cosine` is None where words alone decided."""

    new: str
    old: str
    lang: str
    gold: Verdict
    said: Verdict
    cosine: float | None

    @property
    def right(self) -> bool:
        """Which of two texts that say the same is kept is not the question here."""
        return self.gold == self.said or (self.gold in KEEP_ONE and self.said in KEEP_ONE)


def judged(path: Path, *, vectors: bool) -> list[Judged]:
    """Judge the pairs of a file, with their cosines or without."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pair: dict[str, Any] = json.loads(line)
        cosine = pair.get("cosine") if vectors else None
        said = _verdict(pair["new"], pair["old"], cosine)
        found.append(Judged(pair["new"], pair["old"], pair["lang"], pair["verdict"], said, cosine))
    return found


def _verdict(new: str, old: str, cosine: float | None) -> Verdict:
    """What the product would say: what is not worth judging is different."""
    return judge_pair(new, old, cosine=cosine).verdict if worth_judging(new, old, cosine) else "different"


def rates(pairs: list[Judged]) -> dict[str, float | None]:
    """Return each rate over the pairs that it is about, None where there is no such pair."""
    keep = [pair for pair in pairs if pair.gold in KEEP_ONE]
    apart = [pair for pair in pairs if pair.gold not in KEEP_ONE]
    replaced = [pair for pair in pairs if pair.gold == "supersede"]
    others = [pair for pair in pairs if pair.gold != "supersede"]
    return dict(
        zip(
            RATES,
            (
                _share(pair.said in KEEP_ONE for pair in apart),
                _share(pair.said == "different" for pair in keep),
                _share(pair.said == "supersede" for pair in replaced),
                _share(pair.said == "supersede" for pair in others),
            ),
            strict=True,
        )
    )


def _share(hits: Iterable[bool]) -> float | None:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else None


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rates per language, with and without cosines."""
    for vectors in (True, False):
        pairs = judged(path, vectors=vectors)
        for lang in ("all", *sorted({pair.lang for pair in pairs})):
            mine = [pair for pair in pairs if lang in ("all", pair.lang)]
            yield {
                "file": path.name,
                "cosines": vectors,
                "lang": lang,
                "pairs": len(mine),
                **rates(mine),
            }


def neighbours(texts: list[str], vectors: Matrix) -> Iterator[tuple[str, str, float]]:
    """Yield each text with its nearest earlier ones, as it would meet them on being stored."""
    for at in range(1, len(texts)):
        cosines = vectors[:at] @ vectors[at]
        for near in np.argsort(-cosines)[:NEIGHBOURS]:
            yield texts[at], texts[near], float(cosines[near])


def among_filler(count: int) -> dict[str, Any]:
    """Return how often sentences that are all different facts are called anything but different."""
    texts = filler(count)
    embedder = CachedEmbedder()
    encoder = Encoder(embedder, background())
    embedder.prime(texts, "passage")
    made = encoder.passages([(text, None) for text in texts])
    encoder.close()
    known = [(text, one.own) for text, one in zip(texts, made, strict=True) if one is not None]
    said: Counter[str] = Counter()
    pairs = []
    for new, old, cosine in neighbours([text for text, _ in known], np.stack([own for _, own in known])):
        verdict = _verdict(new, old, cosine)
        said[verdict] += 1
        if verdict != "different":
            pairs.append((verdict, new, old))
    return {
        "texts": len(known),
        "pairs": said.total(),
        "verdicts": dict(said),
        "affected": len({new for _, new, _ in pairs}),
        "not_different": pairs,
    }


def _print_rows(table: list[dict[str, Any]]) -> None:
    print(f"{'file':24}{'cosines':>8}{'lang':>7}{'pairs':>7}" + "".join(f"{name:>20}" for name in RATES))
    for row in table:
        shares = "".join("-".rjust(20) if row[name] is None else f"{row[name]:20.1%}" for name in RATES)
        print(
            f"{row['file']:24}{'yes' if row['cosines'] else 'no':>8}{row['lang']:>7}{row['pairs']:7}{shares}"
        )


def _print_errors(paths: list[Path]) -> None:
    for path in paths:
        for pair in judged(path, vectors=True):
            if not pair.right:
                print(f"{pair.gold} judged {pair.said} ({pair.cosine}): {pair.new} | {pair.old}")


def _print_filler(found: dict[str, Any], *, errors: bool) -> None:
    print(f"{found['texts']:,} other sentences, {found['pairs']:,} pairs: {found['verdicts']}")
    print(f"sentences that something is said of: {found['affected']}")
    for verdict, new, old in found["not_different"] if errors else ():
        print(f"{verdict}: {new} | {old}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="labelled pairs (default: the two sets)")
    parser.add_argument("--filler", type=int, metavar="N", help="judge the neighbours among N sentences too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--errors", action="store_true", help="print the pairs that were judged wrong")
    arguments = parser.parse_args()
    paths = arguments.files or [path for path in DEFAULT_FILES if path.is_file()]
    table = [row for path in paths for row in rows(path)]
    found = among_filler(arguments.filler) if arguments.filler else None
    if arguments.json:
        shown = found and {name: part for name, part in found.items() if name != "not_different"}
        print(json.dumps({"rows": table, "filler": shown}, ensure_ascii=False))
        return
    _print_rows(table)
    if found is not None:
        _print_filler(found, errors=arguments.errors)
    if arguments.errors:
        _print_errors(paths)


if __name__ == "__main__":
    main()
