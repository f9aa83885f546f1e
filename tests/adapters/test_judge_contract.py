"""What every judge must do: the one behind an endpoint, and the double for tests."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from memorycore.adapters.judge_openai import OpenAICompatibleJudge
from memorycore.engine.ports import Judge
from memorycore.errors import JudgeUnavailable
from memorycore.model import Judgement
from memorycore.testing import ScriptedJudge
from tests.adapters.judge_fixtures import judge_server

ONE, OTHER = "The user likes oolong tea.", "Oolong is the user's tea."
NUMBERS = count()


@pytest.fixture(scope="module")
def server():
    with judge_server() as address:
        yield address


@pytest.fixture(params=["openai", "scripted"])
def make(request, server):
    """Make a judge that answers well, answers what can't be used, or does not answer at all."""
    made: list[Judge] = []

    def of(way: str) -> Judge:
        if request.param == "openai":
            path = {"well": "well", "unusable": "prose", "down": "401"}[way]
            made.append(OpenAICompatibleJudge("m", url=f"{server}/{path}/{next(NUMBERS)}"))
            return made[-1]
        known = {"verdicts": {(ONE, OTHER): "same"}, "shorter": {ONE: "Shorter."}, "idle": [ONE]}
        judge = ScriptedJudge(**known if way == "well" else {}, reason="They say the same.")
        judge.down = way == "down"
        made.append(judge)
        return judge

    yield of
    for judge in made:
        judge.close()


QUESTIONS: list[Callable[[Judge], object]] = [
    lambda judge: judge.compare(ONE, OTHER),
    lambda judge: judge.shorten(ONE, 20),
    lambda judge: judge.dormant(ONE, ["Which bus?"]),
]
ANSWERS = [Judgement(verdict="same", reason="They say the same."), "Shorter.", True]


def test_questions_are_answered(make):
    judge = make("well")
    assert [ask(judge) for ask in QUESTIONS] == ANSWERS
    assert [ask(judge) for ask in QUESTIONS] == ANSWERS


def test_an_answer_that_can_not_be_used_is_none(make):
    judge = make("unusable")
    assert [ask(judge) for ask in QUESTIONS] == [None, None, None]


@pytest.mark.parametrize("ask", QUESTIONS)
def test_a_judge_that_does_not_answer_is_unavailable(make, ask):
    with pytest.raises(JudgeUnavailable) as caught:
        ask(make("down"))
    assert caught.value.advice


def test_the_identity_asks_nothing_and_stays(make):
    judge = make("down")
    assert judge.identity == judge.identity != ""


def test_a_closed_judge_is_unavailable(make):
    judge = make("well")
    assert QUESTIONS[0](judge)
    judge.close()
    judge.close()
    with pytest.raises(JudgeUnavailable):
        QUESTIONS[0](judge)
