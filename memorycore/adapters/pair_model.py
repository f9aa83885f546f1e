"""The pair model: a small transformer that reads two texts at once and says what one is to the other.

It travels in the package, runs on numpy and needs no network. `tools/pair_model` makes it, from the weights
of multilingual-e5-small and a few thousand groups of facts that were written for it.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memorycore.adapters.pair_vocabulary import END, PAD, START, Vocabulary
from memorycore.errors import PairModelUnavailable
from memorycore.model import Likelihoods

Array = npt.NDArray[Any]

MOST_PIECES: Final = 96
"""A longer text is not read: what a model does not see of it could say the opposite."""

MOST_CHARS: Final = 600
"""No text of so many characters has that few pieces; it is not even cut."""

_FOREIGN_AT: Final = 10
"""One letter in so many may be of another script than Latin and Han."""

_OTHER_SCRIPT: Final = re.compile("[^\\W\\d_\u0041-\u024f\u3400-\u4dbf\u4e00-\u9fff\uff21-\uff5a]")

_FILE: Final = "pairs-2.npz"
_AT_ONCE: Final = 16
_TINY: Final = 1e-12
_NIBBLE: Final = 4
_FAR: Final = np.float32(-1e9)


class BundledPairModel:
    """Loads its weights, about 100 MB in memory, with the first pair. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._network: _Network | None = None

    @property
    def identity(self) -> str:
        """The name of the file that it travels in."""
        return _FILE.removesuffix(".npz")

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Likelihoods | None]:
        """Return what each new text is to the old one beside it, None where one is too long.

        Raises `PairModelUnavailable` where the file of its weights can't be read.
        """
        if not pairs:
            return []
        network = self._loaded()
        cut = ((at, network.cut(new, old)) for at, (new, old) in enumerate(pairs))
        rows = {at: row for at, row in cut if row is not None}
        in_turn = sorted(rows, key=lambda at: len(rows[at][0]))  # like lengths together: less padding
        told: list[Likelihoods | None] = [None] * len(pairs)
        for start in range(0, len(in_turn), _AT_ONCE):
            some = in_turn[start : start + _AT_ONCE]
            for at, shares in zip(some, network.read([rows[at] for at in some]), strict=True):
                different, same, adds, held, supersedes = (float(share) for share in shares)
                told[at] = Likelihoods(
                    different=different, same=same, adds=adds, held=held, supersedes=supersedes
                )
        return told

    def _loaded(self) -> _Network:
        with self._lock:
            if self._network is None:
                self._network = _Network(_weights())
            return self._network


_Row = tuple[list[int], list[int]]
"""The pieces of a pair, and for each whether it is of the first text (0) or the second (1)."""


class _Network:
    """The transformer: post-norm layers over both texts at once, a head over the mean of each."""

    def __init__(self, stored: Mapping[str, Array]) -> None:
        pieces = bytes(stored["pieces"]).decode("utf-8").split("\n")
        self._vocabulary = Vocabulary(pieces, stored["scores"].tolist())
        self._nibbles, self._scales = stored["word.q"], stored["word.s"].astype(np.float32)
        self._positions, self._kinds = _full(stored["pos"]), _full(stored["kind"])
        self._norm = _full(stored["norm.w"]), _full(stored["norm.b"])
        count, heads = (int(number) for number in stored["shape"])
        self._layers = [_Layer(stored, at, heads) for at in range(count)]
        self._head = [(_dense(stored, f"head{at}"), _full(stored[f"head{at}.b"])) for at in (1, 2)]

    def cut(self, new: str, old: str) -> _Row | None:
        if max(len(new), len(old)) > MOST_CHARS or _foreign(new) or _foreign(old):
            return None
        first, second = self._vocabulary.cut(new), self._vocabulary.cut(old)
        if max(len(first), len(second)) > MOST_PIECES:
            return None
        return [START, *first, END, *second, END], [0] * (len(first) + 2) + [1] * (len(second) + 1)

    def read(self, rows: Sequence[_Row]) -> Array:
        """Return the five likelihoods per row, in the order of `Likelihoods`."""
        longest = max(len(pieces) for pieces, _ in rows)
        pieces = np.array([row + [PAD] * (longest - len(row)) for row, _ in rows])
        kinds = np.array([kind + [0] * (longest - len(kind)) for _, kind in rows])
        there = np.array([[1] * len(row) + [0] * (longest - len(row)) for row, _ in rows], dtype=bool)
        state = _normed(self._words(pieces) + self._positions[:longest] + self._kinds[kinds], *self._norm)
        mask = np.where(there, np.float32(0), _FAR)[:, None, None, :]
        for layer in self._layers:
            state = layer(state, mask)
        one, other = (_mean(state, there & (kinds == kind)) for kind in (0, 1))
        apart = one - other
        seen = np.concatenate([state[:, 0], apart, np.abs(apart), one * other], axis=1)
        (first, bias), (second, second_bias) = self._head
        return _softmax(np.tanh(seen @ first + bias) @ second + second_bias)

    def _words(self, pieces: Array) -> Array:
        packed = self._nibbles[pieces]
        low, high = packed & 15, packed >> _NIBBLE
        blocks = np.concatenate([low, high], axis=-1).astype(np.float32) - 8
        wide = blocks * self._scales[pieces][..., None]
        return wide.reshape(*pieces.shape, -1)


class _Layer:
    """Attention over both texts, then a feed-forward part, each added to what came in."""

    def __init__(self, stored: Mapping[str, Array], at: int, heads: int) -> None:
        def taken(part: str) -> tuple[Array, Array]:
            return _dense(stored, f"{at}.{part}"), _full(stored[f"{at}.{part}.b"])

        def norm(part: str) -> tuple[Array, Array]:
            return _full(stored[f"{at}.{part}.w"]), _full(stored[f"{at}.{part}.b"])

        self._heads = heads
        self._looks, self._joined = taken("qkv"), taken("ao")
        self._inner, self._outer = taken("fi"), taken("fo")
        self._after_looking, self._after = norm("aln"), norm("oln")

    def __call__(self, state: Array, mask: Array) -> Array:
        state = _normed(state + self._attended(state, mask), *self._after_looking)
        inner = _gelu(_linear(state, *self._inner))
        return _normed(state + _linear(inner, *self._outer), *self._after)

    def _attended(self, state: Array, mask: Array) -> Array:
        batch, length, width = state.shape
        parts = _linear(state, *self._looks).reshape(batch, length, 3, self._heads, width // self._heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width // self._heads)) + mask
        mixed = (_softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return _linear(mixed, *self._joined)


def _foreign(text: str) -> bool:
    """Whether more than a few letters are of a script that it never learned to read."""
    letters = [char for char in text if char.isalpha()]
    return _FOREIGN_AT * len(_OTHER_SCRIPT.findall(text)) > len(letters)


def _weights() -> dict[str, Array]:
    try:
        file = resources.files("memorycore") / "data" / _FILE
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError) as error:
        raise PairModelUnavailable(
            f"The pair model can't be read: {error}",
            advice="Install memorycore-mcp anew, or set MEMORYCORE_PAIR_MODEL=none to do without it.",
        ) from error


def _full(stored: Array) -> Array:
    return stored.astype(np.float32)


def _dense(stored: Mapping[str, Array], name: str) -> Array:
    """Return a matrix to multiply with from the right; stored are bytes and a scale per output."""
    rows = stored[f"{name}.q"].astype(np.float32) * _full(stored[f"{name}.s"])[:, None]
    return np.ascontiguousarray(rows.T)


def _linear(state: Array, matrix: Array, bias: Array) -> Array:
    flat: Array = state.reshape(-1, state.shape[-1]) @ matrix + bias
    return flat.reshape(*state.shape[:-1], -1)


def _normed(state: Array, weight: Array, bias: Array) -> Array:
    centred = state - state.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(_TINY))
    normed: Array = centred / spread * weight + bias
    return normed


def _gelu(state: Array) -> Array:
    bent = np.float32(math.sqrt(2 / math.pi)) * (state + np.float32(0.044715) * state * state * state)
    bowed: Array = np.float32(0.5) * state * (1 + np.tanh(bent))
    return bowed


def _softmax(scores: Array) -> Array:
    raised: Array = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Array = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _mean(state: Array, there: npt.NDArray[np.bool_]) -> Array:
    weights = there.astype(np.float32)[..., None]
    mean: Array = (state * weights).sum(axis=1) / weights.sum(axis=1)
    return mean
