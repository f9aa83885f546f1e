"""What was done is told from the ledger: a line per run or pass, and each action with what it moved."""

from __future__ import annotations

import json

import pytest

from memorycore.answers import to_wire
from memorycore.errors import InvalidInput, UnknownId
from memorycore.plan import Plan
from tests.engine.helpers import FACT, RULE, STALE, World, entry, record
from tests.engine.test_exact_undo import sink
from tests.engine.test_overflow import LONG, PAID, aged, full

LOVES, HATES = "I love Chinese food.", "I hate Chinese food."


def sunk_in_parts(world, count, part_of="p_1"):
    for number in range(count):
        one = entry(f"Shelf {number} holds jars of plums.", id=f"m_{part_of}_{number}")
        world.hot.add(one)
        world.executor().apply(Plan(kind="overflow", actions=(sink(one),)), part_of=part_of)


def test_runs_come_newest_first_with_what_came_of_them():
    world = World()
    first = world.core().store(FACT)
    world.clock.turn(minutes=1)
    second = world.core().forget(first.id)
    lines = world.core().history().runs
    assert [(one.run, one.kind, one.state) for one in lines] == [
        (second.undo, "forget", "done"),
        (first.undo, "store", "done"),
    ]
    assert lines[1].about == FACT
    assert (lines[0].actions, lines[0].done, lines[0].skipped, lines[0].failed) == ({"forget": 1}, 1, 0, 0)
    assert lines[0].started_at == "2026-05-04T12:31:00+00:00"
    assert world.core().history().next is None


def test_nothing_done_is_an_empty_history():
    assert to_wire(World().core().history()) == {"runs": [], "next": None}


def test_the_pages_of_a_history_hold_every_run_once_and_a_pass_as_one():
    world = World()
    for number in range(4):
        world.core().store(f"Drawer {number} holds spoons.")
        sunk_in_parts(world, 2, f"p_{number}")
    world.core().store("The last thing of all.")
    # A pass may let others in between its parts.
    sunk_in_parts(world, 1, "p_0")
    core = world.core()
    everything = [one.run for one in core.history(limit=100).runs]
    assert len(everything) == len(set(everything)) == 9
    assert everything[0] == "p_0"
    for size in (1, 2, 4, 8, 9):
        seen, before = [], None
        for _ in range(10):
            page = core.history(limit=size, before=before)
            assert len(page.runs) <= size
            seen += [one.run for one in page.runs]
            before = page.next
            if before is None:
                break
        assert seen == everything


def test_a_pass_is_one_line_of_all_its_runs():
    world = World()
    sunk_in_parts(world, 3)
    (line,) = world.core().history().runs
    assert (line.run, line.runs, line.done, line.actions, line.part_of) == (
        "p_1",
        3,
        3,
        {"state_ttl": 3},
        None,
    )
    shown = world.core().show("p_1")
    assert [one.subject for one in shown.actions] == [f"m_p_1_{number}" for number in range(3)]
    part = world.core().show(shown.actions[1].run)
    assert (part.line.part_of, part.line.runs, len(part.actions)) == ("p_1", 1, 1)


def test_an_undo_is_told_on_both_sides_as_long_as_it_holds():
    world = World()
    stored = world.core().store(FACT)
    undone = world.core().undo(stored.undo)
    newest, oldest = world.core().history().runs
    assert (newest.undo_of, newest.undone_by) == (stored.undo, None)
    assert (oldest.undone_by, oldest.undo_of) == (undone.undo, None)
    assert not world.core().show(stored.undo).undoable
    assert undone.undo in world.core().show(stored.undo).undo
    world.core().undo(undone.undo)
    assert world.core().history().runs[-1].undone_by is None
    assert world.core().show(stored.undo).undoable


def moved(world, run):
    return [
        (one.text, one.before, one.after) for action in world.core().show(run).actions for one in action.moves
    ]


def test_each_action_says_what_moved_from_where_to_where():
    world = World()
    hot = world.core().store(LOVES)
    assert moved(world, hot.undo) == [(LOVES, (), ("hot:memory",))]
    newer = world.core().store(HATES)
    assert moved(world, newer.undo) == [(LOVES, ("hot:memory",), ("history",)), (HATES, (), ("hot:memory",))]
    cold = world.core().store(FACT)
    assert moved(world, cold.undo) == [(FACT, (), ("cold",))]
    gone = world.core().forget(cold.id)
    assert moved(world, gone.undo) == [(FACT, ("cold",), ("trash",))]
    back = world.core().restore(cold.id)
    assert moved(world, back.undo) == [(FACT, ("trash",), ("cold",))]
    stale = world.core().store(STALE)
    assert moved(world, stale.undo) == [(STALE, (), ("trash",))]


def test_texts_are_whole_and_changes_are_named():
    world = full(aged(LONG, target="user"), pct=70)
    run = world.core().overflow("user")["user"].run
    split, profile = world.core().show(run).actions
    assert (split.before, split.after) == (LONG, "Always answer in British English.")
    assert split.undoable
    assert profile.after in "".join(world.cold_texts())
    world = full(aged(PAID, 30), pct=70)
    run = world.core().overflow("memory")["memory"].run
    (retyped,) = world.core().show(run).actions
    assert retyped.changed["kind"] == ("rule", "state")
    assert json.loads(json.dumps(to_wire(world.core().show(run)))) == to_wire(world.core().show(run))


def test_what_is_not_undoable_says_why():
    world = World()
    kept = world.core().store(FACT)
    world.cold._forget_vectors(kept.id)
    filled = world.core().maintain()
    shown = world.core().show(filled.run)
    assert (shown.undoable, "vectors" in shown.undo, shown.actions[0].undoable) == (False, True, False)
    lost = record("Never put.")
    from memorycore.plan import Action, BuryRecord

    nothing = Plan(
        kind="forget",
        actions=(Action(rung="forget", subject=lost.id, reason="a test", cold=(BuryRecord(lost),)),),
    )
    shown = world.core().show(world.executor().apply(nothing).run)
    assert (shown.undoable, shown.actions[0].state, "nothing of it was done" in shown.undo) == (
        False,
        "skipped",
        True,
    )


def test_what_is_asked_for_wrongly_is_refused():
    world = World()
    world.core().store(RULE)
    for call in (lambda core: core.show("r_none"), lambda core: core.history(before="r_none")):
        with pytest.raises(UnknownId):
            call(world.core())
    for call in (
        lambda core: core.history(limit=0),
        lambda core: core.show(""),
        lambda core: core.history(before=3),
    ):
        with pytest.raises(InvalidInput):
            call(world.core())


def test_looking_changes_nothing():
    world = World()
    run = world.core().store(RULE).undo
    before, runs = world.state(), world.ledger.runs(limit=9)
    world.core().history()
    world.core().show(run)
    assert (world.state(), world.ledger.runs(limit=9)) == (before, runs)
    assert len(world.ledger.receipts(limit=9)) == 1
