"""A plan knows where the entries stand that it takes out, also after its own steps."""

from memorycore.plan import Action, AddEntry, BuryEntry, Plan, RemoveEntry, ReplaceEntry
from memorycore.policy.places import placed, takes_out
from tests.engine.helpers import entry

A, B, C, D = (entry(f"{name}.") for name in "ABCD")


def removing(one, at=None):
    return Action(
        rung="forget", subject=one.id, reason="a test", cold=(BuryEntry(one),), hot=RemoveEntry(one, at)
    )


def places(*actions, texts=("A.", "B.", "C.")):
    plan = placed(Plan(kind="undo", actions=actions), {"memory": texts})
    return [action.hot.at for action in plan.actions if isinstance(action.hot, RemoveEntry)]


def test_an_entry_that_is_taken_out_has_its_place_of_that_moment():
    assert places(removing(B)) == [1]
    assert places(removing(A), removing(C), removing(B)) == [0, 1, 0]
    assert places(removing(B, at=7)) == [1]


def test_steps_before_it_count():
    add = Action(rung="write", subject=D.id, reason="a test", hot=AddEntry(D, 0))
    change = Action(rung="merge", subject=A.id, reason="a test", cold=(BuryEntry(A),), hot=ReplaceEntry(A, D))
    assert places(add, removing(A)) == [1]
    assert places(change, removing(D), removing(C)) == [0, 1]


def test_one_that_is_not_there_keeps_the_place_that_was_said():
    assert places(removing(D), removing(D, at=2)) == [None, 2]


def test_the_files_that_are_asked_about_are_those_that_lose_an_entry():
    assert takes_out(Plan(kind="undo", actions=(removing(A),))) == {"memory"}
    assert takes_out(Plan(kind="store", actions=())) == frozenset()
