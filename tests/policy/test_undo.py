"""The plan that takes a run back: every operation has its inverse, the last one first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memorycore.plan import (
    Action,
    AddEntry,
    BuryEntry,
    BuryRecord,
    BuryUnstored,
    Exhume,
    FillVector,
    JoinEntries,
    PartEntries,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.undo import put_back, undo_plan
from tests.engine.helpers import entry, record

ENTRY, OTHER, RECORD = entry("The old text."), entry("The new text."), record("The old text.")
NEWER = replace(RECORD, superseded_by="m_new")


def action(*cold, hot=None, subject="m_1") -> Action:
    return Action(rung="write", subject=subject, reason="a test", cold=cold, hot=hot)


def inverse(*cold, hot=None):
    return [(step.cold, step.hot) for step in undo_plan([action(*cold, hot=hot)], "undo of r_1").actions]


@pytest.mark.parametrize(
    ("op", "back"),
    [
        (PutRecord(RECORD), (BuryRecord(RECORD),)),
        (ReplaceRecord(RECORD, NEWER), (ReplaceRecord(NEWER, RECORD),)),
        (BuryRecord(RECORD), (PutRecord(RECORD), Exhume(RECORD))),
        (BuryUnstored(RECORD), (PutRecord(RECORD), Exhume(RECORD))),
        (BuryEntry(ENTRY), (Exhume(ENTRY),)),
        (Exhume(RECORD), (BuryUnstored(RECORD),)),
        (Exhume(ENTRY), (BuryEntry(ENTRY),)),
    ],
    ids=lambda value: getattr(value, "op", None),
)
def test_each_cold_operation_has_its_inverse(op, back):
    assert inverse(op) == [(back, None)]


def test_a_filled_vector_stays():
    assert inverse(FillVector("m_1", RECORD.hash)) == []


def test_an_added_entry_goes_into_the_trash():
    assert inverse(hot=AddEntry(ENTRY)) == [((BuryEntry(ENTRY),), RemoveEntry(ENTRY))]


def test_a_forgotten_entry_leaves_the_trash_only_when_it_is_back():
    assert inverse(BuryEntry(ENTRY), hot=RemoveEntry(ENTRY)) == [
        ((), AddEntry(ENTRY)),
        ((Exhume(ENTRY),), None),
    ]


def test_a_sunken_entry_comes_back_and_its_record_goes_without_a_copy_in_the_trash():
    assert inverse(PutRecord(RECORD), hot=RemoveEntry(ENTRY)) == [
        ((BuryRecord(RECORD),), AddEntry(ENTRY)),
        ((Exhume(RECORD),), None),
    ]


def test_a_replaced_entry_comes_back_and_what_replaced_it_goes_into_the_trash():
    history = PutRecord(replace(RECORD, superseded_by=OTHER.id))
    (cold, hot), (after, none) = inverse(history, hot=ReplaceEntry(ENTRY, OTHER))
    assert cold == (BuryRecord(history.record), BuryEntry(OTHER))
    assert hot == ReplaceEntry(OTHER, ENTRY)
    assert (after, none) == ((Exhume(history.record),), None)


def test_a_change_of_what_is_known_of_an_entry_needs_no_trash():
    important = replace(ENTRY, importance=0.9)
    assert inverse(hot=ReplaceEntry(ENTRY, important)) == [((), ReplaceEntry(important, ENTRY))]


def test_joined_entries_part_again_and_can_be_joined_once_more():
    both = entry("The old text and the new one.")
    history = PutRecord(replace(RECORD, superseded_by=OTHER.id))
    steps = undo_plan(
        [action(history, BuryEntry(OTHER), hot=JoinEntries(OTHER, ENTRY, both, 1))], "undo of r_1"
    ).actions
    (cold, hot), (after, none) = [(step.cold, step.hot) for step in steps]
    assert (cold, hot) == (
        (BuryRecord(history.record), BuryEntry(both)),
        PartEntries(both, OTHER, ENTRY, 1),
    )
    assert (after, none) == ((Exhume(OTHER), Exhume(history.record)), None)
    again = undo_plan(steps, "undo of r_2").actions
    (joined,) = [step for step in again if step.hot is not None]
    assert joined.hot == JoinEntries(OTHER, ENTRY, both, 1)
    assert {history, BuryEntry(OTHER)} <= set(joined.cold)


def test_the_last_step_goes_first():
    steps = [action(PutRecord(RECORD), subject="m_1"), action(hot=AddEntry(ENTRY), subject="m_2")]
    plan = undo_plan(steps, "undo of r_1")
    assert [step.subject for step in plan.actions] == ["m_2", "m_1"]
    assert {step.reason for step in plan.actions} == {"undo of r_1"}
    assert {step.rung for step in plan.actions} == {"undo"}
    assert plan == undo_plan(steps, "undo of r_1")


def test_operations_of_one_step_go_back_in_reverse():
    ((cold, _),) = inverse(PutRecord(record("New.", id="m_n")), ReplaceRecord(RECORD, NEWER))
    assert [op.op for op in cold] == ["replace_record", "bury_record"]


def test_nothing_done_is_nothing_to_undo():
    assert undo_plan([], "undo of r_1").actions == ()


def test_a_record_is_put_back_and_then_leaves_the_trash():
    (step,) = put_back(RECORD, "asked for")
    assert (step.cold, step.hot, step.rung) == ((PutRecord(RECORD), Exhume(RECORD)), None, "restore")


def test_an_entry_is_put_back_and_then_leaves_the_trash():
    first, second = put_back(ENTRY, "asked for")
    assert (first.hot, second.cold) == (AddEntry(ENTRY), (Exhume(ENTRY),))
    assert first.target == second.target == "memory"
