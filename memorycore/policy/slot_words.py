"""The words that verdicts turn on, English and Chinese: data, no rules.

A role says what a word does to a sentence; the key is what its synonyms share, in both languages. A key that
ends in "-" is the same key turned round, what follows a "~" is the change that a phrase tells of; under "="
each phrase is its own key. English phrases stand in the form in which they are said or in their base form,
which is then matched on stems; Chinese ones are matched longest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, cast

from memorycore.policy.slot_words_en import ENGLISH
from memorycore.policy.slot_words_zh import CHINESE

Role = Literal[
    "filler",  # says nothing of its own
    "copula",  # a filler that ends the subject
    "verb",  # ends the subject
    "trait_verb",  # names a thing that one subject has one of: lives in, is called
    "trait",  # the same, as a noun or adjective: port, favourite
    "trait_person",  # the same, of which only a name can be the value: manager, wife
    "many",  # a verb whose objects add up: speaks, owns, is allergic to
    "event",  # a thing that happened: it adds up too
    "attitude",  # like and dislike, on and off: the key is shared, the sign is not
    "negation",
    "ceased",  # no longer: a negation that says something changed
    "contrast",  # rather than, over
    "change",  # says that what follows is new
    "condition",  # limits the sentence to some case
    "hedge",  # not a fact yet, or not any more
    "scope",  # which of several: staging, winter, weekdays
    "person",
    "relation",  # a preposition that says something: behind, before, from
    "colour",
    "unit",
    "status",  # one of a closed set that exclude each other
    "noun",  # a synonym without further meaning
]


class Word(NamedTuple):
    """What a word does, what its synonyms share, if it turns the sense round, which change it tells of."""

    role: Role
    key: str
    negative: bool = False
    change: str = ""


def _entries() -> Iterator[tuple[str, Word]]:
    for table in (ENGLISH, CHINESE):
        for role, keys in table.items():
            for key, phrases in keys.items():
                name, _, change = key.partition("~")
                for phrase in phrases.split("|"):
                    own = phrase if key == "=" else name.removesuffix("-")
                    yield phrase, Word(cast("Role", role), own, name.endswith("-"), change)


PHRASES: Final[dict[str, Word]] = dict(_entries())
