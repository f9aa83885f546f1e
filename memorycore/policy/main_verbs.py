"""Whether two statements say it with verbs of one meaning: is, has, uses and picks are four. Pure.

Of a value it matters little: a service uses, runs on, listens on and is on port 8080.
"""

from __future__ import annotations

from typing import Final

from memorycore.policy.slots import Reading
from memorycore.policy.values import VALUE_KINDS

_WRITTEN: Final = {
    "be": "is are am was were became become becomes 是 为 即 就是 属于 :",
    "use": "use uses using 用 使用 采用 用来",
    "used": "used",
    "choose": "decide decides decided decision agree agrees agreed choose chooses chose chosen go with pick picks"
    " picked 选用 选定 选择 决定",
    "call": "call calls called name names named",
    "want": "want wants 想要",
    "support": "support supports",
    "past": "opened closed",
}
_FAMILIES: Final = {word: family for family, words in _WRITTEN.items() for word in words.split()} | {
    "has been": "be",
    "have been": "be",
    "is held": "be",
    "are held": "be",
    "go with": "choose",
}
_OF_VALUES: Final = frozenset(
    {
        "be",
        "use",
        "choose",
        "run",
        "listen",
        "start",
        "store",
        "host",
        "write",
        "have",
        "requir",
        "在",
        "@cost",
    }
) | {"take place", "takes place", "indent", "@built", "reply"}
_ALIKE: Final = (
    frozenset({"be", "@role"}),
    frozenset({"be", "@name"}),
    frozenset({"be", "在"}),
    frozenset({"在", "@home"}),
    frozenset({"在", "@job"}),
)
_WHERE: Final = frozenset({"in", "at", "on"})
_VALUES: Final = VALUE_KINDS | {"id", "unit", "trait"}
_OF_CARS: Final = frozenset({"have", "car", "be"})


def other_verb(one: Reading, other: Reading) -> bool:
    """Whether the main verbs, where both are known and both have a subject, mean different things."""
    if not (one.subject_end and other.subject_end and one.verb and other.verb):
        return False
    keys = [{token.key for token in reading.tokens} for reading in (one, other)]
    if {t.key for t in one.subject} != {t.key for t in other.subject}:
        return False  # GitLab hosts it, it is hosted on GitLab
    families = {_family(one), _family(other)}
    if len(families) == 1 or families in _ALIKE or one.verb in keys[1] or other.verb in keys[0]:
        return False
    kinds = {token.kind for token in one.tokens + other.tokens}
    if families <= _OF_VALUES and kinds & _VALUES:
        return False
    if families == {"be", "@home"}:
        return not all(_WHERE & set(reading.raw) for reading in (one, other))
    return not (families <= _OF_CARS and "car" in keys[0] & keys[1])


def _family(reading: Reading) -> str:
    if reading.link in _FAMILIES:
        return _FAMILIES[reading.link]
    return reading.link if reading.verb == "is" else reading.verb
