"""Follows what others write into the hot files: the host's own memory tool, an editor, a hand.

They tell nobody, or only roughly; so the files are compared with how they stood at the last look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from memorycore.answers import OverflowNote
from memorycore.engine.evidence import Assessor
from memorycore.engine.executor import RunResult
from memorycore.engine.parts import Parts
from memorycore.errors import StoreError
from memorycore.model import TARGETS, Entry, HotSnapshot, Record, Target
from memorycore.plan import dropped
from memorycore.policy.classify import classify
from memorycore.policy.follow import (
    Change,
    Reading,
    changes,
    leaves,
    sink_plan,
    stamp_plan,
    unstamped,
)

_SCOPE = "global"
_RUNS = 50
_IN_FLIGHT = timedelta(minutes=2)
"""A run of ours that began so long before a look may have made its edit after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowReport:
    """What others changed in one hot file and what was done about it; counts are of entries.

    `runs` are the ids to undo; `overflow` is there when room had to be made.
    """

    target: Target
    runs: tuple[str, ...] = ()
    added: int = 0
    moved: int = 0
    reworded: int = 0
    removed: int = 0
    overflow: OverflowNote | None = None
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Look:
    entries: tuple[Entry, ...]
    at: datetime


class Follower:
    """Remembers how the hot files stood and does what their changes ask for. Safe from several threads.

    What came is typed in the sidecar and, if it is a finished thing, moved to the cold tier; what was
    reworded stays as history; what was removed goes into the trash, as if it had been forgotten by id.
    Whatever a run of ours did meanwhile, in this process or another, is no change.
    """

    def __init__(
        self, parts: Parts, assessor: Assessor, make_room: Callable[[Target], OverflowNote | None]
    ) -> None:
        self._parts = parts
        self._assessor = assessor
        self._make_room = make_room
        self._looks: dict[Target, _Look] = {}

    def watch(self, known: Mapping[Target, HotSnapshot] | None = None) -> None:
        """Take the files as they stand, or as `known` shows them, for seen; what came before is not followed.

        `known` is at most two minutes old. Raises `HotFileError` without it.
        """
        now = self._parts.clock()
        found = {target: self._parts.hot.read(target) for target in TARGETS} if known is None else known
        for target, snapshot in found.items():
            self._looks[target] = _Look(snapshot.entries, now)

    def follow(self, target: Target, *, tidy: bool = False) -> FollowReport:
        """Follow what changed since the last look; make room from hard on, with `tidy` from soft on.

        Raises `HotFileError` or `StoreError`; the next call then follows the same changes.
        """
        with self._parts.lock():
            self._parts.executor.settle()
            report, settled = self._follow(target)
            overflow = self._room(target, tidy=tidy)
            if report.runs:
                self._parts.ledger.add_receipt(report.runs[-1], "follow", asdict(report), self._parts.clock())
            if settled:
                self._looks[target] = _Look(self._parts.hot.read(target).entries, self._parts.clock())
        return replace(report, overflow=overflow)

    def _follow(self, target: Target) -> tuple[FollowReport, bool]:
        """Return what was done, and whether all was: a step that was skipped or failed is seen anew.

        What was done is not done twice, as the ledger says that it was a run of ours.
        """
        now = self._parts.clock()
        known = self._looks.get(target)
        here = self._parts.hot.read(target).entries
        if known is None or _texts(known.entries) == _texts(here):
            return FollowReport(target=target), True
        went = {entry.text for entry in known.entries} - {entry.text for entry in here}
        ours = self._taken_by_us(target, known.at) if went else set()
        change = changes(known.entries, here, ours)
        new = [entry for entry in (*change.added, *(to for _, to in change.reworded)) if unstamped(entry)]
        readings = {
            entry.hash: self._read(entry.text) for entry in (*new, *(to for _, to in change.reworded))
        }
        plan = stamp_plan(change, readings, self._copies(change), now, owner=self._parts.owner)
        runs: list[RunResult] = []
        if plan.actions:
            runs.append(self._parts.executor.apply(plan, self._parts.plan_embeddings(plan)))
        finished = {entry.text for entry in new if leaves(readings[entry.hash])}
        sunk = self._sink(target, finished, now)
        report = FollowReport(
            target=target,
            runs=tuple(run.run for run in [*runs, *sunk]),
            added=len(change.added),
            moved=sum(len(run.done) for run in sunk),
            reworded=len(change.reworded),
            removed=len(change.gone),
            errors=tuple(str(outcome.error) for run in runs for outcome in run.outcomes if outcome.error),
        )
        return report, all(outcome.state == "done" for run in runs for outcome in run.outcomes)

    def _sink(self, target: Target, texts: set[str], now: datetime) -> list[RunResult]:
        """Move finished things to the cold tier; what can't be moved now leaves by its age later."""
        entries = [entry for entry in self._parts.hot.read(target).entries if entry.text in texts]
        if not entries:
            return []
        try:
            plan = sink_plan(entries, self._assessor.twins(entries), now, owner=self._parts.owner)
        except StoreError:
            return []
        return [self._parts.executor.apply(plan, self._parts.plan_embeddings(plan))]

    def _room(self, target: Target, *, tidy: bool) -> OverflowNote | None:
        snapshot = self._parts.hot.read(target)
        if not tidy and snapshot.chars < self._parts.thresholds.hard * snapshot.limit:
            return None
        return self._make_room(target)

    def _read(self, text: str) -> Reading:
        routing = classify(text, importance=0.5, lexicon=self._parts.lexicon, likeness=None)
        return Reading(routing.kind, routing.route)

    def _copies(self, change: Change) -> dict[str, Record]:
        went = [entry for _, entry in change.gone] + [old for old, _ in change.reworded]
        found = {
            entry.hash: self._parts.cold.find_text(self._parts.owner, _SCOPE, entry.hash) for entry in went
        }
        return {key: record for key, record in found.items() if record is not None}

    def _taken_by_us(self, target: Target, since: datetime) -> set[str]:
        """Return the texts and ids of what runs of this home took out of the file since a time."""
        taken: set[str] = set()
        before: str | None = None
        while runs := self._parts.ledger.runs(limit=_RUNS, before=before):
            for run in runs:
                if run.started_at < since - _IN_FLIGHT:
                    return taken
                for step in run.steps:
                    if step.state == "done":
                        gone = dropped(run.plan.actions[step.seq].hot)
                        taken.update(
                            part
                            for entry in gone
                            if entry.target == target
                            for part in (entry.text, entry.id)
                        )
            before = runs[-1].id
        return taken


def _texts(entries: Sequence[Entry]) -> list[str]:
    return [entry.text for entry in entries]
