"""What becomes of the words of a fact that something says already. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from memorycore.model import Entry, Record
from memorycore.plan import Action, BuryUnstored, Plan
from memorycore.policy.write import Decision, NewFact

_UNSAID = ("P", "Z", "C")
"""Unicode categories that add nothing to what is said: punctuation, separators, control characters."""


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in case, punctuation and white space at most."""
    return _said(one) == _said(other)


def with_words_kept(decision: Decision, fact: NewFact, double: Entry | Record, *, buried: bool) -> Decision:
    """Return the decision on a duplicate with its own words put into the trash: the verdict may be wrong.

    Words that `double` has too, or that lie in the trash already (`buried`), are not put there again.
    """
    if decision.plan is not None or same_words(fact.text, double.text):
        return decision
    told = replace(decision, detail=f"{decision.detail} Its own words are in the trash.")
    if buried:
        return told
    reason = f"{double.id} says the same. {decision.detail}"
    action = Action(rung="duplicate", subject=fact.id, reason=reason, cold=(BuryUnstored(fact.as_record()),))
    return replace(told, plan=Plan(kind="store", actions=(action,)))


def _said(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char)[0] not in _UNSAID)
