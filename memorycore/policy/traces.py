"""The forms in which a purged text could still lie in a file, as bytes to look for. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Final

from memorycore.model import Vector, text_hash
from memorycore.plan import Action, PutRecord, ReplaceRecord, arriving
from memorycore.policy.words import tokens

PURGED: Final = "[purged]"
"""What stands in the journal in the place of a purged text."""

TELLING_CHARS: Final = 12
"""A text of this length is a trace wherever it stands; a shorter one is no more than a word of others."""

_LONG: Final = 300
_PART: Final = 120
_PARTS: Final = 8


def is_telling(text: str) -> bool:
    """Whether a text is long enough to be looked for inside other texts."""
    return len(text) >= TELLING_CHARS


def forms(text: str, vectors: Iterable[Vector]) -> dict[str, bytes]:
    """Return the bytes to look for, by the name of the form.

    The text as files, JSON and the word index would hold it, its hash, and its vectors. Of a text that
    is not telling only hash and vectors are looked for: its few letters stand in other texts by right.
    """
    found: dict[str, bytes] = {}
    if is_telling(text):
        found |= {
            "utf-8": text.encode(),
            "utf-16-le": text.encode("utf-16-le"),
            "utf-16-be": text.encode("utf-16-be"),
            "json": _inside(json.dumps(text, ensure_ascii=False)),
            "json, ascii": _inside(json.dumps(text)),
            "json in json": _inside(
                json.dumps(json.dumps(text, ensure_ascii=False)[1:-1], ensure_ascii=False)
            ),
        }
        cut = " ".join(tokens(text))
        if is_telling(cut):
            found["words"] = cut.encode()
    digest = text_hash(text)
    found |= {"hash": digest.encode(), "hash, binary": hashlib.sha256(text.strip().encode()).digest()}
    return found | {f"vector {place}": vector.tobytes() for place, vector in enumerate(vectors, 1)}


def parts(text: str) -> Sequence[str]:
    """Return pieces of a long text: a database may break it over pages, which no whole form survives."""
    if len(text) < _LONG:
        return ()
    step = max(_PART, (len(text) - _PART) // (_PARTS - 1))
    pieces = (text[at : at + _PART] for at in range(0, len(text) - _PART + 1, step))
    return tuple(dict.fromkeys(pieces))


def writes_purged(action: Action) -> bool:
    """Whether the action would write a text that was purged from the journal, as an undo of old might."""
    texts = [op.record.text for op in action.cold if isinstance(op, PutRecord)]
    texts += [op.after.text for op in action.cold if isinstance(op, ReplaceRecord)]
    texts += [entry.text for entry in arriving(action.hot)]
    return PURGED in texts


def _inside(quoted: str) -> bytes:
    return quoted[1:-1].encode()
