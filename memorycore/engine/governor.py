"""Keeps the tiers in shape and says how they are: overflow, maintenance, audit, usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memorycore.answers import (
    Audit,
    AuditEntry,
    AuditTarget,
    HotUsage,
    Integrity,
    MaintenanceReport,
    OverflowAction,
    OverflowNote,
    OverflowReport,
    Usage,
    to_wire,
)
from memorycore.engine.executor import RunResult
from memorycore.engine.parts import Parts, iso
from memorycore.errors import EmbedderError, HotFileError, InvalidInput, StoreError
from memorycore.model import TARGETS, Entry, HotSnapshot, Kind, Target
from memorycore.policy.classify import classify
from memorycore.policy.dates import event_date
from memorycore.policy.maintenance import fill_plan
from memorycore.policy.overflow import EntryVerdict, Typed, chars_after, judge_entries, overflow_plan

Progress = Callable[[int, int], None]

_AUDIT_TEXT_CHARS = 80
_PENDING_SHOWN = 10
_MOST_PENDING = 100_000
_FILL_BATCH = 64
_KINDS_KEPT = 5_000
_CURSOR_DIGITS = 9


class Governor:
    """Runs over whole tiers, and the views that show what a run would do."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._kinds: dict[str, Kind | None] = {}

    def make_room(self, target: Target) -> OverflowNote | None:
        """Overflow a hot file that is at or over soft; at or over hard, until it is at the target."""
        limits = self._parts.thresholds
        snapshot = self._parts.hot.read(target)
        if snapshot.chars < limits.soft * snapshot.limit:
            return None
        rounds = limits.overflow_rounds if snapshot.chars >= limits.hard * snapshot.limit else 1
        moved, last = 0, None
        for _ in range(rounds):
            report = self.overflow(target)
            if report.run is None:
                break
            last = report.run
            moved += sum(action.outcome == "done" for action in report.actions)
            snapshot = self._parts.hot.read(target)
            if snapshot.chars <= limits.target * snapshot.limit:
                break
        return None if last is None else OverflowNote(run=last, moved=moved)

    def overflow(self, target: Target) -> OverflowReport:
        """Carry out what `audit` shows for this file now."""
        with self._parts.lock():
            before = self._parts.hot.read(target)
            now = self._parts.clock()
            plan = overflow_plan(self._verdicts(before), now, owner=self._parts.owner)
            if not plan.actions:
                return OverflowReport(run=None, pct_before=before.pct, pct_after=before.pct)
            sinking = {action.subject for action in plan.actions}
            run = self._parts.executor.apply(
                plan, self._parts.entry_embeddings([entry for entry in before.entries if entry.id in sinking])
            )
            report = OverflowReport(
                run=run.run,
                pct_before=before.pct,
                pct_after=self._parts.hot.read(target).pct,
                actions=_outcomes(run),
                errors=tuple(str(outcome.error) for outcome in run.outcomes if outcome.error is not None),
            )
            self._parts.ledger.add_receipt(run.run, "trigger_overflow", to_wire(report), now)
            return report

    def maintain(self, progress: Progress | None = None) -> MaintenanceReport:
        """Give every active record that lacks it a vector of the present model.

        A second pass right after the first does nothing and asks no model; `run` is the last of the
        pass's runs.
        """
        total = self._parts.cold.counts(self._parts.owner, None).total
        filled, last, errors = self._fill(progress)
        report = MaintenanceReport(
            run=last, scanned=total, embedded=filled, integrity=self._integrity(), errors=tuple(errors)
        )
        if last is not None:
            self._parts.ledger.add_receipt(
                last, "run_cold_storage_maintenance", to_wire(report), self._parts.clock()
            )
        return report

    def audit(self, targets: tuple[Target, ...], *, cursor: str | None, page_size: int) -> Audit:
        """Return what each entry is and what the next overflow does with it. Writes nothing."""
        start = _position(cursor, targets)
        shown: dict[str, AuditTarget] = {}
        following: str | None = None
        room = page_size
        for target in targets:
            snapshot = self._parts.hot.read(target)
            verdicts = self._verdicts(snapshot)
            first = start.get(target, 0)
            page = verdicts[first : first + room]
            shown[target] = _audit_target(snapshot, verdicts, page)
            room -= len(page)
            if following is None and first + len(page) < len(verdicts):
                following = f"{target}:{first + len(page)}"
        return Audit(targets=shown, cold=self._cold_audit(), next=following)

    def usage(self) -> Usage:
        """Return how full everything is and what runs degraded. A part that fails says so in its place."""
        thresholds = self._parts.thresholds
        embedder, degraded = self._embedder_usage()
        cold = self._cold_usage()
        if "error" in cold:
            degraded = [*degraded, f"cold tier: {cold['error']}"]
        return Usage(
            hot={target: self._hot_usage(target) for target in TARGETS},
            cold=cold,
            trash={"count": self._parts.ledger.trash_count()},
            embedder=embedder,
            thresholds={"soft": thresholds.soft, "hard": thresholds.hard, "target": thresholds.target},
            degraded=tuple(degraded),
        )

    def _verdicts(self, snapshot: HotSnapshot) -> list[EntryVerdict]:
        typed = [self._typed(entry) for entry in snapshot.entries]
        return judge_entries(typed, self._parts.clock(), self._parts.thresholds)

    def _typed(self, entry: Entry) -> Typed:
        """Take an entry's kind from its metadata; an untyped one is read for what its words say."""
        if entry.kind is not None:
            return Typed(
                entry=entry, kind=entry.kind, since=entry.updated_at or entry.written_at, by_words=False
            )
        since = entry.written_at or event_date(entry.text, self._parts.clock())
        return Typed(entry=entry, kind=self._kind_by_words(entry.text), since=since, by_words=True)

    def _kind_by_words(self, text: str) -> Kind | None:
        """Read a text once: a hand-written file is audited page by page, and its words don't change."""
        if text not in self._kinds:
            if len(self._kinds) >= _KINDS_KEPT:
                self._kinds.clear()
            self._kinds[text] = classify(
                text, importance=0.5, lexicon=self._parts.lexicon, likeness=None
            ).kind
        return self._kinds[text]

    def _fill(self, progress: Progress | None) -> tuple[int, str | None, list[str]]:
        model = self._parts.model()
        if model is None:
            return 0, None, ["No embedder is there; what lacks a vector stays pending."]
        pending = self._parts.cold.pending(self._parts.owner, model, _MOST_PENDING)
        filled, last = 0, None
        for start in range(0, len(pending), _FILL_BATCH):
            batch = pending[start : start + _FILL_BATCH]
            try:
                made = self._parts.encoder.passages([(record.text, record.context) for record in batch])
            except EmbedderError as error:
                return filled, last, [str(error)]
            vectors = {
                record.id: vector for record, vector in zip(batch, made, strict=True) if vector is not None
            }
            if vectors:
                plan = fill_plan([record for record in batch if record.id in vectors])
                run = self._parts.executor.apply(plan, vectors)
                filled += len(run.done)
                last = run.run
            if progress is not None:
                progress(start + len(batch), len(pending))
        left = len(pending) - filled
        return filled, last, [f"{left} texts can't be embedded; they are found by words."] if left else []

    def _integrity(self) -> Integrity:
        counts = self._parts.cold.counts(self._parts.owner, self._parts.model())
        return Integrity(total=counts.total, embedded=counts.embedded, pending=counts.pending)

    def _cold_audit(self) -> dict[str, Any]:
        model = self._parts.model()
        counts = self._parts.cold.counts(self._parts.owner, model)
        pending = self._parts.cold.pending(self._parts.owner, model or "none", _PENDING_SHOWN)
        return {
            "total": counts.total,
            "embedded": counts.embedded,
            "pending": counts.pending,
            "superseded": counts.superseded,
            "pending_ids": [record.id for record in pending],
            "trash": self._parts.ledger.trash_count(),
        }

    def _hot_usage(self, target: Target) -> HotUsage | dict[str, str]:
        try:
            snapshot = self._parts.hot.read(target)
        except HotFileError as error:
            return {"error": str(error)}
        return HotUsage(chars=snapshot.chars, limit=snapshot.limit, pct=snapshot.pct)

    def _cold_usage(self) -> dict[str, Any]:
        try:
            counts = self._parts.cold.counts(self._parts.owner, self._parts.model())
            status = self._parts.cold.status()
        except StoreError as error:
            return {"error": str(error)}
        return {
            "backend": status.get("backend", "local"),
            "vector_search": status.get("vector_search", "none"),
            "total": counts.total,
            "embedded": counts.embedded,
            "pending": counts.pending,
            "superseded": counts.superseded,
            "soft": self._parts.thresholds.cold_soft,
            "hard": self._parts.thresholds.cold_hard,
        }

    def _embedder_usage(self) -> tuple[dict[str, Any], list[str]]:
        encoder = self._parts.encoder
        available = encoder.available
        faults = [f"embedder: {fault}" for fault in encoder.faults]
        if not available:
            return {"name": "none", "model": None, "dim": 0}, ["words only: no embedder", *faults]
        name = encoder.model.rpartition("/")[0]
        return {"name": name, "model": encoder.identity, "dim": encoder.dim}, faults


def _outcomes(run: RunResult) -> tuple[OverflowAction, ...]:
    return tuple(
        OverflowAction(
            rung=outcome.action.rung,
            id=outcome.action.subject,
            reason=outcome.action.reason,
            outcome=outcome.state if outcome.state == "done" else f"{outcome.state}: {outcome.detail}",
        )
        for outcome in run.outcomes
    )


def _audit_target(
    snapshot: HotSnapshot, verdicts: list[EntryVerdict], page: list[EntryVerdict]
) -> AuditTarget:
    sinking = [verdict for verdict in verdicts if verdict.verdict == "sink"]
    after = HotSnapshot(
        target=snapshot.target, entries=(), chars=chars_after(snapshot, verdicts), limit=snapshot.limit
    )
    return AuditTarget(
        limit=snapshot.limit,
        chars=snapshot.chars,
        pct=snapshot.pct,
        entries=tuple(_audit_entry(verdict) for verdict in page),
        sink_candidates=len(sinking),
        sink_chars=sum(len(verdict.typed.entry.text) for verdict in sinking),
        pct_after=after.pct,
        warnings=snapshot.warnings,
    )


def _audit_entry(verdict: EntryVerdict) -> AuditEntry:
    entry = verdict.typed.entry
    return AuditEntry(
        id=entry.id,
        text=entry.text[:_AUDIT_TEXT_CHARS],
        chars=len(entry.text),
        kind=verdict.typed.kind,
        importance=entry.importance,
        written_at=iso(entry.written_at),
        updated_at=iso(entry.updated_at),
        age_days=verdict.age_days,
        protected=verdict.protected,
        verdict=verdict.verdict,
        rung=verdict.rung,
        reason=verdict.reason,
    )


def _position(cursor: str | None, targets: tuple[Target, ...]) -> Mapping[Target, int]:
    """Read a cursor "target:place": targets before it have been shown whole."""
    if not cursor:
        return {}
    name, _, place = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")
    if name not in targets or not place.isdecimal() or len(place) > _CURSOR_DIGITS:
        raise InvalidInput(
            f"cursor is {cursor!r}.", advice="Send the `next` of the page before, with the same target."
        )
    at = targets.index(name)
    return {target: int(place) if target == name else 10**9 for target in targets[: at + 1]}
