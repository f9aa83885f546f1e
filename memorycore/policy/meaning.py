"""What the pair model's likelihoods amount to, where the words of two texts don't tell. Pure.

The model widens what the rules recognise: it is asked where they say *different*, about the nearest texts.
"""

from __future__ import annotations

from typing import Final

from memorycore.model import Judgement, Likelihoods, Verdict
from memorycore.policy.quantities import at_odds
from memorycore.policy.rewrite import slot_conflict
from memorycore.policy.scan import hostile, scan

READ_FROM: Final = 0.2
"""Centred cosine. Of what repeats or outdates another text nearly all lies above it."""

MAX_CHARS: Final = 600
"""What is longer is no fact but a passage with several."""

# Likelihoods from which the model is heard, read off pairs that it did not learn from.
_REPEATS: Final = 0.5
_REPEATS_DESPITE: Final = 0.75  # where a name or number is in one text and not in the other
_OUTDATES: Final = 0.8
_OUTDATES_IN_PROMPT: Final = 0.95
_MAY_REPEAT: Final = 0.2


def worth_reading(new: str, old: str, judgement: Judgement, cosine: float | None) -> bool:
    """Whether the model may know better than the rules, which call two texts different.

    False without vectors, for what is not near, and for what gives orders to a model.
    """
    if judgement.verdict != "different" or cosine is None or cosine < READ_FROM:
        return False
    if max(len(new), len(old)) > MAX_CHARS or ("?" in new) != ("?" in old):
        return False
    return not hostile(scan(new)) and not hostile(scan(old))


def worth_turning(told: Likelihoods) -> bool:
    """Whether to have the pair read the other way round as well: who repeats is repeated."""
    return told.supersedes < _OUTDATES and _repeats(told) >= _MAY_REPEAT


def understood(forth: Likelihoods, back: Likelihoods | None, new: str, old: str) -> Judgement | None:
    """Return what a new text is to an old one by the likelihoods of both orders; None for *different*.

    `back` is how likely the old text, as the new one, is what; None where that was not worth asking. Two
    texts with other amounts of one kind never repeat each other.
    """
    if forth.supersedes >= _OUTDATES:
        return _judgement("supersede", "it tells a later state", forth.supersedes)
    repeats = 0.0 if back is None else (_repeats(forth) + _repeats(back)) / 2
    if repeats < (_REPEATS_DESPITE if slot_conflict(new, old) else _REPEATS) or at_odds(new, old):
        return None
    if forth.adds > max(forth.same, forth.held):
        return _judgement("merge", "it says the old text in other words and adds to it", repeats)
    more = " and more" if forth.held > forth.same else ""
    return _judgement("same", f"the old text says it{more} in other words", repeats)


def _repeats(told: Likelihoods) -> float:
    return told.same + told.adds + told.held


def sure_enough_for_the_prompt(judgement: Judgement) -> bool:
    """Whether a verdict may take an entry out of a hot file: the model's only where it is very sure."""
    return judgement.likelihood is None or judgement.likelihood >= _OUTDATES_IN_PROMPT


def _judgement(verdict: Verdict, reason: str, likelihood: float) -> Judgement:
    shown = int(100 * likelihood)  # 99.7 is not 100
    return Judgement(verdict=verdict, reason=f"{reason} (pair model, {shown}%)", likelihood=likelihood)
