"""Tells what thresholds are worth: `python -m tools.pair_model.thresholds`.

Reads pairs of authors whom the model has not learnt from with the model of the package, and prints, for each
threshold, which share of the pairs gets a verdict wrongly and which rightly. Needs no torch.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

import numpy as np

from memorycore.adapters.pair_model import BundledPairModel
from memorycore.model import Likelihoods
from tools.pair_model import groups, measures, sampling

_THRESHOLDS: Final = (*(at / 100 for at in range(50, 96, 5)), 0.97, 0.98, 0.99)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line per threshold."""
    parser = argparse.ArgumentParser(description="Tell what thresholds of the pair model are worth.")
    parser.add_argument(
        "--hold-out", default="g", help="the authors to read, by commas; %(default)s by default"
    )
    parser.add_argument("--groups", type=int, help="read no more groups than these; all by default")
    options = parser.parse_args(arguments)
    held_out = groups.load(only=options.hold_out.split(","))[: options.groups]
    pairs = sampling.measured(held_out)
    told = BundledPairModel().compare([(pair.new, pair.old) for pair in pairs])
    likelihoods = np.array([_row(one) for one in told])
    print("\n".join(table(likelihoods, [pair.verdict for pair in pairs])))


def table(likelihoods: measures.Array, verdicts: Sequence[groups.Verdict]) -> list[str]:
    """Return the lines to print.

    `wrong` is the share of the pairs that are something else, `recognised` of those that are it.
    """
    kinds = measures.kinds(likelihoods, verdicts)
    keep_one, supersede = (int(kind.right.sum()) for kind in kinds)
    lines = [
        f"{len(verdicts)} pairs: {keep_one} keep one, {supersede} supersede",
        "            keep one            supersede",
        "from      wrong recognised    wrong recognised",
    ]
    for threshold in _THRESHOLDS:
        shares = [share for kind in kinds for share in kind.at(threshold)]
        lines.append("{:.2f}    {:7.2%} {:10.1%}  {:7.2%} {:10.1%}".format(threshold, *shares))
    return lines


def _row(told: Likelihoods | None) -> tuple[float, ...]:
    """Return the five in the order of `groups.Verdict`; a pair that is too long to read gets no verdict."""
    if told is None:
        return (1.0, 0.0, 0.0, 0.0, 0.0)
    return (told.different, told.same, told.adds, told.held, told.supersedes)


if __name__ == "__main__":
    main()
