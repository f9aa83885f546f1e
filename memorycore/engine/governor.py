"""Keeps the tiers in shape and says how they are: overflow, audit, usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memorycore.answers import (
    Audit,
    AuditEntry,
    AuditTarget,
    HotUsage,
    OverflowAction,
    OverflowNote,
    OverflowReport,
    Usage,
    to_wire,
)
from memorycore.engine.evidence import Assessor
from memorycore.engine.executor import RunResult
from memorycore.engine.parts import Parts, iso
from memorycore.errors import HotFileError, InvalidInput, StoreError
from memorycore.model import TARGETS, HotSnapshot, Target, usage_pct
from memorycore.policy.evidence import EntryVerdict, OverflowPlan

_AUDIT_TEXT_CHARS = 80
_PENDING_SHOWN = 10
_CURSOR_DIGITS = 9


class Governor:
    """Runs over whole tiers, and the views that show what a run would do."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._assessor = Assessor(parts)

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
            moved += sum(action.outcome == "done" and action.rung != "profile" for action in report.actions)
            snapshot = self._parts.hot.read(target)
            if snapshot.chars <= limits.target * snapshot.limit:
                break
        return None if last is None else OverflowNote(run=last, moved=moved)

    def overflow(self, target: Target) -> OverflowReport:
        """Carry out what `audit` shows for this file now, and bring its sidecar in line."""
        with self._parts.lock():
            before = self._parts.hot.read(target)
            plan = self._assessor.plan(before).plan
            faults = self._reconcile(before)
            if not plan.actions:
                return OverflowReport(run=None, pct_before=before.pct, pct_after=before.pct, errors=faults)
            run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))
            report = OverflowReport(
                run=run.run,
                pct_before=before.pct,
                pct_after=self._parts.hot.read(target).pct,
                actions=_outcomes(run),
                errors=(
                    *faults,
                    *(str(outcome.error) for outcome in run.outcomes if outcome.error is not None),
                ),
            )
            self._parts.ledger.add_receipt(run.run, "trigger_overflow", to_wire(report), self._parts.clock())
            return report

    def audit(self, targets: tuple[Target, ...], *, cursor: str | None, page_size: int) -> Audit:
        """Return what each entry is and what the next overflow does with it. Writes nothing."""
        start = _position(cursor, targets)
        shown: dict[str, AuditTarget] = {}
        following: str | None = None
        room = page_size
        for target in targets:
            snapshot = self._parts.hot.read(target)
            planned = self._assessor.plan(snapshot)
            first = start.get(target, 0)
            page = planned.verdicts[first : first + room]
            shown[target] = _audit_target(snapshot, planned, page)
            room -= len(page)
            if following is None and first + len(page) < len(planned.verdicts):
                following = f"{target}:{first + len(page)}"
        return Audit(targets=shown, cold=self._cold_audit(), next=following)

    def usage(self) -> Usage:
        """Return how full everything is and what runs degraded. A part that fails says so in its place."""
        thresholds = self._parts.thresholds
        embedder, degraded = self._embedder_usage()
        cold = self._cold_usage()
        if "error" in cold:
            degraded = [*degraded, f"cold tier: {cold['error']}"]
        else:
            degraded = [*degraded, *self._other_models(cold["pending"])]
        return Usage(
            hot={target: self._hot_usage(target) for target in TARGETS},
            cold=cold,
            trash={"count": self._parts.ledger.trash_count()},
            embedder=embedder,
            thresholds={"soft": thresholds.soft, "hard": thresholds.hard, "target": thresholds.target},
            degraded=tuple(degraded),
        )

    def _reconcile(self, snapshot: HotSnapshot) -> tuple[str, ...]:
        """Type what nobody has typed and drop what is of texts that are gone. A fault of it stops no run."""
        if not snapshot.entries:
            return ()
        try:
            self._parts.hot.reconcile(snapshot.target, self._assessor.told_by_words(snapshot))
        except HotFileError as error:
            return (str(error),)
        return ()

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

    def _other_models(self, pending: int) -> list[str]:
        """Say which other models there are vectors of, where records lack one of the present model."""
        present = self._parts.model()
        if present is None or not pending:
            return []
        known = self._parts.cold.models(self._parts.owner)
        others = ", ".join(name for name in sorted(known) if name != present)
        if not others:
            return []
        return [
            f"{pending:,} records have no vector of {present}, some of {others}; run `memorycore reindex`"
        ]

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


def _audit_target(snapshot: HotSnapshot, planned: OverflowPlan, page: Sequence[EntryVerdict]) -> AuditTarget:
    leaving = [verdict for verdict in planned.verdicts if verdict.verdict != "keep"]
    return AuditTarget(
        limit=snapshot.limit,
        chars=snapshot.chars,
        pct=snapshot.pct,
        entries=tuple(_audit_entry(verdict) for verdict in page),
        sink_candidates=len(leaving),
        sink_chars=sum(len(verdict.typed.entry.text) for verdict in leaving),
        pct_after=usage_pct(planned.chars_after, snapshot.limit),
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
