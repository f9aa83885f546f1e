"""What holds a value, a change or a permission is no finished status; a chore is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore import lexicon
from memorycore.model import Likeness
from memorycore.policy.classify import classify
from memorycore.policy.held import holds_value
from memorycore.policy.words import language

WORDS = lexicon.load()
KEPT = [
    "The server moved to port 81.",
    "The cluster was migrated to Dublin.",
    "The project was renamed to Eagle.",
    "The project was cancelled.",
    "The team switched to Rust.",
    "The conference was called off.",
    "Standup moved to 10 am.",
    "Contract sent to Maria.",
    "Project cancelled.",
    "备份改成凌晨三点跑。",
    "会议室换到五楼了。",
    "端口改成81了。",
    "密码改成90天换一次。",
    "生产环境迁到都柏林了。",
    "数据库升级到16了。",
    "会议取消了。",
]
RULES = ["现在周五可以部署了", "You may now push to main.", "You can no longer deploy on Fridays."]
STALE = [
    "Deploy done.",
    "Tests are green again.",
    "测试通过了。",
    "Build #4512 passed.",
    "Files moved to the archive.",
    "Email sent to the team.",
    "照片传到网盘了",
    "部署到测试环境了。",
    "Download complete, 3.1 GB",
]


def routed(text, category=None):
    """Route by words alone or, with a category, as an embedder has it that sees nothing else in the text."""
    likeness = category and [
        Likeness(example=one.text, category=one.category, cosine=0.6 if one.category == category else 0.0)
        for one in WORDS.examples(language(text))
    ]
    return classify(text, importance=0.5, lexicon=WORDS, likeness=likeness).route


@pytest.mark.parametrize("text", KEPT)
def test_what_is_different_now_is_kept_though_it_reads_as_a_status(text):
    assert routed(text) == "cold"
    assert routed(text, "status") == "cold"


@pytest.mark.parametrize("text", RULES)
def test_a_permission_or_prohibition_is_a_rule(text):
    assert routed(text) == "hot"
    assert routed(text, "status") != "stale"


@pytest.mark.parametrize("text", STALE)
def test_a_chore_is_a_status(text):
    assert routed(text) == routed(text, "status") == "stale"


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("moved to port 81", True),
        ("room 12", True),
        ("it is version 2 now", True),
        ("sent to Maria", True),
        ("All Tests Passed", False),
        ("CI is green", False),
        ("Done. Everything is fine", False),
        ("build #4512 passed in 48 seconds", False),
        ("五楼3号房订了", True),
    ],
)
def test_values(text, held):
    assert holds_value(text) is held


@given(
    st.sampled_from(["moved", "was migrated", "was renamed", "was switched", "changed"]),
    st.integers(0, 99999),
)
def test_no_change_to_a_figure_is_ever_stale(verb, number):
    assert routed(f"The service {verb} to {number}.", "status") != "stale"


@given(
    st.text("abcdefghijklmnopqrstuvwxyz ", min_size=2, max_size=20).map(str.strip).filter(bool),
    st.integers(0, 500),
)
def test_what_shall_always_be_done_is_a_rule_whatever_it_is_about(topic, number):
    text = f"For {topic}, always use approach number {number} when it comes up."
    assert routed(text) == routed(text, "rule") == "hot"


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to nuts.",
        "The user is allergic to shellfish.",
        "I have a severe peanut allergy.",
        "我对花生过敏",
        "用户对虾过敏",
    ],
)
def test_what_the_user_must_not_eat_always_matters(text):
    assert routed(text) == "hot"


@pytest.mark.parametrize(
    "text",
    [
        "My brother is allergic to cats.",
        "我妈对花生过敏",
        "I'm allergic to penicillin",
        "The key AKIA is only an example",
    ],
)
def test_what_is_only_told_is_a_fact(text):
    assert routed(text) == "cold"
