"""Maintenance of the cold tier: what is due expires, vectors are made whole, doubles and what is outdated,
finished or faded leaves.

A pass decides outside the lock and applies in small batches under it; each step looks once more whether
what it is about is as it was seen. Vectors come first, so that a pass sees all that the next one would:
the second right after the first does nothing.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial

from memorycore.answers import (
    Integrity,
    MaintenancePreview,
    MaintenanceReport,
    OverflowAction,
    to_wire,
)
from memorycore.engine.pace import Pace
from memorycore.engine.parts import Parts
from memorycore.engine.surveyor import Surveyor
from memorycore.engine.watch import Stopped, Watch
from memorycore.errors import EmbedderError, HotFileError
from memorycore.model import Embedding, Record, new_run_id
from memorycore.plan import Action
from memorycore.policy.maintenance import expire_actions, fill_plan, share, within
from memorycore.policy.similarity import forget_readings

FILL_BATCH = 32
"""Texts that a model is asked for at a time; a run that is to end early ends between two."""

_MOST_PENDING = 100_000
_EXPIRE_PAGE = 500
_ROUNDS = 5
"""How often a pass looks again at the records that its own merges leave with new neighbours."""


class Maintainer:
    """Runs maintenance passes over the records of every owner, whichever process wrote them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._surveyor = Surveyor(parts)
        self._one_at_a_time = threading.Lock()

    def run(self, watch: Watch | None = None, *, asks: bool = True) -> MaintenanceReport:
        """Do one pass. `run` is its id, under which the ledger has its parts; None without any.

        With `asks` False the judge is not asked, though its cached answers count.

        At most a twentieth of the active records leaves per pass, one at least; what is left over is told
        in `errors` and done by the next.
        """
        parts = self._parts
        one = _Pass(parts, self._surveyor, watch or Watch(), asks=asks)
        with self._one_at_a_time:
            one.run()
        forget_readings()
        report = MaintenanceReport(
            run=one.id if one.began else None,
            scanned=one.scanned,
            merged=one.done["duplicate"] + one.done["merge"],
            cleaned=one.done["stale"],
            superseded=one.done["conflict"],
            forgotten=one.done["fade"],
            expired=one.done["expire"],
            embedded=one.done["embed"],
            integrity=integrity(parts),
            errors=tuple(one.errors),
        )
        if one.began:
            parts.ledger.add_receipt(one.id, "run_cold_storage_maintenance", to_wire(report), parts.clock())
        return report

    def preview(self, watch: Watch | None = None) -> MaintenancePreview:
        """Return what a pass would retire now. Writes nothing and makes no vector."""
        parts, watch = self._parts, watch or Watch()
        actions: list[Action] = expire_actions(parts.ledger.expired(parts.clock(), limit=_EXPIRE_PAGE))
        owners = parts.cold.owners()
        scanned = sum(parts.cold.size(owner) for owner in owners)
        watch.expect(2 * scanned)
        counsel = cache(partial(parts.counsel, asks=False))
        surveys = (self._surveyor.survey(owner, watch, counsel=counsel) for owner in owners)
        found = [action for survey in surveys for action in survey.actions]
        forget_readings()
        taken, left = within(found, share(scanned, parts.thresholds))
        watch.finish()
        return MaintenancePreview(
            scanned=scanned,
            actions=tuple(
                OverflowAction(rung=one.rung, id=one.subject, reason=one.reason, outcome="planned")
                for one in (*actions, *taken)
            ),
            integrity=integrity(parts),
            errors=_left_over(left),
        )


def integrity(parts: Parts) -> Integrity:
    """Return how many active records, of all owners, have a vector of the present model.

    Without a model, a vector of any counts.
    """
    model = parts.model()
    counts = [parts.cold.counts(owner, model) for owner in parts.cold.owners()]
    return Integrity(
        total=sum(one.total for one in counts),
        embedded=sum(one.embedded for one in counts),
        pending=sum(one.pending for one in counts),
    )


def foreign_model(parts: Parts, owner: str) -> str | None:
    """Return the model that most of the owner's records have their vectors of, if it is not the present one.

    Such a store needs a reindex; with a few vectors of another model maintenance deals by itself.
    """
    model = parts.model()
    if model is None:
        return None
    known = parts.cold.models(owner)
    others = {name: count for name, count in known.items() if name != model}
    name = max(others, key=lambda one: (others[one], one), default=None)
    total = parts.cold.size(owner)
    if name is None or 2 * others[name] <= total or 2 * known.get(model, 0) > total:
        return None
    return name


class _Pass:
    """One pass: its id, what came of it so far, and its steps."""

    def __init__(self, parts: Parts, surveyor: Surveyor, watch: Watch, *, asks: bool) -> None:
        self.id = new_run_id(parts.clock())
        self.began = False
        self.scanned = 0
        self.done: Counter[str] = Counter()
        self.errors: list[str] = []
        self._parts = parts
        self._surveyor = surveyor
        self._watch = watch
        self._pace = Pace(parts.executor, "maintenance", self.id)
        self._counsel = cache(
            partial(parts.counsel, asks=asks)
        )  # made when asked for: its time runs from then
        self._fresh: set[str] = set()
        self._room = 0
        self._left = 0

    def run(self) -> None:
        cold = self._parts.cold
        owners = cold.owners()
        sizes = {owner: cold.size(owner) for owner in owners}
        self.scanned = sum(sizes.values())
        self._room = share(self.scanned, self._parts.thresholds)
        self._watch.expect(2 * self.scanned)
        try:
            self._expire()
            self._scrub()
            self._sweep()
            self._fill_all(owners)
            for owner in owners:
                self._tidy(owner)
        except Stopped:
            self.errors.append("The pass was cut short; the next one goes on.")
        else:
            self._watch.finish()
        unread = self._parts.verdicts.fault
        self.errors += [*self._counsel().faults, *([unread] if unread else []), *_left_over(self._left)]

    def _apply(
        self, actions: Sequence[Action], embeddings: Mapping[str, Embedding] | None = None
    ) -> Iterator[Action]:
        """Apply actions and yield those that were done; a changed record is left to the next pass."""
        for result in self._pace.apply(actions, embeddings):
            self.began = True
            self.errors += [str(one.error) for one in result.outcomes if one.error is not None]
            for action in result.done:
                self.done[action.rung] += 1
                yield action
            self._watch.step(0)

    def _expire(self) -> None:
        ledger, now = self._parts.ledger, self._parts.clock()
        while due := ledger.expired(now, limit=_EXPIRE_PAGE):
            if not list(self._apply(expire_actions(due))):
                return  # they can't go now, so asking again would never end

    def _scrub(self) -> None:
        """Leave no text of what expired in the files: it was promised to be gone."""
        if self.done["expire"] and not all([self._parts.ledger.scrub(), self._parts.cold.scrub()]):
            self.errors.append(
                "What expired is gone, but a file may hold its text until others have read the stores."
            )

    # -- vectors

    def _sweep(self) -> None:
        swept = self._parts.cold.sweep()
        if swept.broken:
            self.errors.append(
                f"{swept.broken} vectors could not be compared; they were dropped to be made anew."
            )
        if swept.orphans:
            self.errors.append(f"{swept.orphans} vectors had no record; they were dropped.")

    def _fill_all(self, owners: Sequence[str]) -> None:
        model = self._parts.model()
        if model is None:
            self.errors.append("No embedder is there; what lacks a vector stays pending.")
            return
        for owner in owners:
            if (other := foreign_model(self._parts, owner)) is not None:
                self.errors.append(_reindex_advice(other))
                continue
            pending = self._parts.cold.pending(owner, model, _MOST_PENDING)
            self._watch.expect(len(pending))
            if fault := self._fill(pending):
                self.errors.append(fault)
                return

    def _fill(self, pending: Sequence[Record]) -> str | None:
        """Give records their vectors; return why some have none."""
        failed = 0
        for start in range(0, len(pending), FILL_BATCH):
            batch = pending[start : start + FILL_BATCH]
            try:
                vectors = embeddings_of(self._parts, batch)
            except EmbedderError as error:
                return str(error)
            filled = list(
                self._apply(fill_plan([one for one in batch if one.id in vectors]).actions, vectors)
            )
            self._fresh.update(action.subject for action in filled)
            failed += len(batch) - len(filled)
            self._watch.step(len(batch))
        return f"{failed} texts can't be embedded; they are found by words." if failed else None

    # -- records

    def _tidy(self, owner: str) -> None:
        only: set[str] | None = None
        for _ in range(_ROUNDS):
            try:
                survey = self._surveyor.survey(
                    owner, self._watch, only, fresh=self._fresh, counsel=self._counsel
                )
            except HotFileError as error:
                self.errors.append(f"Nothing was retired, since pointers in hot files can't be read: {error}")
                return
            taken, left = within(survey.actions, self._room)
            done = list(self._apply(taken))
            self._room -= len(done)
            only = survey.unsettled(done)
            if left or not only:
                self._left += left
                return


def embeddings_of(parts: Parts, records: Sequence[Record]) -> dict[str, Embedding]:
    """Return embeddings by id; a text that can't be embedded is absent. Raises `EmbedderError`."""
    made = parts.encoder.passages([(record.text, record.context) for record in records])
    return {one.id: vector for one, vector in zip(records, made, strict=True) if vector is not None}


def _reindex_advice(other: str) -> str:
    return f"Most records have vectors of another model, {other}; run `memorycore reindex`."


def _left_over(left: int) -> tuple[str, ...]:
    if not left:
        return ()
    return (f"{left} more are left to the next pass: a pass retires a twentieth of the records at most.",)
