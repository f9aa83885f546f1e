"""Puts pairs of texts into the rows that the network reads."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import torch
from torch import Tensor

from memorycore.adapters.pair_model import MOST_PIECES
from memorycore.adapters.pair_vocabulary import END, PAD, START, Vocabulary
from tools.pair_model.groups import Pair

_BATCHES_SORTED: Final = 24
"""So many batches' worth of pairs are put in the order of their lengths at a time."""


class Batch(NamedTuple):
    """Rows for `PairNetwork` and the verdict that belongs to each."""

    pieces: Tensor
    kinds: Tensor
    there: Tensor
    verdicts: Tensor


class Batcher:
    """Cuts each text once; a text of more pieces than the product reads is cut off."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._cut: dict[str, list[int]] = {}

    def length(self, pair: Pair) -> int:
        """Return how many pieces the two texts have together."""
        return len(self._pieces(pair.new)) + len(self._pieces(pair.old))

    def batch(self, pairs: Sequence[Pair]) -> Batch:
        """Return the pairs as one batch, padded to the longest of them."""
        cut = [(self._pieces(pair.new), self._pieces(pair.old)) for pair in pairs]
        rows = [[START, *new, END, *old, END] for new, old in cut]
        size = len(rows), max(map(len, rows))
        pieces, kinds = torch.full(size, PAD), torch.zeros(size, dtype=torch.long)
        there = torch.zeros(size, dtype=torch.bool)
        for at, (row, (new, _)) in enumerate(zip(rows, cut, strict=True)):
            pieces[at, : len(row)] = torch.tensor(row)
            kinds[at, len(new) + 2 : len(row)] = 1
            there[at, : len(row)] = True
        return Batch(pieces, kinds, there, torch.tensor([int(pair.verdict) for pair in pairs]))

    def bucketed(self, pairs: Sequence[Pair], size: int, chance: random.Random) -> Iterator[list[Pair]]:
        """Yield all pairs in lots of `size` and of like length, so that little of a batch is padding."""
        stretch = size * _BATCHES_SORTED
        for start in range(0, len(pairs), stretch):
            some = sorted(pairs[start : start + stretch], key=self.length)
            lots = [some[at : at + size] for at in range(0, len(some), size)]
            chance.shuffle(lots)
            yield from lots

    def _pieces(self, text: str) -> list[int]:
        if text not in self._cut:
            self._cut[text] = self._vocabulary.cut(text)[:MOST_PIECES]
        return self._cut[text]
