"""The words of a text, as full-text search and BM25 see them, and the language a text is written in.

Documents and queries are cut by the same rules, so whatever a document says is found by saying it again:

- text is folded first: compatibility forms (full width, ligatures), case, accents; zero-width marks vanish;
- Latin words are stemmed, numbers and words of other spaced scripts stay whole;
- scripts written without spaces (Han, kana, Thai, ...) and Hangul give single characters and pairs in
  documents, pairs alone in queries, so that 成语接龙 finds a sentence that holds it;
- `C++` and `C#` are words of their own; each emoji is one; text of nothing but symbols gives its symbols.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Any

from memorycore.model import Language

RULES_VERSION = 1
"""Grows whenever these rules change; stores cut their texts anew when it does."""

MAX_TOKEN_CHARS = 64
"""Longer words are cut to this length, in documents and queries alike."""

_HAN_AND_KANA = (
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = _HAN_AND_KANA + r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\uac00-\ud7a3"
# Vowel signs of Hebrew, Arabic and the Indic scripts, which `\w` leaves out though they are inside words.
_MARKS = r"\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"

_TOKEN = re.compile(
    rf"""
      (?P<unspaced> [{_UNSPACED}]+ )
    | (?P<decorated> (?<![a-z0-9]) (?: [a-z][a-z0-9]*\+\+(?![a-z+]) | [a-z]\#(?!\w) ) )
    | (?P<word> (?: (?![{_UNSPACED}_]) [\w{_MARKS}] )+ )
    | (?P<emoji> [\U0001f1e6-\U0001f1ff]{{2}} | [\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001fbff] )
    """,
    re.VERBOSE,
)
_ENGLISH = re.compile(r"[a-z]+")
_HAN = re.compile(f"[{_HAN_AND_KANA}]")

_APOSTROPHES = re.compile("[\u2018\u2019\u02bc`\u00b4]")
_NEGATION = re.compile(r"(?<=[a-z]n)'(?=t(?![a-z]))")
_CLITIC = re.compile(r"(?<=[a-z])'(?:s|re|ve|ll|d|m)(?![a-z])")
_COMBINING = re.compile("[\u0300-\u036f]")
# Joiners, direction marks, soft hyphens and variation selectors: seen by no reader.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})  # Unicode categories
_TRADE_MARKS = re.compile("[\u2120\u2122]")  # folding would glue "tm" to the word before

_STOP_LIST = """
a an and are as at be been but by can could did do does for from had has have he her him his how i if in into
is it its me my of on or our she should so than that the their them then there these they this to us was we
were what when where which who whom why will with would you your
"""
_STOP_WORDS = frozenset(_STOP_LIST.split())


def tokens(text: str) -> list[str]:
    """Return the tokens of a document, in order, repeated as often as they occur.

    Never empty for a text with a visible character; no token holds white space or a control character.
    """
    return _tokens(text, is_query=False)


def query_tokens(text: str) -> list[str]:
    """Return the tokens to look for: each once, in order, without English stop words if others remain."""
    return list(dict.fromkeys(_tokens(text, is_query=True)))


@lru_cache(maxsize=4_096)
def language(text: str) -> Language:
    """Return the language of a text by its script: "zh" or, for everything else, "en".

    A Han character weighs as much as a Latin word. Chinese that names English things (把 deploy 脚本的
    timeout 改成 30 秒) is "zh"; English that quotes Chinese (the word 茶 means tea) is "en". Where
    neither side leads, an English function word settles it. Kana counts as Han: of the two,
    Japanese is nearer to Chinese in how embedding models see it.
    """
    if text.isascii():
        return "en"
    folded = _folded(text)
    han = len(_HAN.findall(folded))
    if not han:
        return "en"
    latin = _ENGLISH.findall(folded)
    if han > len(latin):
        return "zh"
    reads_english = any(word in _STOP_WORDS for word in latin)
    return "zh" if 2 * han >= len(latin) and not reads_english else "en"


def _tokens(text: str, *, is_query: bool) -> list[str]:
    folded = _folded(text)
    found: list[str] = []
    stops: list[str] = []
    for match in _TOKEN.finditer(folded):
        piece = match.group()
        if match.lastgroup == "unspaced":
            found.extend(_characters(piece, is_query=is_query))
        elif match.lastgroup == "decorated":
            found.extend([piece] if is_query else [_stem(piece.rstrip("+#")), piece])
        elif match.lastgroup == "emoji":
            found.append(piece)
        elif is_query and piece in _STOP_WORDS:
            stops.append(_stem(piece))
        else:
            found.append(_stem(piece))
    return found or stops or _symbols(text)


def _folded(text: str) -> str:
    text = _INVISIBLE.sub("", _TRADE_MARKS.sub(" ", text))
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = unicodedata.normalize("NFC", _COMBINING.sub("", unicodedata.normalize("NFD", text)))
    text = _APOSTROPHES.sub("'", text)
    return _CLITIC.sub("", _NEGATION.sub("", text))


def _characters(run: str, *, is_query: bool) -> list[str]:
    pairs = [first + second for first, second in pairwise(run)]
    if is_query and pairs:
        return pairs
    return [*run, *pairs]


def _symbols(text: str) -> list[str]:
    """Return the visible characters one by one: all that is left to find a text of symbols by."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [char for char in folded if not char.isspace() and unicodedata.category(char) not in _UNSEEN]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    word = word[:MAX_TOKEN_CHARS]
    if not _ENGLISH.fullmatch(word):
        return word
    stem: str = _stemmer().stemWord(word)
    return stem


# A stemmer keeps the word that it works on in itself, so no two threads may share one.
_local = threading.local()


def _stemmer() -> Any:
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        # The Python class itself: `snowballstemmer.stemmer` would pick another implementation where
        # PyStemmer is installed, and stems kept in a store must not depend on that.
        from snowballstemmer.english_stemmer import EnglishStemmer

        stemmer = _local.stemmer = EnglishStemmer()
    return stemmer
