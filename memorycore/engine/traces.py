"""The port through which a purge looks for what it left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A form of a purged text that a file still holds, how often, and whether the file is ours to clean."""

    file: str
    form: str
    count: int
    ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReport:
    """What a search of all files found: hits per form looked for, and each trace; `unread` could not be."""

    files: int
    bytes: int
    forms: Mapping[str, int]
    found: tuple[Trace, ...] = ()
    unread: tuple[str, ...] = ()


class Traces(Protocol):
    """The files that all stores of a home consist of, and what lies beside them."""

    def search(self, forms: Mapping[str, bytes]) -> TraceReport:
        """Look for each form in every file as bytes; temporary files of ours that hold one are removed."""
        ...


class NoFiles:
    """The traces of stores that keep nothing in files."""

    def search(self, forms: Mapping[str, bytes]) -> TraceReport:
        """Find nothing: there is nowhere to look."""
        return TraceReport(files=0, bytes=0, forms=dict.fromkeys(forms, 0))
