"""How good likelihoods are as verdicts: as that to keep one text, and as that to supersede the old one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.pair_model.groups import KEEP_ONE, Verdict

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """Per pair, how likely a verdict of this kind is, and whether it is right."""

    likely: Array
    right: Array

    def at(self, threshold: float) -> tuple[float, float]:
        """Return which share gets the verdict where it is wrong, and which where it is right."""
        given = self.likely >= threshold
        return float(given[~self.right].mean()), float(given[self.right].mean())

    def at_wrong(self, share: float) -> tuple[float, float]:
        """Return which share is recognised while `share` of the others is mistaken, and the threshold."""
        wrong = np.sort(self.likely[~self.right])[::-1]
        threshold = wrong[int(share * len(wrong))]
        return float((self.likely[self.right] > threshold).mean()), float(threshold)


def kinds(likelihoods: Array, verdicts: Iterable[Verdict]) -> tuple[Kind, Kind]:
    """Return keep-one and supersede of rows of five likelihoods and the verdicts that are right."""
    right = np.array(list(verdicts))
    keep_one = Kind(likelihoods[:, KEEP_ONE].sum(axis=1), np.isin(right, KEEP_ONE))
    supersede = Kind(likelihoods[:, Verdict.SUPERSEDES], right == Verdict.SUPERSEDES)
    return keep_one, supersede


def agreed(likelihoods: Array, verdicts: Iterable[Verdict]) -> float:
    """Return the share of pairs whose likeliest of the three, keep-one, supersede and neither, is right."""
    keep_one, supersede = kinds(likelihoods, verdicts)
    told = np.stack([likelihoods[:, Verdict.DIFFERENT], keep_one.likely, supersede.likely])
    right = np.where(keep_one.right, 1, np.where(supersede.right, 2, 0))
    return float((told.argmax(axis=0) == right).mean())
