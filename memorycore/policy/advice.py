"""Which verdicts the rules leave to a judge, and what of its answer counts. Pure.

A judge widens what is recognised and overrules nothing: where the words themselves object, it is not asked,
and if it says so all the same, it is not heard.
"""

from __future__ import annotations

from typing import Final

from memorycore.model import Judgement
from memorycore.policy.rewrite import lost, slot_conflict
from memorycore.policy.scan import hostile, scan
from memorycore.policy.similarity import MAX_CHARS, merged_text
from memorycore.policy.slots import Reading, read

ASKED_FROM: Final = 0.45
"""Centred cosine. Of what means the same, or the opposite, in other words nearly all lies above it, and half
of what is merely of one topic; unrelated pairs stay below .25."""

_OF_CASES: Final = frozenset({"condition", "hedge", "scope"})
_PERSON: Final = frozenset({"person"})
_KIN: Final = frozenset({"trait_person"})  # the user's wife is not the user


def left_open(new: str, old: str, judgement: Judgement, cosine: float | None) -> bool:
    """Whether the rules call two texts different only because their words don't tell.

    False for what differs in a slot (ports, dates, people...), for a question beside a statement, for what
    gives orders to a model, and without vectors.
    """
    if judgement.verdict != "different" or cosine is None or cosine < ASKED_FROM:
        return False
    if max(len(new), len(old)) > MAX_CHARS or hostile(scan(new)) or hostile(scan(old)):
        return False
    return _objection(new, old) is None


def heard(answer: Judgement, new: str, old: str) -> Judgement | None:
    """Return what a judge's answer amounts to, its reason marked as the judge's; None if to nothing.

    "same" counts if the old text holds every value, name and condition of the new one, for the new one is
    not stored then; "supersede" if nothing that happened is to be undone by it and the new text is no
    narrower; "merge" if one text holds the other, for no model writes a record.
    """
    if answer.verdict == "different" or _objection(new, old) is not None:
        return None
    if not {"same": _repeats, "supersede": _replaces, "merge": _adds}[answer.verdict](new, old):
        return None
    reason = "" if hostile(scan(answer.reason)) else f": “{answer.reason}”"
    return Judgement(verdict=answer.verdict, reason=f"by the word of the judge{reason}")


def _objection(new: str, old: str) -> str | None:
    """Return in what the texts speak of different things, whatever a model makes of them."""
    if kind := slot_conflict(new, old):
        return kind
    a, b = read(new), read(old)
    if a.asks != b.asks:
        return "question"
    own, others = _keys(a, _PERSON), _keys(b, _PERSON)
    if (own and others and own != others) or _keys(a, _KIN) != _keys(b, _KIN):
        return "person"
    return None


def _repeats(new: str, old: str) -> bool:
    a, b = read(new), read(old)
    return (
        lost(new, old) is None
        and a.negations % 2 == b.negations % 2
        and _keys(a, _OF_CASES) == _keys(b, _OF_CASES)
    )


def _replaces(new: str, old: str) -> bool:
    a, b = read(new), read(old)
    return not b.happened and _keys(a, _OF_CASES) <= _keys(b, _OF_CASES)


def _adds(new: str, old: str) -> bool:
    return _keys(read(new), _OF_CASES) == _keys(read(old), _OF_CASES) and merged_text(new, old) == new


def _keys(reading: Reading, kinds: frozenset[str]) -> set[str]:
    return {token.key for token in reading.tokens if token.kind in kinds}
