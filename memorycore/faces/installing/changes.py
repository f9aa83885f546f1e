"""The changes that an installation makes in a file, so that they can be looked for and taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from memorycore.errors import HostConfigError
from memorycore.faces.installing import documents
from memorycore.faces.installing.documents import Format, ListFormat, Path2
from memorycore.faces.installing.edits import backups


class Change(Protocol):
    """One change in a text. Its methods raise `HostConfigError` as the functions of `documents` do."""

    def is_in(self, text: str) -> bool:
        """Whether the text has it."""

    def made(self, text: str) -> str:
        """Return the text with it."""

    def taken_back(self, text: str) -> str:
        """Return the text without it."""


@dataclass(frozen=True, slots=True)
class Put:
    """A value at a place; taken back, it leaves the value that was there `before`, if that is known."""

    form: Format
    place: Path2
    value: Any
    before: Any = None

    def is_in(self, text: str) -> bool:
        return documents.same(documents.value_at(self.form, text, self.place), self.value)

    def made(self, text: str) -> str:
        return documents.put(self.form, text, self.place, self.value)

    def taken_back(self, text: str) -> str:
        if self.before is not None:
            return documents.put(self.form, text, self.place, self.before)
        return documents.drop(self.form, text, self.place)


@dataclass(frozen=True, slots=True)
class Listed:
    """A name in the list at a place."""

    form: ListFormat
    place: Path2
    item: str

    def is_in(self, text: str) -> bool:
        return self.item in documents.list_at(self.form, text, self.place)

    def made(self, text: str) -> str:
        return documents.include(self.form, text, self.place, self.item)

    def taken_back(self, text: str) -> str:
        return documents.exclude(self.form, text, self.place, self.item)


def text_before(path: Path, text: str, changes: Sequence[Change]) -> str | None:
    """Return the text that became `text` by these changes, None if that is not known.

    It is looked for in the backups of the file; a file without a backup may have been made for them, out
    of nothing. A backup that has one of them already is none from before.
    """
    for copy in list(backups(path)) or [""]:
        edited = copy
        try:
            if any(change.is_in(copy) for change in changes):
                continue
            for change in changes:
                edited = change.made(edited)
        except HostConfigError:
            continue
        if edited == text:
            return copy
    return None
