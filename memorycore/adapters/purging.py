"""Taking a text out of JSON that keeps copies of it, without harm to what merely looks like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memorycore.errors import InvalidInput
from memorycore.policy.traces import PURGED, is_telling

_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]{2,}")
_WORD_CHARS = 4
_QUOTING = frozenset({"reason", "outcome", "detail"})
_PROSE = frozenset({"text", "context", "reason", "outcome", "content", "detail", "query"})
_STRUCTURE = frozenset({"is", "op"})


def checked_text(text: str) -> str:
    """Return the stripped text. Raises `InvalidInput` if nothing is left."""
    if not text.strip():
        raise InvalidInput("An empty text can't be purged.", advice="Give the whole text of the item.")
    return text.strip()


def holds(value: str, text: str) -> bool:
    """Whether a string is the text, or holds it in a way that can't be chance."""
    return value.strip() == text or (is_telling(text) and text in value)


def strings_holding(plain: Any, text: str) -> Iterator[str]:
    """Yield the strings in a JSON value that hold the text."""
    if isinstance(plain, dict):
        plain = list(plain.values())
    if isinstance(plain, list):
        for value in plain:
            yield from strings_holding(value, text)
    elif isinstance(plain, str) and holds(plain, text):
        yield plain


def without_words(plain: Any, text: str, key: str = "") -> Any:
    """Return the JSON value with "…" wherever a reason, an outcome or a detail quotes a word of the text.

    A word is a number, one of four letters and more, or a piece of two Chinese characters.
    """
    if isinstance(plain, dict):
        return {name: without_words(value, text, name) for name, value in plain.items()}
    if isinstance(plain, list):
        return [without_words(value, text, key) for value in plain]
    return _scrubbed(plain, text) if isinstance(plain, str) and key in _QUOTING else plain


def _scrubbed(reason: str, text: str) -> str:
    words = {word for word in _WORD.findall(text) if len(word) >= _WORD_CHARS or not word.isalpha()}
    reason = _WORD.sub(lambda word: "…" if word[0] in words else word[0], reason)
    return _CHINESE.sub(lambda run: _without_pairs(run[0], text), reason)


def _without_pairs(run: str, text: str) -> str:
    known = [run[at : at + 2] in text for at in range(len(run) - 1)]
    quoted = [one or other for one, other in zip([False, *known], [*known, False], strict=True)]
    return "".join("…" if gone else sign for sign, gone in zip(run, quoted, strict=True))


def without_text(plain: Any, text: str, key: str = "") -> Any:
    """Return the JSON value with `PURGED` wherever a string holds the text; structure stays."""
    if isinstance(plain, dict):
        return {name: without_text(value, text, name) for name, value in plain.items()}
    if isinstance(plain, list):
        return [without_text(value, text, key) for value in plain]
    if not isinstance(plain, str) or key in _STRUCTURE or not holds(plain, text):
        return plain
    return plain.replace(text, PURGED) if key in _PROSE or is_telling(text) else plain


def without_item(plain: Any, id: str, text: str) -> Any:
    """Return the JSON value with `PURGED` for the text of the item of this id; other items keep theirs.

    What the item once said under the same id stays, if it was another text.
    """
    if isinstance(plain, list):
        return [without_item(value, id, text) for value in plain]
    if not isinstance(plain, dict):
        return plain
    own = plain.get("id") == id
    return {
        name: PURGED
        if own and name in _PROSE and isinstance(value, str) and value.strip() == text
        else without_item(value, id, text)
        for name, value in plain.items()
    }
