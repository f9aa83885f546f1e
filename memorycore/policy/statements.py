"""Reads a sentence as one statement: what it is about, and the one value that it gives of it. Pure.

"The capital of France is Paris", "France's capital is Paris" and "Paris is the capital of France" state the
same; so do 法国的首都是巴黎 and 巴黎是法国的首都. Only sentences whose form says that there is one value at
a time are read: a role, a definite description, a place, a thing that happens once. What adds up, such as
skills, tastes, friends and visits, is no statement here, and neither is anything denied, limited or in doubt.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from memorycore.policy.slots import EXCLUSIVE, read
from memorycore.policy.statement_words import (
    CATEGORIES,
    DESCRIBES_ZH,
    KINDS,
    OFFICES,
    ONCE,
    ONCE_ZH,
    PEOPLE_ZH,
    PLACED,
    ROLES,
    ROLES_ZH,
    SEVERAL,
    STANDING,
    STANDING_ZH,
    TIED,
)


class Statement(NamedTuple):
    """A value, as it is written, and what it is the value of, without regard to case and form."""

    about: str
    value: str


MAX_CHARS: Final = 300
_VALUE_WORDS: Final = 9
_VALUE_CHARACTERS: Final = 14

_PREPOSITION: Final = "in|at|on|by|with|to"
_NAMED: Final = rf"(?:\ the\ (?:{CATEGORIES})\ of)"
_THE: Final = re.compile(r"the (?P<head>[^,;:]+?) (?P<link>of|that|where|who|which) (?P<of>.+) (?:is|are)$")

# Each ends where the value begins.
_RELATIONS: Final = tuple(
    re.compile(pattern, re.VERBOSE | re.IGNORECASE)
    for pattern in (
        rf".+?\ (?:was|were|is|are)\ (?:{ONCE})\ (?:{_PREPOSITION}){_NAMED}?(?=\ )",
        rf".+?\ died\ in{_NAMED}?(?=\ )",
        rf".+?\ (?:is|are)\ (?:(?:{TIED})\ )?(?:{_PREPOSITION}){_NAMED}(?=\ )",
        rf".+?\ (?:is|are)\ (?:{PLACED})\ (?:in|at)(?=\ )",
        rf".+?\ (?:is|are)\ (?:{STANDING})\ by(?=\ )",
        r".+?\ (?:is|are)\ (?:married|engaged)\ to(?=\ )",
        r".+?\ is\ a\ (?:citizen|national|native)\ of(?=\ )",
        rf".+?\ (?:plays|play|holds|hold|has|fills|occupies)\ the\ (?:{OFFICES})\ of(?=\ )",
        rf".+?\ (?:works|work)\ in\ the\ (?:{CATEGORIES})\ of(?=\ )",
        r".+?\ (?:reports|report)\ to(?=\ )",
        rf".+?'s\ (?:{ROLES})\ is(?=\ )",
        r"(?:the|our)\ .+\ is(?=\ )",
    )
)
_SEVERAL: Final = re.compile(rf"(?:^|\b(?:best|most) .*|.* )(?:{SEVERAL})$", re.IGNORECASE)
_KIND: Final = re.compile(rf"\b(?:{KINDS})\b", re.IGNORECASE)
_SOME_ROLE: Final = rf"(?P<role>(?:[\w-]+ ){{0,2}}?(?:{ROLES}))"
_OF: Final = r"(?: (?:of|for|at|in) (?P<of>.+))?"
_HOLDER: Final = re.compile(rf"(?P<value>.+?) is (?:the|our) {_SOME_ROLE}{_OF}", re.IGNORECASE)
_OWNED_ROLE: Final = re.compile(rf"(?P<of>.+)'s (?P<role>{ROLES}) is", re.IGNORECASE)
_ROLE_OF: Final = re.compile(rf"(?:the|our) {_SOME_ROLE}{_OF} is", re.IGNORECASE)

_CHINESE: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<of>[^,。;的]+?)的?(?P<rel>{ROLES_ZH})(?:名字)?(?:是|为|叫|由)(?P<value>.+?)(?:担任|出任)?",
        rf"(?P<value>[^,。;的]+?)(?:是|担任|出任)(?P<of>[^,。;的]+?)的?(?P<rel>{ROLES_ZH})",
        rf"(?P<of>[^,。;]+?)(?:是)?由(?P<value>.+?)(?:所)?(?P<rel>{ONCE_ZH}|{STANDING_ZH})的?",
        r"(?P<of>[^,。;]+?)(?P<rel>出生|诞生|去世|逝世|成立|创立|发源|起源)(?:于|在)(?P<value>.+)",
        r"(?P<of>[^,。;]+?)(?P<rel>总部)(?:设在|设于|位于|坐落于|在)(?P<value>.+)",
        r"(?P<of>[^,。;]+?)(?P<rel>位于|坐落于|坐落在|设在|隶属于|归属于)(?P<value>.+)",
        r"(?P<of>[^,。;]+?)(?P<rel>嫁给|娶)(?P<value>.+)",
        r"(?P<of>[^,。;]+?)(?:与|和|跟)(?P<value>[^,。;]+?)(?P<rel>结婚|订婚)",
        r"(?P<of>[^,。;]+?)是(?P<value>[^,。;的]+?)的?(?P<rel>公民)",
        r"(?P<of>[^,。;]+?)(?P<rel>信仰|司职|主修)(?P<value>.+)",
    )
)
_CHINESE_RELATION: Final = {"娶": "配偶", "嫁给": "配偶", "坐落于": "位于", "坐落在": "位于", "设在": "位于"}

_PERSON_ZH: Final = re.compile(rf".*(?:{PEOPLE_ZH})")
_DESCRIBES_ZH: Final = re.compile(rf".*(?:{DESCRIBES_ZH})")

_NOW: Final = re.compile(r" (?:now|currently|presently|nowadays)(?= )", re.IGNORECASE)
_NOW_ZH: Final = re.compile(r"现在|目前|如今|已经|了")
_ADDING: Final = re.compile(
    r"\b(?:also|too|additionally|another|partly|either|both)\b|as well|among"
    r"|也|还|另外|同时|此外|兼|之一|其中",
    re.IGNORECASE,
)
_SMALL: Final = (
    "a al an and at da dal das de del della den der des di do dos du e el es for in la las le les lo los of "
    "on the to und van vom von y zu"
)
_SMALL_WORDS: Final = frozenset(_SMALL.split())
_NO_VALUE: Final = frozenset(
    {"condition", "hedge", "contrast", "person", "negation", "ceased", "change", "event", "attitude", "many"}
)
_TIMES: Final = frozenset({"date", "time", "weekday", "month"})
_ADJECTIVE: Final = re.compile(
    r"\w+(?:ish|ese|ian|ean|ic|al|ive|ous|ful|able|ing|ed)|(?:fren|dut|cze)ch|german|greek|swiss|thai|welsh",
    re.IGNORECASE,
)
_NOT_IN_CHINESE_VALUE: Final = re.compile(r"[,;。、!?:()《》的不没和与或及是在有会]")
_VERBS: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|who|that|which|because|but|so|if|when|until|since|"
    r"during|before|after|while|from|with|via|or|not|only|than)\b"
)


@lru_cache(maxsize=4096)
def statement(text: str) -> Statement | None:
    """Return what a text states, None where it is no such sentence. Never raises."""
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").split()).rstrip(" .!")
    if not plain or len(plain) > MAX_CHARS or "?" in plain or _ADDING.search(plain):
        return None
    reading = read(text)
    if reading.negations or (reading.changes - {"now"}):
        return None
    return _in_chinese(_NOW_ZH.sub("", plain)) if reading.chinese else _in_english(_NOW.sub("", plain))


def gives_way(new: str, old: str) -> tuple[str, str] | None:
    """Return the old and the new value where `new` states another value of what `old` states, else None."""
    later, earlier = statement(new), statement(old)
    if later is None or earlier is None or later.about != earlier.about:
        return None
    if later.value.casefold() == earlier.value.casefold() or not _of_one_kind(later.value, earlier.value):
        return None
    return earlier.value, later.value


def agree(new: str, old: str) -> bool:
    """Whether both state the same value of the same thing, be it in other forms."""
    later, earlier = statement(new), statement(old)
    if later is None or earlier is None or later.about != earlier.about:
        return False
    return later.value.casefold() == earlier.value.casefold()


def describes(word: str) -> bool:
    """Whether a word tells how somebody is and not who: 德国人, French."""
    return (_DESCRIBES_ZH if word[:1] > "\u3400" else _ADJECTIVE).fullmatch(word) is not None


def _of_one_kind(new: str, old: str) -> bool:
    """Whether both are values of one kind and neither lists or narrows the other."""
    kinds = [{t.kind if t.kind in EXCLUSIVE else "name" for t in read(text).tokens} for text in (new, old)]
    if kinds[0].isdisjoint(kinds[1]):
        return False  # in Osaka, in 1988
    words = [set(re.findall(r"\w+", text.casefold())) for text in (new, old)]
    listed = any("and" in one for one in words)
    return not (words[0] <= words[1] or words[1] <= words[0] or (listed and words[0] & words[1]))


def _in_english(plain: str) -> Statement | None:
    held = _HOLDER.fullmatch(plain)
    if held and _fits(held["value"]) and _is_somebody(held["value"]) and _definite(held["of"] or ""):
        return Statement(_role(held["role"], held["of"]), held["value"])
    for relation in _RELATIONS:
        if found := relation.match(plain):
            value = plain[found.end() :].strip()
            if about := _about(found.group(), value):
                return Statement(about, value)
    return None


def _about(key: str, value: str) -> str | None:
    """What a value is said of, None where what stands there is no single value of it."""
    folded = key.casefold()
    if not _fits(value):
        return None
    if of_role := _OWNED_ROLE.fullmatch(key) or _ROLE_OF.fullmatch(key):
        return _role(of_role["role"], of_role["of"]) if _identifies(value, of_role["role"]) else None
    if folded.startswith(("the ", "our ")) and folded.endswith(" is"):
        head = _one_thing(folded)
        return folded.removeprefix("the ") if head and _identifies(value, head) else None
    if folded.endswith(" performed by") and not _names(key.rpartition(" was ")[0]):
        return None  # a check is performed more than once, a song by one band
    return folded


def _one_thing(folded: str) -> str | None:
    """The head of "the <one thing> of <name>" and "the <one thing> that <clause>"."""
    found = _THE.fullmatch(folded)
    if found is None or _SEVERAL.search(found["head"]):
        return None
    head = found["head"]
    plural = head.endswith("s") and not head.endswith(("ss", "us", "is", "quarters"))
    return None if plural else head


def _role(role: str, of: str | None) -> str:
    thing = "" if of is None else of.casefold().removeprefix("the ")
    return f"{role.casefold()} of {thing}"


def _is_somebody(value: str) -> bool:
    """Whether it names somebody or something: Ann, not "he" or "this"."""
    tokens = read(value).tokens
    return _names(value) and bool(tokens) and all(token.kind != "person" for token in tokens)


def _definite(of: str) -> bool:
    """Whether it is one certain thing: a name or "the ...", with no more behind it."""
    return of[:2].casefold() != "a " and of[:3].casefold() != "an " and _VERBS.search(of) is None


def _fits(value: str) -> bool:
    """Whether it can be one value: a few words with no verb, no condition and no clause."""
    words = value.split()
    if not 0 < len(words) <= _VALUE_WORDS or _VERBS.search(value) or re.search(r"[;:()!]|\. [a-z]", value):
        return False
    tokens = read(value).tokens
    if any(token.kind in _NO_VALUE and token.text.islower() for token in tokens):
        return False
    timed = [token.kind in _TIMES for token in tokens]
    if any(timed) and not all(timed):
        return False  # by Ann in May
    parts = value.split(",")
    if any(part.strip()[:1].islower() for part in parts[1:]):
        return False
    return _names(value) or (len(words) <= 4 and len(parts) == 1 and words[0] not in _SMALL_WORDS - {"the"})


def _names(value: str) -> bool:
    """Whether it is a name: each word has a capital or a digit, little words apart."""
    words = value.split()
    return any(word not in _SMALL_WORDS for word in words) and all(
        word in _SMALL_WORDS or not word[0].islower() for word in words
    )


def _identifies(value: str, head: str) -> bool:
    """Whether it says which one, not how it is: the author is Ann Lee, not French and not rich."""
    if value.startswith(("a ", "an ")):
        return False
    return _KIND.search(head) is not None or (_names(value) and _ADJECTIVE.fullmatch(value) is None)


def _in_chinese(plain: str) -> Statement | None:
    plain = plain.replace(" ", "").rstrip("。")
    for pattern in _CHINESE:
        found = pattern.fullmatch(plain)
        if found and _fits_in_chinese(found["value"], found["rel"]):
            relation = _CHINESE_RELATION.get(found["rel"], found["rel"])
            return Statement(f"{relation} {found['of']}", found["value"])
    return None


def _fits_in_chinese(value: str, relation: str) -> bool:
    if _PERSON_ZH.fullmatch(relation) and _DESCRIBES_ZH.fullmatch(value):
        return False
    if len(value) > _VALUE_CHARACTERS and not value.isascii():
        return False
    if _NOT_IN_CHINESE_VALUE.search(value):
        return False
    tokens = read(value).tokens
    return bool(tokens) and not any(token.kind in _NO_VALUE for token in tokens)
