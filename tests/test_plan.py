"""What can't be written down: a hot edit that drops a text which nothing before it keeps."""

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
from tests.engine.helpers import entry, record

OLD, NEW = entry("The old text."), entry("The new text.")
KEPT, OTHER = record("The old text."), record("Another text.")


def action(*cold, hot=None) -> Action:
    return Action(rung="write", subject="m_1", reason="a test", cold=cold, hot=hot)


@pytest.mark.parametrize("hot", [RemoveEntry(OLD), ReplaceEntry(OLD, NEW)], ids=["remove", "replace"])
@pytest.mark.parametrize(
    "cold",
    [
        (),
        (PutRecord(OTHER),),
        (BuryEntry(NEW),),
        (BuryRecord(KEPT),),
        (BuryUnstored(KEPT),),
        (Exhume(OLD),),
        (FillVector(KEPT.id, KEPT.hash),),
        (ReplaceRecord(KEPT, replace(KEPT, text="Another text.")),),
        (PutRecord(replace(KEPT, text="The old text")),),
    ],
    ids=lambda cold: cold[0].op if cold else "nothing",
)
def test_a_hot_edit_may_drop_no_text_that_is_not_kept(hot, cold):
    with pytest.raises(ValueError, match="keeps"):
        action(*cold, hot=hot)


@pytest.mark.parametrize("hot", [RemoveEntry(OLD), ReplaceEntry(OLD, NEW)], ids=["remove", "replace"])
@pytest.mark.parametrize(
    "cold",
    [PutRecord(KEPT), BuryEntry(OLD), ReplaceRecord(replace(KEPT, text="x"), KEPT)],
    ids=lambda op: op.op,
)
def test_a_hot_edit_may_drop_a_text_that_is_kept(hot, cold):
    assert action(PutRecord(OTHER), cold, hot=hot).hot == hot


THIRD = entry("Both texts in one.")


def test_a_join_keeps_both_texts_that_it_drops_and_a_parting_the_joined_one():
    join, part = JoinEntries(OLD, NEW, THIRD), PartEntries(THIRD, OLD, NEW)
    for kept in ((), (BuryEntry(OLD),), (BuryEntry(NEW),), (BuryEntry(THIRD),)):
        with pytest.raises(ValueError, match="keeps"):
            action(*kept, hot=join)
    assert action(BuryEntry(OLD), BuryEntry(NEW), hot=join).subjects == ("m_1", NEW.id)
    for kept in ((), (BuryEntry(OLD), BuryEntry(NEW))):
        with pytest.raises(ValueError, match="keeps"):
            action(*kept, hot=part)
    assert action(BuryEntry(THIRD), hot=part).subjects == ("m_1",)


def test_entries_of_two_files_are_not_joined():
    with pytest.raises(ValueError, match="different files"):
        JoinEntries(OLD, replace(NEW, target="user"), THIRD)
    with pytest.raises(ValueError, match="different files"):
        PartEntries(THIRD, OLD, replace(NEW, target="user"))


def test_an_edit_that_drops_nothing_needs_nothing_before_it():
    assert action(hot=AddEntry(NEW)).cold == ()
    assert action(hot=ReplaceEntry(OLD, replace(OLD, importance=0.9))).cold == ()


def test_an_action_does_something():
    with pytest.raises(ValueError, match="does something"):
        action()


def test_a_record_is_replaced_by_itself_only():
    with pytest.raises(ValueError, match="newer state"):
        ReplaceRecord(KEPT, OTHER)
