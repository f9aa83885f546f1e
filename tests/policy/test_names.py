"""Who a query asks about: people by the place of their names, never places, products or ordinary words."""

from __future__ import annotations

import pytest

from memorycore.policy.names import people_asked_about, spelt_like


@pytest.mark.parametrize(
    ("query", "people"),
    [
        ("What is Tobias allergic to?", ("Tobias",)),
        ("Which vet treated Barnaby's llama?", ("Barnaby",)),
        ("Where did Ines and Tom meet?", ("Ines", "Tom")),
        ("does Zoë still work with Marc?", ("Zoë", "Marc")),
        ("诸葛琳的驾校教练姓什么?", ("诸葛琳",)),
        ("欧阳老师的儿子在哪里上学?", ("欧阳",)),
        ("王大夫的号怎么挂?", ("王",)),
    ],
)
def test_people_are_seen(query, people):
    assert people_asked_about(query) == people


@pytest.mark.parametrize(
    "query",
    [
        "",
        "how do visitors get online at our hut in Norway?",
        "Which version of Postgres runs on the staging server?",
        "When is the meeting in December?",
        "Can I take the train on Friday?",
        "the Night Watch",
        "What is the capital of Burkina Faso?",
        "db-stage-2",
        "任务是什么时候截止的?",
        "高尔夫球的标准杆是什么意思?",
        "方案里写了几个方向?",
        "老师说了什么?",
    ],
)
def test_what_is_no_persons_name_is_not_taken_for_one(query):
    assert people_asked_about(query) == ()


def test_another_spelling_is_known_and_another_name_is_not():
    assert spelt_like("Sara", ["sarah", "met", "ben"])
    assert spelt_like("Postgres", ["postgresql"])
    assert not spelt_like("Tobias", ["priya", "peanut"])
