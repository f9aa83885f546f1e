"""Removes every trace of a fact, and then looks for one in every file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memorycore.answers import to_wire
from memorycore.answers_past import PurgeAnswer, PurgeProof, TraceLeft
from memorycore.engine.parts import Parts
from memorycore.engine.traces import TraceReport
from memorycore.model import TARGETS, Embedding, Entry, Record, Vector, text_hash
from memorycore.plan import Action
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.traces import PURGED, forms, is_telling, parts
from memorycore.policy.write import taken_in

_PAGE = 500


@dataclass(frozen=True, slots=True)
class _Found:
    """Where the texts are: what bears one, what has one in its context only, what holds one in a longer text.

    The profile summary is made of others' sentences: where it holds one, it goes whole.
    """

    entries: list[Entry]
    records: list[Record]
    contexts: list[Record]
    trashed: list[str]
    holders: list[str]


class Purger:
    """Forgets for good. It can't be undone, so no plan and no model ever asks for it: only a person does."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def purge(self, id: str) -> PurgeAnswer:
        """Remove all texts that this id ever bore, wherever they lie, and prove it.

        Nothing is removed if something else that is there holds one of them within a longer text. Raises
        what the stores raise; a purge that was cut off is finished by another one of the same id.
        """
        self._parts.afterwork.drain()
        with self._parts.lock():
            self._parts.executor.settle()
            texts = self._texts(id)
            if not texts:
                return PurgeAnswer(status="not_found", id=id, detail="Nothing bears this id, or ever did.")
            found = self._find(texts)
            if found.holders:
                return _held(id, found.holders)
            vectors = self._vectors(found, texts)
            self._remove(found, texts)
            answer = self._answer(id, texts, found, self._search(texts, vectors))
            self._parts.ledger.add_receipt(None, "purge", to_wire(answer), self._parts.clock())
            return answer

    def _texts(self, id: str) -> list[str]:
        """Return the item's text, those that it had before and what it took in, the longest first."""
        now = {item.text.strip() for item in self._items(id)}
        before = {
            text.strip()
            for one in self._with_taken_in(id)
            for mention in self._parts.ledger.mentions(one)
            for text in _texts_of(mention.action, one)
        }
        elsewhere = {text for text in before - now if self._lives_elsewhere(id, text)}
        return sorted((now | before) - elsewhere - {PURGED, ""}, key=lambda text: (-len(text), text))

    def _with_taken_in(self, id: str) -> list[str]:
        """Return the id and those of the facts that it repeats and added to: they became its history."""
        family = [id]
        for one in family:
            taken = [
                old for mention in self._parts.ledger.mentions(one) for old in taken_in(mention.action, one)
            ]
            family += [old for old in dict.fromkeys(taken) if old not in family]
        return family

    def _items(self, id: str) -> list[Entry | Record]:
        found: list[Entry | Record] = [entry for entry in self._parts.entries() if entry.id == id]
        record, buried = self._parts.cold.get(id), self._parts.ledger.buried(id)
        found += [] if record is None else [record]
        return [*found, *([] if buried is None else [buried.item])]

    def _lives_elsewhere(self, id: str, text: str) -> bool:
        """Whether an earlier text of the item is by now a fact of its own, under another id."""
        items: list[Entry | Record] = list(self._parts.entries())
        items += [one for one in self._parts.cold.holding(text) if one.active]
        return any(item.id != id and item.text.strip() == text for item in items)

    def _find(self, texts: Sequence[str]) -> _Found:
        found = _Found([], [], [], [], [])
        for entry in self._parts.entries():
            if entry.text.strip() in texts:
                found.entries.append(entry)
            elif _holds(entry.text, texts):
                found.holders.append(entry.id)
        for record in {one.id: one for text in texts for one in self._parts.cold.holding(text)}.values():
            if record.text.strip() in texts or record.id == PROFILE_ID:
                found.records.append(record)
            elif _holds(record.text, texts):
                found.holders.append(record.id)
            else:
                found.contexts.append(record)
        self._find_in_trash(found, texts)
        return found

    def _find_in_trash(self, found: _Found, texts: Sequence[str]) -> None:
        after: str | None = None
        while page := self._parts.ledger.trash(limit=_PAGE, after=after):
            after = page[-1].id
            for item in page:
                if item.item.text.strip() in texts:
                    found.trashed.append(item.id)
                elif _holds(item.item.text, texts):
                    found.holders.append(item.id)

    def _vectors(self, found: _Found, texts: Sequence[str]) -> list[Vector]:
        known = [
            vector
            for record in found.records
            if record.id != PROFILE_ID
            for embedding in self._parts.cold.embeddings(record.id)
            for vector in (embedding.own, embedding.find)
        ]
        for text in texts:
            known += self._parts.ledger.vectors_of(text_hash(text))
        return list({vector.tobytes(): vector for vector in known}.values())

    def _remove(self, found: _Found, texts: Sequence[str]) -> None:
        for entry in found.entries:
            self._parts.hot.remove(entry)
        for target in TARGETS:
            self._parts.hot.reconcile(target, ())
        for record in found.records:
            self._parts.cold.delete(record.id)
        for record in found.contexts:
            embedding = self._parts.cold.embedding(record.id, None)
            alone = None if embedding is None else Embedding(embedding.model, embedding.own, embedding.own)
            self._parts.cold.replace(replace(record, context=None), alone)
        self._parts.cold.vacuum()
        for text in texts:
            self._parts.ledger.purge(text)
        self._parts.encoder.drop(texts)

    def _search(self, texts: Sequence[str], vectors: Sequence[Vector]) -> TraceReport:
        wanted: dict[str, bytes] = {}
        for place, text in enumerate(texts):
            several = f", text {place + 1}" if len(texts) > 1 else ""
            wanted |= {
                f"{name}{several}": form for name, form in forms(text, () if place else vectors).items()
            }
            pieces = (piece for piece in parts(text) if not self._is_of_others(piece))
            wanted |= {f"part {n}{several}": piece.encode() for n, piece in enumerate(pieces, 1)}
        return self._parts.traces.search(wanted)

    def _is_of_others(self, piece: str) -> bool:
        in_hot = any(piece in entry.text for entry in self._parts.entries())
        return in_hot or bool(self._parts.cold.holding(piece))

    def _answer(self, id: str, texts: Sequence[str], found: _Found, report: TraceReport) -> PurgeAnswer:
        left = tuple(
            TraceLeft(file=trace.file, form=trace.form, count=trace.count, ours=trace.ours)
            for trace in report.found
        )
        clean = not left and not report.unread
        return PurgeAnswer(
            status="purged" if clean else "left",
            id=id,
            detail=_detail(texts, left, report.unread),
            removed={
                "entries": len(found.entries),
                "records": len(found.records),
                "trash": len(found.trashed),
                "contexts": len(found.contexts),
                "texts": len(texts),
            },
            proof=PurgeProof(
                files=report.files,
                bytes=report.bytes,
                forms=dict(report.forms),
                left=left,
                unread=report.unread,
            ),
        )


def _texts_of(action: Action, id: str) -> Iterable[str]:
    """Yield the texts that the item of this id has in an action."""
    for part in (*action.cold, action.hot):
        for name in ("record", "before", "after", "entry", "item"):
            item = getattr(part, name, None)
            if isinstance(item, Entry | Record) and item.id == id:
                yield item.text


def _holds(longer: str, texts: Sequence[str]) -> bool:
    return any(is_telling(text) and text in longer for text in texts)


def _held(id: str, holders: Sequence[str]) -> PurgeAnswer:
    names = ", ".join(dict.fromkeys(holders))
    return PurgeAnswer(
        status="held",
        id=id,
        held_by=tuple(dict.fromkeys(holders)),
        detail=f"Nothing was removed: {names} holds the text within a longer one; purge that first.",
    )


def _detail(texts: Sequence[str], left: Sequence[TraceLeft], unread: Sequence[str]) -> str:
    if unread:
        return f"Not every file could be read: {', '.join(unread)}."
    if any(trace.ours for trace in left):
        files = ", ".join(sorted({trace.file for trace in left if trace.ours}))
        return f"Traces are left in {files}; close other programs that use them and purge again."
    if left:
        files = ", ".join(sorted({trace.file for trace in left}))
        return f"MemoryCore keeps nothing of it; files of others still do, and were left alone: {files}."
    if not all(is_telling(text) for text in texts):
        return (
            "It is gone and can't be brought back. So short a text stands in others by chance: for it, hash"
            " and vectors were searched for, not its letters."
        )
    return "It is gone and can't be brought back."
