"""What a run will do, as values: operations, actions, plans.

An action is *some cold operations, then one hot edit*. Its constructor refuses a hot edit that takes
text away unless a cold operation before it keeps that very text, so "hot first" can't be written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memorycore.model import Entry, Record, Target

RunKind = Literal["store", "overflow", "maintenance", "forget", "restore", "undo", "follow"]
Rung = Literal[
    "write",
    "duplicate",
    "supersede",
    "merge",
    "stale",
    "split",
    "state_ttl",
    "retype",
    "redundant",
    "compress",
    "dormant",
    "stub",
    "profile",
    "paraphrase",
    "conflict",
    "fade",
    "forget",
    "restore",
    "revive",
    "expire",
    "purge",
    "embed",
    "undo",
    "repair",
]


@dataclass(frozen=True, slots=True)
class PutRecord:
    """Insert a record; nothing happens if a record with its id is already there."""

    record: Record
    op: Literal["put_record"] = "put_record"


@dataclass(frozen=True, slots=True)
class ReplaceRecord:
    """Put `after` in the place of `before`; both bear the same id."""

    before: Record
    after: Record
    op: Literal["replace_record"] = "replace_record"

    def __post_init__(self) -> None:
        if self.before.id != self.after.id:
            raise ValueError("a record can only be replaced by a newer state of itself")


@dataclass(frozen=True, slots=True)
class BuryRecord:
    """Copy the whole record into the trash, then delete it from the cold tier."""

    record: Record
    op: Literal["bury_record"] = "bury_record"


@dataclass(frozen=True, slots=True)
class BuryUnstored:
    """Put a record that was never in the cold tier straight into the trash."""

    record: Record
    op: Literal["bury_unstored"] = "bury_unstored"


@dataclass(frozen=True, slots=True)
class BuryEntry:
    """Copy the whole entry into the trash."""

    entry: Entry
    op: Literal["bury_entry"] = "bury_entry"


@dataclass(frozen=True, slots=True)
class Exhume:
    """Drop the trash's copy of an item that has just been put back."""

    item: Entry | Record
    op: Literal["exhume"] = "exhume"


@dataclass(frozen=True, slots=True)
class FillVector:
    """Give a record, still unchanged since `text_hash`, the vector that it lacks."""

    id: str
    text_hash: str
    op: Literal["fill_vector"] = "fill_vector"


@dataclass(frozen=True, slots=True)
class AddEntry:
    """Put an entry into its hot file: before the entry at place `at` (from 0), else at the end."""

    entry: Entry
    at: int | None = None
    op: Literal["add_entry"] = "add_entry"


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """Take an entry out of its hot file, where it stands at place `at` (from 0) when that is known.

    The entry is found by its text; the place is there for the edit that takes this one back.
    """

    entry: Entry
    at: int | None = None
    op: Literal["remove_entry"] = "remove_entry"


@dataclass(frozen=True, slots=True)
class ReplaceEntry:
    """Put `after` where `before` stands in the hot file."""

    before: Entry
    after: Entry
    op: Literal["replace_entry"] = "replace_entry"


@dataclass(frozen=True, slots=True)
class AnnotateEntry:
    """Say of an entry in the sidecar what `after` says of it; its text stays as it is."""

    before: Entry
    after: Entry
    op: Literal["annotate_entry"] = "annotate_entry"

    def __post_init__(self) -> None:
        if (self.before.target, self.before.text) != (self.after.target, self.after.text):
            raise ValueError("a note on an entry changes neither its text nor its file")


ColdOp = PutRecord | ReplaceRecord | BuryRecord | BuryUnstored | BuryEntry | Exhume | FillVector
HotEdit = AddEntry | RemoveEntry | ReplaceEntry | AnnotateEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One step of a plan: one rung, one subject, one reason.

    Raises ValueError when the hot edit would drop a text that no cold operation of this action keeps.
    """

    rung: Rung
    subject: str
    reason: str
    target: Target | None = None
    cold: tuple[ColdOp, ...] = ()
    hot: HotEdit | None = None

    def __post_init__(self) -> None:
        dropped = _dropped_text(self.hot)
        if dropped is not None and dropped not in {_kept_text(op) for op in self.cold}:
            raise ValueError("a hot edit may only drop a text that a cold operation before it keeps")
        if not self.cold and self.hot is None:
            raise ValueError("an action does something")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one run will do, in order."""

    kind: RunKind
    actions: tuple[Action, ...] = ()


def _dropped_text(edit: HotEdit | None) -> str | None:
    match edit:
        case RemoveEntry(entry):
            return entry.text
        case ReplaceEntry(before, after):
            return None if before.text == after.text else before.text
        case _:
            return None


def _kept_text(op: ColdOp) -> str | None:
    match op:
        case PutRecord(record):
            return record.text
        case BuryEntry(entry):
            return entry.text
        case ReplaceRecord(_, after):
            return after.text
        case _:
            return None
