"""The network in torch, as it is trained; `memorycore.adapters.pair_model` runs the same in numpy.

Parameters carry the names of the base file (see `weights.BaseModel`), so that a checkpoint can be told apart
layer by layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.pair_model.groups import OUTPUTS
from tools.pair_model.weights import BaseModel

_DROPPED: Final = 0.1
_TINY: Final = 1e-12


class PairNetwork(nn.Module):
    """Reads two texts at once and gives the five outputs of `groups.Verdict`, before softmax.

    `kept` are the ids of the base's pieces that it knows, in the order of its own ids; they are part of a
    checkpoint. The vectors of the pieces stay as they are in the base, so that the product can keep them
    in 4 bits.
    """

    def __init__(self, base: BaseModel, kept: Sequence[int]) -> None:
        super().__init__()
        self.register_buffer("kept", torch.tensor(kept))
        self.enc = _Encoder(base, kept)
        self.h1 = nn.Linear(4 * base.width, base.width)
        self.h2 = nn.Linear(base.width, OUTPUTS)
        self.drop = nn.Dropout(_DROPPED)

    def forward(self, pieces: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        """Take rows of piece ids, of the text (0 or 1) each piece is of, and of whether it is no padding."""
        state = self.enc(pieces, kinds, there)
        one, other = (_mean(state, there & (kinds == kind)) for kind in (0, 1))
        apart = one - other
        seen = torch.cat([state[:, 0], apart, apart.abs(), one * other], dim=1)
        outputs: Tensor = self.h2(self.drop(torch.tanh(self.h1(seen))))
        return outputs


class _Encoder(nn.Module):
    def __init__(self, base: BaseModel, kept: Sequence[int]) -> None:
        super().__init__()
        words = torch.from_numpy(base.words.taken(kept).full())
        self.word = nn.Embedding.from_pretrained(words, freeze=True)
        self.pos = nn.Parameter(torch.tensor(base.tensors["pos"]))
        # The base was made with one kind of text only: both start from it.
        self.kind = nn.Parameter(torch.tensor(base.tensors["type"][:1]).repeat(2, 1))
        self.eln = nn.LayerNorm(base.width, _TINY)
        _start(self.eln, base, "eln")
        self.layers = nn.ModuleList(_Layer(base, at) for at in range(base.layers))
        self.drop = nn.Dropout(_DROPPED)

    def forward(self, pieces: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        placed = self.word(pieces) + self.pos[: pieces.shape[1]] + self.kind[kinds]
        state: Tensor = self.drop(self.eln(placed))
        mask = there[:, None, None, :]
        for layer in self.layers:
            state = layer(state, mask)
        return state


class _Layer(nn.Module):
    """Attention over both texts, then a feed-forward part, each added to what came in and normed."""

    def __init__(self, base: BaseModel, at: int) -> None:
        super().__init__()
        width = base.width
        self._heads = base.heads
        self.q, self.k, self.v, self.ao = (nn.Linear(width, width) for _ in range(4))
        self.fi, self.fo = nn.Linear(width, base.inner), nn.Linear(base.inner, width)
        self.aln, self.oln = nn.LayerNorm(width, _TINY), nn.LayerNorm(width, _TINY)
        self.drop = nn.Dropout(_DROPPED)
        for name, part in self.named_children():
            if name != "drop":
                _start(part, base, f"l{at}.{name}")

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        state = self.aln(state + self.drop(self.ao(self._attended(state, mask))))
        inner = functional.gelu(self.fi(state), approximate="tanh")
        normed: Tensor = self.oln(state + self.drop(self.fo(inner)))
        return normed

    def _attended(self, state: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (self._by_head(part(state)) for part in (self.q, self.k, self.v))
        dropped = _DROPPED if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)
        return mixed.transpose(1, 2).reshape(state.shape)

    def _by_head(self, rows: Tensor) -> Tensor:
        batch, length, _ = rows.shape
        return rows.view(batch, length, self._heads, -1).transpose(1, 2)


def _start(part: nn.Module, base: BaseModel, name: str) -> None:
    part.weight.data = torch.tensor(base.tensors[f"{name}.w"])
    part.bias.data = torch.tensor(base.tensors[f"{name}.b"])


def _mean(state: Tensor, there: Tensor) -> Tensor:
    weights = there.float()[..., None]
    return (state * weights).sum(dim=1) / weights.sum(dim=1)
