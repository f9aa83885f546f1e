"""Whether a longer text says what a shorter one says, all of whose words it has. Pure.

It does only where each statement of the shorter stands within one statement of the longer: under the same
verb, on the same side of the same prepositions, and with nothing between its words but detail. "Ann lives in
Oslo" is no part of "Ann lives in Rome and Ben lives in Oslo".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from memorycore.policy.main_verbs import other_verb
from memorycore.policy.slots import EXCLUSIVE, PREDICATES, Reading, Token, read

_ENDS: Final = re.compile(
    r"([;；。！？，,、\n]|[!?](?=\s|$)|(?<![\s.][a-z])(?<!\binc)(?<!\b[dms]r)(?<!\bst)\.(?=\s|$)|\b(?:and|or|but|nor|while|whereas|plus|&)\b"
    r"|(?<!不)而(?!是|非|且)|但是?|并且|而且|以及|或者?|(?<!饱)和(?![平田睦谐])|与(?!会)|及(?!时))",
    re.IGNORECASE,
)
"""What another statement may begin behind."""

_LIGHT: Final = frozenset(
    {
        "is",
        "run",
        "listen",
        "have",
        "store",
        "start",
        "go",
        "host",
        "write",
        "requir",
        "car",
        "@name",
        "@home",
        "@role",
    }
)
_ENDED: Final = frozenset({"leave", "ousted", "former", "changed", "from"})
_NAMES: Final = frozenset({"name", "id"})
_LISTED: Final = frozenset("、和与及或")
_ITEM_CHARS: Final = 4
_DETERMINED: Final = re.compile(r"\s*(?:the|a|an|my|your|his|her|our|their|its)\b", re.IGNORECASE)
_RELATIVE: Final = re.compile(r"\s*(?:who|whom|whose|which|where)\b", re.IGNORECASE)
_MODAL: Final = re.compile(
    r"\b(?:(?:will|would|could|should|might|may|can|shall) (?:\w+ )?be|(?:would|could|might|may) \w+)\b"
    r"|应该是|应当是|会是|将(?:是|会|要|成为|在)|可能|也许",
    re.IGNORECASE,
)
_GIVING: Final = frozenset("给被向从比")
_SIDE_ZH: Final = re.compile("([上下里外前后左右旁])[面边头]")
_UNSURE: Final = re.compile(
    r"\b(?:false|untrue|a lie|a myth|rumou?r\w*|unclear|doubtful|unlikely|pretend\w*|alleged\w*|supposed\w*"
    r"|claims?|claimed)\b|据说|听说|谣传|谣言|假的|假装|并非事实",
    re.IGNORECASE,
)
_IS: Final = frozenset({"is", "are", "am", "是"})
_WAS: Final = frozenset({"was", "were"})
_PLACES: Final = frozenset({"in", "at", "on", "of", "to", "into", "onto", "as"})
_EMPLOYED: Final = re.compile(r"\b(?:works?|working|employed) (?:for|by|at|as)\b", re.IGNORECASE)
_PREPOSITION: Final = re.compile(
    r"\b(in|at|on|of|to|into|onto|by|for|with|as|off|out of|from)\s+"
    r"(?:(?:the|a|an|my|your|his|her|our|its|their)\s+)?([\w-]+)",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(r"\b(?:is|are|was|were)\s+(in|on|at)\s+(?:the|a|an|my|his|her|our)\s+([a-z]\w*)")


def not_held(shorter: str, longer: str) -> str | None:
    """Return why `longer` does not say what `shorter` says, None if it does.

    For pairs of which the longer has all words of the shorter.
    """
    short, long = read(shorter), read(longer)
    if short.raw == long.raw:
        return None
    if reason := _told_otherwise(short, long, shorter, longer):
        return reason
    if {token.key for token in long.tokens} <= {token.key for token in short.tokens}:
        return _in_other_roles(short, long, longer)
    if _behind_preposition(short, long, shorter, longer):
        return "they relate things differently"
    there = _statements(longer)
    reasons = [_outside(wanted, there) for wanted in _statements(shorter)]
    return next((reason for reason in reasons if reason), None)


def _in_other_roles(short: Reading, long: Reading, longer: str) -> str | None:
    if _turned_round(short, long, longer):
        return "they relate things differently"
    if statements_of(longer) == 1 and other_verb(short, long):
        return "they have different verbs"
    return None


def _told_otherwise(short: Reading, long: Reading, shorter: str, longer: str) -> str | None:
    """Why the two tell it in ways that their words alone don't show, None if they do not."""
    if (short.changes ^ long.changes) & _ENDED:
        return "one of them tells of a change"
    if _other_sides(shorter, longer):
        return "they relate things differently"
    if _other_tense(short, long) or _other_mood(short, long, shorter, longer):
        return "they have different verbs"
    return None


class _Statement:
    """One statement with what it takes over from the one before it: the subject, or subject and verb."""

    __slots__ = ("keys", "mark", "negations", "own", "tokens", "verb", "verbed")

    def __init__(
        self, own: Reading, head: tuple[Token, ...], verbed: Reading, negations: int, mark: str
    ) -> None:
        self.mark = mark
        self.own, self.tokens, self.negations = own, head + own.tokens, negations
        self.verbed, self.verb = verbed, verbed.verb
        self.keys = [token.key for token in self.tokens]


def hides(new: str, old: str) -> bool:
    """Whether `old` holds a statement that `new` has no word of, and that would go unheard with the rest."""
    said = {token.key for token in read(new).tokens}
    there = [one for one in _statements(old) if one.own.verb or one.mark != ","]  # Philippe, Duke of Orléans
    return len(there) > 1 and any(not _touched(s.own.tokens, said) for s in there)


def _touched(tokens: tuple[Token, ...], said: set[str]) -> bool:
    """Whether one of the words is said; an unknown Chinese word only if all its characters are."""
    words: dict[int, set[str]] = {}
    for at, token in enumerate(tokens):
        words.setdefault(token.run if token.run >= 0 else -1 - at, set()).add(token.key)
    return any(word <= said for word in words.values())


def forget_statements() -> None:
    """Free what is kept of the texts that were cut into statements."""
    _statements.cache_clear()


def statements_of(text: str) -> int:
    """Return how many statements a text may hold: a list of things counts as many."""
    return len(_statements(text))


@lru_cache(maxsize=4096)
def _statements(text: str) -> tuple[_Statement, ...]:
    return tuple(_told(text))


def _told(text: str) -> Iterator[_Statement]:
    subject: tuple[Token, ...] = ()
    head: tuple[Token, ...] = ()
    verbed, negations, first = read(""), 0, True
    cut = ["", *_ENDS.split(unicodedata.normalize("NFKC", text))]
    for mark, part in zip(cut[::2], cut[1::2], strict=True):
        reading = read(part.strip())
        if not reading.tokens:
            continue
        if _RELATIVE.match(part):
            yield _Statement(reading, (), reading, reading.negations, mark)
            continue
        taken: tuple[Token, ...] = ()
        if reading.verb and (reading.subject_end or first):
            subject = reading.subject
        elif reading.verb:
            taken = subject
        elif not first and not _has_subject(part, reading) and not _sentence_in_chinese(mark, part, reading):
            taken = head
        if reading.verb or first:
            verbed, negations = reading, reading.negations
            head = _head(subject, reading)
        if first and not reading.verb:
            alone = "由" in reading.raw or not reading.chinese
            subject = head = (reading.subject if reading.chinese else reading.tokens[:1]) if alone else ()
        denied = negations if taken is head or reading.verb else 0
        first = False
        yield _Statement(reading, taken, verbed, denied if reading.verb else denied + reading.negations, mark)


def _has_subject(part: str, reading: Reading) -> bool:
    """Whether a part without a known verb may speak of something of its own: Bob coffee, the dog milk."""
    return len(reading.tokens) > 1 and (reading.tokens[0].kind in _NAMES or bool(_DETERMINED.match(part)))


def _sentence_in_chinese(mark: str, part: str, reading: Reading) -> bool:
    """Whether it may have a verb that is not known, so that it is no item of a list."""
    return reading.chinese and (mark not in _LISTED or len(part.strip()) > _ITEM_CHARS)


def _head(subject: tuple[Token, ...], reading: Reading) -> tuple[Token, ...]:
    """The subject and the verb, if that is a word of its own."""
    after = reading.tokens[reading.subject_end : reading.subject_end + 1]
    return subject + tuple(token for token in after if token.kind in PREDICATES)


def _outside(wanted: _Statement, there: tuple[_Statement, ...]) -> str | None:
    reason = "its words stand in different parts of the other text"
    for statement in there:
        if set(wanted.keys) <= set(statement.keys):
            reason = _parted(wanted, statement) or ""
            if not reason:
                return None
    return reason


def _parted(wanted: _Statement, statement: _Statement) -> str | None:
    verbs = {wanted.verb or statement.verb, statement.verb}
    if wanted.verb != statement.verb and not verbs <= _LIGHT:
        return "they have different verbs"
    places = [at for at, key in enumerate(statement.keys) if key in wanted.keys]
    kinds = {token.kind for token in wanted.tokens}
    if other_verb(wanted.verbed, statement.verbed):
        return "they have different verbs"
    if wanted.negations % 2 != statement.negations % 2:
        return "one of them denies it"
    for token, after in pairwise(statement.tokens[places[0] : places[-1] + 1]):
        if token.key in wanted.keys or _modifies(token, after):
            continue
        if token.kind in PREDICATES and token.key not in _LIGHT:
            return "another verb stands between its words"
        if token.kind in (EXCLUSIVE | _NAMES) and token.kind in kinds:
            return "another value stands between its words"
    return None


def _other_mood(short: Reading, long: Reading, shorter: str, longer: str) -> bool:
    """Whether one says what is, and the other what may or shall be."""
    if bool(_UNSURE.search(shorter)) != bool(_UNSURE.search(longer)):
        return True
    modal, other = _MODAL.search(shorter), _MODAL.search(longer)
    if bool(modal) == bool(other) or not (short.subject_end and long.subject_end):
        return False
    found, plain = (modal, long) if modal else (other, short)
    asked = found is not None and found.group().casefold().startswith("should")
    return not asked or plain.link in _IS | _WAS  # "should be called Rob" asks what "call her Rob" asks


def _modifies(token: Token, after: Token) -> bool:
    """Whether a name only tells which one is meant of what follows: a Ducati motorbike."""
    return token.kind == "name" and not token.owner and not after.opens and after.kind in ("word", "noun")


def _other_tense(short: Reading, long: Reading) -> bool:
    """Whether one says what somebody is, and the other what they were."""
    links = {short.link, long.link}
    return bool(links & _IS and links & _WAS) and not short.passive and not long.passive


def _behind_preposition(short: Reading, long: Reading, shorter: str, longer: str) -> bool:
    """Whether what follows the verb at once hangs on an added word: is losing it, is afraid of losing it."""
    direct, hanging = _hanging(shorter), _hanging(longer)
    asked = {token.key for token in short.tokens}
    return any(
        token.key in asked
        and before.key not in asked | _LIGHT
        and token.text.casefold() in hanging.keys() - direct.keys()
        for before, token in pairwise(long.tokens)
    )


def _turned_round(short: Reading, long: Reading, text: str) -> bool:
    """Whether one gives what the other gets: 小王给小李写信, 小李给小王写信; 小王是经理, 小王给经理."""
    marked = [_GIVING & set(reading.raw) for reading in (short, long)]
    order = [[token.key for token in reading.tokens] for reading in (short, long)]
    moved = order[0] != order[1] and short.chinese and (bool(marked[0]) or not short.verb + long.verb)
    moved = moved and statements_of(text) == 1
    return marked[0] != marked[1] or moved


def _other_sides(one: str, other: str) -> bool:
    """Whether a word hangs on another preposition: a letter by Ann, a letter for Ann; in and on the box."""
    first, second = _hanging(one), _hanging(other)
    if any(first[word] != second[word] for word in first.keys() & second.keys()):
        return True
    sides = set(_SIDE_ZH.findall(one)), set(_SIDE_ZH.findall(other))
    if sides[0] and sides[1] and sides[0] != sides[1]:
        return True
    beside, too = (dict(found[::-1] for found in _BESIDE.findall(text)) for text in (one, other))
    return any({beside[word], too[word]} == {"in", "on"} for word in beside.keys() & too.keys())


def _hanging(text: str) -> dict[str, str]:
    return {
        word.casefold(): "in" if preposition.casefold() in _PLACES else preposition.casefold()
        for preposition, word in _PREPOSITION.findall(_EMPLOYED.sub("", text))
    }
