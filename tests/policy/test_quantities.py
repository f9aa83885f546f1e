"""Amounts are the same however they are written, and only then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.quantities import amounts, at_odds, respelled

EQUAL = [
    ("guaranteed for three years", "warranty: 36 months"),
    ("a month and a half", "45 days"),
    ("a fortnight", "two weeks"),
    ("at 5:45 am", "quarter to six in the morning"),
    ("at 7 pm", "19:00"),
    ("half past two", "2:30"),
    ("noon is 12:00", "12 pm"),
    ("00:30", "12:30 am"),
    ("three hundred and fifty guests", "350 guests"),
    ("twenty-one", "21"),
    ("£1.35k", "1,350"),
    ("600s", "ten minutes"),
    ("下午四点", "16点"),
    ("早上六点一刻", "6:15"),
    ("晚上八点半", "20:30"),
    ("十公斤", "二十斤"),
    ("半个小时", "30分钟"),
    ("两年", "24个月"),
    ("一百五十块", "150块"),
    ("三万五千", "35000"),
    ("3.5万", "35000"),
    ("5km", "十里地"),
    ("90 minutes", "1.5 hours"),
    ("two weeks", "14天"),
]
ODDS = [
    ("at 8:00", "at 7:00"),
    ("port 8443", "port 8444"),
    ("every two weeks", "every three weeks"),
    ("3500/月", "2000/月"),
    ("4 pm", "4 am"),
    ("十公斤", "十斤"),
    ("two hundred", "two thousand"),
]
PIECES = [
    "the",
    "two",
    "a",
    "half",
    "3",
    "pm",
    "15:00",
    "年",
    "两个半",
    "hour",
    "million",
    "万",
    "个月",
    "%",
    "点",
    "7",
]
WORDS = st.lists(st.sampled_from(PIECES), max_size=8)


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_amounts_are_found_equal_and_spelled_alike(one, other):
    (first, *_), (second, *_) = amounts(one), amounts(other)
    assert first.like(second), (first, second)
    assert not at_odds(one, other)
    assert other[second.start : second.end] in respelled(one, other)


@pytest.mark.parametrize(("one", "other"), ODDS)
def test_other_amounts_are_at_odds_and_stay_as_they_are(one, other):
    assert at_odds(one, other)
    assert at_odds(other, one)
    assert respelled(one, other) == one


def test_what_only_one_of_them_has_is_no_contradiction():
    assert not at_odds("Rent is 900 euros.", "Rent is due on the first Monday.")
    assert not at_odds("The dog weighs 12 kg.", "The dog is fed at 7:00.")


@pytest.mark.parametrize(
    "text", ["Node 18.2.1", "192.168.1.14", "v2.10", "file-3-b", "https://a.b/3", "2024-05-06"]
)
def test_versions_addresses_and_dates_are_no_amounts(text):
    assert amounts(text) == []


@given(WORDS, WORDS)
def test_any_text_is_read_and_nothing_but_amounts_is_rewritten(one, other):
    new, old = " ".join(one), " ".join(other)
    assert at_odds(new, new) is False
    assert respelled(new, new).split() == new.split()
    assert at_odds(new, old) == at_odds(old, new)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_is_too_odd(new, old):
    respelled(new, old)
    at_odds(new, old)
