"""Answers about what was: runs, the histories of facts, the trash, what a purge left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from memorycore.model import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion:
    """One state of a fact and for how long it held; `valid_to` is None while nothing took its place.

    `why` is the reason on record for what became of it, `run` the run that did it.
    """

    id: str
    text: str
    tier: Literal["hot", "cold", "trash"]
    valid_from: str | None
    valid_to: str | None
    superseded_by: str | None
    why: str | None
    run: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHistory:
    """All that a fact replaced and all that replaced it, the oldest first; the asked one among them."""

    status: Literal["found", "not_found"]
    id: str
    versions: tuple[FactVersion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashEntry:
    """An item of the trash: what it is, why it is there, and until when it is kept."""

    id: str
    text: str
    kind: Literal["entry", "record"]
    reason: str
    run: str
    trashed_at: str
    expires_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashPage:
    """A page of the trash, ordered by id; `next` is the id to go on behind, None on the last page."""

    items: tuple[TrashEntry, ...]
    total: int
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLeft:
    """A form of a purged text that a file still holds; `ours` is False for a file of somebody else."""

    file: str
    form: str
    count: int
    ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeProof:
    """The search after a purge: how much was read, and how often each form of the text was met."""

    files: int
    bytes: int
    forms: dict[str, int]
    left: tuple[TraceLeft, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeAnswer:
    """What a purge removed and the proof of it. `left`: something was found after it, see `proof`.

    `held`: nothing was removed, since the items of `held_by` hold the text within longer ones.
    """

    status: Literal["purged", "left", "held", "not_found"]
    id: str
    detail: str
    removed: dict[str, int] = field(default_factory=dict)
    proof: PurgeProof | None = None
    held_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A text that an action moved: the places that it left and those that it reached.

    Places are `hot:memory`, `hot:user`, `cold`, `history`, `trash`; nothing before is a text that was new.
    """

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run, or a pass of several runs, on one line; `run` is what `show` and `undo` take.

    `kind` is store, overflow, maintenance, forget, restore or undo; `state` open, done or abandoned (it was
    cut off, and what it had begun was settled). `about` is the text that it was about, cut to 80 characters.
    `actions` counts them by rung. `undone_by` is the undo that holds, `undo_of` what this run took back.
    """

    run: str
    kind: str
    state: str
    started_at: str
    finished_at: str | None
    about: str
    runs: int
    actions: dict[str, int]
    done: int
    skipped: int
    failed: int
    undone_by: str | None
    undo_of: str | None
    part_of: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Runs, newest first; `next` is the `before` of the following page, None on the last one."""

    runs: tuple[RunLine, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDetail:
    """One action of a run: what it was about, why, what came of it, and what it moved.

    `state` is planned, cold_done, done, skipped or failed, `outcome` says it in words. `before` and `after`
    are the whole text of the subject, None where it was not there; `changed` holds [before, after] of what is
    known of it. `undoable` says whether an undo takes something of it back.
    """

    run: str
    rung: str
    subject: str
    target: Target | None
    reason: str
    state: str
    outcome: str
    before: str | None
    after: str | None
    moves: tuple[Move, ...]
    changed: dict[str, Any]
    undoable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """A run or pass in full; `undo` is a sentence: how to take it back, or why it can't be."""

    line: RunLine
    actions: tuple[ActionDetail, ...]
    undoable: bool
    undo: str
