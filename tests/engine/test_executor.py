"""The executor: cold before hot, changed subjects left alone, twice is once, old runs settled first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.errors import HotFileBusy, StoreUnavailable
from memorycore.plan import (
    Action,
    AddEntry,
    BuryEntry,
    BuryRecord,
    BuryUnstored,
    Exhume,
    FillVector,
    Plan,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.undo import plain_outcome, put_back, undo_plan
from tests.engine.helpers import CrashError, Fuse, World, entry, record, shared_encoder


def plan(*actions: Action, kind="store") -> Plan:
    return Plan(kind=kind, actions=actions)


def action(*cold, hot=None, rung="write") -> Action:
    return Action(rung=rung, subject="m_subject", reason="a test", target="memory", cold=cold, hot=hot)


def sinking(one) -> Action:
    return action(PutRecord(record(one.text, id=one.id)), hot=RemoveEntry(one), rung="state_ttl")


class Refusing:
    """A port of which one method raises."""

    def __init__(self, port, method, error):
        self._port, self._method, self._error = port, method, error

    def __getattr__(self, name):
        if name == self._method:
            raise self._error
        return getattr(self._port, name)


BUSY = HotFileBusy("The file is locked.", advice="Wait.")
FULL_DISK = StoreUnavailable("No room.", advice="Make some.")


def outcomes(result):
    return [(outcome.state, outcome.detail) for outcome in result.outcomes]


def test_the_cold_half_comes_before_the_hot_edit_and_is_journalled():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    result = world.executor().apply(plan(sinking(one)))
    assert outcomes(result) == [("done", "done")]
    assert (world.hot_texts(), world.cold_texts()) == ([], ["Old."])
    (run,) = world.ledger.runs(limit=5)
    assert (run.id, run.state, [step.state for step in run.steps]) == (result.run, "done", ["done"])


def test_a_failing_cold_half_leaves_the_hot_file_alone():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    world.cold = Refusing(world.cold, "put", FULL_DISK)
    result = world.executor().apply(plan(sinking(one)))
    assert result.error is FULL_DISK
    assert result.done == ()
    assert world.hot_texts() == ["Old."]


def test_a_cold_store_that_does_not_give_back_what_was_put_stops_the_step():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    world.cold.put(record("Something else.", id=one.id), None)
    result = world.executor().apply(plan(sinking(one)))
    assert isinstance(result.error, StoreUnavailable)
    assert result.error.advice
    assert (world.hot_texts(), world.cold_texts()) == (["Old."], ["Something else."])


def test_a_failing_hot_edit_takes_the_cold_half_back():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    real, world.hot = world.hot, Refusing(world.hot, "remove", BUSY)
    result = world.executor().apply(plan(sinking(one)))
    assert result.error is BUSY
    assert [found.text for found in real.read("memory").entries] == ["Old."]
    assert world.cold_texts() == []


def test_a_hot_edit_that_finds_another_text_is_skipped():
    world, before, after = World(), entry("Before."), entry("After.")
    world.hot.add(entry("Changed by hand."))
    history = record("Before.", superseded_by=after.id)
    result = world.executor().apply(plan(action(PutRecord(history), hot=ReplaceEntry(before, after))))
    assert outcomes(result) == [("skipped", "changed")]
    assert world.hot_texts() == ["Changed by hand."]
    assert world.cold.get(history.id) is None


def test_a_record_that_was_changed_meanwhile_is_not_overwritten():
    world, seen = World(), record("Seen.")
    newer = replace(seen, text="Newer.")
    world.cold.put(newer, None)
    change = ReplaceRecord(seen, replace(seen, superseded_by="m_x"))
    result = world.executor().apply(plan(action(PutRecord(record("New.")), change)))
    assert result.outcomes[0].state == "skipped"
    assert world.cold.get(seen.id) == newer
    assert "New." not in [text for text in world.cold_texts() if text != "Newer."]


def test_a_recall_in_between_does_not_count_as_a_change():
    world, seen = World(), record("Seen.")
    world.cold.put(seen, None)
    world.cold.mark_recalled([seen.id], world.clock())
    after = replace(seen, text="Seen and more.")
    world.executor().apply(plan(action(ReplaceRecord(seen, after))))
    assert world.cold.get(seen.id) == replace(after, recalled_at=world.clock(), recalls=1)


def test_a_record_that_was_changed_meanwhile_is_not_buried():
    """Undoing the first of two stores must not take the second one along."""
    world, first = World(), record("The cat is Mimi.")
    world.cold.put(first, None)
    world.cold.replace(replace(first, text="The cat is Mimi and is nine."), None)
    result = world.executor().apply(plan(action(BuryRecord(first)), kind="undo"))
    assert result.outcomes[0].state == "skipped"
    assert world.cold_texts() == ["The cat is Mimi and is nine."]


def test_burying_keeps_when_and_why_and_for_how_long():
    world, one = World(), record("One.")
    world.cold.put(one, None)
    result = world.executor().apply(plan(action(BuryRecord(one)), kind="forget"))
    item = world.ledger.buried(one.id)
    assert (item.item, item.reason, item.run) == (one, "a test", result.run)
    assert (item.expires_at - item.trashed_at).days == 30


def test_the_trash_never_overwrites_one_text_by_another_of_the_same_id():
    world, hot = World(), entry("The text in the file.", id="h_same")
    cold = record("The text in the store.", id="h_same")
    world.hot.add(hot)
    world.cold.put(cold, None)
    forget = plan(action(BuryEntry(hot), hot=RemoveEntry(hot)), action(BuryRecord(cold)), kind="forget")
    world.executor().apply(forget)
    assert sorted(world.trash_texts()) == ["The text in the file.", "The text in the store."]


def test_a_text_that_made_room_in_the_trash_takes_its_id_again():
    world, texts = World(), ["First.", "Second.", "Third."]
    for text in texts:
        world.executor().apply(plan(action(BuryEntry(entry(text, id="h_same")))))
    assert [item.id for item in world.ledger.trash(limit=9)] == ["h_same", "h_same~0001", "h_same~0002"]
    for left in (["First.", "Second."], ["First."], []):
        newest = world.ledger.buried("h_same").item
        world.hot.add(newest)
        world.executor().apply(plan(action(Exhume(newest))))
        assert sorted(world.trash_texts()) == left
        if left:
            assert world.ledger.buried("h_same").item.text == left[-1]


def test_an_operation_that_found_its_work_done_is_not_taken_back():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    there = record("Old.")
    world.cold.put(there, None)
    run = world.executor().apply(plan(sinking(one), kind="overflow")).run
    journal = world.ledger.run(run)
    assert journal.steps[0].outcome == "done [already so: 0]"
    assert plain_outcome(journal.steps[0].outcome) == "done"
    world.core().undo(run)
    assert (world.hot_texts(), world.records(), world.trash_texts()) == (["Old."], [there], [])


def test_a_record_that_was_there_before_survives_a_failing_step():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    there = record("Old.", id=one.id)
    world.cold.put(there, None)
    world.hot = Refusing(world.hot, "remove", BUSY)
    world.executor().apply(plan(action(PutRecord(there), hot=RemoveEntry(one))))
    assert world.records() == [there]


def test_a_hot_edit_that_a_crash_hid_is_taken_back_all_the_same():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    crashed(world, one, 8, after=True)  # open_runs, read, begin, get, put, get, mark, remove
    world.executor().recover()
    (run,) = world.ledger.runs(limit=5)
    assert (run.steps[0].state, run.steps[0].outcome) == ("done", "done")
    world.core().undo(run.id)
    assert (world.hot_texts(), world.cold_texts()) == (["Old."], [])


def test_the_trash_lets_go_of_a_text_only_when_it_stands_elsewhere():
    world, one = World(limits={"memory": 10, "user": 10}), entry("Longer than ten.")
    world.executor().apply(plan(action(BuryEntry(one))))
    result = world.executor().apply(Plan(kind="restore", actions=put_back(one, "asked for")))
    assert [state for state, _ in outcomes(result)] == ["failed", "skipped"]
    assert world.trash_texts() == ["Longer than ten."]


def test_exhuming_drops_no_other_text_of_the_same_id():
    world, before = World(), entry("Before.")
    after = replace(before, text="After.")
    world.hot.add(before)
    world.executor().apply(plan(action(BuryEntry(after))))
    world.executor().apply(plan(action(Exhume(before))))
    assert world.trash_texts() == ["After."]


def test_a_vector_is_not_given_to_a_text_that_it_was_not_made_from():
    world, one = World(), record("One.")
    (vector,) = shared_encoder().passages([("One.", None)])
    world.cold.put(replace(one, text="Another."), None)
    fill = plan(action(FillVector(one.id, one.hash), rung="embed"), kind="maintenance")
    assert world.executor().apply(fill, {one.id: vector}).outcomes[0].state == "skipped"
    assert world.executor().apply(fill).outcomes[0].state == "skipped"
    assert world.cold.embedding(one.id, vector.model) is None


def test_an_action_that_fails_does_not_stop_the_others():
    world, one, other = World(), entry("One."), entry("x" * 3_000)
    result = world.executor().apply(plan(action(hot=AddEntry(other)), action(hot=AddEntry(one))))
    assert [state for state, _ in outcomes(result)] == ["failed", "done"]
    assert world.hot_texts() == ["One."]


def crashed(world: World, one, at: int, *, after: bool) -> None:
    with pytest.raises(CrashError):
        world.executor(Fuse(at=at, after=after)).apply(plan(sinking(one)))


def test_a_run_cut_off_before_its_hot_half_is_finished_by_the_recovery():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    crashed(world, one, 8, after=False)  # open_runs, read, begin, get, put, get, mark, remove
    (sentence,) = world.executor().recover()
    assert "1 of its steps" in sentence
    assert (world.hot_texts(), world.cold_texts()) == ([], ["Old."])


def test_a_run_cut_off_in_its_cold_half_is_taken_back():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    crashed(world, one, 6, after=True)  # open_runs, read, begin, get, put, get
    world.executor().recover()
    assert (world.hot_texts(), world.cold_texts(), world.trash_texts()) == (["Old."], [], [])
    assert world.executor().recover() == []


def test_a_run_that_another_process_left_open_is_settled_before_the_next_one():
    """Settled later, its way back would undo what was built on it meanwhile."""
    world, one = World(), entry("Old.")
    world.hot.add(one)
    alive = world.executor()
    crashed(world, one, 6, after=True)  # open_runs, read, begin, get, put, get
    alive.apply(plan(sinking(one)))
    world.executor().recover()
    assert (world.hot_texts(), world.cold_texts()) == ([], ["Old."])
    assert world.ledger.open_runs() == []


def test_a_run_that_a_failing_ledger_cut_off_is_settled_before_the_next_one():
    world, one = World(), entry("Old.")
    world.hot.add(one)
    real, world.ledger = world.ledger, Refusing(world.ledger, "mark", FULL_DISK)
    with pytest.raises(StoreUnavailable):
        world.executor().apply(plan(sinking(one)))
    world.ledger = real
    world.executor().apply(plan(sinking(one)))
    assert (world.hot_texts(), world.cold_texts(), world.ledger.open_runs()) == ([], ["Old."], [])


WORDS = st.sampled_from(["red", "green", "blue", "grey"])


@st.composite
def plans(draw):
    """Plans over a few entries and records, of which some are there and some are not."""
    texts = draw(st.lists(WORDS, min_size=1, max_size=4, unique=True))
    entries = [entry(f"Paint it {text}.", id=f"m_hot_{text}") for text in texts]
    records = [record(f"It was {text}.", id=f"m_cold_{text}") for text in texts]
    makers = [
        lambda e, r: action(hot=AddEntry(e)),
        lambda e, r: sinking(e),
        lambda e, r: action(PutRecord(r)),
        lambda e, r: action(BuryRecord(r)),
        lambda e, r: action(BuryEntry(e), hot=RemoveEntry(e)),
        lambda e, r: action(BuryUnstored(r)),
        lambda e, r: action(ReplaceRecord(r, replace(r, superseded_by="m_x"))),
        lambda e, r: action(BuryEntry(e), hot=ReplaceEntry(e, replace(e, text=f"{e.text} Twice."))),
    ]
    # One action per subject: a plan is made from one look at the stores.
    actions = [draw(st.sampled_from(makers))(e, r) for e, r in zip(entries, records, strict=True)]
    present = draw(st.sets(WORDS))
    return plan(*actions), sorted(present)


def world_with(present) -> World:
    world = World()
    for text in present:
        world.hot.add(entry(f"Paint it {text}.", id=f"m_hot_{text}"))
        world.cold.put(record(f"It was {text}.", id=f"m_cold_{text}"), None)
    return world


@settings(max_examples=100, deadline=None)
@given(plans())
def test_applying_twice_equals_applying_once(given_plan):
    todo, present = given_plan
    world = world_with(present)
    world.executor().apply(todo)
    once = world.state()
    world.executor().apply(todo)
    assert world.state() == once


@settings(max_examples=100, deadline=None)
@given(plans(), st.integers(1, 30), st.booleans())
def test_a_cut_off_run_recovers_to_the_state_before_or_after_each_step(given_plan, at, after):
    """And no text is in fewer places than it was."""
    todo, present = given_plan
    world = world_with(present)
    try:
        world.executor(Fuse(at=at, after=after)).apply(todo)
    except CrashError:
        world.executor().recover()
        state = world.state()
        world.executor().recover()
        assert world.state() == state
    kept = {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}
    assert {f"Paint it {text}." for text in present} | {f"It was {text}." for text in present} <= kept


@settings(max_examples=100, deadline=None)
@given(plans())
def test_undo_gives_back_every_entry_and_record(given_plan):
    todo, present = given_plan
    world = world_with(present)
    before = world.state()
    done = world.executor().apply(todo).done
    world.executor().apply(undo_plan([one for one in done if _changed_something(one, present)], "a test"))
    hot, records = set(world.hot_texts()), {found for found in world.records() if found.active}
    assert {found.text for found in before[0]} <= hot | set(world.cold_texts())
    assert set(before[2]) <= records | set(world.records())


def _changed_something(one: Action, present) -> bool:
    """Steps that found their work done already have nothing that undo could take back."""
    match one.hot, one.cold:
        case AddEntry(added), _:
            return not any(added.id == f"m_hot_{text}" for text in present)
        case None, (PutRecord(put),):
            return not any(put.id == f"m_cold_{text}" for text in present)
        case _:
            return True
