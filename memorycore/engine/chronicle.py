"""Tells what was done, from the ledger: lists runs and shows what each did. Writes nothing, takes no lock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memorycore.answers_past import ActionDetail, History, RunDetail, RunLine
from memorycore.engine.journal import Journal
from memorycore.engine.parts import iso
from memorycore.engine.ports_ledger import JournalRun, JournalStep, Ledger, RunState
from memorycore.errors import UnknownId
from memorycore.policy.moves import changes, final, moves, texts
from memorycore.policy.undo import plain_outcome, undone_run

_ABOUT_CHARS = 80
_STATES: tuple[RunState, ...] = ("open", "abandoned", "done")  # of several runs, the first one tells


class Chronicler:
    """Reads the journal for people and programs. A pass is shown as one run, where its last part stands."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._journal = Journal(ledger)

    def history(self, limit: int, before: str | None) -> History:
        """Return at most `limit` runs or passes that are older than `before`. Raises `UnknownId`."""
        start = None if before is None else self._known(before)[-1].id
        found: list[list[JournalRun]] = []
        for runs in self._lines(start, limit + 1):
            found.append(runs)
            if len(found) > limit:
                break
        shown = found[:limit]
        undone = self._journal.undone([run for runs in shown for run in runs])
        lines = tuple(_line(runs, undone) for runs in shown)
        return History(runs=lines, next=lines[-1].run if len(found) > limit else None)

    def show(self, id: str) -> RunDetail:
        """Return a run or pass in full. Raises `UnknownId`."""
        runs = self._known(id)
        undone = self._journal.undone(runs)
        line = _line(runs, undone, name=id)
        actions = tuple(_detail(run, step) for run in runs for step in run.steps)
        can, how = _undo(line, actions)
        return RunDetail(line=line, actions=actions, undoable=can, undo=how)

    def _known(self, id: str) -> list[JournalRun]:
        runs = self._journal.named(id)
        if not runs:
            raise UnknownId(f"No run bears the id {id!r}.", advice="`memorycore history` lists the runs.")
        return runs

    def _lines(self, before: str | None, page: int) -> Iterator[list[JournalRun]]:
        """Yield runs, newest first, and the runs of a pass together where the last of them stands."""
        while runs := self._ledger.runs(limit=page, before=before):
            for run in runs:
                parts = [run] if run.part_of is None else self._ledger.parts(run.part_of)
                if parts[-1].id == run.id:
                    yield parts
            before = runs[-1].id


def _line(runs: Sequence[JournalRun], undone: dict[str, str], name: str | None = None) -> RunLine:
    first, last = runs[0], runs[-1]
    states = Counter(step.state for run in runs for step in run.steps)
    finished = [run.finished_at for run in runs if run.finished_at is not None]
    everywhere = all(run.id in undone for run in runs)
    pass_id = last.part_of or last.id
    return RunLine(
        run=name or pass_id,
        kind=last.plan.kind,
        state=next(
            (state for state in ("open", "abandoned") if any(run.state == state for run in runs)), "done"
        ),
        started_at=first.started_at.isoformat(timespec="seconds"),
        finished_at=iso(max(finished)) if len(finished) == len(runs) else None,
        about=_about(runs),
        runs=len(runs),
        actions=dict(Counter(action.rung for run in runs for action in run.plan.actions)),
        done=states["done"],
        skipped=states["skipped"],
        failed=states["failed"],
        undone_by=undone[last.id] if everywhere else None,
        undo_of=undone_run(last.plan),
        part_of=last.part_of if name not in {None, last.part_of} else None,
    )


def _about(runs: Sequence[JournalRun]) -> str:
    for run in runs:
        for action in run.plan.actions:
            text = next((text for text in reversed(texts(action)) if text), None)
            if text is not None:
                line = " ".join(text.split())
                return line if len(line) <= _ABOUT_CHARS else f"{line[: _ABOUT_CHARS - 1]}…"
    return ""


def _detail(run: JournalRun, step: JournalStep) -> ActionDetail:
    action = run.plan.actions[step.seq]
    before, after = texts(action)
    return ActionDetail(
        run=run.id,
        rung=action.rung,
        subject=action.subject,
        target=action.target,
        reason=action.reason,
        state=step.state,
        outcome=plain_outcome(step.outcome),
        before=before,
        after=after,
        moves=moves(action),
        changed=dict(changes(action)),
        undoable=step.state == "done" and not final(action),
    )


def _undo(line: RunLine, actions: Sequence[ActionDetail]) -> tuple[bool, str]:
    """Return whether an undo takes something back, and a sentence that says how or why not."""
    if line.undone_by is not None:
        return False, f"It was undone by {line.undone_by}; to have it again: memorycore undo {line.undone_by}"
    if line.state == "open":
        return False, "It is at work, or was cut off: the next write settles it, then it can be undone."
    if not any(action.undoable for action in actions):
        why = "vectors stay, and what expired is gone for good" if line.done else "nothing of it was done"
        return False, f"There is nothing to take back: {why}."
    return True, f"To take it back: memorycore undo {line.run}"
