"""What the pair model's likelihoods amount to, where the words of two texts don't tell. Pure.

The model widens what the rules recognise: it is asked where they say *different*, about the nearest texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memorycore.model import Judgement, Likelihoods, Verdict
from memorycore.policy.holding import hides
from memorycore.policy.owners import owned_by_others
from memorycore.policy.quantities import at_odds
from memorycore.policy.rewrite import slot_conflict
from memorycore.policy.scan import hostile, scan
from memorycore.policy.slots import read
from memorycore.policy.words import language

READ_FROM: Final = 0.2
"""Centred cosine. Of what repeats or outdates another text nearly all lies above it."""

MAX_CHARS: Final = 600
"""What is longer is no fact but a passage with several."""

# Likelihoods from which the model is heard, read off pairs that it did not learn from.
_REPEATS: Final = 0.6
_REPEATS_DESPITE: Final = 0.8  # where a name or number is in one text and not in the other
_OUTDATES: Final = 0.8
_OUTDATES_IN_PROMPT: Final = 0.95
_MAY_OUTDATE: Final = 0.5
_MAY_REPEAT: Final = 0.2

_FEWEST_LETTERS: Final = 3
_UNSURE: Final = Judgement(verdict="different", reason="another text is likelier to be what it outdates")


def worth_reading(new: str, old: str, judgement: Judgement, cosine: float | None) -> bool:
    """Whether the model may know better than the rules, which call two texts different.

    False without vectors, for what is not near, for texts of two languages - it takes a common topic for a
    translation - and for what gives orders to a model.
    """
    if judgement.verdict != "different" or cosine is None or cosine < READ_FROM:
        return False
    if max(len(new), len(old)) > MAX_CHARS or read(new).asks != read(old).asks:
        return False
    if language(new) != language(old) or min(_letters(new), _letters(old)) < _FEWEST_LETTERS:
        return False
    return not hostile(scan(new)) and not hostile(scan(old))


def worth_turning(told: Likelihoods) -> bool:
    """Whether to have the pair read the other way round as well: who repeats is repeated."""
    return told.supersedes < _OUTDATES and _repeats(told) >= _MAY_REPEAT


def understood(forth: Likelihoods, back: Likelihoods | None, new: str, old: str) -> Judgement | None:
    """Return what a new text is to an old one by the likelihoods of both orders; None for *different*.

    `back` is how likely the old text, as the new one, is what; None where that was not worth asking. Texts
    about different people's things are different, two with other amounts of one kind never repeat each
    other, and nothing outdates a text that says more than what has changed: that is *different* with the
    likelihood of what is not followed, as is a later state that is no more than likely.
    """
    if owned_by_others(new, old):
        return None
    if forth.supersedes >= _OUTDATES:
        return _later_state(new, old, forth.supersedes)
    repeats = 0.0 if back is None else (_repeats(forth) + _repeats(back)) / 2
    if repeats < (_REPEATS_DESPITE if slot_conflict(new, old) else _REPEATS) or at_odds(new, old):
        likely = forth.supersedes >= _MAY_OUTDATE
        return _judgement("different", "it may tell a later state", forth.supersedes) if likely else None
    if forth.adds > max(forth.same, forth.held):
        return _judgement("merge", "it says the old text in other words and adds to it", repeats)
    more = " and more" if forth.held > forth.same else ""
    return _judgement("same", f"the old text says it{more} in other words", repeats)


def _later_state(new: str, old: str, likelihood: float) -> Judgement:
    if hides(new, old):
        return _judgement("different", "it changes a part of what the old text says", likelihood)
    return _judgement("supersede", "it tells a later state", likelihood)


def _repeats(told: Likelihoods) -> float:
    return told.same + told.adds + told.held


def only_surest(judged: Sequence[Judgement | None]) -> list[Judgement | None]:
    """Return verdicts of one new text on several with at most one that rests on the model and outdates.

    It is the likeliest, and none where that one stays for a reason of its own or where the rules know what
    is outdated: a change is told of one thing, and what is near to that is often taken for it. What says
    the same as what is outdated goes with it anyhow.
    """
    later = {at: one for at, one in enumerate(judged) if one is not None and _tells_later(one)}
    likely = {at: one.likelihood for at, one in later.items() if one.likelihood is not None}
    by_rule = len(likely) < len(later)
    surest = None if by_rule else max(likely, key=lambda at: likely[at], default=None)
    unsure = {at for at in likely if at != surest and later[at].verdict == "supersede"}
    return [_UNSURE if at in unsure else one for at, one in enumerate(judged)]


def may_leave_the_prompt(judgement: Judgement, *, protected: bool) -> bool:
    """Whether a verdict may take an entry out of a hot file.

    What rests on the model may not take what is protected from the ladder as well: there an exception (in
    the sandbox it is allowed) must not pass for the end of a rule. Of the rest, only where it is very sure.
    """
    if judgement.likelihood is None or judgement.verdict == "same":
        return True
    return not protected and judgement.likelihood >= _OUTDATES_IN_PROMPT


def may_outdate(judgement: Judgement) -> bool:
    """Whether a text is called different although it may tell a later state."""
    return judgement.verdict == "different" and judgement.likelihood is not None


def _tells_later(judgement: Judgement) -> bool:
    return judgement.verdict == "supersede" or may_outdate(judgement)


def _letters(text: str) -> int:
    return sum(char.isalpha() for char in text)


def _judgement(verdict: Verdict, reason: str, likelihood: float) -> Judgement:
    shown = int(100 * likelihood)  # 99.7 is not 100
    return Judgement(verdict=verdict, reason=f"{reason} (pair model, {shown}%)", likelihood=likelihood)
