"""What the judge says of a new fact against what is there, and what follows where it alone says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memorycore.engine.counsel import Counsel
from memorycore.model import Entry, Judgement, Record
from memorycore.policy.advice import heard, left_open
from memorycore.policy.write import Decision, Neighbour, NewFact

MOST_QUESTIONS = 3
"""How many verdicts of one store the judge is asked for, nearest neighbours first."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """The judge's verdicts that count, by id and hash of the text that they are about."""

    told: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)

    def of(self, item: Entry | Record) -> Judgement | None:
        """Return the verdict on an item whose text is still the one that was judged."""
        return self.told.get((item.id, item.hash))

    def remarks(self, decision: Decision) -> str:
        """Return, in sentences, what of a decision rests on the judge alone and was not said yet."""
        told = [
            f" It replaces {key} {judgement.reason}."
            for (key, _), judgement in self.told.items()
            if judgement.verdict == "supersede" and key in decision.superseded
        ]
        return "".join(told)


def ask(
    counsel: Counsel, fact: NewFact, pairs: Sequence[tuple[Neighbour, float]], *, protected: float
) -> Opinions:
    """Ask the judge what the rules leave open of neighbours with their cosines, nearest first.

    Nothing is asked about a fact that the rules know already, or that may be meant for a model; nor about
    hot entries of the importance `protected` and above, which only the rules may move.
    """
    if not fact.prompt_safe or any(neighbour.judgement.verdict == "same" for neighbour, _ in pairs):
        return Opinions()
    near = (
        neighbour.item
        for neighbour, cosine in pairs
        if left_open(fact.text, neighbour.item.text, neighbour.judgement, cosine)
        and not (isinstance(neighbour.item, Entry) and (neighbour.item.importance or 0.0) >= protected)
    )
    told = {}
    for item, _ in zip(near, range(MOST_QUESTIONS), strict=False):
        answer = counsel.compare(item.text, fact.text)
        judgement = None if answer is None else heard(answer, fact.text, item.text)
        if judgement is not None:
            told[item.id, item.hash] = judgement
    return Opinions(told)
