"""How often the verdicts on two texts are what people say of them.

    python -m benchmarks.verdicts [FILE...] [--how words|vectors|model] [--filler N] [--json] [--errors]

A file holds one {"new", "old", "lang", "verdict", "cosine"} per line. Without arguments: the unseen pairs in
benchmarks/data and the pairs that the rules were tuned on in tests/policy, as far as they are there. Neither
rules nor pair model were tuned on the pairs_unseen files, which is why wrong verdicts are printed only when
asked for. *words*: the rules without vectors; *vectors*: with them; *model*: as the product judges, with the
pair model behind the rules. With --filler, the verdicts among the nearest neighbours of N sentences of which
each is another fact: all but a few of them have to be *different*.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cached import CachedEmbedder
from benchmarks.filler import filler
from memorycore.adapters.embed_data import background
from memorycore.adapters.pair_model import BundledPairModel
from memorycore.engine.encoder import Encoder
from memorycore.engine.verdicts import Verdicts
from memorycore.model import Verdict

HERE = Path(__file__).parent
BUILT_ON = HERE.parent / "tests" / "policy"
DEFAULT_FILES = (
    *sorted((HERE / "data").glob("pairs_unseen*.jsonl")),
    *sorted(BUILT_ON.glob("pairs_*.jsonl")),
)
KEEP_ONE = ("same", "merge")
HOWS = ("words", "vectors", "model")
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


@cache
def verdicts(how: str) -> Verdicts:
    """Return what judges in this way."""
    return Verdicts(BundledPairModel() if how == "model" else None)


def judged(path: Path, how: str) -> list[Judged]:
    """Judge the pairs of a file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        pair: dict[str, Any] = json.loads(line)
        cosine = None if how == "words" else pair.get("cosine")
        (said,) = said_of(pair["new"], [(pair["old"], cosine)], how)
        found.append(Judged(pair["new"], pair["old"], pair["lang"], pair["verdict"], said, cosine))
    return found


def said_of(new: str, others: list[tuple[str, float | None]], how: str) -> list[Verdict]:
    """What the product would say: what is not worth judging is different."""
    return [
        "different" if judgement is None else judgement.verdict
        for judgement in verdicts(how).judge(new, others)
    ]


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


def rows(path: Path, hows: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rates per language and way of judging."""
    for how in hows:
        pairs = judged(path, how)
        for lang in ("all", *sorted({pair.lang for pair in pairs})):
            mine = [pair for pair in pairs if lang in ("all", pair.lang)]
            yield {"file": path.name, "how": how, "lang": lang, "pairs": len(mine), **rates(mine)}


def among_filler(count: int, how: str) -> dict[str, Any]:
    """Return how often sentences that are all different facts are called anything but different.

    Each is held against its nearest earlier ones, as it would meet them on being stored.
    """
    texts = filler(count)
    embedder = CachedEmbedder()
    encoder = Encoder(embedder, background())
    embedder.prime(texts, "passage")
    made = encoder.passages([(text, None) for text in texts])
    encoder.close()
    known = [(text, one.own) for text, one in zip(texts, made, strict=True) if one is not None]
    vectors = np.stack([own for _, own in known])
    said: Counter[str] = Counter()
    pairs = []
    for at in range(1, len(known)):
        cosines = vectors[:at] @ vectors[at]
        near = [(known[one][0], float(cosines[one])) for one in np.argsort(-cosines)[:NEIGHBOURS]]
        for (old, _), verdict in zip(near, said_of(known[at][0], list(near), how), strict=True):
            said[verdict] += 1
            if verdict != "different":
                pairs.append((verdict, known[at][0], old))
    return {
        "texts": len(known),
        "pairs": said.total(),
        "verdicts": dict(said),
        "affected": len({new for _, new, _ in pairs}),
        "not_different": pairs,
    }


def _print_rows(table: list[dict[str, Any]]) -> None:
    print(f"{'file':26}{'how':>8}{'lang':>7}{'pairs':>7}" + "".join(f"{name:>20}" for name in RATES))
    for row in table:
        shares = "".join("-".rjust(20) if row[name] is None else f"{row[name]:20.1%}" for name in RATES)
        print(f"{row['file']:26}{row['how']:>8}{row['lang']:>7}{row['pairs']:7}{shares}")


def _print_errors(paths: list[Path], how: str) -> None:
    for path in paths:
        for pair in judged(path, how):
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
    parser.add_argument(
        "files", nargs="*", type=Path, help="labelled pairs (default: all unseen and all built on)"
    )
    parser.add_argument("--how", choices=HOWS, help="judge in this way alone")
    parser.add_argument("--filler", type=int, metavar="N", help="judge the neighbours among N sentences too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--errors", action="store_true", help="print the pairs that were judged wrong")
    arguments = parser.parse_args()
    paths = arguments.files or list(DEFAULT_FILES)
    hows = [arguments.how] if arguments.how else list(HOWS)
    table = [row for path in paths for row in rows(path, hows)]
    found = among_filler(arguments.filler, hows[-1]) if arguments.filler else None
    if arguments.json:
        shown = found and {name: part for name, part in found.items() if name != "not_different"}
        print(json.dumps({"rows": table, "filler": shown}, ensure_ascii=False))
        return
    _print_rows(table)
    if found is not None:
        _print_filler(found, errors=arguments.errors)
    if arguments.errors:
        _print_errors(paths, hows[-1])


if __name__ == "__main__":
    main()
