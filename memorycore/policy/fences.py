"""Text of others that is quoted in a prompt, made unable to end its own quotation. Pure.

Hosts fence what they inject with tags and notes, and delete whatever looks like a fence. A fact that holds
such a tag would end the fence early or vanish with it; so the signs that make it a tag are exchanged for
look-alikes that mean nothing, and everything else stays as it is.
"""

from __future__ import annotations

import re
import unicodedata

_HYPHEN = r"[\s_\-\u2010-\u2015]*"
_TAG = re.compile(
    rf"<\s*/?\s*(?:memory{_HYPHEN}context|untrusted{_HYPHEN}tool{_HYPHEN}result|system(?:{_HYPHEN}\w+)?"
    r"|assistant|user|instructions?|tool(?:[_-]\w+)?)\b[^<>]{0,200}>?"
    r"|<\|[^<>|]{1,40}\|>"
)
_NOTE = re.compile(r"[\[(]\s*system\s+(?:note|message|prompt)\s*[:\]]|\[/?inst\]")
_INSTEAD = {"<": "‹", ">": "›", "[": "⟦", "]": "⟧"}


def neutralised(text: str) -> str:
    """Return the text with forged fence tags and system notes made harmless; twice equals once.

    Full-width and other compatibility forms count as what they look like, unseen characters as none.
    """
    folded, places = _folded(text)
    changes: dict[int, str] = {}
    for pattern in (_TAG, _NOTE):
        for found in pattern.finditer(folded):
            for at in range(found.start(), found.end()):
                if folded[at] in _INSTEAD:
                    changes[places[at]] = _INSTEAD[folded[at]]
    return "".join(changes.get(place, char) for place, char in enumerate(text)) if changes else text


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the text as it is seen, in lower case, and for each character its place in the text."""
    folded: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if unicodedata.category(char) == "Cf":
            continue
        for plain in unicodedata.normalize("NFKC", char).lower():
            folded.append(plain)
            places.append(place)
    return "".join(folded), places
