"""Phrases of one meaning make a fact in other words the same; words that are only near do not."""

import pytest

from memorycore.policy.restating import restated, undated
from memorycore.policy.similarity import judge_pair


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lena is from Poland.", "Lena comes from Poland."),
        ("The contract ends in June.", "The contract expires in June."),
        ("Maria leads the design team.", "Maria is in charge of the design team."),
        ("The user has a penicillin allergy.", "The user is allergic to penicillin."),
        ("Tom is a mechanical engineer at Siemens.", "Tom works for Siemens as a mechanical engineer."),
        ("会议室在五楼。", "会议室位于五楼。"),
        ("备份每天凌晨两点运行。", "备份每天凌晨两点执行。"),
        ("陈晨是腾讯的产品经理。", "陈晨在腾讯当产品经理。"),
    ],
)
def test_a_fact_in_other_words_is_the_same_both_ways(one, other):
    assert judge_pair(one, other, cosine=None).verdict == "same"
    assert judge_pair(other, one, cosine=None).verdict == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The box has the key.", "The box contains the key."),
        ("Tom is the owner.", "Tom fired the owner."),
        ("Lena is from Poland.", "Lena comes from Norway and Poland."),
        ("Never delete the logs.", "Never remove the lamps."),
        ("陆军向刘丹汇报。", "刘丹向陆军汇报。"),
    ],
)
def test_what_is_only_near_is_not_the_same(one, other):
    assert judge_pair(one, other, cosine=0.95).verdict != "same"
    assert judge_pair(other, one, cosine=0.95).verdict != "same"


def test_a_text_without_a_known_phrase_stays_as_it_is():
    assert restated("The heron is called Otto.") == "The heron is called Otto."
    assert restated(restated("It comes from Riga.")) == "It is from Riga."


def test_the_time_of_a_change_is_no_part_of_it_and_of_anything_else_it_is():
    assert undated("Maria moved to Porto last month.") == "Maria moved to Porto."
    assert undated("We meet in Rome in May.") == "We meet in Rome in May."
    changed = judge_pair("Maria moved to Porto last month.", "Maria lives in Lisbon.", cosine=None)
    assert changed.verdict == "supersede"
