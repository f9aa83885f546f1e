"""The text form of a hot file: entries between `§` lines, in the form that Hermes Agent reads and writes.

Every list that `parse` or `accepted` lets through survives `render` and `parse` unchanged. That holds
because no entry has white space at its edges, holds a delimiter, or ends in the start of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memorycore.errors import HotFileFull, InvalidInput
from memorycore.model import Entry, text_hash

DELIMITER = "\n§\n"
_DELIMITER_START = "\n§"
_BOM = "\ufeff"


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


_COMPLAINTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("is empty", lambda text: not text),
    ("holds a line of nothing but §, which separates entries", lambda text: DELIMITER in text),
    (
        "ends with a line of nothing but §, which separates entries",
        lambda text: text.endswith(_DELIMITER_START),
    ),
    ("holds a NUL character", lambda text: "\0" in text),
    ("holds a byte order mark (U+FEFF), which Hermes refuses", lambda text: _BOM in text),
    ("holds half of a surrogate pair, which is not text", _has_surrogate),
)


def normalised(text: str) -> str:
    """Return the text with Unix line ends and no white space around it: what a file would give back."""
    return _lines(text).strip()


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def accepted(text: str) -> str:
    """Return the normalised text of an entry that may be written.

    Raises `InvalidInput` for what a hot file can't hold or Hermes would not read back as it was.
    """
    text = normalised(text)
    complaint = next((words for words, holds in _COMPLAINTS if holds(text)), None)
    if complaint is not None:
        raise InvalidInput(f"The entry {complaint}.", advice="Change the text; nothing was written.")
    return text


def parse(raw: str) -> tuple[str, ...]:
    """Return the entries of a file's text, in order, each text once.

    Empty entries, edge white space, a byte order mark and dangling delimiters are form, not text.
    """
    parts = _lines(raw).split(DELIMITER)
    return tuple(dict.fromkeys(entry for part in parts if (entry := _trimmed(part))))


def _trimmed(part: str) -> str:
    before = None
    while part != before:
        before = part
        part = part.strip().strip(_BOM).removesuffix(_DELIMITER_START)
    return part


def render(entries: Sequence[str]) -> str:
    """Return the text of a file that holds these entries; it has no newline at its end."""
    return DELIMITER.join(entries)


def inserted(texts: Sequence[str], text: str, at: int | None) -> tuple[str, ...]:
    """Return the entries with one more: before the one at place `at` (from 0), else at the end."""
    place = len(texts) if at is None else at
    return (*texts[:place], text, *texts[place:])


def joined(texts: Sequence[str], kept: str, gone: str, after: str) -> tuple[str, ...]:
    """Return the entries with `after` in the place of `kept`, and without `gone`."""
    return tuple(dict.fromkeys(after if text == kept else text for text in texts if text != gone))


def parted(texts: Sequence[str], whole: str, kept: str, gone: str, at: int | None) -> tuple[str, ...]:
    """Return the entries with `kept` in the place of `whole`, and `gone` at place `at` (from 0)."""
    rest = tuple(dict.fromkeys(kept if text == whole else text for text in texts if text != gone))
    return inserted(rest, gone, at)


def drifted(raw: str) -> bool:
    """Whether Hermes refuses to edit a file of this text, because it would not write back what it read."""
    text = _lines(raw)
    kept = (part.strip() for part in text.split(DELIMITER))
    return text.strip() != DELIMITER.join(part for part in kept if part)


def check_room(before: Sequence[str], after: Sequence[str], limit: int) -> None:
    """Refuse a change that leaves the file, or one new entry, longer than `limit` characters.

    A change that makes a file that is over its limit shorter is let through. Raises `HotFileFull`.
    """
    longest = max((len(text) for text in after if text not in before), default=0)
    if longest > limit:
        raise HotFileFull(
            f"The entry has {longest} characters; the whole file may have {limit}.",
            advice="Shorten the text, or keep it in the cold tier.",
        )
    had, needs = len(render(before)), len(render(after))
    if needs > limit and needs >= had:
        raise HotFileFull(
            f"The file has {max(limit - had, 0)} of {limit} characters free; {needs - had} more are needed.",
            advice="Run trigger_overflow to make room, or keep the text in the cold tier.",
        )


def derived_id(text: str) -> str:
    """Return the id of an entry that came without one: the same for the same text."""
    return f"h_{text_hash(text)[:20]}"


def filled(known: Entry, by: Entry, now: datetime) -> Entry:
    """Return `known` with the kind of `by` and what else it lacks; a time that neither has is `now`."""
    written = known.written_at or by.written_at or now
    return replace(
        known,
        kind=by.kind,
        importance=by.importance if known.importance is None else known.importance,
        origin=known.origin or by.origin,
        written_at=written,
        updated_at=known.updated_at or by.updated_at or written,
    )


def check_one_file(before: Entry, *after: Entry) -> None:
    """Refuse to put entries of one file in the place of one of the other. Raises `InvalidInput`."""
    other = next((entry for entry in after if entry.target != before.target), None)
    if other is not None:
        raise InvalidInput(
            f"An entry of `{before.target}` can't be replaced by one of `{other.target}`.",
            advice="Remove the one and add the other; nothing was written.",
        )
