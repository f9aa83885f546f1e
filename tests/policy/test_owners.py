"""Whose things two texts speak of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.owners import owned_by_others


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Paula's birthday is on 21 June.", "Paul's birthday is on 12 June."),
        ("Colin’s car is blue", "Beth's car is red"),
        ("My aunt lives by the harbour.", "My sister lives in the hills."),
        ("My mother's car is blue.", "My aunt's car is red."),
        ("我妈的车是蓝的", "我姑姑的车是红的"),
        ("Grandma sold the flat.", "Grandpa has a flat in Turin."),
        ("奶奶住院了，在市一医院。", "我外婆住在苏州平江路附近。"),
        ("用户的儿子上小学了", "用户的女儿上幼儿园"),
    ],
)
def test_things_of_two_people(new, old):
    assert owned_by_others(new, old)
    assert owned_by_others(old, new)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Paula's birthday is on 21 June.", "Paula's birthday is on 12 June."),
        ("Her birthday is on 21 June.", "Paula's birthday is on 12 June."),
        ("Mum sold the Fiat.", "My mother drives a Fiat."),
        ("老妈换了手机", "我母亲的手机是华为"),
        ("舅舅把外婆接到了成都的家里住下。", "外婆住在绵阳。"),  # handed over: both are named
        ("姑姑把奶奶接回家照顾了", "祖母在南京那家养老院"),
        ("婆婆昨天办了出院", "老公的妈妈正在住院"),  # one person, told by another
        ("My nephew got a place at the music school.", "My sister's son wants to study music."),
        ("外甥转学到了成都", "姐姐的儿子在澳门上大学"),
        ("My mother-in-law moved out.", "My husband's mother lives with us."),
        ("Colin was elected chair in Beth's place.", "Beth is the chair."),
        ("家里的路由器换了", "家里用的是旧路由器"),
        ("My ſon sold the boat.", "My wife has a boat."),
        ("Motherboards are sold out.", "Fathers get two weeks off."),
    ],
)
def test_things_of_one_person_or_of_nobody(new, old):
    assert not owned_by_others(new, old)
    assert not owned_by_others(old, new)


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_owns_itself_away(one, other):
    assert not owned_by_others(one, one)
    assert owned_by_others(one, other) == owned_by_others(other, one)
