"""An in-memory cold store for tests of what uses one; it passes the contract suite of the real one."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from memorycore.adapters.cold_schema import check_dimension, checked_embedding, record_values
from memorycore.adapters.cold_search import (
    BM25_B,
    BM25_K1,
    CONTEXT_WEIGHT,
    RARENESS_FLOOR,
    Query,
    checked_query,
)
from memorycore.adapters.purging import holds
from memorycore.errors import InvalidInput, StoreUnavailable
from memorycore.model import Candidate, ColdCounts, Embedding, Near, Record, SearchResult, Swept, Vector
from memorycore.policy.decay import MOST_RECALLS
from memorycore.policy.words import tokens

S = TypeVar("S", bound="InMemory")
P = ParamSpec("P")
R = TypeVar("R")


class InMemory:
    """A store guarded by one lock, which `one_transaction` takes."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._closed = False

    def close(self) -> None:
        """Make every later call fail, as a closed file would."""
        self._closed = True


def one_transaction(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run the method alone. Raises `StoreUnavailable` once the store is closed."""

    @wraps(method)
    def locked(store: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with store._lock:  # noqa: SLF001  # the decorator belongs to the class
            if store._closed:  # noqa: SLF001
                raise StoreUnavailable("The store was closed.", advice="Open a new store.")
            return method(store, *args, **kwargs)

    return locked


def _hour(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


class InMemoryColdStore(InMemory):
    """A `ColdStore` that lives in this process only."""

    def __init__(self) -> None:
        super().__init__()
        self._records: dict[str, Record] = {}  # in the order of insertion, which settles ties
        self._vectors: dict[tuple[str, str], Embedding] = {}  # by record and model
        self._dims: dict[str, int] = {}

    @one_transaction
    def put(self, record: Record, embedding: Embedding | None) -> str:
        """Insert the record and return its id, or the id of the active record that has its text."""
        record_values(record)
        embedding = self._checked(embedding)
        if record.id in self._records:
            return record.id
        if record.active and (other := self.find_text(record.owner, record.scope, record.hash)):
            return other.id
        self._records[record.id] = record
        self._embed(record.id, embedding)
        return record.id

    @one_transaction
    def replace(self, record: Record, embedding: Embedding | None) -> bool:
        """Overwrite the record of this id; False if there is none."""
        record_values(record)
        embedding = self._checked(embedding)
        before = self._records.get(record.id)
        if before is None:
            return False
        other = self.find_text(record.owner, record.scope, record.hash)
        if record.active and other is not None and other.id != record.id:
            raise InvalidInput(f"The active record {other.id} has this text already.", advice="Delete one.")
        self._records[record.id] = record
        if (before.text, before.context) != (record.text, record.context):
            self._forget_vectors(record.id)
        self._embed(record.id, embedding)
        return True

    @one_transaction
    def set_embedding(self, id: str, text_hash: str, embedding: Embedding) -> bool:
        """Store a vector for a record whose text still has that hash; False otherwise."""
        checked = self._checked(embedding)
        record = self._records.get(id)
        if record is None or record.hash != text_hash:
            return False
        self._embed(id, checked)
        return True

    @one_transaction
    def delete(self, id: str) -> bool:
        """Remove a record; False if there was none."""
        self._forget_vectors(id)
        return self._records.pop(id, None) is not None

    @one_transaction
    def get(self, id: str) -> Record | None:
        """Return the record, active or not."""
        return self._records.get(id)

    @one_transaction
    def find_text(self, owner: str, scope: str, text_hash: str) -> Record | None:
        """Return the active record with exactly this text."""
        wanted = (owner, scope, text_hash)
        found = (r for r in self._records.values() if r.active and (r.owner, r.scope, r.hash) == wanted)
        return next(found, None)

    @one_transaction
    def embedding(self, id: str, model: str | None) -> Embedding | None:
        """Return what the record was embedded to under this model, or under its newest one."""
        if model is not None:
            return self._vectors.get((id, model))
        found = (self._vectors.get((id, name)) for name in reversed(self._dims))
        return next((embedding for embedding in found if embedding is not None), None)

    @one_transaction
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
        """Return the union of the `limit` nearest records and the `limit` best by words."""
        query = checked_query(
            owner=owner,
            vector=vector,
            model=model,
            terms=terms,
            limit=limit,
            include_superseded=include_superseded,
        )
        cosines = self._cosines(query)
        scores, frequency = self._bm25(query.terms)
        visible = [r.id for r in self._owned(owner) if r.active or include_superseded]
        nearest = sorted((key for key in visible if key in cosines), key=lambda key: -cosines[key])[:limit]
        best = sorted((key for key in visible if scores.get(key)), key=lambda key: -scores[key])[:limit]
        candidates = tuple(
            Candidate(
                record=self._records[key],
                cosine=cosines.get(key),
                words=scores.get(key, 0.0),
                embedded=self._is_embedded(key, model),
            )
            for key in dict.fromkeys(nearest + best)
        )
        return SearchResult(
            candidates=candidates,
            document_frequency=frequency,
            total=len(self._records),
            vectorless=0 if query.vector is None else sum(key not in cosines for key in visible),
        )

    @one_transaction
    def counts(self, owner: str, model: str | None) -> ColdCounts:
        """Count the owner's records; embedded means: under `model`, or under any if None."""
        owned = self._owned(owner)
        active = [record.id for record in owned if record.active]
        embedded = sum(self._is_embedded(key, model) for key in active)
        return ColdCounts(
            total=len(active),
            embedded=embedded,
            pending=len(active) - embedded,
            superseded=len(owned) - len(active),
        )

    @one_transaction
    def pending(self, owner: str, model: str, limit: int) -> list[Record]:
        """Return at most `limit` active records that have no vector under `model`, oldest first."""
        waiting = [r for r in self._owned(owner) if r.active and not self._is_embedded(r.id, model)]
        return sorted(waiting, key=lambda record: record.created_at)[:limit]

    @one_transaction
    def scan(self, owner: str, *, after: str | None, limit: int) -> list[Record]:
        """Return a page of all records, superseded ones too, ordered by id, behind the id `after`."""
        behind = [record for record in self._owned(owner) if record.id > (after or "")]
        return sorted(behind, key=lambda record: record.id)[:limit]

    @one_transaction
    def owners(self) -> list[str]:
        """Return the owners of records, in order of their names."""
        return sorted({record.owner for record in self._records.values()})

    @one_transaction
    def size(self, owner: str) -> int:
        """Count the owner's active records."""
        return sum(record.active for record in self._owned(owner))

    @one_transaction
    def neighbours(
        self, owner: str, *, model: str, floor: float, limit: int, only: Collection[str] | None = None
    ) -> Iterator[tuple[str, tuple[Near, ...]]]:
        """Yield, per active record with a vector of the model, its nearest others in its scope."""
        known = [
            (record, self._vectors[record.id, model].own)
            for record in sorted(self._owned(owner), key=lambda record: (record.scope, record.id))
            if record.active and (record.id, model) in self._vectors
        ]
        found: list[tuple[str, tuple[Near, ...]]] = []
        for record, own in known:
            if only is None or record.id in only:
                others = [(o.id, float(own @ v)) for o, v in known if o.scope == record.scope and o != record]
                near = [Near(key, cosine) for key, cosine in others if cosine >= floor]
                found.append((record.id, tuple(sorted(near, key=lambda one: (-one.cosine, one.id))[:limit])))
        return iter(found)

    @one_transaction
    def models(self, owner: str) -> Mapping[str, int]:
        """Return how many of the owner's active records have a vector, by model."""
        active = {record.id for record in self._owned(owner) if record.active}
        return Counter(model for key, model in self._vectors if key in active)

    @one_transaction
    def sweep(self) -> Swept:
        """Find nothing: no vector gets in here that can't be compared, and each goes with its record."""
        return Swept(orphans=0, broken=0)

    @one_transaction
    def drop_vectors(self, *, keep: str) -> int:
        """Drop the vectors of all models but `keep`; return how many they were."""
        before = len(self._vectors)
        self._vectors = {key: vector for key, vector in self._vectors.items() if key[1] == keep}
        self._dims = {model: dim for model, dim in self._dims.items() if model == keep}
        return before - len(self._vectors)

    @one_transaction
    def mark_recalled(self, ids: Sequence[str], at: datetime) -> None:
        """Set the time of the last recall and count it, once per hour of the clock and record."""
        for key in self._records.keys() & set(ids):
            before = self._records[key]
            last = before.recalled_at
            counts = (last is None or _hour(last) < _hour(at)) and before.recalls < MOST_RECALLS
            self._records[key] = replace(
                before, recalled_at=at if last is None else max(last, at), recalls=before.recalls + counts
            )

    @one_transaction
    def embeddings(self, id: str) -> list[Embedding]:
        """Return what the record was embedded to, under all models that the store knows."""
        return [embedding for (key, _), embedding in self._vectors.items() if key == id]

    @one_transaction
    def holding(self, text: str) -> list[Record]:
        """Return the records, of whatever owner, scope and state, whose text or context holds a text."""
        return [r for r in self._records.values() if holds(r.text, text) or holds(r.context or "", text)]

    @one_transaction
    def replaced_by(self, id: str) -> list[Record]:
        """Return the records that `id` superseded, the ones that were stored first first."""
        found = [record for record in self._records.values() if record.superseded_by == id]
        return sorted(found, key=lambda record: record.created_at)

    @one_transaction
    def status(self) -> Mapping[str, str]:
        """Return that this is the store in memory."""
        return {"backend": "memory", "vector_search": "linear", "broken_vectors": "0"}

    @one_transaction
    def vacuum(self) -> None:
        """Do nothing: what was deleted is in no file."""

    @one_transaction
    def scrub(self) -> bool:
        """Do nothing: what was deleted is in no file."""
        return True

    def _owned(self, owner: str) -> list[Record]:
        return [record for record in self._records.values() if record.owner == owner]

    def _is_embedded(self, id: str, model: str | None) -> bool:
        return any(key[0] == id and model in (None, key[1]) for key in self._vectors)

    def _checked(self, embedding: Embedding | None) -> Embedding | None:
        if embedding is None:
            return None
        checked = checked_embedding(embedding)
        check_dimension(checked.model, self._dims.get(checked.model, checked.find.size), checked.find.size)
        return checked

    def _embed(self, id: str, embedding: Embedding | None) -> None:
        if embedding is not None:
            self._dims[embedding.model] = embedding.find.size
            self._vectors[id, embedding.model] = embedding

    def _forget_vectors(self, id: str) -> None:
        self._vectors = {key: value for key, value in self._vectors.items() if key[0] != id}

    def _cosines(self, query: Query) -> dict[str, float]:
        vector = query.vector
        if vector is None or query.model is None:
            return {}
        check_dimension(query.model, self._dims.get(query.model, vector.size), vector.size)
        return {
            key: float(embedding.find @ vector)
            for (key, model), embedding in self._vectors.items()
            if model == query.model
        }

    def _bm25(self, terms: Sequence[str]) -> tuple[dict[str, float], dict[str, int]]:
        texts = {
            r.id: (Counter(tokens(r.text)), Counter(tokens(r.context or ""))) for r in self._records.values()
        }
        lengths = {key: text.total() + context.total() for key, (text, context) in texts.items()}
        mean = sum(lengths.values()) / len(lengths) if lengths else 0.0
        scores = dict.fromkeys(texts, 0.0)
        frequency: dict[str, int] = {}
        for term in terms:
            holders = {
                key: t[term] + CONTEXT_WEIGHT * c[term] for key, (t, c) in texts.items() if t[term] or c[term]
            }
            frequency[term] = n = len(holders)
            rareness = max(math.log((len(texts) - n + 0.5) / (n + 0.5)), RARENESS_FLOOR)
            for key, count in holders.items():
                damping = BM25_K1 * (1 - BM25_B + BM25_B * lengths[key] / mean)
                scores[key] += rareness * count * (BM25_K1 + 1) / (count + damping)
        return scores, frequency
