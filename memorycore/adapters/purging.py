"""Taking a text out of JSON that keeps copies of it, without harm to what merely looks like it."""

from __future__ import annotations

from typing import Any

from memorycore.errors import InvalidInput

PURGED = "[purged]"
"""What stands in the place of a purged text."""

_TELLING_CHARS = 12
"""A text of this length is taken out of longer ones too; a shorter one is no more than a word of theirs."""

_PROSE = frozenset({"text", "context", "reason", "outcome", "content", "detail", "query"})
_STRUCTURE = frozenset({"is", "op"})


def checked_text(text: str) -> str:
    """Return the stripped text. Raises `InvalidInput` if nothing is left."""
    if not text.strip():
        raise InvalidInput("An empty text can't be purged.", advice="Give the whole text of the item.")
    return text.strip()


def holds(value: str, text: str) -> bool:
    """Whether a string is the text, or holds it in a way that can't be chance."""
    return value.strip() == text or (len(text) >= _TELLING_CHARS and text in value)


def without_text(plain: Any, text: str, key: str = "") -> Any:
    """Return the JSON value with `PURGED` wherever a string holds the text; structure stays."""
    if isinstance(plain, dict):
        return {name: without_text(value, text, name) for name, value in plain.items()}
    if isinstance(plain, list):
        return [without_text(value, text, key) for value in plain]
    if not isinstance(plain, str) or key in _STRUCTURE or not holds(plain, text):
        return plain
    return plain.replace(text, PURGED) if key in _PROSE or len(text) >= _TELLING_CHARS else plain


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
