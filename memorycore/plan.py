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
class Discard:
    """Drop the trash's copy of a text that MemoryCore had made of others, which stand again."""

    item: Entry | Record
    op: Literal["discard"] = "discard"


@dataclass(frozen=True, slots=True)
class FillVector:
    """Give a record, still unchanged since `text_hash`, the vector that it lacks."""

    id: str
    text_hash: str
    op: Literal["fill_vector"] = "fill_vector"


@dataclass(frozen=True, slots=True)
class ExpectRecord:
    """Do nothing, but skip the step unless the record is as it was seen: what the step rests on."""

    record: Record
    op: Literal["expect_record"] = "expect_record"


@dataclass(frozen=True, slots=True)
class Expire:
    """Drop an item from the trash whose time is up, with the copies of its text that no one needs."""

    id: str
    op: Literal["expire"] = "expire"


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


@dataclass(frozen=True, slots=True)
class JoinEntries:
    """Put `after` where `kept` stands and take `gone`, at place `at` (from 0), out: one write of the file."""

    kept: Entry
    gone: Entry
    after: Entry
    at: int | None = None
    op: Literal["join_entries"] = "join_entries"

    def __post_init__(self) -> None:
        _of_one_file(self.kept, self.gone, self.after)


@dataclass(frozen=True, slots=True)
class PartEntries:
    """Put `kept` where `joined` stands and `gone` back at place `at`: one write, the inverse of a join."""

    joined: Entry
    kept: Entry
    gone: Entry
    at: int | None = None
    op: Literal["part_entries"] = "part_entries"

    def __post_init__(self) -> None:
        _of_one_file(self.joined, self.kept, self.gone)


ColdOp = (
    PutRecord
    | ReplaceRecord
    | BuryRecord
    | BuryUnstored
    | BuryEntry
    | Exhume
    | Discard
    | FillVector
    | ExpectRecord
    | Expire
)
HotEdit = AddEntry | RemoveEntry | ReplaceEntry | AnnotateEntry | JoinEntries | PartEntries


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
        if not {entry.text for entry in dropped(self.hot)} <= {kept_text(op) for op in self.cold}:
            raise ValueError("a hot edit may only drop a text that a cold operation before it keeps")
        if not self.cold and self.hot is None:
            raise ValueError("an action does something")

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subject and, where two entries become one, the other of them too."""
        return (self.subject, self.hot.gone.id) if isinstance(self.hot, JoinEntries) else (self.subject,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one run will do, in order."""

    kind: RunKind
    actions: tuple[Action, ...] = ()


def dropped(edit: HotEdit | None) -> tuple[Entry, ...]:
    """Return the entries whose texts are in the hot file no more after the edit."""
    gone: tuple[Entry, ...] = ()
    stay: tuple[Entry, ...] = ()
    match edit:
        case RemoveEntry(entry):
            gone = (entry,)
        case ReplaceEntry(before, after):
            gone, stay = (before,), (after,)
        case JoinEntries(kept, other, after):
            gone, stay = (kept, other), (after,)
        case PartEntries(joined, kept, other):
            gone, stay = (joined,), (kept, other)
    texts = {entry.text for entry in stay}
    return tuple(entry for entry in gone if entry.text not in texts)


def arriving(edit: HotEdit | None) -> tuple[Entry, ...]:
    """Return the entries whose texts stand in the hot file because of the edit."""
    match edit:
        case AddEntry(entry) | ReplaceEntry(_, entry) | JoinEntries(_, _, entry):
            return (entry,)
        case PartEntries(_, kept, gone):
            return (kept, gone)
        case _:
            return ()


def _of_one_file(*entries: Entry) -> None:
    if len({entry.target for entry in entries}) > 1:
        raise ValueError("entries of different files can't become one")


def kept_text(op: ColdOp) -> str | None:
    """Return the text that stands somewhere because of the operation, None if it keeps none."""
    match op:
        case PutRecord(record):
            return record.text
        case BuryEntry(entry):
            return entry.text
        case ReplaceRecord(_, after):
            return after.text
        case _:
            return None
