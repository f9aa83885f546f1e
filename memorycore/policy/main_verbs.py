"""Whether two statements say it with verbs of one meaning: is, has, uses and picks are four. Pure.

Of a value it matters little: a service uses, runs on, listens on and is on port 8080.
"""

from __future__ import annotations

from typing import Final

from memorycore.policy.slots import Reading
from memorycore.policy.values import VALUE_KINDS

_WRITTEN: Final = {
    "be": "is are am was were became become becomes 是 为 即 就是 :",
    "use": "use uses using 用 使用 采用 用来",
    "used": "used",
    "choose": "decide decides decided decision choose chooses chose chosen pick picks picked"
    " 选用 选定 选择 决定",
    "agree": "agree agrees agreed",
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
    "runs on": "use",
    "跑在": "use",
    "运行在": "use",
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
    frozenset({"在", "@home"}),
    frozenset({"在", "@job"}),
)
_BELONGING: Final = frozenset({"in", "at", "on", "of", "with", "for", "from"})
_LEAVING: Final = frozenset({"left", "quit", "leaves", "quits"})
_SHUNNING: Final = frozenset({"avoid", "avoids", "stopped"})
_ENDS_OF: Final = (
    (_LEAVING, frozenset({"@job", "@home", "@role", "manag", "learn", "play", "在", "go", "run", "smok"})),
    (frozenset({"离"}), frozenset({"@job", "@home", "@role", "manag", "learn", "在"})),
    (frozenset({"avoid", "avoids"}), frozenset({"@like", "eat", "drink", "use", "smok", "support", "want"})),
    (frozenset({"stopped"}), frozenset({"eat", "drink", "use", "smok", "run", "play", "learn", "@job"})),
)
_UNLIKE: Final = frozenset({"want", "support", "past"})  # that share a key with a word of another meaning
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
    if len(families) == 1 or families & _UNLIKE:
        return len(families) > 1
    kinds = {token.kind for token in one.tokens + other.tokens}
    shared = one.verb in keys[1] or other.verb in keys[0] or (families <= _OF_VALUES and kinds & _VALUES)
    if families in _ALIKE or shared:
        return False
    if families == {"be", "@name"}:
        return not any(token.owner for token in one.subject)  # her cat is called Pip, her cat is Pip
    placed = families == {"be", "@home"} and all(_WHERE & set(reading.raw) for reading in (one, other))
    return not placed and not (families <= _OF_CARS and "car" in keys[0] & keys[1])


def ends_other(new: Reading, old: Reading) -> bool:
    """Whether `new` says left, stopped or avoids of what `old` says something of that this does not end."""
    kept, said = {token.key for token in new.tokens}, set(new.raw) - set(old.raw)
    if not old.verb:  # or none that is known, which is then among the words
        return bool(said & _SHUNNING) and not {token.key for token in old.tokens} <= kept
    if not old.subject_end or not old.verb.isascii() or old.verb in kept:
        return False
    family = _family(old)
    for words, ended in _ENDS_OF:
        if said & words:
            placed = family == "be" and words is _LEAVING and _BELONGING & set(old.raw)
            return family not in ended and not placed
    return False


def _family(reading: Reading) -> str:
    if reading.link in _FAMILIES:
        return _FAMILIES[reading.link]
    return reading.link if reading.verb == "is" else reading.verb
