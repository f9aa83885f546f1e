"""What texts are to one another: the rules say it, and where words don't tell, the pair model does."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from memorycore.engine.ports import PairModel
from memorycore.errors import PairModelUnavailable
from memorycore.model import Judgement, Likelihoods, text_hash
from memorycore.policy.meaning import only_surest, understood, worth_reading, worth_turning
from memorycore.policy.quantities import respelled
from memorycore.policy.similarity import judge_pair, worth_judging

Pair = tuple[str, str]
"""A new text and an old one."""

Other = tuple[str, float | None]
"""A text that a new one is held against, with the cosine of both where there is one."""

_READ_AT_MOST: Final = 6
_KEPT: Final = 20_000


class Verdicts:
    """Judges texts against others. What the model said is kept in memory, so that it reads no pair twice.

    Safe to use from several threads. Where the model fails, or there is none, the rules alone decide;
    `fault` says so.
    """

    def __init__(self, model: PairModel | None = None) -> None:
        self._model = model
        self._told: dict[tuple[str, str], Likelihoods | None] = {}
        self._lock = threading.Lock()
        self._fault: str | None = None

    @property
    def reads(self) -> bool:
        """Whether there is a model that answers, as far as is known."""
        return self._model is not None and self._fault is None

    @property
    def model(self) -> str | None:
        """The name of the model, None where there is none."""
        return None if self._model is None else self._model.identity

    @property
    def fault(self) -> str | None:
        """Why the model does not answer, None while it does or where none was asked for."""
        return self._fault

    def judge(
        self, new: str, others: Sequence[Other], *, most: int = _READ_AT_MOST
    ) -> list[Judgement | None]:
        """Return what the new text is to each of the others, None where they are nowhere near.

        The model reads the `most` nearest of those that the rules leave open; none where the very text is
        among them, since then it is known what it is.
        """
        judged = [
            judge_pair(new, old, cosine=likeness) if worth_judging(new, old, likeness) else None
            for old, likeness in others
        ]
        if self._model is None or any(old == new for old, _ in others):
            return judged
        nearest_first = sorted(range(len(others)), key=lambda at: -(others[at][1] or 0.0))
        left_open = (
            at
            for at in nearest_first
            if (judgement := judged[at]) is not None
            and worth_reading(new, others[at][0], judgement, others[at][1])
        )
        read = list(islice(left_open, most))
        for at, told in zip(read, self.read([(new, others[at][0]) for at in read]), strict=True):
            judged[at] = told or judged[at]
        return only_surest(judged)

    def read(self, pairs: Sequence[Pair]) -> list[Judgement | None]:
        """Return what the model makes of pairs of a new and an old text; None where nothing follows."""
        forth = self._likelihoods(pairs)
        turned = [
            (old, new) for (new, old), told in forth.items() if told is not None and worth_turning(told)
        ]
        back = self._likelihoods(turned)
        return [
            None
            if (told := forth.get((new, old))) is None
            else understood(told, back.get((old, new)), new, old)
            for new, old in pairs
        ]

    def _likelihoods(self, pairs: Sequence[Pair]) -> dict[Pair, Likelihoods | None]:
        if self._model is None or not pairs:
            return {}
        keys = {pair: (text_hash(pair[0]), text_hash(pair[1])) for pair in pairs}
        with self._lock:
            told = {pair: self._told[key] for pair, key in keys.items() if key in self._told}
        unread = [pair for pair in keys if pair not in told]
        if unread and self._fault is None:
            try:
                # It reads words: equal amounts have to look alike.
                read = self._model.compare([(respelled(new, old), old) for new, old in unread])
            except PairModelUnavailable as error:
                self._fault = f"{error} Until then words and rules alone say what repeats or outdates what."
            else:
                told |= zip(unread, read, strict=True)
                self._keep({keys[pair]: told[pair] for pair in unread})
        return told

    def _keep(self, told: Mapping[tuple[str, str], Likelihoods | None]) -> None:
        with self._lock:
            self._told |= told
            for key in list(islice(self._told, max(0, len(self._told) - _KEPT))):
                del self._told[key]
