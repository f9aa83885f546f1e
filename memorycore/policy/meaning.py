"""What the pair model's likelihoods amount to, where the words of two texts don't tell. Pure.

The model widens what the rules recognise: it is asked where they say *different* only because the words are
others, and heard where it is nearly sure.
"""

from __future__ import annotations

from typing import Final

from memorycore.model import Judgement, Likelihoods, Verdict
from memorycore.policy.rewrite import slot_conflict
from memorycore.policy.scan import hostile, scan

READ_FROM: Final = 0.3
"""Centred cosine. Of what repeats or outdates another text nearly all lies above it."""

MAX_CHARS: Final = 600
"""What is longer is no fact but a passage with several."""

# Likelihoods from which the model is heard: of what it then says at most one in a hundred is wrong.
_REPEATS: Final = 0.9
_REPEATS_DESPITE: Final = 0.97  # where a name or number is in one text and not in the other
_OUTDATES: Final = 0.8
_OUTDATES_IN_PROMPT: Final = 0.95


def worth_reading(new: str, old: str, judgement: Judgement, cosine: float | None) -> bool:
    """Whether the model may know better than the rules, which call two texts different.

    False without vectors, for what is not near, and for what gives orders to a model.
    """
    if judgement.verdict != "different" or cosine is None or cosine < READ_FROM:
        return False
    if max(len(new), len(old)) > MAX_CHARS or ("?" in new) != ("?" in old):
        return False
    return not hostile(scan(new)) and not hostile(scan(old))


def understood(told: Likelihoods, new: str, old: str) -> Judgement | None:
    """Return what the likelihoods of a new text against an old one amount to; None for *different*."""
    if told.supersedes >= _OUTDATES:
        return _judgement("supersede", "it tells a later state", told.supersedes)
    repeats = told.same + told.adds + told.held
    if repeats < (_REPEATS_DESPITE if slot_conflict(new, old) else _REPEATS):
        return None
    if told.adds > max(told.same, told.held):
        return _judgement("merge", "it says the old text in other words and adds to it", repeats)
    more = " and more" if told.held > told.same else ""
    return _judgement("same", f"the old text says it{more} in other words", repeats)


def sure_enough_for_the_prompt(judgement: Judgement) -> bool:
    """Whether a verdict may take an entry out of a hot file: the model's only where it is very sure."""
    return judgement.likelihood is None or judgement.likelihood >= _OUTDATES_IN_PROMPT


def _judgement(verdict: Verdict, reason: str, likelihood: float) -> Judgement:
    shown = int(100 * likelihood)  # 99.7 is not 100
    return Judgement(verdict=verdict, reason=f"{reason} (pair model, {shown}%)", likelihood=likelihood)
