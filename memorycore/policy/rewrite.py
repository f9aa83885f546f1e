"""Texts that a run makes of others: two entries in one, a long one cut in two, a pointer. Pure.

Nothing made here says what its sources don't say, and `lost` and `unfaithful` tell what a text of fewer words
leaves out or makes up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from memorycore.policy.comparison import LIMITING
from memorycore.policy.han_names import han_names
from memorycore.policy.similarity import judge_pair
from memorycore.policy.slots import EXCLUSIVE, Reading, Token, read
from memorycore.policy.twists import twisted
from memorycore.policy.values import VALUE_KINDS
from memorycore.policy.words import language

POINTER: Final = {"en": "→ recall: ", "zh": "→ 回忆："}

_DIGITS = re.compile(r"\d+")
_SENTENCE = re.compile(
    r".+?(?:[。！？；]+[”」』）\"’]*\s*|\n+\s*|[.!?;]+[\"”’)]*\s+|\Z)",
    re.DOTALL,
)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Za-z]|e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|Ms|St|No|approx)\.\s+$")
# A sentence that begins so can't be read without the one before it...
_LEANING = re.compile(
    r"(?:(?:it|this|that|these|those|its|so|therefore|thus|hence|because|but|and|or|also|then|otherwise|except"
    r"|however|instead|which|who)\b"
    r"|它|这|那|因此|所以|因为|但|而|并|也|还|否则|不过|另外|其中|同时|然后|除此)",
    re.IGNORECASE,
)
# ... and one that begins so not away from whom the text is about.
_OF_SOMEONE = re.compile(r"(?:he|she|they|his|her|their)\b|[他她]", re.IGNORECASE)
_TOPICS: Final = frozenset({"name", "id", "word", "noun", "han", "trait", "trait_person", "scope"})
_WHENS: Final = frozenset({"when", "whenever"})  # 的时候 says little where the deed itself is named
_ADDS_UP: Final = frozenset({"have", "@like", "can", "play", "eat", "drink", "support"})
_SLOT_WORDS, _SLOT_HAN = 2, 4
_TELLING_WORDS = 4
_ENDS = " \n.。;；"
_NEGATIVE_HAN: Final = "不没未别勿无非"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text with the space behind each: joined, they are the text."""
    found: list[str] = []
    for match in _SENTENCE.finditer(text):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += match.group()
        else:
            found.append(match.group())
    return found


def without_long_tail(text: str, behaves: Callable[[str], bool]) -> tuple[str, str] | None:
    """Return what stays and what sinks of a text: sentences that ask for a behaviour stay, the others sink.

    A sentence that leans on the one before it goes where that one goes. None if all of it stays or sinks.
    """
    stays: list[str] = []
    sinks: list[str] = []
    for group in _leaning_together(sentences(text)):
        (stays if any(behaves(sentence) for sentence in group) else sinks).extend(group)
    if not stays or not sinks:
        return None
    return "".join(stays).strip(), "".join(sinks).strip()


def merged(one: str, other: str) -> str | None:
    """Return one text for two of the same topic: what both say is said once. None where that isn't safe.

    Not safe are texts that differ in a slot (ports, dates, people, colours...) or contradict each other. The
    result holds the longer text as it is, and is no longer than it and the new part of the shorter, joined.
    """
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if slot_conflict(one, other) or _contradict(one, other):
        return None
    text = _without_repeats(longer, shorter) or _behind_shared_start(longer, shorter)
    if text is None or lost(longer, text) or lost(shorter, text):
        return None
    return text


def slot_conflict(one: str, other: str) -> str | None:
    """Return the kind of value in which the texts differ, each having one that the other lacks; else None."""
    first, second = _slots(read(one)), _slots(read(other))
    for kind in sorted(first.keys() & second.keys()):
        if first[kind] - second[kind] and second[kind] - first[kind]:
            return kind
    names, others = han_names(one), han_names(other)
    return "name" if names - others and others - names else None


def lost(full: str, short: str) -> str | None:
    """Return a number, path, name, date, condition or negation of `full` that `short` lacks, or None."""
    whole, rest = read(full), read(short)
    kept = {token.key for token in rest.tokens}
    for token in whole.tokens:
        if _precious(token, whole) and token.key not in kept:
            return token.text
    for number in _DIGITS.findall(full):
        if number not in _DIGITS.findall(short):
            return str(number)
    for name in sorted(han_names(full)):
        if name not in short:
            return name
    return "a negation" if _negations(short) < _negations(full) else None


def unfaithful(full: str, rewrite: str) -> str | None:
    """Return what a rewrite loses, makes up or turns round, in words; None if it does none of these."""
    if gone := lost(full, rewrite):
        return f"it loses {gone}"
    if _negations(rewrite) > _negations(full):
        return "it denies what the text does not"
    had = {token.key for token in read(full).tokens}
    made_up = (t.text for t in read(rewrite).tokens if t.kind in VALUE_KINDS and t.key not in had)
    new = next(made_up, None)
    return twisted(full, rewrite) if new is None else f"it makes up {new}"


def unsaid(full: str, rewrite: str, behaves: Callable[[str], bool]) -> str | None:
    """Return a sentence that asks for a behaviour and of whose words a rewrite has hardly any."""
    kept = {token.key for token in read(rewrite).tokens}
    for sentence in sentences(full):
        said = {token.key for token in read(sentence).tokens}
        if len(said & kept) < min(_TELLING_WORDS, len(said) / 2) and behaves(sentence):
            return sentence.strip()
    return None


def stub_text(text: str, max_chars: int) -> str | None:
    """Return a pointer to what a text is about, None if no word of it fits.

    A list of topics and no sentence: cut short, a sentence could say the opposite.
    """
    spoken = language(text)
    pointer, comma = POINTER[spoken], "、" if spoken == "zh" else ", "
    chosen: list[str] = []
    for topic in _topics(read(text).tokens):
        if len(pointer + comma.join([*chosen, topic])) <= max_chars:
            chosen.append(topic)
    return pointer + comma.join(chosen) if chosen else None


def _leaning_together(parts: Sequence[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for part in parts:
        if group and not _LEANING.match(part):
            yield group
            group = []
        group.append(part)
    if group:
        yield group


def _contradict(one: str, other: str) -> bool:
    for new in (one, *sentences(one)):
        for old in (other, *sentences(other)):
            if "supersede" in (
                judge_pair(new, old, cosine=None).verdict,
                judge_pair(old, new, cosine=None).verdict,
            ):
                return True
    return False


def _without_repeats(longer: str, shorter: str) -> str | None:
    """The longer text, and behind it those sentences of the shorter that it does not say."""
    there, parts = sentences(longer), sentences(shorter)
    new = [part for part in parts if _leans(part) or not any(_says(old, part) for old in there)]
    if len(new) == len(parts):
        return None
    if any(part in new and _out_of_place(part, at, parts, new) for at, part in enumerate(parts)):
        return None
    rest = "".join(new).strip()
    return _joined(longer, rest) if rest else longer


def _out_of_place(part: str, at: int, parts: Sequence[str], new: Sequence[str]) -> bool:
    """Whether a sentence would lean on another one than it does now."""
    return _leans(part) and (at == 0 or parts[at - 1] not in new)


def _leans(part: str) -> bool:
    """Whether what a sentence says depends on the one before it, so that its double may mean another."""
    return bool(_LEANING.match(part) or _OF_SOMEONE.match(part))


def _says(old: str, new: str) -> bool:
    return judge_pair(new, old, cosine=None).verdict == "same"


def _behind_shared_start(longer: str, shorter: str) -> str | None:
    """The longer sentence, and behind it the end of the shorter one, which begins with the same words."""
    if len(sentences(longer)) > 1 or len(sentences(shorter)) > 1:
        return None
    start = _shared_start(longer, shorter)
    opening, tails = read(start), (longer[len(start) :], shorter[len(start) :])
    if not opening.verb or opening.negations or not all(tail.strip(_ENDS) for tail in tails):
        return None
    if any(token.kind in LIMITING - {"person"} for token in opening.tokens):
        return None
    if opening.verb not in _ADDS_UP and any(_is_slot(read(tail)) for tail in tails):
        return None
    return longer.rstrip(_ENDS) + ("；" if language(longer) == "zh" else "; ") + tails[1].strip()


def _shared_start(one: str, other: str) -> str:
    """What both texts begin with, up to where a word ends in both."""
    size = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    while size and not (_word_ends(one, size) and _word_ends(other, size)):
        size -= 1
    return one[:size]


def _word_ends(text: str, size: int) -> bool:
    """Whether cutting here leaves the words before it as they are read in the whole text."""
    if text[size - 1].isascii() and text[size - 1].isalnum() and text[size : size + 1].isalnum():
        return False
    head, whole = read(text[:size]).tokens, read(text).tokens
    count = len(head)
    if [token.key for token in head] != [token.key for token in whole[:count]]:
        return False
    return not (0 < count < len(whole) and whole[count - 1].run == whole[count].run >= 0)


def _is_slot(tail: Reading) -> bool:
    """Whether this little is the value of a slot: who, which or when."""
    if tail.chinese:
        return sum(len(piece) for piece in tail.raw) <= _SLOT_HAN
    return len(tail.tokens) <= _SLOT_WORDS


def _joined(text: str, more: str) -> str:
    if language(text) == "zh":
        return f"{text}{'' if text[-1] in '。！？；' else '；'}{more}"
    return f"{text}{'' if text[-1] in '.!?;' else ';'} {more}"


def _slots(reading: Reading) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for token in reading.tokens:
        if token.kind in EXCLUSIVE or token.kind in ("name", "id", "scope", "condition"):
            kind = "name" if token.kind == "id" else token.kind
            found.setdefault(kind, set()).add(token.key)
    return found


def _precious(token: Token, reading: Reading) -> bool:
    if token.kind in VALUE_KINDS or token.kind in ("name", "id"):
        return True
    if token.kind == "condition":
        return token.key not in _WHENS
    return reading.chinese and token.kind == "word" and token.text.isascii()


def _negations(text: str) -> int:
    """How often a text denies something; 特别 counts too, which errs on the side of keeping."""
    return read(text).negations + sum(text.count(character) for character in _NEGATIVE_HAN)


def _topics(tokens: Sequence[Token]) -> list[str]:
    found: list[str] = []
    run = -1
    for token in tokens:
        if token.kind == "han" and token.run == run:
            found[-1] += token.text
        elif token.kind in _TOPICS:
            found.append(token.text)
        run = token.run if token.kind == "han" else -1
    return [topic for topic in dict.fromkeys(found) if len(topic) > 1]
