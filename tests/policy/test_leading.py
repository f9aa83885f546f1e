from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.leading import LEADS_WITHIN, Candidate, newest_first, other_value
from memorycore.policy.words import query_tokens

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def candidate(text, strength, day):
    return Candidate(text, strength, None if day is None else NOW + timedelta(days=day))


def places(found, query=""):
    return [place for place, _ in newest_first(found, query_tokens(query))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vera speaks Danish.", "Vera speaks Polish."),
        ("Lena is famous for The Red Boat.", "Lena is famous for Stone Fields."),
        ("Ben worked in the city of Rome.", "Ben worked in the city of New York."),
        ("小何会说法语。", "小何会说德语。"),
    ],
)
def test_texts_that_differ_in_one_value_are_rivals(one, other):
    assert other_value(one, other)
    assert other_value(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Vera speaks Danish.", "Lena speaks Danish."),
        ("Vera speaks Danish.", "Vera doesn't speak Polish."),
        ("Vera speaks Danish.", "Vera speaks Danish."),
        ("Vera speaks Danish.", "Vera speaks Danish and Polish."),
        ("My car is red.", "My bike is blue."),
        ("小何会说法语。", "小陈会说法语。"),
    ],
)
def test_texts_of_other_subjects_or_senses_are_not(one, other):
    assert not other_value(one, other)
    assert not other_value(other, one)


def test_the_newest_takes_the_best_place_and_its_strength():
    found = [
        candidate("Vera speaks Danish.", 9.0, 1),
        candidate("Tea is in the kitchen.", 8.9, 9),
        candidate("Vera speaks Polish.", 8.8, 3),
        candidate("Vera speaks Czech.", 8.7, 2),
    ]
    assert newest_first(found, ()) == [(2, 9.0), (1, 8.9), (3, 8.8), (0, 8.7)]


def test_what_is_clearly_meant_or_named_stays_in_front():
    found = [candidate("Vera speaks Danish.", 9.0, 1), candidate("Vera speaks Polish.", 8.9, 3)]
    assert places(found, "Which languages does Vera speak?") == [1, 0]
    assert places(found, "Does Vera speak Danish?") == [0, 1]
    far = [found[0], found[1]._replace(strength=9.0 - LEADS_WITHIN - 0.1)]
    assert places(far) == [0, 1]


def test_what_has_no_time_stays():
    found = [candidate("Vera speaks Danish.", 9.0, None), candidate("Vera speaks Polish.", 8.9, 3)]
    assert places(found) == [0, 1]
    assert places(found[::-1]) == [0, 1]


TEXTS = ["Vera speaks Danish.", "Vera speaks Polish.", "Vera likes tea.", "小何会说法语。", "小何会说德语。"]
FOUND = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.floats(-5, 20), st.none() | st.integers(0, 9)), max_size=30
)


@given(FOUND)
def test_nothing_is_lost_and_strengths_stay_in_order(drawn):
    found = [candidate(*one) for one in sorted(drawn, key=lambda one: -one[1])]
    told = newest_first(found, ())
    assert sorted(place for place, _ in told) == list(range(len(found)))
    assert [strength for _, strength in told] == [one.strength for one in found]
