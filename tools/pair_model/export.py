"""Writes the file that the product reads: `python -m tools.pair_model.export`.

Matrices become bytes with a scale per output, the vectors of the pieces keep the 4 bits that they have in the
base, positions and kinds become float16, the rest stays float32.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch

from memorycore.adapters.pair_model import MOST_PIECES
from tools.pair_model.train import CHECKPOINT
from tools.pair_model.weights import Array, BaseModel, read_base

_OUT: Final = Path(__file__).parents[2] / "memorycore" / "data" / "pairs-2.npz"
_POSITIONS: Final = 200
"""A row has two texts and three marks."""

_INT8: Final = 127
assert _POSITIONS >= 2 * MOST_PIECES + 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the model of a checkpoint and say how large it is."""
    parser = argparse.ArgumentParser(description="Write the pair model as the product reads it.")
    parser.add_argument("checkpoint", type=Path, nargs="?", default=CHECKPOINT, help="%(default)s by default")
    parser.add_argument("--out", type=Path, default=_OUT, help="%(default)s by default")
    options = parser.parse_args(arguments)
    stored = torch.load(options.checkpoint, map_location="cpu", weights_only=True)
    state = {name: part.numpy() for name, part in stored.items()}
    np.savez(options.out, **exported(state, read_base()))
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB")


def exported(state: Mapping[str, Array], base: BaseModel) -> dict[str, Array]:
    """Return the arrays of the file, of the parameters of a `PairNetwork` and the base that it was made from.

    Raises `ValueError` where the network's vectors are not those of the base.
    """
    kept = state["kept"]
    words = base.words.taken(kept)
    if not np.array_equal(words.full(), state["enc.word.weight"]):
        raise ValueError("The checkpoint was made from other base weights than those that are installed.")
    pieces = "\n".join(base.pieces[at] for at in kept)
    return {
        "word.q": words.nibbles,
        "word.s": words.scales,
        "pieces": np.frombuffer(pieces.encode(), np.uint8),
        "scores": base.scores[kept].astype(np.float32),
        "pos": state["enc.pos"][:_POSITIONS].astype(np.float16),
        "kind": state["enc.kind"].astype(np.float16),
        "norm.w": state["enc.eln.weight"],
        "norm.b": state["enc.eln.bias"],
        "shape": np.array([base.layers, base.heads]),
        **_layers(state, base.layers),
        **_linear("head1", state["h1.weight"], state["h1.bias"]),
        **_linear("head2", state["h2.weight"], state["h2.bias"]),
    }


def _layers(state: Mapping[str, Array], count: int) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for at in range(count):
        own = f"enc.layers.{at}"
        looks = (np.concatenate([state[f"{own}.{part}.{of}"] for part in "qkv"]) for of in ("weight", "bias"))
        found |= _linear(f"{at}.qkv", *looks)
        for part in ("ao", "fi", "fo"):
            found |= _linear(f"{at}.{part}", state[f"{own}.{part}.weight"], state[f"{own}.{part}.bias"])
        for part in ("aln", "oln"):
            found[f"{at}.{part}.w"] = state[f"{own}.{part}.weight"]
            found[f"{at}.{part}.b"] = state[f"{own}.{part}.bias"]
    return found


def _linear(name: str, rows: Array, bias: Array) -> dict[str, Array]:
    scale = np.abs(rows).max(axis=1) / _INT8
    packed = np.round(rows / scale[:, None]).clip(-_INT8, _INT8).astype(np.int8)
    return {f"{name}.q": packed, f"{name}.s": scale.astype(np.float32), f"{name}.b": bias}


if __name__ == "__main__":
    main()
