"""What the judge says of pairs of records that the rules leave open, for a maintenance pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memorycore.engine.counsel import Counsel
from memorycore.engine.watch import Watch
from memorycore.policy.advice import heard, left_open
from memorycore.policy.maintenance_pairs import JudgedPair, follows


@dataclass(slots=True)
class LeftOpen:
    """Collects the pairs that the rules call different only because the words don't tell.

    Records of the importance `protected` and above are none of them: only the rules may move those.
    """

    protected: float
    pairs: list[JudgedPair] = field(default_factory=list)

    def consider(self, pair: JudgedPair, cosine: float | None) -> None:
        """Keep a pair that was judged to be different if a judge may know better."""
        if max(pair.older.importance, pair.newer.importance) < self.protected and left_open(
            pair.newer.text, pair.older.text, pair.judgement, cosine
        ):
            self.pairs.append(pair)

    def told(self, counsel: Counsel, watch: Watch) -> Iterator[JudgedPair]:
        """Yield the pairs from which something follows by the judge's word.

        Those with the newest records come first, so that what a former pass had no questions left for
        is not all that is ever asked; the same pairs are asked about in the same order.
        """
        for pair in _newest_first(self.pairs):
            watch.step(0)
            answer = counsel.compare(pair.older.text, pair.newer.text)
            told = None if answer is None else heard(answer, pair.newer.text, pair.older.text)
            if told is not None and follows(said := replace(pair, judgement=told)):
                yield said


def _newest_first(pairs: Sequence[JudgedPair]) -> list[JudgedPair]:
    return sorted(pairs, key=_age, reverse=True)


def _age(pair: JudgedPair) -> tuple[datetime, str, str]:
    return max(pair.older.created_at, pair.newer.created_at), pair.newer.id, pair.older.id
