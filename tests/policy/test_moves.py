"""What an action moved, in places that people know, and what it changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memorycore.plan import (
    Action,
    AddEntry,
    AnnotateEntry,
    BuryEntry,
    BuryRecord,
    BuryUnstored,
    Discard,
    Exhume,
    FillVector,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.moves import changes, final, moves, texts
from tests.engine.helpers import entry, record

HOT, NEW = entry("Old."), entry("New.")
COLD, OTHER = record("Old."), record("New.")
HISTORY = replace(COLD, superseded_by="m_new")


def action(*cold, hot=None):
    return Action(rung="write", subject="m_1", reason="a test", cold=cold, hot=hot)


@pytest.mark.parametrize(
    ("given", "moved", "said"),
    [
        (action(hot=AddEntry(NEW)), [("New.", (), ("hot:memory",))], (None, "New.")),
        (action(PutRecord(OTHER)), [("New.", (), ("cold",))], (None, "New.")),
        (
            action(PutRecord(COLD), hot=RemoveEntry(HOT)),
            [("Old.", ("hot:memory",), ("cold",))],
            ("Old.", None),
        ),
        (
            action(BuryEntry(HOT), hot=RemoveEntry(HOT)),
            [("Old.", ("hot:memory",), ("trash",))],
            ("Old.", None),
        ),
        (
            action(PutRecord(HISTORY), hot=ReplaceEntry(HOT, NEW)),
            [("Old.", ("hot:memory",), ("history",)), ("New.", (), ("hot:memory",))],
            ("Old.", "New."),
        ),
        (action(ReplaceRecord(COLD, HISTORY)), [("Old.", ("cold",), ("history",))], ("Old.", "Old.")),
        (action(ReplaceRecord(COLD, replace(COLD, importance=0.9))), [], ("Old.", "Old.")),
        (action(BuryRecord(COLD)), [("Old.", ("cold",), ("trash",))], ("Old.", None)),
        (action(BuryUnstored(COLD)), [("Old.", (), ("trash",))], ("Old.", None)),
        (action(PutRecord(COLD), Exhume(COLD)), [("Old.", ("trash",), ("cold",))], (None, "Old.")),
        (action(Discard(OTHER)), [("New.", ("trash",), ())], ("New.", None)),
        (action(FillVector("m_1", "h")), [], (None, None)),
        (action(hot=AnnotateEntry(HOT, replace(HOT, kind="state"))), [], ("Old.", "Old.")),
    ],
)
def test_every_text_is_told_from_where_to_where(given, moved, said):
    assert [(one.text, one.before, one.after) for one in moves(given)] == moved
    assert texts(given) == said


def test_what_is_known_of_the_subject_changes_by_name():
    retyped = action(hot=AnnotateEntry(HOT, replace(HOT, kind="state", importance=0.9)))
    assert changes(retyped) == {"kind": ("rule", "state"), "importance": (0.5, 0.9)}
    assert changes(action(ReplaceRecord(COLD, HISTORY))) == {"superseded_by": (None, "m_new")}
    assert changes(action(PutRecord(COLD))) == {}


def test_an_action_of_vectors_only_is_known_as_one():
    assert final(action(FillVector("m_1", "h")))
    assert not final(action(FillVector("m_1", "h"), PutRecord(COLD)))
    assert not final(action(hot=AddEntry(NEW)))
