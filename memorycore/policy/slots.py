"""Reads a text into slots: what it says, of whom, with which values, and which way round. Pure.

English and Chinese end up in the same terms: numbers, dates and times are written one way, synonyms share
a key, words without meaning of their own drop out. Only what the words themselves show is told apart;
nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from memorycore.policy.pieces import Piece, pieces
from memorycore.policy.slot_words import PHRASES, Role, Word
from memorycore.policy.stems import stem
from memorycore.policy.values import MEASURES, VALUE_KINDS, ValueKind, value_of, value_word

Kind = Role | ValueKind | Literal["name", "id", "word", "han"]

EXCLUSIVE: Final = VALUE_KINDS | {"colour", "unit", "status"}  # one value of these rules out another
PREDICATES: Final = frozenset({"copula", "verb", "trait_verb", "many", "event", "attitude"})
_SUBJECT_ENDS: Final = PREDICATES | {"negation", "ceased", "change"}
_SILENT: Final = frozenset({"filler", "copula", "negation", "ceased", "change"})
_LONGEST: Final = {"word": 4, "han": 6}  # of a phrase, in words or characters

_AND: Final = frozenset({"and", "和", "与", "及", "以及"})
_DIRECTIONS: Final = frozenset(
    {"to", "for", "with", "into", "从", "给", "到", "向", "对", "跟", "把", "将", "由"}
)
_OPENERS: Final = _DIRECTIONS | frozenset({"in", "on", "at", "by", "as", "into", "onto", "在", "用", "了"})
_CHANGES: Final = frozenset({"change", "ceased"})
_LEAVING: Final = frozenset({"from", "leave", "former"})
_TOWARDS: Final = frozenset({"to", "with", "by", "as", "for"})
_ASPECTS: Final = frozenset({"了", "过"})
_MOVES: Final = ("搬", "跳槽", "离职", "辞职")
_RESULTS: Final = frozenset({"到", "给", "上"})  # what may stand between a verb and its 了
_BEFORE_NO_ASPECT: Final = frozenset("超经通不路错越难")  # 超过 exceeds, 通过 passes
_SMALL: Final = frozenset({"a", "an", "the", "of", "and", "it", "we", "i"})  # capitals in titles
_WAS: Final = frozenset({"was", "were"})
_BE: Final = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "am", "get", "gets", "got", "has", "have", "had"}
)


class Token(NamedTuple):
    """One meaningful piece of a text, as written and under the key that its synonyms share.

    `gap`: a silent word or punctuation stands before it. `clause`: punctuation does. `owner`: what follows
    belongs to it. `lead` is the preposition that it hangs on, "&" behind an "and", else empty. `run` numbers
    the unbroken stretch of unknown Chinese characters that it lies in, -1 outside of one. `opens`: a word or
    mark stands before it behind which another part of the sentence begins.
    """

    text: str
    key: str
    kind: Kind
    gap: bool = False
    clause: bool = False
    owner: bool = False
    lead: str = ""
    run: int = -1
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A text in comparable terms.

    `raw` is each piece as it is written, case and punctuation apart; `tokens` what carries meaning;
    `subject_end` how many of them stand before the first verb, and `verb` is that verb's key: "is" for all
    that only link, empty where none is known. `negations` counts the words that turn the sense round, all
    "no longer"s as one. `changes` are the keys of the words that say that something is new or over,
    `given_up` the keys of what they say it of. `happened`: it tells of something that was done or took place.
    `link` is the first verb as it is written.
    """

    raw: tuple[str, ...]
    tokens: tuple[Token, ...]
    subject_end: int
    verb: str
    negations: int
    changes: frozenset[str]
    passive: bool
    happened: bool
    given_up: frozenset[str]
    link: str

    @property
    def chinese(self) -> bool:
        """Whether any of it is written in Chinese characters."""
        return any("\u3400" <= piece[0] <= "\u9fff" for piece in self.raw)

    @property
    def asks(self) -> bool:
        """Whether a question is among it, in either alphabet's question mark; that of a URL is none."""
        return "?" in self.raw

    @property
    def subject(self) -> tuple[Token, ...]:
        return self.tokens[: self.subject_end]


class _Known(NamedTuple):
    """A piece or phrase that has been looked up, silent ones included."""

    text: str
    key: str
    kind: Kind | Literal["stop"]
    negative: bool = False
    owner: bool = False
    passive: bool = False
    change: str = ""


class _Spot(NamedTuple):
    """A word in its place."""

    pieces: tuple[Piece, ...]
    at: int
    shouted: bool  # the whole text is in capitals, so that they mark no names

    @property
    def piece(self) -> Piece:
        return self.pieces[self.at]

    @property
    def lower(self) -> str:
        return self.piece.folded

    @property
    def following(self) -> Piece | None:
        return self.pieces[self.at + 1] if self.at + 1 < len(self.pieces) else None

    @property
    def initial(self) -> bool:
        return self.at == 0 or self.pieces[self.at - 1].kind in ("stop", "colon")

    @property
    def capital(self) -> bool:
        return self.piece.text[0].isupper() and not self.shouted

    @property
    def after_be(self) -> bool:
        return any(before.folded in _BE for before in self.pieces[max(0, self.at - 2) : self.at])

    @property
    def past(self) -> bool:
        return self.lower.endswith("ed") and len(self.lower) > 4 and not self.after_be


_Found = tuple[int, _Known]  # how many pieces were used, and what they are


@lru_cache(maxsize=16_384)
def read(text: str) -> Reading:
    """Return the reading of a text. Never raises; the same text always gives the same reading."""
    cut = tuple(pieces(text))
    known = tuple(_look_up(cut))
    tokens = tuple(_tokens(known))
    verb = next((k for k in known if k.kind in PREDICATES), None)
    return Reading(
        raw=tuple(piece.folded for piece in cut if piece.kind not in ("stop", "colon")),
        tokens=tokens,
        subject_end=_subject_end(known, tokens),
        verb="" if verb is None else "is" if verb.kind == "copula" else verb.key,
        negations=sum(k.negative for k in known if k.kind != "ceased")
        + any(k.kind == "ceased" for k in known),
        changes=frozenset(c for k in known if (c := k.key if k.kind in _CHANGES else k.change)),
        passive=any(k.passive for k in known),
        happened=any(k.kind == "event" or _is_aspect(known, at) for at, k in enumerate(known)),
        given_up=frozenset(_given_up(known)),
        link="" if verb is None else verb.text.casefold(),
    )


def _index(of: Callable[[str], str]) -> dict[tuple[str, ...], Word]:
    english = ((phrase, word) for phrase, word in PHRASES.items() if phrase[0].isascii())
    longest_first = sorted(english, key=lambda entry: -len(entry[0]))  # so that a base form has the last word
    return {tuple(of(piece.text) for piece in pieces(phrase)): word for phrase, word in longest_first}


_BY_SPELLING: Final = _index(str)
_BY_STEM: Final = _index(stem)


def _look_up(cut: tuple[Piece, ...]) -> Iterator[_Known]:
    shouted = not any(piece.text.islower() for piece in cut if piece.kind == "word")
    at = 0
    while at < len(cut):
        match cut[at].kind:
            case "word":
                used, known = _english(_Spot(cut, at, shouted))
            case "han":
                used, known = _chinese(cut, at)
            case _:
                used, known = 1, _other(cut[at])
        yield known
        at += used


def _other(piece: Piece) -> _Known:
    match piece.kind:
        case "stop":
            return _Known(piece.text, piece.text, "stop")
        case "colon":
            return _Known(piece.text, piece.text, "copula")
        case "id":
            return _Known(piece.text, piece.folded, "id")
        case "mark":
            return _Known(piece.text, piece.text, "unit" if piece.text in "%€$£" else "word")
        case _:
            kind, key = value_of(piece.kind, piece.text)
            return _Known(piece.text, key, kind)


def _english(spot: _Spot) -> _Found:
    return _single(spot) or _phrase(spot) or (1, _unlisted(spot))


def _single(spot: _Spot) -> _Found | None:
    """Words that their place decides about."""
    text, lower, following = spot.piece.text, spot.lower, spot.following
    if spot.capital and not spot.initial and len(lower) == 1 and lower != "i":
        return 1, _Known(text, lower, "name", owner=spot.piece.owner)
    if lower in {"has", "have", "had"} and following is not None and _is_participle(following.text):
        return 1, _Known(text, "_", "filler")
    if lower in {"on", "off"} and (following is None or following.kind == "stop"):
        return 1, _Known(text, "@on", "attitude", negative=lower == "off")
    if lower == "left" and not (following is not None and following.text[0].isupper()):
        return 1, _Known(text, lower, "word")  # a side; "left Airbus" tells of an end
    if value := value_word(lower, capital=spot.capital):
        return 1, _Known(text, value[1], value[0])
    return None


def _is_participle(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")


def _phrase(spot: _Spot) -> _Found | None:
    """The longest listed phrase that begins here."""
    cut, at = spot.pieces, spot.at
    for length in range(_LONGEST["word"], 0, -1):
        phrase = _words_at(cut, at, length)
        word = _BY_SPELLING.get(phrase) or _by_stem(phrase, after_be=spot.after_be)
        if word is None or _means_other(spot, phrase, word):
            continue
        if word.key == "@home" and phrase[-1] == "to" and _value_follows(cut, at + length):
            word = Word("change", "become")  # a meeting moves to Friday, a person to Rome
        if word.role == "negation" and at and cut[at - 1].text == ",":
            word = Word("contrast", "over")  # "tabs, not spaces" denies nothing that is said
        text = " ".join(piece.text for piece in cut[at : at + length])
        passive = spot.after_be and spot.lower.endswith("ed")
        owner = cut[at + length - 1].owner
        return length, _Known(text, word.key, word.role, _turns(word), owner, passive, word.change)
    return None


def _means_other(spot: _Spot, phrase: tuple[str, ...], word: Word) -> bool:
    """Whether the phrase does not mean here what it is listed for."""
    if spot.after_be and (phrase[0] == "used" or word == Word("event", phrase[0])):
        return word.role in ("change", "event")  # "is used to store", "is made of oak" tell of no past
    a_name = spot.capital and not spot.initial and len(phrase) == 1
    return a_name and word.role in ("filler", "verb") and phrase[0] not in _OPENERS | _SMALL


def _value_follows(cut: tuple[Piece, ...], at: int) -> bool:
    if at >= len(cut) or cut[at].kind in ("word", "han", "id", "stop"):
        return at < len(cut) and value_word(cut[at].text, capital=True) is not None
    return True


def _unlisted(spot: _Spot) -> _Known:
    text, owner = spot.piece.text, spot.piece.owner
    key = stem(spot.lower)
    if spot.capital and not (spot.past and spot.initial and _opens_object(spot.following)):
        return _Known(text, key, "name", owner=owner)
    if spot.past:
        return _Known(text, f"{key} (past)", "event")
    participle = spot.lower.endswith("ed") or PHRASES.get(spot.lower) == Word("event", spot.lower)
    if participle and spot.at and spot.pieces[spot.at - 1].folded in _WAS:
        return _Known(text, key, "event", passive=True)
    return _Known(text, key, "word", owner=owner, passive=spot.after_be and spot.lower.endswith("ed"))


def _opens_object(piece: Piece | None) -> bool:
    """Whether an object begins here: "Upgraded the ..." tells of a deed, "Ahmed lives ..." of a person."""
    return piece is not None and piece.folded in {"a", "an", "the", "my", "our", "to", "all"}


def _words_at(cut: tuple[Piece, ...], at: int, length: int) -> tuple[str, ...]:
    """The lower-case words of a phrase; empty if it isn't one, as when an owner's 's divides it."""
    found = cut[at : at + length]
    if len(found) < length or any(p.kind != "word" for p in found) or any(p.owner for p in found[:-1]):
        return ()
    return tuple(piece.folded for piece in found)


def _by_stem(phrase: tuple[str, ...], *, after_be: bool) -> Word | None:
    """Look a phrase up by stems; a past tense is not its present, unless it is a passive."""
    if not phrase or (phrase[0].endswith("ed") and not after_be):
        return None
    return _BY_STEM.get(tuple(stem(word) for word in phrase))


def _chinese(cut: tuple[Piece, ...], at: int) -> _Found:
    run = 1
    while run < _LONGEST["han"] and at + run < len(cut) and cut[at + run].kind == "han":
        run += 1
    characters = "".join(piece.text for piece in cut[at : at + run])
    for length in range(run, 0, -1):
        text = characters[:length]
        if length == 1 and text in MEASURES and at and cut[at - 1].kind in ("number", "cnnumber"):
            return 1, _Known(text, "_", "filler")  # 只 counts animals here, and means "only" elsewhere
        word = PHRASES.get(text)
        if word is None:
            continue
        if text == "从" and any(word in characters for word in _MOVES):
            return 1, _Known(text, "from", "change")
        if word.role == "unit" and length == 1 and (at == 0 or cut[at - 1].kind == "han"):
            continue  # 周 is a week behind a number, a surname elsewhere
        owner, passive = text == "的", text in "被由"
        return length, _Known(text, word.key, word.role, _turns(word), owner, passive, word.change)
    return 1, _Known(characters[0], characters[0], "han")


def _turns(word: Word) -> bool:
    return word.negative or word.role == "negation"


def _is_aspect(known: tuple[_Known, ...], at: int) -> bool:
    """Whether a 了 or 过 stands here that tells of a deed: behind its verb, and with more to come."""
    if known[at].text not in _ASPECTS or at == 0:
        return False
    before = at - 1
    while before and known[before].text in _RESULTS:
        before -= 1
    verb = known[before]
    if known[at].text == "过" and verb.text in _BEFORE_NO_ASPECT:
        return False
    goes_on = known[at].text == "过" or (at + 1 < len(known) and known[at + 1].kind != "stop")
    return goes_on and (verb.kind == "han" or (verb.kind == "verb" and verb.key != "have"))


def _given_up(known: tuple[_Known, ...]) -> Iterator[str]:
    """Yield the keys of what stands between "switched from" and "to", 把 and 换成, before "replaced by"."""
    ousted = next((at for at, item in enumerate(known) if item.key == "ousted"), 0)
    yield from (item.key for item in known[:ousted] if item.kind not in (*_SILENT, "stop", "person"))
    leaving = any(item.key in ("become", "from") and item.kind == "change" for item in known)
    taking = False
    for item in known:
        if item.kind == "change" or (leaving and item.text in ("从", "把", "将")):
            taking = item.key in _LEAVING or item.kind == "filler"
        elif item.kind == "stop" or item.text.casefold() in _TOWARDS:
            taking = False
        elif taking and item.kind not in _SILENT and item.kind != "person":
            yield item.key


def _tokens(known: tuple[_Known, ...]) -> Iterator[Token]:
    """Drop what is silent, keeping where it stood."""
    gap = clause = opens = False
    lead = ""
    run = 0
    for index, item in enumerate(known):
        if item.kind == "stop" or item.kind in _SILENT:
            gap, clause = True, clause or item.kind == "stop"
            word = item.text.casefold()
            opens = opens or item.kind == "stop" or word in _OPENERS
            lead = "&" if word in _AND else word if word in _DIRECTIONS else lead
            continue
        if item.kind != "han" or index == 0 or known[index - 1].kind != "han":
            run += 1
        owner = item.owner or (index + 1 < len(known) and known[index + 1].text == "的")
        stretch = run if item.kind == "han" else -1
        yield Token(item.text, item.key, item.kind, gap, clause, owner, lead, stretch, opens)
        gap = clause = opens = False
        lead = item.key if item.kind == "relation" else lead if item.kind == "han" else ""


def _subject_end(known: tuple[_Known, ...], tokens: tuple[Token, ...]) -> int:
    """How many tokens stand before the first verb; without one, before the first value, else one word."""
    before = 0
    for item in known:
        if item.kind in _SUBJECT_ENDS and (before or item[1:3] != ("now", "change")):
            return before
        before += item.kind != "stop" and item.kind not in _SILENT
    for index, token in enumerate(tokens):
        if token.kind in EXCLUSIVE:
            return index
    end = min(1, len(tokens))
    while 0 < end < len(tokens) and tokens[end].run == tokens[0].run >= 0:
        end += 1
    return end
