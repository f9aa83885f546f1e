"""Undo gives everything back as it was, and undo of the undo as it was after the run; for every kind of run.

One thing may be left behind: the trash keeps a copy of what a caller told, however it is taken back.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.errors import MemoryCoreError
from memorycore.policy.hot_text import render
from tests.engine.helpers import NOW, TurnableClock, World, entry, on_disk, record
from tests.engine.states import state
from tests.engine.test_crashes import LOGS, LONG_TAIL, PAID, RESET, TEXTS, id_of
from tests.policy.scenarios import NOW as SCENARIO_NOW
from tests.policy.scenarios import scenarios

LIVELY = st.one_of(
    st.tuples(st.just("store"), st.sampled_from([*TEXTS, RESET, LOGS, PAID]), st.sampled_from([0.2, 0.5, 0.95])),
    st.tuples(st.sampled_from(["forget", "restore"]), st.sampled_from([*TEXTS, RESET, LOGS]), st.none()),
    st.tuples(st.just("undo"), st.integers(0, 5), st.none()),
    st.tuples(st.sampled_from(["overflow", "maintain", "wait"]), st.none(), st.none()),
)


def take(step, world, core):
    """Carry out a step, on the memory's own ids; what can't be done is not done."""
    name, what, importance = step
    match name:
        case "store":
            core.store(what, importance=importance, target="user" if "Dep" in what else "memory")
        case "forget":
            core.forget(id_of(world, what))
        case "restore":
            core.restore(id_of(world, what))
        case "undo":
            runs = world.ledger.runs(limit=6)
            if what < len(runs):
                core.undo(runs[what].id)
        case "overflow":
            core.overflow()
        case "maintain":
            core.maintain()
        case _:
            world.clock.turn(days=9)


class OnDisk:
    """What `take` asks of a world, of a core on real files."""

    def __init__(self, core, clock):
        self._parts, self.clock = core._parts, clock
        self.hot, self.ledger = core._parts.hot, core._parts.ledger

    def records(self):
        return self._parts.cold.scan("local", after=None, limit=10_000)


def told(run):
    """The texts that a run was told by a caller."""
    return {
        item.text
        for action in run.plan.actions
        for op in (*action.cold, action.hot)
        for item in (getattr(op, name, None) for name in ("record", "entry", "after", "item"))
        if item is not None
    }


def assert_exact(core, run, before, root=None):
    """Undo the run, undo the undo, and both again; each gives back what was."""
    after = state(core, root)
    journal = core._parts.ledger.run(run)
    kept = told(journal) if journal.plan.kind == "store" else set()
    undo = core.undo(run)
    assert undo.status == "undone"
    if undo.undo is None:
        assert state(core, root) == after
        return
    assert "Left" not in undo.detail
    undone = state(core, root)
    assert kept <= undone.texts | told_of_merges(journal)
    if any(action.rung == "stale" for action in journal.plan.actions) and journal.plan.kind == "store":
        undone = replace(undone, records=before.records, embedded=before.embedded)
    assert undone.left_by(kept, before) == before.left_by(set(), before)
    undone = state(core, root)
    redo = core.undo(undo.undo)
    assert state(core, root) == after
    again = core.undo(redo.undo)
    assert state(core, root) == undone
    core.undo(again.undo)
    assert state(core, root) == after


def told_of_merges(journal):
    return {op.after.text for action in journal.plan.actions for op in action.cold if op.op == "replace_record"}


SOME = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@SOME
@given(st.lists(LIVELY, min_size=1, max_size=9), st.sampled_from([2_200, 400, 160]))
def test_every_run_of_a_random_life_is_taken_back_exactly(steps, limit):
    world = World(limits={"memory": limit, "user": limit})
    core = world.core()
    for number in range(len(steps)):
        newest = {one.id for one in world.ledger.runs(limit=100)}
        before = state(core)
        try:
            take(steps[number], world, core)
        except MemoryCoreError:
            continue
        finally:
            world.clock.turn(seconds=1)
        made = [one for one in world.ledger.runs(limit=100) if one.id not in newest]
        if len(made) == 1 and made[0].steps and all(step.state == "done" for step in made[0].steps):
            assert_exact(core, made[0].id, before)
            world.clock.turn(seconds=1)
