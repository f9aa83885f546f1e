"""A text whose words stand in different statements of another one is not said by it."""

import pytest

from memorycore.policy.similarity import judge_pair
from memorycore.policy.spread import put_together

SCATTERED = [
    (
        "The user prefers metric units for the manual.",
        "The user prefers metric units for the inventory; bullet points for the manual.",
    ),
    (
        "Please keep the ledger short and in short sentences.",
        "Please keep the archive short and in short sentences; ledger short and in metric units.",
    ),
    (
        "The user prefers lower case for the menu.",
        "The user likes lower case, and keeps a menu from Turku.",
    ),
    (
        "The user prefers past tense for the price list.",
        "The user likes blue ink, and keeps a price list from the attic; past tense, and keeps an atlas.",
    ),
    ("用户希望菜单用表格。", "用户喜欢表格，还收着一件从老磨坊带回来的菜单。"),
    ("用户希望时刻表用正式语气。", "用户希望价目表用正式语气；时刻表用短句。"),
]
SAID = [
    ("The user likes tea.", "The user likes tea, and keeps bees."),
    ("The user keeps bees.", "The user likes tea, and keeps bees."),
    ("Logs are kept for a month.", "Deploys run from Jenkins; logs are kept for a month."),
    (
        "The user prefers bullet points for the manual.",
        "The user prefers metric units for the inventory; bullet points for the manual.",
    ),
    ("The user likes tea and bees.", "The user likes tea, coffee and bees."),
    ("The user likes tea and bees.", "The user likes tea; bees; long walks."),
    ("The cat is called Mimi.", "The cat, a tabby, is called Mimi."),
    ("用户喜欢喝茶。", "用户喜欢喝茶，也养蜂。"),
]


@pytest.mark.parametrize(("shorter", "longer"), SCATTERED)
def test_words_of_several_statements_are_no_statement(shorter, longer):
    """Taken for the same, the new text would not be stored; taken for an addition, the old one would go."""
    assert put_together(shorter, longer)
    for cosine in (None, 0.8):
        assert judge_pair(shorter, longer, cosine=cosine).verdict == "different"
        assert judge_pair(longer, shorter, cosine=cosine).verdict == "different"


@pytest.mark.parametrize(("shorter", "longer"), SAID)
def test_a_statement_among_others_is_said(shorter, longer):
    assert not put_together(shorter, longer)


def test_the_same_words_in_other_sentences_are_not_looked_at():
    assert not put_together("Tea, and then bees.", "Bees. Tea.")
    assert not put_together("", "")
