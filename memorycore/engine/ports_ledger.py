"""The port of the ledger: runs, receipts, trash, activity, and what is cached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from memorycore.model import Embedding, TrashItem, Vector
from memorycore.plan import Action, Plan, RunKind

StepState = Literal["planned", "cold_done", "done", "skipped", "failed"]


RunState = Literal["open", "done", "abandoned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalStep:
    """A journalled action: its place in the plan, how far it got, and what came of it."""

    seq: int
    state: StepState
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRun:
    """A run as the ledger has it; `part_of` is the id that several runs of one pass share."""

    id: str
    part_of: str | None = None
    state: RunState
    started_at: datetime
    finished_at: datetime | None
    plan: Plan
    steps: tuple[JournalStep, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A journalled action that speaks of an item, the run that it belongs to, and how far it got."""

    run: str
    at: datetime
    action: Action
    state: StepState


@dataclass(frozen=True, slots=True, kw_only=True)
class Buried:
    """An item of the trash that is near a query: the vectors it was kept with, and how near."""

    item: TrashItem
    embedding: Embedding
    cosine: float


class Ledger(Protocol):
    """Runs, receipts, trash, activity and the vector cache; always local. Each call is one transaction."""

    def begin(self, run: str, plan: Plan, at: datetime, *, part_of: str | None = None) -> None:
        """Journal a plan, all steps `planned`; `part_of` names the pass that the run belongs to."""
        ...

    def mark(self, run: str, seq: int, state: StepState, outcome: str) -> None:
        """Record how far a step got."""
        ...

    def finish(self, run: str, state: RunState, at: datetime) -> None:
        """Close a run."""
        ...

    def open_runs(self) -> list[JournalRun]:
        """Return the runs that were begun and not finished, oldest first."""
        ...

    def run(self, id: str) -> JournalRun | None:
        """Return one run."""
        ...

    def parts(self, of: str) -> list[JournalRun]:
        """Return the runs of a pass, oldest first."""
        ...

    def runs(self, *, limit: int, before: str | None = None) -> list[JournalRun]:
        """Return the newest runs first, older than the run `before`."""
        ...

    def runs_of(self, kinds: Sequence[RunKind]) -> list[JournalRun]:
        """Return all runs of these kinds, oldest first."""
        ...

    def undos(self, of: Sequence[str]) -> list[JournalRun]:
        """Return the undo runs that took back one of these runs or passes, oldest first."""
        ...

    def mentions(self, id: str) -> list[Mention]:
        """Return the actions that speak of this id, of an entry or record, oldest first. Reads all steps."""
        ...

    def add_receipt(self, run: str | None, tool: str, answer: Mapping[str, Any], at: datetime) -> None:
        """Keep what a call answered."""
        ...

    def receipts(self, *, limit: int) -> list[Mapping[str, Any]]:
        """Return the newest receipts first: {run, tool, at, answer}."""
        ...

    def bury(self, item: TrashItem, embedding: Embedding | None = None) -> None:
        """Put an item into the trash; one of the same id is overwritten.

        Only what is buried with an embedding is ever found by `buried_near`.
        """
        ...

    def buried_near(self, model: str, vector: Vector, *, limit: int, now: datetime) -> list[Buried]:
        """Return the items with a vector of this model that are nearest, nearest first.

        Nearness is the inner product with `find`. Items that expired by `now` are left out.
        """
        ...

    def exhume(self, id: str) -> bool:
        """Drop an item from the trash; False if it was not there."""
        ...

    def expire(self, id: str) -> bool:
        """Drop an item from the trash with its copies in runs and receipts; False if it was not there.

        Copies of the same text that belong to other items stay.
        """
        ...

    def expired(self, now: datetime, *, limit: int) -> list[TrashItem]:
        """Return at most `limit` trash items whose time is up, the longest overdue first."""
        ...

    def buried(self, id: str) -> TrashItem | None:
        """Return a trash item."""
        ...

    def buried_text(self, text_hash: str) -> TrashItem | None:
        """Return the trash item with exactly this text, the newest if several."""
        ...

    def trash(self, *, limit: int, after: str | None = None) -> list[TrashItem]:
        """Return a page of the trash, ordered by id, behind the id `after`."""
        ...

    def trash_count(self) -> int:
        """Count the trash."""
        ...

    def log_activity(self, query: str, hits: Sequence[str], at: datetime) -> None:
        """Note a recall and the ids that answered it; the log is kept within its bounds."""
        ...

    def activity(self, *, since: datetime) -> Iterator[tuple[datetime, str, tuple[str, ...]]]:
        """Yield (time, query, ids of the hits) since a time, oldest first."""
        ...

    def cached_vectors(self, model: str, hashes: Sequence[str]) -> dict[str, Vector]:
        """Return the cached vectors of these text hashes; what is not there is absent."""
        ...

    def cache_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Cache vectors by text hash."""
        ...

    def cached_answer(self, judge: str, question: str, key: str) -> Mapping[str, Any] | None:
        """Return what this judge answered to a question of this kind about the texts of this key."""
        ...

    def cache_answer(
        self, judge: str, question: str, key: str, answer: Mapping[str, Any], *, about: Sequence[str]
    ) -> None:
        """Cache an answer; `about` are the hashes of the texts that it is about. Kept within its bounds."""
        ...

    def vectors_of(self, text_hash: str) -> list[Vector]:
        """Return all vectors, of whatever model, that are kept for the text of this hash."""
        ...

    def purge(self, text: str) -> None:
        """Remove every trace of an item's text: trash, cached vector, queries, copies in runs and receipts.

        Longer texts of the trash that hold it stay; cached vectors of longer texts and cached
        answers about it, or that quote it, are dropped.

        Runs and receipts stay, with "[purged]" in its place. Raises `InvalidInput` for an empty text.
        """
        ...

    def scrub(self) -> bool:
        """Leave nothing of a deleted item's text in files, as far as that can be had without waiting.

        False if somebody who reads or writes keeps some of it for now.
        """
        ...

    def close(self) -> None:
        """Release the file."""
        ...
