"""Keeps the hot files in shape and says how the tiers are: overflow, usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memorycore.answers import (
    HotUsage,
    OverflowAction,
    OverflowNote,
    OverflowReport,
    Usage,
    to_wire,
)
from memorycore.engine.evidence import Assessor
from memorycore.engine.executor import RunResult
from memorycore.engine.parts import Parts
from memorycore.engine.readable import HotFiles, readable
from memorycore.errors import HotFileError, StoreError
from memorycore.model import TARGETS, Entry, Target, new_run_id
from memorycore.policy.notes import with_types


class Governor:
    """Carries out what an assessor makes of the hot files, and tells how full everything is."""

    def __init__(self, parts: Parts, assessor: Assessor) -> None:
        self._parts = parts
        self._assessor = assessor

    def make_room(self, target: Target) -> OverflowNote | None:
        """Overflow a hot file that is at or over soft; at or over hard, until it is at the target."""
        limits = self._parts.thresholds
        snapshot = self._parts.hot.read(target)
        if snapshot.chars < limits.soft * snapshot.limit:
            return None
        rounds = limits.overflow_rounds if snapshot.chars >= limits.hard * snapshot.limit else 1
        moved, made = 0, False
        rounds_of = new_run_id(self._parts.clock())
        for _ in range(rounds):
            report = self.overflow(target, part_of=rounds_of, asks=False)
            if report.run is None:
                break
            made = True
            moved += sum(action.outcome == "done" and action.rung != "profile" for action in report.actions)
            snapshot = self._parts.hot.read(target)
            if snapshot.chars <= limits.target * snapshot.limit:
                break
        return OverflowNote(run=rounds_of, moved=moved) if made else None

    def consult(self, target: Target) -> tuple[str, ...]:
        """Ask the judge what the next overflow of this file will want to know; return what went wrong.

        To be called outside the run lock, which must not wait for an endpoint. The answers are kept in the
        ledger, where the run finds them.
        """
        counsel = self._parts.counsel()
        if not counsel.there:
            return ()
        snapshot = self._parts.hot.read(target)
        if snapshot.chars >= self._parts.thresholds.soft * snapshot.limit:
            self._assessor.plan(snapshot, counsel)
        return counsel.faults

    def overflow(self, target: Target, *, part_of: str | None = None, asks: bool = True) -> OverflowReport:
        """Carry out what `audit` shows for this file now, and bring its sidecar in line.

        `part_of` names the pass that it is a round of. With `asks` False the judge is not asked, though its
        cached answers count.
        """
        unanswered = self.consult(target) if asks else ()
        with self._parts.lock():
            self._parts.executor.settle()
            before = self._parts.hot.read(target)
            planned = self._assessor.plan(before)
            plan = planned.plan
            told = self._assessor.told_by_words(before)
            faults = (*unanswered, *self._reconcile(target, () if plan.actions else told))
            if not plan.actions:
                return OverflowReport(
                    run=None,
                    pct_before=before.pct,
                    pct_after=before.pct,
                    errors=faults,
                    note=planned.note or None,
                )
            plan = with_types(plan, before.entries, told, self._parts.clock())
            run = self._parts.executor.apply(plan, self._parts.plan_embeddings(plan), part_of=part_of)
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

    def usage(self) -> Usage:
        """Return how full everything is and what runs degraded. A part that fails says so in its place."""
        thresholds = self._parts.thresholds
        embedder, degraded = self._embedder_usage()
        cold = self._cold_usage()
        if "error" in cold:
            degraded = [*degraded, f"cold tier: {cold['error']}"]
        else:
            degraded = [*degraded, *self._other_models(cold["pending"])]
        hot = readable(self._parts.hot)
        if (fault := self._parts.verdicts.fault) is not None:
            degraded = [*degraded, f"pair model: {fault}"]
        degraded += [told for one in hot.snapshots.values() for told in one.degraded]
        return Usage(
            hot={target: _hot_usage(hot, target) for target in TARGETS},
            cold=cold,
            trash={"count": self._parts.ledger.trash_count()},
            embedder=embedder,
            thresholds={"soft": thresholds.soft, "hard": thresholds.hard, "target": thresholds.target},
            degraded=tuple(degraded),
            judge=self._judge_usage(),
            pair_model=None if (model := self._parts.verdicts.model) is None else {"model": model},
        )

    def _reconcile(self, target: Target, told: Sequence[Entry]) -> tuple[str, ...]:
        """Type what nobody has typed and drop what is of texts that are gone. A fault of it stops no run."""
        try:
            self._parts.hot.reconcile(target, told)
        except HotFileError as error:
            return (str(error),)
        return ()

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

    def _judge_usage(self) -> dict[str, str] | None:
        judge = self._parts.judge
        return None if judge is None else {"model": judge.identity}

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
            id=subject,
            reason=outcome.action.reason,
            outcome=outcome.state if outcome.state == "done" else f"{outcome.state}: {outcome.detail}",
        )
        for outcome in run.outcomes
        if outcome.action.rung != "repair"
        for subject in outcome.action.subjects
    )


def _hot_usage(hot: HotFiles, target: Target) -> HotUsage | dict[str, str]:
    if target in hot.faults:
        return {"error": str(hot.faults[target])}
    snapshot = hot.snapshots[target]
    return HotUsage(chars=snapshot.chars, limit=snapshot.limit, pct=snapshot.pct)
