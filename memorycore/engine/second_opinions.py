"""What of the pairs that the rules leave open the pair model and the judge say, for a maintenance pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memorycore.engine.counsel import Counsel
from memorycore.engine.verdicts import Verdicts
from memorycore.engine.watch import Watch
from memorycore.model import Judgement
from memorycore.policy.advice import heard, left_open
from memorycore.policy.maintenance_pairs import JudgedPair, follows
from memorycore.policy.meaning import worth_reading

_AT_ONCE: Final = 16


@dataclass(slots=True)
class LeftOpen:
    """Collects the pairs that the rules call different only because the words don't tell.

    The model reads those of `fresh` records, which could not be compared when they were stored; all others
    it read then. The judge is asked about none with a record of the importance `protected` and above.
    """

    verdicts: Verdicts
    judged: bool
    protected: float
    fresh: Collection[str] = ()
    unread: list[JudgedPair] = field(default_factory=list)
    open: list[JudgedPair] = field(default_factory=list)

    def consider(self, pair: JudgedPair, cosine: float | None) -> None:
        """Keep a pair that was judged to be different if the model or a judge may know better."""
        new, old = pair.newer, pair.older
        blind = new.id in self.fresh or old.id in self.fresh
        if blind and self.verdicts.reads and worth_reading(new.text, old.text, pair.judgement, cosine):
            self.unread.append(pair)
        elif (
            self.judged
            and max(old.importance, new.importance) < self.protected
            and left_open(new.text, old.text, pair.judgement, cosine)
        ):
            self.open.append(pair)

    def told(self, counsel: Callable[[], Counsel], watch: Watch) -> Iterator[JudgedPair]:
        """Yield the pairs from which something follows by the word of the model, then of the judge.

        Those with the newest records come first, so that what a former pass had no questions left for
        is not all that is ever asked; the same pairs are asked about in the same order.
        """
        for start in range(0, len(self.unread), _AT_ONCE):
            watch.step(0)
            some = self.unread[start : start + _AT_ONCE]
            read = self.verdicts.read([(pair.newer.text, pair.older.text) for pair in some])
            yield from _followed(zip(some, read, strict=True))
        for pair in _newest_first(self.open):
            watch.step(0)
            answer = counsel().compare(pair.older.text, pair.newer.text)
            told = None if answer is None else heard(answer, pair.newer.text, pair.older.text)
            yield from _followed([(pair, told)])


def _followed(told: Iterable[tuple[JudgedPair, Judgement | None]]) -> Iterator[JudgedPair]:
    for pair, judgement in told:
        if judgement is not None and follows(said := replace(pair, judgement=judgement)):
            yield said


def _newest_first(pairs: Sequence[JudgedPair]) -> list[JudgedPair]:
    return sorted(pairs, key=_age, reverse=True)


def _age(pair: JudgedPair) -> tuple[datetime, str, str]:
    return max(pair.older.created_at, pair.newer.created_at), pair.newer.id, pair.older.id
