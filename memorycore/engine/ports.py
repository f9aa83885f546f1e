"""What the engine needs of the world. Every adapter of a port passes the port's contract suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from memorycore.engine.ports_upkeep import ColdUpkeep
from memorycore.model import (
    ColdCounts,
    Embedding,
    Entry,
    HotSnapshot,
    Judgement,
    Likelihoods,
    Record,
    SearchResult,
    Target,
    Vector,
)

EditOutcome = Literal["done", "present", "changed"]
EmbedRole = Literal["query", "passage"]


class HotStore(Protocol):
    """The hot files and their sidecars.

    Every edit takes the file's lock, reads the file anew, changes what it is about and writes once;
    entries that others put there survive. Raises `HotFileUnreadable`, `HotFileBusy` and
    `HotFileUnwritable` with the file untouched.
    """

    def read(self, target: Target) -> HotSnapshot:
        """Return the file as it stands, without a lock; one that does not exist is empty."""
        ...

    def add(self, entry: Entry, at: int | None = None) -> EditOutcome:
        """Put the entry at place `at` (from 0), at the end without one or beyond it.

        `present` if the same text is there. Raises `HotFileFull`, `InvalidInput`.
        """
        ...

    def remove(self, entry: Entry) -> EditOutcome:
        """Take the entry out; `present` if it was not there any more."""
        ...

    def replace(self, before: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `before`.

        `present` if `after` stands already, `changed` if `before` is gone.
        """
        ...

    def join(self, kept: Entry, gone: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `kept` and take `gone` out, in one write.

        `present` if `after` stands and not both others do, `changed` if one of them is gone without it.
        """
        ...

    def part(self, joined: Entry, kept: Entry, gone: Entry, at: int | None = None) -> EditOutcome:
        """Put `kept` in the place of `joined` and `gone` at place `at`, in one write.

        `present` if both stand already and `joined` does not, `changed` if `joined` is gone without them.
        """
        ...

    def annotate(self, entry: Entry) -> EditOutcome:
        """Make the sidecar say of this text what `entry` says; the file itself stays.

        `present` if it says so already, `changed` if the text is not in the file.
        """
        ...

    def reconcile(self, target: Target, typed: Sequence[Entry]) -> int:
        """Bring the sidecar in line with the file; return how many of its items changed.

        Items of texts that are gone are dropped. An entry of `typed` gives its kind to an item that has
        none, and fills what else the item lacks; what it says already is kept. Times that nobody knows
        become now: the entry's age counts from when it was first seen.
        """
        ...


class ColdStore(ColdUpkeep, Protocol):
    """The records.

    Each call is one transaction: the fact, its words and its vector are written together or not at
    all. Reads never wait for a writer. Raises `StoreError`s.
    """

    def put(self, record: Record, embedding: Embedding | None) -> str:
        """Insert the record and return its id.

        Nothing is written and the other's id is returned if an active record of the same owner, scope
        and text is there; a record of the same id is left as it is. Without an embedding the record
        is pending. Raises `EmbedderMismatch` for a vector that is not finite, zero, or whose length
        differs from what the store holds for the same model.
        """
        ...

    def replace(self, record: Record, embedding: Embedding | None) -> bool:
        """Overwrite the record of this id; False if there is none.

        With no embedding given, the stored one stays as long as text and context are the same.
        """
        ...

    def set_embedding(self, id: str, text_hash: str, embedding: Embedding) -> bool:
        """Store a vector for a record whose text still has that hash; False otherwise."""
        ...

    def delete(self, id: str) -> bool:
        """Remove every trace of a record; False if there was none."""
        ...

    def get(self, id: str) -> Record | None:
        """Return the record, active or not."""
        ...

    def find_text(self, owner: str, scope: str, text_hash: str) -> Record | None:
        """Return the active record with exactly this text."""
        ...

    def embedding(self, id: str, model: str | None) -> Embedding | None:
        """Return what the record was embedded to under this model; None if pending under it.

        Without a model: under that of its models which came into the store last.
        """
        ...

    def search(
        self,
        *,
        owner: str,
        vector: Vector | None,
        model: str | None,
        terms: Sequence[str],
        limit: int,
        include_superseded: bool = False,
    ) -> SearchResult:
        """Return the union of the `limit` nearest records and the `limit` best by words.

        Nearness is exact: the inner product with `find` among the vectors of `model`. Both signals
        are filled in for every candidate. Neither vector nor terms: no candidates.
        """
        ...

    def counts(self, owner: str, model: str | None) -> ColdCounts:
        """Count the owner's records; embedded means: under `model`."""
        ...

    def pending(self, owner: str, model: str, limit: int) -> list[Record]:
        """Return at most `limit` active records that have no vector under `model`, oldest first."""
        ...

    def scan(self, owner: str, *, after: str | None, limit: int) -> list[Record]:
        """Return a page of all records, superseded ones too, ordered by id, behind the id `after`."""
        ...

    def mark_recalled(self, ids: Sequence[str], at: datetime) -> None:
        """Note that these records answered a recall; unknown ids are passed over.

        Atomically `recalled_at` becomes `at` unless it is later already, and `recalls` rises by one, at
        most once per hour of the clock (UTC) and record, up to `policy.decay.MOST_RECALLS`.
        """
        ...

    def embeddings(self, id: str) -> list[Embedding]:
        """Return what the record was embedded to, under all models that the store knows."""
        ...

    def holding(self, text: str) -> list[Record]:
        """Return the records, of whatever owner, scope and state, that have or hold a stripped text.

        Holding it within longer words counts for text and context alike. Reads all records.
        """
        ...

    def replaced_by(self, id: str) -> list[Record]:
        """Return the records whose `superseded_by` is this id, the ones that were stored first first."""
        ...

    def status(self) -> Mapping[str, str]:
        """Return what a doctor wants to know: backend, path, schema, which vector search runs."""
        ...

    def vacuum(self) -> None:
        """Make sure that no file of the store holds anything of a deleted record; may take seconds."""
        ...

    def close(self) -> None:
        """Release files; the store can't be used after it."""
        ...


class Embedder(Protocol):
    """Turns texts into raw vectors of one model."""

    @property
    def identity(self) -> str:
        """Name, version and dimension of the model, as `name/dim`; may load the model to know it."""
        ...

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        ...

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        """Return a vector per text; None where this one text can't be embedded.

        Raises `EmbedderUnavailable` when the model can't answer at all.
        """
        ...

    def close(self) -> None:
        """Stop worker processes and connections; a second call does nothing."""
        ...


class PairModel(Protocol):
    """Reads two texts at once and says how likely one repeats, holds or outdates the other."""

    @property
    def identity(self) -> str:
        """Name and version of the model."""
        ...

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Likelihoods | None]:
        """Return, per pair of a new and an old text, what the new one is; None where one is too long to read.

        Raises `PairModelUnavailable` when the model can't answer at all.
        """
        ...


class Judge(Protocol):
    """An optional LLM that answers bounded questions. The rules decide wherever it does not answer.

    Each method returns None when the answer can't be used: prose, half a JSON, another shape than asked
    for. Raises `JudgeUnavailable` when the endpoint does not answer at all, after retries.
    """

    @property
    def identity(self) -> str:
        """Name of the model; answers of different ones are never mixed up."""
        ...

    def compare(self, older: str, newer: str) -> Judgement | None:
        """Say what a newer text is to an older one, with a reason of one sentence."""
        ...

    def shorten(self, text: str, max_chars: int) -> str | None:
        """Say the same in at most `max_chars` characters; whether it does is for the policy to check."""
        ...

    def dormant(self, text: str, queries: Sequence[str]) -> bool | None:
        """Say whether a text has no part in what was asked lately, so that it need not be in every prompt."""
        ...

    def close(self) -> None:
        """Release connections; a second call does nothing."""
        ...
