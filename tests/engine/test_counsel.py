"""What a run may ask the judge: once each, within its budget, without secrets, and never in vain again."""

from __future__ import annotations

import pytest

from memorycore.engine.counsel import PATIENCE_SECONDS, Counsel
from memorycore.errors import StoreUnavailable
from memorycore.model import Judgement
from memorycore.testing import InMemoryLedger, ScriptedJudge

TEA, OOLONG = "The user likes tea.", "The user likes oolong."
KEY = "sk-proj-4f8Kq2LmZ9xW7vB3nR6tY1"


@pytest.fixture
def ledger():
    return InMemoryLedger()


def judge(**script):
    return ScriptedJudge(verdicts={(TEA, OOLONG): "merge"}, shorter={TEA: "Tea."}, idle=[TEA], **script)


def ask_all(counsel):
    return [counsel.compare(TEA, OOLONG), counsel.shorten(TEA, 5), counsel.dormant(TEA, ["bus?"])]


ANSWERS = [Judgement(verdict="merge", reason="so it is written"), "Tea.", True]


def test_without_a_judge_nothing_is_answered_and_nothing_is_wrong(ledger):
    for none in (Counsel(None, ledger), Counsel(judge(), ledger, calls=0)):
        assert ask_all(none) == [None, None, None]
        assert (none.there, none.faults) == (False, ())


def test_an_answer_is_asked_for_once(ledger):
    asked = judge()
    assert ask_all(Counsel(asked, ledger)) == ANSWERS
    counsel = Counsel(asked, ledger)
    assert ask_all(counsel) == ANSWERS
    assert len(asked.asked) == 3
    assert (counsel.there, counsel.faults) == (True, ())


def test_answers_belong_to_their_judge_and_to_the_very_question(ledger):
    asked = judge()
    ask_all(Counsel(asked, ledger))
    other = ScriptedJudge(name="another")
    assert ask_all(Counsel(other, ledger)) == [None, None, None]
    assert Counsel(asked, ledger).dormant(TEA, ["train?"]) is True
    assert Counsel(asked, ledger).shorten(TEA, 6) == "Tea."
    assert Counsel(asked, ledger).compare(OOLONG, TEA) is None
    assert len(asked.asked) == 6


def test_what_does_not_ask_repeats_what_was_said(ledger):
    asked = judge()
    silent = Counsel(asked, ledger, asks=False)
    assert ask_all(silent) == [None, None, None]
    assert (asked.asked, silent.faults) == ([], ())
    ask_all(Counsel(asked, ledger))
    assert ask_all(Counsel(asked, ledger, asks=False)) == ANSWERS


def test_the_budget_counts_cached_answers_too_so_that_a_second_run_puts_the_same_questions(ledger):
    asked = ScriptedJudge(idle=["one", "two", "three"])
    for _ in range(2):
        counsel = Counsel(asked, ledger, calls=2)
        answers = [counsel.dormant(text, []) for text in ("one", "two", "three", "one")]
        assert answers == [True, True, None, True]
        assert counsel.faults == (
            "Questions left to the rules: 1, the judge answers 2 a run (MEMORYCORE_JUDGE_CALLS).",
        )
    assert len(asked.asked) == 2


def test_the_first_silence_ends_the_asking(ledger):
    asked = judge()
    Counsel(asked, ledger).shorten(TEA, 5)
    asked.down = True
    counsel = Counsel(asked, ledger)
    assert ask_all(counsel) == [None, "Tea.", None]
    assert counsel.faults == ("The judge does not answer. Start it.",)
    assert len(asked.asked) == 2


def test_an_answer_that_can_not_be_used_is_told_and_not_kept(ledger):
    asked = ScriptedJudge()
    for _ in range(2):
        counsel = Counsel(asked, ledger)
        assert ask_all(counsel) == [None, None, None]
        assert counsel.faults == ("Answers of the judge that can't be used: 3; the rules decided.",)
    assert len(asked.asked) == 6


def test_a_slow_judge_is_not_asked_for_ever(ledger):
    asked, times = judge(), iter([0.0, 1.0, PATIENCE_SECONDS + 1, PATIENCE_SECONDS + 2])
    counsel = Counsel(asked, ledger, clock=lambda: next(times))
    assert ask_all(counsel) == [ANSWERS[0], None, None]
    assert counsel.faults == ("Questions left to the rules: 2, the judge was too slow.",)


def test_no_secret_leaves_the_machine(ledger):
    asked = ScriptedJudge(shorter={f"The key is {KEY}": "K."})
    counsel = Counsel(asked, ledger)
    counsel.compare(f"The key is {KEY}", f"The new key is {KEY}")
    counsel.dormant(f"The key is {KEY}", [f"Is {KEY} right?"])
    assert counsel.shorten(f"The key is {KEY}", 9) is None
    assert KEY not in repr(asked.asked)
    assert [question[0] for question in asked.asked] == ["compare", "dormant"]


def test_queries_are_shown_newest_first_each_once_and_not_too_many(ledger):
    asked = judge()
    queries = ["new", "long " * 2_000, "new", *(f"query {number}" for number in range(40))]
    Counsel(asked, ledger).dormant(TEA, queries)
    _, _, *shown = asked.asked[0]
    assert shown == ["new", *(f"query {number}" for number in range(29))]


def test_a_purged_text_is_asked_about_anew(ledger):
    asked = judge()
    ask_all(Counsel(asked, ledger))
    ledger.purge(TEA)
    assert ask_all(Counsel(asked, ledger, asks=False)) == [None, None, None]


def test_an_answer_that_can_not_be_kept_is_given_all_the_same(ledger, monkeypatch):
    def full(*args, **kwargs):
        raise StoreUnavailable("The disk is full.", advice="Make room.")

    monkeypatch.setattr(ledger, "cache_answer", full)
    counsel = Counsel(judge(), ledger)
    assert ask_all(counsel) == ANSWERS
    (fault,) = counsel.faults
    assert "The disk is full." in fault
