"""Finds what a recall may bring back from the trash, and brings it back behind the answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from memorycore.engine.nearby import cosine, nearby
from memorycore.engine.parts import Parts
from memorycore.engine.ports_ledger import Buried
from memorycore.errors import HotFileError, StoreError
from memorycore.model import Record, Vector
from memorycore.policy.revival import revival_plan, revived, takes_its_place

_log = logging.getLogger(__name__)

_NEAREST = 5
"""How many items of the trash a recall looks at."""


class Reviver:
    """The way out of the trash that no one asks for by id; its rule is in `policy.revival`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def near(self, vector: Vector | None, model: str | None) -> list[Buried]:
        """Return the items that may be revived and are nearest; none for a query without a vector."""
        if vector is None or model is None:
            return []
        near = self._parts.ledger.buried_near(model, vector, limit=_NEAREST, now=self._parts.clock())
        return [one for one in near if self.record(one).active]

    def record(self, buried: Buried) -> Record:
        """Return the record that the item becomes."""
        return revived(buried.item.item, self._parts.clock(), owner=self._parts.owner)

    def welcome(self, buried: Buried) -> bool:
        """Whether nothing else has the item's place: no text that is there, was replaced or was forgotten.

        Asks the stores several questions, so it is for the few items that are among the hits. Where one
        does not answer, the item stays in the trash.
        """
        try:
            return self._has_no_rival(buried)
        except (HotFileError, StoreError) as error:
            _log.warning("%s stays in the trash: %s", buried.item.id, error)
            return False

    def _has_no_rival(self, buried: Buried) -> bool:
        item = buried.item.item
        newest = self._parts.ledger.buried_text(item.hash)
        if newest is None or newest.id != item.id:
            return False
        entries = [entry.text for entry in self._parts.entries()]
        known = self._parts.known_vectors(entries)
        own = buried.embedding.own
        hot = (
            takes_its_place(text, item.text, cosine(own, vector))
            for text, vector in zip(entries, known, strict=True)
        )
        return not any(hot) and not self._cold_has_its_place(buried)

    def unwelcome(self, found: Sequence[Buried]) -> set[str]:
        """Return the ids of those that must stay: the ones without a place, and of two rivals the older."""
        told_last_first = sorted(found, key=lambda one: self.record(one).updated_at, reverse=True)
        coming: list[Buried] = []
        for one in told_last_first:
            text = one.item.item.text
            rivals = (takes_its_place(newer.item.item.text, text, None) for newer in coming)
            if self.welcome(one) and not any(rivals):
                coming.append(one)
        return {one.item.id for one in found} - {one.item.id for one in coming}

    def revive(self, buried: Buried, query: str) -> None:
        """Put the item back as a run of its own, if it lies there still and is welcome still.

        Raises what the stores raise, with the item in the trash.
        """
        with self._parts.lock():
            item = buried.item.item
            if self._parts.ledger.buried(item.id) != buried.item or not self.welcome(buried):
                return
            record = self.record(buried)
            run = self._parts.executor.apply(revival_plan(item, record, query), {record.id: buried.embedding})
            if run.error is not None:
                raise run.error
            answer = {"revived": item.id, "undo": run.run}
            self._parts.ledger.add_receipt(run.run, "recall", answer, self._parts.clock())
            _log.info("%s was revived from the trash in run %s.", item.id, run.run)

    def _cold_has_its_place(self, buried: Buried) -> bool:
        item, own = buried.item.item, buried.embedding.own
        found = nearby(self._parts, item.text, own, model=buried.embedding.model, include_superseded=True)
        return any(takes_its_place(candidate.record.text, item.text, candidate.cosine) for candidate in found)
