"""Deeds that break with a habit: who, what, and all that is no such deed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.habit_words import CHINESE, ENGLISH
from memorycore.policy.habits import breaks_with, words_of_broken
from memorycore.policy.similarity import judge_pair, worth_judging

BREAK = [
    ("I am vegetarian.", "I had steak in March."),
    ("The user is vegetarian.", "The user had a steak for dinner."),
    ("Vegetarian since January.", "Had steak in March."),
    ("I'm a vegetarian.", "I ate a medium-rare steak at Luigi's last night."),
    ("User has been a strict vegetarian since January 2026.", "On 2026-03-12 the user had steak for dinner."),
    ("In January the user went vegetarian.", "In March the user had a steak."),
    ("Marta is vegan.", "Marta had scrambled eggs for breakfast."),
    ("Marta doesn't drink alcohol.", "Marta drank two glasses of red wine yesterday."),
    ("I don't drink.", "I had a beer with Tom on Friday."),
    ("I quit smoking.", "I smoke a pack a day."),
    ("Tom is a non-smoker.", "Tom smokes."),
    ("I don't smoke.", "I smoke again."),
    ("Tom quit smoking in May.", "Tom started smoking again."),
    ("My sister is vegetarian.", "My sister had fried chicken for lunch."),
    ("I don't eat pork.", "I had bacon for breakfast."),
    ("I follow a vegan diet.", "I now eat meat again."),
    ("I am teetotal.", "I drink wine now."),
    ("I gave up coffee.", "I had an espresso this morning."),
    ("I am vegetarian.", "On 12 May I had steak."),
    ("用户是素食者。", "用户三月吃了牛排。"),
    ("我吃素。", "我昨天吃了牛排。"),
    ("我一月开始吃素。", "三月我吃了一块牛排。"),
    ("我不喝酒。", "我昨晚和朋友喝了两瓶啤酒。"),
    ("我不抽烟。", "我又开始抽烟了。"),
    ("小李戒烟了。", "小李昨天抽了一支烟。"),
    ("小王是素食主义者", "小王中午吃了红烧肉"),
    ("我不喝咖啡", "我今天早上喝了一杯拿铁"),
    ("用户戒酒了。", "用户昨天喝了红酒。"),
    ("用户滴酒不沾", "用户周末在酒吧喝了威士忌"),
]
STAND = [
    ("I am vegetarian.", "My sister had steak."),
    ("I am vegetarian.", "I cooked steak for guests."),
    ("I am vegetarian.", "I did not eat the steak."),
    ("I don't drink alcohol.", "I sell wine."),
    ("The user doesn't drink.", "The user sells wine."),
    ("I am vegetarian.", "She had steak."),
    ("I am vegetarian.", "I had a vegan burger."),
    ("I am vegetarian.", "I had steak knives delivered."),
    ("I am vegetarian.", "I had steak as a child."),
    ("I am vegetarian.", "I had steak before I turned vegetarian."),
    ("I am vegetarian.", "I might have steak."),
    ("I am vegetarian.", "I never had steak."),
    ("I was vegetarian.", "I had steak."),
    ("I am vegetarian.", "I had cooked steak for guests."),
    ("I am pescatarian.", "I had salmon."),
    ("I am vegetarian.", "Marta had steak"),
    ("Marta is vegetarian.", "Marta is a butcher and sells steak."),
    ("I am not vegetarian.", "I had steak."),
    ("I am a vegetarian chef.", "I had steak."),
    ("I am vegetarian.", "I had an argument about steak."),
    ("I am vegetarian", "I ordered steak for my son."),
    ("I don't smoke.", "I had smoked salmon."),
    ("I don't smoke.", "The chimney smokes."),
    ("I don't drink alcohol.", "I drank a non-alcoholic beer."),
    ("I don't drink alcohol.", "I drank water."),
    ("I am vegetarian.", "In 2015 I had steak."),
    ("I am vegetarian.", "I had a steak in 2009."),
    ("I don't eat pork.", "I had steak."),
    ("I am vegetarian.", "I accidentally ate ham."),
    ("I am vegetarian.", "I had a chicken coop built."),
    ("I am vegetarian.", "I had chicken wire in the shed."),
    ("I am vegetarian.", "I eat with my duck."),
    ("I am vegetarian", "I had fish as pets."),
    ("I am vegetarian.", "I had a fish tank."),
    ("我吃素。", "我没吃牛排。"),
    ("我吃素。", "妹妹吃了牛排。"),
    ("我吃素", "我给客人做了牛排"),
    ("我不喝酒", "我卖红酒"),
    ("我吃素", "我想吃牛排"),
    ("我吃素", "我小时候吃牛排"),
    ("我吃素", "我吃了牛排味的薯片"),
    ("我以前吃素", "我吃了牛排"),
    ("我吃素", "我吃了素肉"),
    ("我不抽烟", "我抽了一张牌"),
    ("我不抽烟", "我吸了一口气"),
    ("她吃素", "她吃了牛排"),
    ("我妹妹吃素", "我吃了牛排"),
    ("I am vegetarian.", "I had the steak house's phone number."),
    ("I am vegetarian.", "I had lamb's wool."),
    ("I'm vegetarian", "I had a beef with Tom."),
    ("The restaurant is vegetarian.", "I had steak"),
    ("I only eat vegetarian food on weekdays.", "I had steak"),
    ("I quit smoking cessation class", "I smoke"),
    ("I am vegetarian.", "Tom and I had steak."),
    ("I don't drink milk.", "I had a beer"),
    ("I avoid meat on Fridays.", "I had steak on Monday."),
    ("I am vegetarian.", "I have steak in the freezer."),
    ("I am vegetarian.", "Last week Marta had steak."),
    ("Vegetarian in January.", "Had steak in March."),
    ("I am vegetarian since 2026.", "In March 2019 I had steak."),
    ("I have vegetarian food.", "I had a steak."),
    ("I don't smoke.", "I smoke salmon for a living."),
    ("I only drink wine.", "I had a beer."),
    ("I don't drink coffee in the evening.", "I had an espresso after lunch."),
    ("我晚上不喝咖啡。", "我今天早上喝了一杯拿铁。"),
    ("一月份是素食者。", "三月份吃了牛排。"),
]


@pytest.mark.parametrize(("old", "new"), BREAK)
def test_a_deed_breaks_with_the_habit_of_the_same_person(old, new):
    assert worth_judging(new, old, None)
    judgement = judge_pair(new, old, cosine=None)
    assert judgement.verdict == "supersede"
    assert judgement.reason.startswith("“") or "opposite" in judgement.reason
    assert judge_pair(old, new, cosine=None).verdict != "same"


@pytest.mark.parametrize(("old", "new"), STAND)
def test_what_others_do_or_nobody_did_breaks_with_nothing(old, new):
    assert breaks_with(new, old) is None


@pytest.mark.parametrize(
    "again",
    [
        "a ",
        "big ",
        "of ",
        "now ",
        "strict ",
        "刚",
        "常",
        "每周",
        "上周",
        "已经",
        "在家",
        "一月",
        "很多",
        "the user ",
    ],
)
@pytest.mark.parametrize(
    ("before", "after"), [("I had ", "x"), ("I am ", "x"), ("", "吃"), ("我", "吃"), ("我吃了", "x")]
)
def test_no_text_takes_long_to_read(before, after, again):
    text = before + again * (290 // len(again)) + after
    assert breaks_with(text, text) is None  # it ends at all


def test_the_reason_quotes_both():
    told = judge_pair("I had a steak for dinner.", "I am a vegetarian.", cosine=None)
    assert told.reason == "“had a steak” breaks with “am a vegetarian”"


def test_a_clipped_verb_is_left_out_of_the_reason():
    assert breaks_with("I had a beer.", "I'm teetotal.") == ("teetotal", "had a beer")


def test_a_deed_is_looked_for_under_the_names_of_the_habits():
    assert {"vegetarian", "vegan", "red meat"} <= set(words_of_broken("I had a steak."))
    assert "素食者" in words_of_broken("我吃了牛排。")
    assert words_of_broken("I had a talk.") == words_of_broken("I did not eat the steak.") == ()


@pytest.mark.parametrize("habit", ENGLISH, ids=str)
def test_each_word_of_the_english_table_works(habit):
    verb = {"eat": "ate", "drink": "drank", "smoke": "smoked"}[habit.doing]
    kept = [f"Ann never {habit.doing}s {word}." for word in habit.shuns.split("|")]
    kept += [f"Ann is {word}." for word in habit.called.split("|") if word]
    for old in kept:
        for thing in habit.breaks.split("|"):
            assert breaks_with(f"Ann {verb} some {thing}.", old), (old, thing)


@pytest.mark.parametrize("habit", CHINESE, ids=str)
def test_each_word_of_the_chinese_table_works(habit):
    verb = {"eat": "吃", "drink": "喝", "smoke": "抽"}[habit.doing]
    kept = [f"小李不{verb}{word}。" for word in habit.shuns.split("|")]
    kept += [f"小李{word}。" for word in habit.called.split("|") if word]
    for old in kept:
        for thing in habit.breaks.split("|"):
            assert breaks_with(f"小李昨天{verb}了{thing}。", old), (old, thing)


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_read(one, other):
    assert breaks_with(one, other) is None or one != other
