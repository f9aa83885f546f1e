"""Undo gives everything back as it was, and undo of the undo as it was after the run; for every kind of run.

One thing may be left behind: the trash keeps a copy of what a caller told, however it is taken back. A stale
fact was refused a place, so that taking its verdict back gives it one, in the cold tier.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.errors import MemoryCoreError
from memorycore.model import text_hash
from memorycore.plan import Action, Plan, PutRecord, RemoveEntry
from memorycore.policy.hot_text import DELIMITER, render
from memorycore.policy.write import record_of
from tests.engine.helpers import NOW, TurnableClock, World, on_disk, shared_encoder
from tests.engine.states import state
from tests.engine.test_crashes import LOGS, PAID, RESET, TEXTS, id_of
from tests.policy.scenarios import NOW as SCENARIO_NOW
from tests.policy.scenarios import scenarios

SAID = [*TEXTS, RESET, LOGS, PAID]
LIVELY = st.one_of(
    st.tuples(st.just("store"), st.sampled_from(SAID), st.sampled_from([0.2, 0.5, 0.95])),
    st.tuples(st.sampled_from(["forget", "restore"]), st.sampled_from(SAID), st.none()),
    st.tuples(st.just("undo"), st.integers(0, 5), st.none()),
    st.tuples(st.sampled_from(["overflow", "maintain", "wait"]), st.none(), st.none()),
)


def take(step, world, core):
    """Carry a step out."""
    name, what, importance = step
    match name:
        case "store":
            core.store(what, importance=importance, target="user" if "Deploys" in what else "memory")
        case "forget":
            core.forget(id_of(world, what))
        case "restore":
            core.restore(id_of(world, what))
        case "undo":
            core.undo([one.id for one in world.ledger.runs(limit=6)][what:][0])
        case "overflow":
            core.overflow()
        case "maintain":
            core.maintain()
        case _:
            world.clock.turn(days=9)


class OnDisk:
    """What `take` asks of a world, of a core on real files."""

    def __init__(self, core, clock):
        self._cold, self.clock = core._parts.cold, clock
        self.hot, self.ledger = core._parts.hot, core._parts.ledger

    def records(self):
        return self._cold.scan("local", after=None, limit=10_000)


def told(run):
    """The texts that a run was told by a caller."""
    items = (
        getattr(op, name, None)
        for action in run.plan.actions
        for op in (*action.cold, action.hot)
        for name in ("record", "entry", "after", "item")
    )
    return {item.text for item in items if item is not None}


def merged_into_records(run):
    """The texts that records of a run were given: the journal keeps those, no tier does once it is undone."""
    ops = [op for action in run.plan.actions for op in action.cold]
    return {op.after.text for op in ops if op.op == "replace_record"}


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
    undone = seen = state(core, root)
    assert kept <= undone.texts | merged_into_records(journal)
    if journal.plan.kind == "store" and {action.rung for action in journal.plan.actions} <= {
        "stale",
        "duplicate",
    }:
        seen = replace(undone, records=before.records, embedded=before.embedded)
    assert seen.left_by(kept, before) == before.left_by(set(), before)
    redo = core.undo(undo.undo)
    assert state(core, root) == after
    again = core.undo(redo.undo)
    assert state(core, root) == undone
    core.undo(again.undo)
    assert state(core, root) == after


def assert_life_is_exact(steps, world, core, root=None):
    """Live through the steps; each that was one whole run is taken back and done again."""
    for step in steps:
        known = {one.id for one in world.ledger.runs(limit=1_000)}
        before = state(core, root)
        try:
            take(step, world, core)
        except (MemoryCoreError, IndexError):
            continue
        finally:
            world.clock.turn(seconds=1)
        made = [one for one in world.ledger.runs(limit=1_000) if one.id not in known]
        if len(made) == 1 and all(one.state == "done" for one in made[0].steps):
            assert_exact(core, made[0].id, before, root)


SOME = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(SOME, max_examples=4)


@SOME
@given(st.lists(LIVELY, min_size=1, max_size=9), st.sampled_from([2_200, 400, 160]))
def test_every_run_of_a_random_life_is_taken_back_exactly(steps, limit):
    world = World(limits={"memory": limit, "user": limit})
    assert_life_is_exact(steps, world, world.core())


@FEW
@given(st.lists(LIVELY, min_size=3, max_size=7), st.sampled_from([2_200, 400, 200]))
def test_every_run_on_real_files_is_taken_back_exactly(steps, limit):
    with tempfile.TemporaryDirectory() as folder:
        root, clock = Path(folder), TurnableClock()
        with on_disk(root, clock, hot_limit_memory=limit, hot_limit_user=limit) as core:
            assert_life_is_exact(steps, OnDisk(core, clock), core, root)


# -- every rung


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.name)
def test_every_rung_is_taken_back_exactly(scenario):
    target = scenario.snapshot.target
    world = World(limits={"memory": 9_000, "user": 9_000})
    world.clock.now = SCENARIO_NOW
    for one in scenario.typed:
        world.hot.add(one.entry)
    if scenario.evidence.profile is not None:
        (vector,) = shared_encoder().passages([(scenario.evidence.profile.text, None)])
        world.cold.put(scenario.evidence.profile, vector)
    core, plan = world.core(), scenario.plan().plan
    before = state(core)
    assert [one.id for one in before.entries[target]] == [one.entry.id for one in scenario.typed]
    run = core._parts.executor.apply(plan, core._parts.plan_embeddings(plan))
    assert len(run.done) == len(plan.actions)
    if plan.actions:
        assert_exact(core, run.run, before)


# -- files that others wrote


HAND = [
    "Never deploy on Fridays.",
    f"{PAID[:-1]} on 2026-01-20, and the case is closed.",
    "Deploys run from Jenkins. The staging box is reset at night.",
    "The staging server is called Otter.",
    "All tests passed.",
]


def by_hand(root, sidecar):
    folder = root / "memories"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_bytes(DELIMITER.join(HAND).encode())
    if sidecar is not None:
        (folder / "MEMORY.meta.json").write_text(json.dumps(sidecar), encoding="utf-8")


STRANGE = {
    text_hash(HAND[4]): {"type": "state", "written_at": "2026-01-02T03:04:05+09:00", "colour": "red"},
    text_hash(HAND[1]): {"type": "state", "updated_at": "2026-01-20T00:00:00Z", "importance": 0.4},
    text_hash(HAND[3]): "no object",
    "a note": {"to": "whoever reads this"},
}


@pytest.mark.parametrize("sidecar", [None, {}, STRANGE], ids=["none", "empty", "strange"])
@pytest.mark.parametrize("call", ["overflow", "forget", "store"])
def test_what_others_wrote_is_given_back_as_they_wrote_it(sidecar, call, tmp_path):
    by_hand(tmp_path, sidecar)
    with on_disk(tmp_path, hot_limit_memory=len(render(HAND)) + 200) as core:
        before = state(core, tmp_path)
        if call == "overflow":
            run = core.overflow("memory")["memory"].run
        elif call == "forget":
            run = core.forget(before.entries["memory"][1].id).undo
        else:
            run = core.store("Deploys run from Jenkins. Logs are kept for a month.", importance=0.9).undo
        assert state(core, tmp_path).files != before.files
        assert_exact(core, run, before, tmp_path)


def test_a_forgotten_entry_comes_back_to_its_place():
    world = World()
    for text in ("One thing.", "Another one.", "A third."):
        world.core().store(text, importance=0.9)
    before = world.hot_texts()
    forgotten = world.core().forget(id_of(world, before[0]))
    world.core().undo(forgotten.undo)
    assert world.hot_texts() == before


# -- what is not undone


def test_what_found_its_work_done_is_not_taken_back():
    """The record was there before the entry sank onto it, so it stays when the entry comes back."""
    world = World()
    world.core().store(TEXTS[0], importance=0.95)
    (hot,) = world.hot.read("memory").entries
    world.core().forget(hot.id)
    world.core().store(TEXTS[0], importance=0.95)
    before = world.state()
    restored = world.core().restore(hot.id)
    assert "present" in world.ledger.run(restored.undo).steps[0].outcome
    world.core().undo(restored.undo)
    assert world.state() == before


def test_an_undo_that_was_done_is_not_done_twice():
    world = World()
    world.core().store(TEXTS[2])
    receipt = world.core().store(TEXTS[3])
    first = world.core().undo(receipt.undo)
    state_then, runs = world.state(), len(world.ledger.runs(limit=99))
    second = world.core().undo(receipt.undo)
    assert (second.status, second.undo) == ("undone", first.undo)
    assert "already" in second.detail
    assert (world.state(), len(world.ledger.runs(limit=99))) == (state_then, runs)
    world.core().undo(second.undo)
    third = world.core().undo(receipt.undo)
    assert third.undo not in {None, first.undo}
    assert world.state() == state_then


def test_an_undo_names_what_was_changed_since_and_takes_back_the_rest():
    world = World()
    for number in range(2):
        world.core().store(
            f"Flat {number} was painted on 2026-04-{10 + number}.", importance=0.9, route="hot"
        )
    for one in world.hot.read("memory").entries:
        world.hot.annotate(replace(one, kind="state", importance=0.5, updated_at=NOW - timedelta(days=20)))
    report = world.core().overflow("memory")["memory"]
    assert len(report.actions) == 2
    changed = world.records()[0]
    world.cold.replace(replace(changed, importance=0.1), None)
    answer = world.core().undo(report.run)
    assert changed.id in answer.detail
    assert len(world.hot_texts()) == 1
    assert changed.text in world.cold_texts()


def test_filled_vectors_stay_and_the_answer_says_why():
    world = World()
    world.core().store(TEXTS[0])
    (one,) = world.records()
    world.cold._forget_vectors(one.id)
    run = world.core().maintain().run
    before = state(world.core())
    answer = world.core().undo(run)
    assert (answer.status, answer.undo, "vectors" in answer.detail) == ("undone", None, True)
    assert state(world.core()) == before


def sink(one):
    return Action(
        rung="state_ttl",
        subject=one.id,
        reason="a test",
        target=one.target,
        cold=(PutRecord(record_of(one, NOW, owner="local")),),
        hot=RemoveEntry(one),
    )


def test_a_pass_is_undone_as_one_run_and_a_part_of_it_not_twice():
    world = World()
    for number in range(3):
        world.core().store(f"Shelf {number} holds jars of plums.", importance=0.9)
    entries, before = world.hot.read("memory").entries, world.state()
    parts = []
    for one in entries:
        plan = Plan(kind="overflow", actions=(sink(one),))
        parts.append(world.executor().apply(plan, part_of="p_1").run)
    after = world.state()
    core = world.core()
    single = core.undo(parts[2])
    answer = core.undo("p_1")
    assert (answer.status, answer.detail, world.state()) == ("undone", "", before)
    for one in ("p_1", parts[0], parts[2]):
        assert core.undo(one).undo in {answer.undo, single.undo}
    assert world.state() == before
    core.undo(answer.undo)
    core.undo(single.undo)
    assert world.state() == after
