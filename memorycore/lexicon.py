"""The words that tell rules, records and statuses apart: loaded from lexicons/*.toml, checked, frozen.

A file names its `language` and holds one table per category, which adds to that of other files:

    why               a sentence: what the category is and where it goes
    terms             patterns that decide on their own
    hints             patterns that only lend weight
    not_when          patterns around a term or hint in which it does not count
    examples          sentences of this category; an embedder compares new content with them
    counter_examples  sentences in which no term of this category may count; checked on loading

`[words]` names alternatives for use in patterns as `{name}`; `[fold]` maps characters before matching,
`from` to `to` (traditional to simplified). Patterns ignore case and match whole words:

    prefer~     the word and its inflections        [a|b|]   one of these; an empty one makes it optional
    {name}      alternatives from [words]           ...      up to five words, or ten Chinese characters
    ^           where a sentence begins             $        where a sentence ends
    #           a number                            {name}~  inflections of each alternative
    *ed         any word that ends so (English)     ... , x  x behind a comma (English)
    □           a quotation: what stands in quotation marks is not read, unless the user is quoted
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, cast, get_args

from memorycore.errors import LexiconError
from memorycore.model import Language

HOT_CATEGORIES = ("preference", "rule", "correction", "red_line", "address", "style", "ask_before")
CATEGORIES = (*HOT_CATEGORIES, "fact", "record", "status", "pending", "speech", "change")
_LISTS = ("terms", "hints", "not_when", "examples", "counter_examples")
_LANGUAGES: tuple[Language, ...] = get_args(Language)
_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
_LATIN_WORDS = 3
_TEXTS_KEPT = 4_096
_PIECE = re.compile(r"\{\w+\}|\[[^\[\]]*\]|\.\.\.|[\^$~#* ]|\w+|.", re.DOTALL)
_STRAIGHT = str.maketrans("‘’‛´", "''''")


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence that shows what a category is like."""

    text: str
    category: str
    language: Language


@dataclass(frozen=True, slots=True)
class Match:
    """A piece of content that a pattern of a category found; `decisive` for terms, not for hints."""

    category: str
    text: str
    start: int
    decisive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Category:
    name: str
    why: str
    terms: re.Pattern[str] | None
    hints: re.Pattern[str] | None
    not_when: re.Pattern[str] | None

    def matches(self, text: str) -> Iterable[Match]:
        voids = [found.span() for found in self.not_when.finditer(text)] if self.not_when else []
        for pattern, decisive in ((self.terms, True), (self.hints, False)):
            for found in pattern.finditer(text) if pattern else ():
                if not any(start < found.end() and found.start() < end for start, end in voids):
                    yield Match(self.name, found.group().strip(), found.start(), decisive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Every category of every language. Immutable."""

    _categories: Mapping[Language, tuple[_Category, ...]]
    _fold: Mapping[int, int]
    _examples: tuple[Example, ...] = field(repr=False)
    _read: dict[tuple[str, str | None], tuple[Match, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What `matches` has answered: an overflow asks several times of each entry, the next one again."""

    def examples(self, language: Language | None = None) -> tuple[Example, ...]:
        """Return the examples of one language, or all; the order is the same on each load."""
        return tuple(example for example in self._examples if language in (None, example.language))

    def plain(self, text: str) -> str:
        """Return the form that patterns match: NFKC, lower case, straight apostrophes, folded."""
        plain = unicodedata.normalize("NFKC", text.translate(_STRAIGHT))
        return plain.lower().translate(cast("dict[int, int]", self._fold))

    def matches(self, plain: str, *, only: str | None = None) -> tuple[Match, ...]:
        """Return what the terms and hints of each language present in a plain text find, in reading order.

        `only` names the one category to look for.
        """
        known = self._read.get((plain, only))
        if known is None:
            if len(self._read) >= _TEXTS_KEPT:
                self._read.clear()
            known = self._read[plain, only] = self._matches(plain, only)
        return known

    def _matches(self, plain: str, only: str | None) -> tuple[Match, ...]:
        found = [
            match
            for language in _languages_in(plain)
            for category in self._categories.get(language, ())
            if only in (None, category.name)
            for match in category.matches(plain)
        ]
        return tuple(sorted(found, key=lambda match: (match.start, match.category)))

    def why(self, category: str, language: Language = "en") -> str:
        """Return the sentence that says what a category is; empty if the lexicon has none."""
        return next((known.why for known in self._categories.get(language, ()) if known.name == category), "")


def _languages_in(text: str) -> tuple[Language, ...]:
    """Return the languages whose words may speak: English names in a Chinese text don't make it English."""
    if not _HAN.search(text):
        return ("en",)
    return ("zh", "en") if len(_LATIN_WORD.findall(text)) >= _LATIN_WORDS else ("zh",)


def load(extra_dirs: Sequence[Path] = ()) -> Lexicon:
    """Return the bundled lexicon with every *.toml of the given directories added to it, in name order.

    A directory that does not exist adds nothing. Raises `LexiconError`, which names the file and the
    key, for a file that can't be read or parsed, an unknown key, a pattern that does not compile and
    an example that contradicts another or the terms.
    """
    own = tuple(path for folder in extra_dirs for path in sorted(Path(folder).glob("*.toml")))
    return _assemble([*_bundled_tables(), *(_read(path) for path in own)]) if own else _bundled()


@lru_cache(maxsize=1)
def _bundled() -> Lexicon:
    return _assemble(_bundled_tables())


def _bundled_tables() -> list[_Source]:
    folder = resources.files("memorycore") / "lexicons"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name
    )
    return [_parse(f"lexicons/{file.name}", file.read_text("utf-8")) for file in files]


@dataclass(frozen=True, slots=True)
class _Source:
    """A parsed file: where it came from, its language and its checked tables."""

    file: str
    language: Language
    words: Mapping[str, str]
    fold: Mapping[int, int]
    tables: Mapping[str, Mapping[str, Any]]


def _read(path: Path) -> _Source:
    try:
        return _parse(str(path), path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise LexiconError(
            f"{path} can't be read: {error}.", advice="Save it as UTF-8, or move it away."
        ) from error


def _parse(file: str, text: str) -> _Source:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LexiconError(f"{file} is not TOML: {error}.", advice="Correct the line it names.") from error
    language = data.pop("language", None)
    if language not in _LANGUAGES:
        raise LexiconError(
            f"{file}: `language` is {language!r}.", advice=f"Set it to one of {', '.join(_LANGUAGES)}."
        )
    words, fold = data.pop("words", {}), data.pop("fold", {})
    if (
        not isinstance(words, dict)
        or not _is_strings(list(words.values()))
        or "{" in str(list(words.values()))
    ):
        raise LexiconError(
            f"{file}: `words` can't be used.", advice='Write name = "a|b", without a {name} inside.'
        )
    for name, table in data.items():
        _check_table(file, name, table)
    return _Source(file, language, words, _fold_map(file, fold), data)


def _fold_map(file: str, fold: Any) -> Mapping[int, int]:
    try:
        return str.maketrans(fold.get("from", ""), fold.get("to", ""))
    except (AttributeError, TypeError, ValueError) as error:
        raise LexiconError(
            f"{file}: `fold` can't be used: {error}.",
            advice="Give `from` and `to` the same number of characters.",
        ) from error


def _check_table(file: str, name: str, table: Any) -> None:
    if name not in CATEGORIES or not isinstance(table, dict):
        raise LexiconError(
            f"{file}: `{name}` is no category.", advice=f"The categories are {', '.join(CATEGORIES)}."
        )
    for key, value in table.items():
        if key == "why" and isinstance(value, str):
            continue
        if key not in _LISTS or not _is_strings(value):
            raise LexiconError(
                f"{file}: `{name}.{key}` can't be used.",
                advice=f"Use `why` with a text, or {', '.join(_LISTS)} with a list of non-empty texts.",
            )


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)


def _assemble(sources: Sequence[_Source]) -> Lexicon:
    fold = {old: new for source in sources for old, new in source.fold.items()}
    words = {
        language: {k: v for s in sources if s.language == language for k, v in s.words.items()}
        for language in _LANGUAGES
    }
    lexicon = Lexicon(
        _categories={
            language: tuple(_category(name, language, sources, words[language]) for name in CATEGORIES)
            for language in _LANGUAGES
        },
        _fold=fold,
        _examples=_gather_examples(sources),
    )
    _check_counter_examples(lexicon, sources)
    return lexicon


def _category(
    name: str, language: Language, sources: Sequence[_Source], words: Mapping[str, str]
) -> _Category:
    mine = [(s, s.tables[name]) for s in sources if s.language == language and name in s.tables]

    def union(key: str) -> re.Pattern[str] | None:
        patterns = [(pattern, source.file) for source, table in mine for pattern in table.get(key, ())]
        return _compile(patterns, language, words, f"{name}.{key}") if patterns else None

    return _Category(
        name=name,
        why=next((table["why"] for _, table in reversed(mine) if "why" in table), ""),
        terms=union("terms"),
        hints=union("hints"),
        not_when=union("not_when"),
    )


def _gather_examples(sources: Sequence[_Source]) -> tuple[Example, ...]:
    seen: dict[str, Example] = {}
    for source, name, text in _listed(sources, "examples"):
        first = seen.setdefault(text, Example(text, name, source.language))
        if first.category != name:
            raise LexiconError(
                f"{source.file}: `{name}.examples` has “{text}”, an example of `{first.category}` too.",
                advice="Keep it in one of the two.",
            )
    return tuple(seen.values())


def _check_counter_examples(lexicon: Lexicon, sources: Sequence[_Source]) -> None:
    for source, name, text in _listed(sources, "counter_examples"):
        for match in lexicon.matches(lexicon.plain(text)):
            if match.category == name and match.decisive:
                raise LexiconError(
                    f"{source.file}: `{name}.counter_examples` has “{text}”, where “{match.text}” counts.",
                    advice="Narrow the term, add a `not_when`, or drop the counter-example.",
                )


def _listed(sources: Sequence[_Source], key: str) -> Iterable[tuple[_Source, str, str]]:
    for source in sources:
        for name, table in source.tables.items():
            yield from ((source, name, text.strip()) for text in table.get(key, ()))


def _compile(
    patterns: Sequence[tuple[str, str]], language: Language, words: Mapping[str, str], key: str
) -> re.Pattern[str]:
    """Return one regular expression for patterns given with the file of each; `key` is for errors."""
    translator = _Translator(language, words)
    translated = []
    for pattern, file in patterns:
        try:
            translated.append(translator.whole(pattern.lower()))
        except KeyError as error:
            raise LexiconError(
                f"{file}: `{key}` has “{pattern}”, but [words] does not name {{{error.args[0]}}}.",
                advice="Name it in [words] of a file of the same language, or write the words out.",
            ) from error
    return re.compile("|".join(translated))


class _Translator:
    """Turns patterns of one language into regular expressions."""

    _START = r"(?:^|(?<=[.!?;:。\n—]))[\s\"“「『(]*"
    _END = r"(?=[\s\"”」』)]*(?:$|[.!?;。\n]))"

    def __init__(self, language: Language, words: Mapping[str, str]) -> None:
        self._chinese = language == "zh"
        self._words = words
        self._space = r"\s*" if self._chinese else r"[\s,]+"
        self._gap = r"[^。!?;\n]{0,10}?" if self._chinese else r"(?:[^\s.!?;]+\s+){0,5}?"
        # At the end of a pattern a gap takes all it can: the least would be nothing.
        self._tail = r"[^。!?;\n]{0,10}" if self._chinese else r"(?:[^\s.!?;]+(?:\s+|\b)){0,5}"

    def whole(self, pattern: str) -> str:
        body = self._sequence(pattern.strip())
        return body if self._chinese else rf"(?<![\w'-])(?:{body})(?![\w-]|'\w)"

    def _sequence(self, pattern: str) -> str:
        pieces = _PIECE.findall(pattern)
        made: list[str] = []
        while pieces:
            piece, *pieces = pieces
            following = pieces[0] if pieces else ""
            if piece == " " and following == "$":
                continue
            if piece == " " and self._optional(following) and pieces[1:] in ([], ["$"], [" ", "$"]):
                made.append(f"(?:{self._space}{self._group(pieces.pop(0))})?")
                continue
            made.append(self._piece(piece, following))
            if following == "~" or (following == " " and self._brings_own_space(piece)):
                pieces.pop(0)
        return "".join(made)

    def _piece(self, piece: str, following: str) -> str:
        if following == "~":
            return self._group(piece, "~") if piece[0] in "{[" else _inflected(piece)
        if piece == "," and following == " ":
            return "" if self._chinese else r"(?<=,\s)"  # the space or gap before it has taken it
        if piece == "...":
            return self._gap if following else self._tail
        if piece[0] in "{[" and len(piece) > 1:
            group = self._group(piece)
            return f"(?:{group}{self._space})?" if following == " " and self._optional(piece) else group
        return {"^": self._START, "$": self._END, " ": self._space, "#": r"\d+", "*": r"\w+"}.get(
            piece, re.escape(piece)
        )

    def _group(self, piece: str, suffix: str = "") -> str:
        choices = (self._words[piece[1:-1]].lower() if piece[0] == "{" else piece[1:-1]).split("|")
        made = "|".join(self._sequence(choice.strip() + suffix) for choice in choices if choice.strip())
        return f"(?:{made})" if "" not in choices else f"(?:{made})?"

    def _brings_own_space(self, piece: str) -> bool:
        return piece in {"...", "^", ","} or self._optional(piece)

    @staticmethod
    def _optional(piece: str) -> bool:
        return piece.startswith("[") and "" in piece[1:-1].split("|")


def _inflected(word: str) -> str:
    """Return a regular expression for an English word and its regular inflections."""
    if word.endswith("e"):
        return rf"{re.escape(word[:-1])}(?:e|es|ed|ing)"
    if word.endswith("y") and word[-2:-1] not in "aeou":
        return rf"{re.escape(word[:-1])}(?:y|ies|ied|ying)"
    return rf"{re.escape(word)}(?:s|es|{re.escape(word[-1])}?(?:ed|ing))?"
