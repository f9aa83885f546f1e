"""Reads the ledger's runs: which belong together, and which have been taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memorycore.engine.ports_ledger import JournalRun, Ledger
from memorycore.plan import RunKind
from memorycore.policy.returns import Returns, returns
from memorycore.policy.undo import Done, undone_run

_BRING_BACK: Final[tuple[RunKind, ...]] = ("undo", "restore")

_MAKE_THEIR_TEXTS = ("overflow", "maintenance")
"""Runs whose new texts are made of others; all others write what a caller said."""


class Journal:
    """What is known of runs by their ids; an id may also be that of a pass, which is several runs."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def named(self, id: str) -> list[JournalRun]:
        """Return the run of this id, or the runs of the pass, oldest first; none if there is neither."""
        run = self._ledger.run(id)
        return self._ledger.parts(id) if run is None else [run]

    def undone(self, runs: Sequence[JournalRun]) -> dict[str, str]:
        """Return, by run, the undo that holds: it went through, and was not taken back itself."""
        ids = {name for run in runs for name in (run.id, run.part_of) if name is not None}
        undos = [run for run in self._ledger.undos(sorted(ids)) if _went_through(run)] if ids else []
        again = self.undone(undos) if undos else {}
        holding = {undone_run(undo.plan): undo.id for undo in undos if undo.id not in again}
        return {
            run.id: holding[name]
            for run in runs
            for name in (run.part_of, run.id)
            if name is not None and name in holding
        }

    def returns(self) -> Returns:
        """Return which records callers brought back, and when."""
        runs = self._ledger.runs_of(_BRING_BACK)
        return returns((run.started_at, step.action) for run in runs for step in done_steps(run))

    def made_its_texts(self, run: JournalRun) -> bool:
        """Whether what the run put in others' places was made of them, also by taking an undo back."""
        forward = True
        while (of := undone_run(run.plan)) is not None and (earlier := self.named(of)):
            run, forward = earlier[0], not forward
        return forward and run.plan.kind in _MAKE_THEIR_TEXTS


def done_steps(run: JournalRun) -> list[Done]:
    """Return the steps of a run that were done, in order."""
    followed = run.plan.kind == "follow"
    return [
        Done(run.plan.actions[step.seq], step.outcome, followed) for step in run.steps if step.state == "done"
    ]


def _went_through(run: JournalRun) -> bool:
    states = {step.state for step in run.steps}
    return "done" in states and "failed" not in states
