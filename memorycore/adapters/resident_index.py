"""The cold store's vectors and words in memory: the fastest exact search of a process that stays.

The index follows the store by its change counter: each search first takes in what was written since
the last one, by whichever thread or process. Rows that changed get a new slot, old slots are masked,
and when too many are masked the index is built anew.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from memorycore.adapters.cold_search import (
    BM25_B,
    BM25_K1,
    CONTEXT_WEIGHT,
    RARENESS_FLOOR,
    Query,
    Signals,
    check_query_dimension,
)
from memorycore.model import Vector

Slots = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_BATCH = 2048
_MAX_COUNT = 0xFFFF  # of one term in one column; two of them share 32 bits
_MIN_DEAD_TO_REBUILD = 1000

T = TypeVar("T", bound=np.generic)


class Column(Generic[T]):
    """An array that grows at its end; `view` is what it holds so far."""

    def __init__(self, dtype: type[T], width: int | None = None) -> None:
        self._shape = () if width is None else (width,)
        self._array: npt.NDArray[T] = np.zeros((0, *self._shape), dtype)
        self._length = 0

    @property
    def view(self) -> npt.NDArray[T]:
        return self._array[: self._length]

    def append(self, values: npt.ArrayLike) -> None:
        new = np.asarray(values, self._array.dtype)
        self.extend_to(self._length + len(new))
        self._array[self._length - len(new) : self._length] = new

    def extend_to(self, length: int) -> None:
        """Grow to this length; what is new is zero."""
        if length > len(self._array):
            grown = np.zeros((max(length, len(self._array) * 3 // 2), *self._shape), self._array.dtype)
            grown[: self._length] = self.view
            self._array = grown
        self._length = max(self._length, length)


class Space:
    """The `find` vectors of one model, one row per slot; slots without a vector are zero."""

    def __init__(self, model: str, dim: int) -> None:
        self.model = model
        self.dim = dim
        self.matrix = Column(np.float32, dim)
        self.has = Column(np.bool_)
        self.broken: set[int] = set()

    def load(self, connection: sqlite3.Connection, since: int, slot_of: dict[int, int], slots: int) -> None:
        """Take in the vectors of rows that changed after `since`."""
        self.matrix.extend_to(slots)
        self.has.extend_to(slots)
        cursor = connection.execute(
            "SELECT r.row, v.find FROM records r CROSS JOIN vectors v ON v.record = r.row"
            " JOIN models m USING (model) WHERE m.name = ? AND r.seq > ?",
            (self.model, since),
        )
        while rows := cursor.fetchmany(_BATCH):
            self._place(rows, slot_of)

    def _place(self, rows: list[tuple[int, bytes]], slot_of: dict[int, int]) -> None:
        whole = [(row, blob) for row, blob in rows if len(blob) == 4 * self.dim]
        block = np.frombuffer(b"".join(blob for _, blob in whole), "<f4").reshape(-1, self.dim)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.einsum("ij,ij->i", block, block)
        sound = np.isfinite(lengths) & (lengths > 0)
        slots = np.array([slot_of[row] for row, _ in whole], np.intp)[sound]
        self.matrix.view[slots] = block[sound]
        self.has.view[slots] = True
        self.broken.difference_update(row for row, _ in rows)
        self.broken.update({row for row, _ in rows} - {whole[i][0] for i in np.flatnonzero(sound)})


class Matches(NamedTuple):
    """Where a term stands: slots in rising order, and how often each says it, weighted."""

    slots: Slots
    frequency: npt.NDArray[np.float64]


class Words:
    """Postings of every term: slot, and how often its text and its context hold the term."""

    def __init__(self) -> None:
        self.lengths = Column(np.float64)
        # Slot, count in the text, count in the context: 32, 16 and 16 bits.
        self._postings: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))

    def append(self, first: int, documents: Iterable[tuple[str, str]]) -> None:
        """Take in the words of text and context of the slots from `first` on."""
        lengths: list[int] = []
        for slot, (text, context) in enumerate(documents, first):
            in_text, in_context = text.split(), context.split()
            lengths.append(len(in_text) + len(in_context))
            self._post(slot << 32, in_text, in_context)
        self.lengths.append(lengths)

    def _post(self, place: int, in_text: list[str], in_context: list[str]) -> None:
        postings = self._postings
        counts = Counter(in_text)
        if in_context or len(in_text) > _MAX_COUNT:
            both = Counter(in_context)
            for term in counts | both:
                packed = min(counts[term], _MAX_COUNT) << 16 | min(both[term], _MAX_COUNT)
                postings[term].append(place | packed)
        else:  # nearly all; a tight loop, since filling the index is the wait of the first search
            for term, count in counts.items():
                postings[term].append(place | count << 16)

    def matches(self, term: str, alive: Mask | None) -> Matches | None:
        """Return where the term stands among the living, None if nowhere."""
        posting = self._postings.get(term)
        if posting is None:
            return None
        packed = np.array(posting, np.uint64)  # a copy, since an array that lends its memory can't grow
        slots = (packed >> 32).astype(np.intp)
        frequency = (packed >> 16 & _MAX_COUNT) + CONTEXT_WEIGHT * (packed & _MAX_COUNT)
        if alive is not None:
            living = alive[slots]
            slots, frequency = slots[living], frequency[living]
        return Matches(slots, frequency) if len(slots) else None


class ResidentIndex:
    """Search over everything, held in memory and shared by the threads of this process."""

    name: Literal["matrix", "sqlite-vec"] = "matrix"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clear()

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Nothing to do."""

    def search(self, connection: sqlite3.Connection, query: Query) -> Signals:
        """Answer from the snapshot that the connection is about to read.

        The connection must not have read yet: its snapshot has to be as new as the index.
        """
        with self._lock:
            self._refresh(connection)
            dim = check_query_dimension(connection, query)
            cosines: Vector | None = None
            has: Mask | None = None
            if query.vector is not None and query.model is not None and dim is not None:
                space = self._space(connection, query.model, dim)
                cosines, has = space.matrix.view @ query.vector, space.has.view
            scores, frequencies = self._score(query.terms)
            visible = self._visible(query)
            known = None if has is None or has.all() else has
            nearest = self._top(cosines, _both(known, visible), query.limit)
            best = self._top(scores, _both(None if scores is None else scores > 0, visible), query.limit)
            return Signals(
                found=self._signals(np.union1d(nearest, best), cosines, has, scores),
                document_frequency=frequencies,
                total=len(self._slot_of),
                vectorless=0 if query.vector is None else self._vectorless(has, visible),
            )

    def broken(self, connection: sqlite3.Connection) -> frozenset[int]:
        """Return the rows that have a vector which can't be compared; reads every vector."""
        with self._lock:
            self._refresh(connection)
            for name, dim in connection.execute("SELECT name, dim FROM models").fetchall():
                self._space(connection, name, dim)
            return self._broken()

    def known_broken(self) -> frozenset[int]:
        """Return those of `broken` that were met so far."""
        with self._lock:
            return self._broken()

    def _broken(self) -> frozenset[int]:
        return frozenset(
            row for space in self._spaces.values() for row in space.broken if row in self._slot_of
        )

    # -- keeping in step

    def _clear(self) -> None:
        self._seq = -1
        self._slot_of: dict[int, int] = {}
        self._owner_codes: dict[str, int] = {}
        self._rows = Column(np.int64)
        self._owners = Column(np.int32)
        self._active = Column(np.bool_)
        self._alive = Column(np.bool_)
        self._words = Words()
        self._spaces: dict[str, Space] = {}

    def _refresh(self, connection: sqlite3.Connection) -> None:
        seq = connection.execute("SELECT seq FROM clock").fetchone()[0]
        if seq == self._seq:
            return
        try:
            self._take_in(connection)
            dead = len(self._rows.view) - len(self._slot_of)
            if dead > max(_MIN_DEAD_TO_REBUILD, len(self._slot_of) // 4):
                self._clear()
                self._take_in(connection)
        except BaseException:
            self._clear()  # half a change is no index
            raise
        self._seq = seq

    def _take_in(self, connection: sqlite3.Connection) -> None:
        since = self._seq
        self._bury(row for (row,) in connection.execute("SELECT row FROM tombstones WHERE seq > ?", (since,)))
        cursor = connection.execute(  # CROSS JOIN, or the planner would walk the whole word table
            "SELECT r.row, r.owner, r.superseded_by IS NULL, w.text, w.context"
            " FROM records r CROSS JOIN words w ON w.rowid = r.row WHERE r.seq > ?",
            (since,),
        )
        while rows := cursor.fetchmany(_BATCH):
            self._bury(row[0] for row in rows)
            self._append(rows)
        for space in self._spaces.values():
            space.load(connection, since, self._slot_of, len(self._rows.view))

    def _bury(self, rows: Iterable[int]) -> None:
        for row in rows:
            slot = self._slot_of.pop(row, None)
            if slot is not None:
                self._alive.view[slot] = False
                for space in self._spaces.values():
                    space.broken.discard(row)

    def _append(self, rows: list[tuple[int, str, bool, str, str]]) -> None:
        first = len(self._rows.view)
        self._slot_of.update((row[0], slot) for slot, row in enumerate(rows, first))
        self._words.append(first, (row[3:] for row in rows))
        codes = self._owner_codes
        self._rows.append([row[0] for row in rows])
        self._owners.append([codes.setdefault(row[1], len(codes)) for row in rows])
        self._active.append([bool(row[2]) for row in rows])
        self._alive.append([True] * len(rows))

    def _space(self, connection: sqlite3.Connection, model: str, dim: int) -> Space:
        space = self._spaces.get(model)
        if space is None:
            space = Space(model, dim)
            space.load(connection, -1, self._slot_of, len(self._rows.view))
            self._spaces[model] = space
        return space

    # -- searching

    def _all_alive(self) -> bool:
        return len(self._slot_of) == len(self._rows.view)

    def _visible(self, query: Query) -> Mask | None:
        """Return which slots the query may see, None if all."""
        masks: list[Mask] = []
        if not self._all_alive():
            masks.append(self._alive.view)
        if not query.include_superseded and not self._active.view.all():
            masks.append(self._active.view)
        code = self._owner_codes.get(query.owner, -1)
        if len(self._owner_codes) > 1 or code < 0:
            masks.append(self._owners.view == code)
        mask: Mask | None = None
        for other in masks:
            mask = _both(mask, other)
        return mask

    def _score(self, terms: tuple[str, ...]) -> tuple[npt.NDArray[np.float64] | None, dict[str, int]]:
        """Return BM25 by slot, None if no term stands anywhere, and each term's document frequency."""
        alive = None if self._all_alive() else self._alive.view
        matches = {term: self._words.matches(term, alive) for term in terms}
        frequencies = {term: 0 if match is None else len(match.slots) for term, match in matches.items()}
        if not any(frequencies.values()):
            return None, frequencies
        total = len(self._slot_of)
        lengths = self._words.lengths.view
        mean = float(lengths.sum() if alive is None else lengths @ alive) / total
        scores = np.zeros(len(lengths))
        for match in matches.values():
            if match is not None:
                rareness = math.log((total - len(match.slots) + 0.5) / (len(match.slots) + 0.5))
                damping = BM25_K1 * (1 - BM25_B + BM25_B / mean * lengths[match.slots])
                weight = max(rareness, RARENESS_FLOOR) * (BM25_K1 + 1)
                scores[match.slots] += weight * match.frequency / (match.frequency + damping)
        return scores, frequencies

    def _top(self, values: npt.NDArray[Any] | None, mask: Mask | None, limit: int) -> Slots:
        """Return the slots of the `limit` highest values under the mask; of equal ones the oldest rows."""
        if values is None:
            return np.empty(0, np.intp)
        if mask is None:
            slots = None
        else:
            slots = np.flatnonzero(mask)
            values = values[slots]
        if len(values) > limit:
            least = np.partition(values, -limit)[-limit]
            above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
            room = limit - len(above)
            if len(equal) > room:
                rows = self._rows.view[equal if slots is None else slots[equal]]
                equal = equal[np.argpartition(rows, room - 1)[:room]]
            chosen = np.concatenate([above, equal])
            return chosen if slots is None else slots[chosen]
        return np.arange(len(values)) if slots is None else slots

    def _vectorless(self, has: Mask | None, visible: Mask | None) -> int:
        """Count the visible slots without a vector; `has` is None where no slot has one."""
        seen = len(self._slot_of) if visible is None else int(np.count_nonzero(visible))
        if has is None:
            return seen
        return seen - int(np.count_nonzero(has if visible is None else has & visible))

    def _signals(
        self,
        slots: Slots,
        cosines: Vector | None,
        has: Mask | None,
        scores: npt.NDArray[np.float64] | None,
    ) -> dict[int, tuple[float | None, float]]:
        rows = self._rows.view[slots].tolist()
        words = [0.0] * len(slots) if scores is None else scores[slots].tolist()
        if cosines is None or has is None:
            return {row: (None, score) for row, score in zip(rows, words, strict=True)}
        pairs = zip(rows, cosines[slots].tolist(), has[slots].tolist(), words, strict=True)
        return {row: (cosine if known else None, score) for row, cosine, known, score in pairs}


def _both(one: Mask | None, other: Mask | None) -> Mask | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
