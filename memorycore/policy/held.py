"""Whether a short text holds a value that somebody may ask for later: a figure, a place, a name. Pure."""

from __future__ import annotations

import re
from typing import Final

# How much was copied, how long it took and which run it was is no figure that anyone asks for later.
_MEASURE: Final = re.compile(
    r"\d+(?:[.,:]\d+)*\s?(?:[kmgt]i?b|ms|s|secs?|seconds?|min|mins|minutes?|files?|秒|分钟?|个文件|张)(?![a-z])"
    r"|(?<![a-z])(?:build|job|pipeline|run)\s?#?\d+(?![.,:]?\d)|(?:构建|流水线|任务)\s?#?\d+",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(
    r"[\"“《「『]|\d{3,}|\d[.,:]\d|[$€£¥]|@|https?:|\d\s?[%°]"
    r"|(?<![a-z])(?:port|version|v|room|floor|gate|line|platform|level|number|no\.|no)\s?#?\d"
    r"|(?<![a-z])to\s#?\d|\d\s?(?:am|pm|o'clock)(?![a-z])|\d\s?[点號号楼层樓層元月日]",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z][\w'’-]*")
_NAME: Final = re.compile(r"[A-Z][a-z]{2,}")
_PLAIN: Final = re.compile(r"[a-z]{2,}")
_SENTENCE: Final = re.compile(r"(?<=[.!?:;])\s+|\n")


def holds_value(text: str) -> bool:
    """Whether the text gives a figure, an address or a name.

    Measures of the work itself (3.1 GB, 48 seconds, build 4512) are none. Names are told by their capital,
    so only in languages that write them so, and not where every word has one.
    """
    return _FIGURE.search(_MEASURE.sub("", text)) is not None or any(
        map(_names_something, _SENTENCE.split(text))
    )


def _names_something(sentence: str) -> bool:
    words: list[str] = _WORD.findall(sentence)
    return any(map(_NAME.fullmatch, words[1:])) and any(map(_PLAIN.fullmatch, words[1:]))
