"""Texts made of others say no more, and lose nothing that can't be got back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.policy.han_names import han_names
from memorycore.policy.profile import summary
from memorycore.policy.rewrite import (
    lost,
    merged,
    sentences,
    slot_conflict,
    stub_text,
    unfaithful,
    without_long_tail,
)

from .test_overflow import SENTENCES

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(" ".join)


@given(st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_sentences_joined_are_the_text(text):
    assert "".join(sentences(text)) == text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith uses v1.2 of it. It runs on 10.0.0.1:8080.", 2),
        ("今天定了方案。明天开工！", 2),
        ("- one\n- two", 2),
        ("Ask e.g. Dana first.", 1),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, count):
    assert len(sentences(text)) == count


@given(texts, texts)
@settings(max_examples=80, deadline=None)
def test_a_merged_text_holds_all_of_both_and_is_no_longer_than_it_must_be(one, other):
    text = merged(one, other)
    if text is not None:
        assert lost(one, text) is None
        assert lost(other, text) is None
        assert max(len(one), len(other)) <= len(text) <= len(one) + len(other) + 2


@pytest.mark.parametrize(
    ("one", "other", "slot"),
    [
        ("It listens on port 8443.", "It listens on port 8444.", "number"),
        ("The logo is teal.", "The logo is red.", "colour"),
        ("Dana leads the project.", "Luis leads the project.", "name"),
        ("Released on 2026-03-01.", "Released on 2026-03-02.", "date"),
        ("The data is in /srv/a/b.", "The data is in /srv/a/c.", "address"),
        ("We run version 1.2.3.", "We run version 1.2.4.", "version"),
        ("同事张伟负责后端。", "同事李娜负责后端。", "name"),
        ("体检在5月3日。", "体检在5月4日。", "date"),
        ("生产环境用 4 台机器。", "测试环境用 4 台机器。", "scope"),
    ],
)
def test_texts_that_differ_in_a_slot_are_never_merged(one, other, slot):
    assert slot_conflict(one, other) == slot
    assert merged(one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user does not eat pork", "The user does not eat shellfish"),
        ("The user likes jazz", "The user does not like jazz"),
        ("Lunch is at the canteen. She pays.", "The desk is by the door. She pays in cash."),
        ("用户不喜欢香菜和芹菜", "用户不喜欢太甜的点心"),
    ],
)
def test_what_could_be_misread_is_not_merged(one, other):
    assert merged(one, other) is None


@pytest.mark.parametrize(
    ("full", "rewrite", "complaint"),
    [
        ("The job runs at 02:30 on host db7.", "The job runs at 02:30.", "it loses db7"),
        ("Keep logs in /var/log/app for 30 days.", "Keep logs in /var/log/app.", "it loses 30"),
        ("The build does not sign images.", "The build signs images.", "it loses a negation"),
        ("The build signs images.", "The build does not sign images.", "it denies what the text does not"),
        ("Keep logs for a while.", "Keep logs for 30 days.", "it makes up 30"),
        ("Invoices go out unless a credit note is open.", "Invoices go out.", "it loses unless"),
        ("同事张伟负责仓库的盘点。", "同事负责仓库的盘点。", "it loses 张伟"),
        ("周末的备份不运行。", "周末的备份运行。", "it loses a negation"),
        ("用 pnpm 装依赖。", "装依赖。", "it loses pnpm"),
    ],
)
def test_a_rewrite_that_loses_or_makes_up_something_is_found_out(full, rewrite, complaint):
    assert unfaithful(full, rewrite) == complaint


@given(texts)
@settings(max_examples=60, deadline=None)
def test_a_text_is_faithful_to_itself(text):
    assert unfaithful(text, text) is None


@given(texts, st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_a_pointer_fits_and_names_only_what_the_text_names(text, most):
    pointer = stub_text(text, most)
    if pointer is not None:
        assert len(pointer) <= most
        topics = pointer.partition("：" if pointer.startswith("→ 回忆") else ": ")[2]
        assert all(topic in text for topic in topics.replace("、", ", ").split(", "))


def test_a_long_tail_sinks_with_what_leans_on_it():
    text = "Answers stay short. The cellar holds old wine. It came with the house. Never use emoji."
    parts = without_long_tail(text, lambda sentence: "short" in sentence or "emoji" in sentence)
    assert parts == (
        "Answers stay short. Never use emoji.",
        "The cellar holds old wine. It came with the house.",
    )


def test_what_leans_on_a_rule_stays_with_it():
    text = "Answers stay short. This helps on a small screen. The cellar holds old wine."
    parts = without_long_tail(text, lambda sentence: "short" in sentence)
    assert parts == ("Answers stay short. This helps on a small screen.", "The cellar holds old wine.")


def test_names_are_told_by_title_introduction_and_form():
    assert han_names("老周说同事张伟和陈医生都在。") >= {"老周", "张伟", "陈医生"}
    assert han_names("高度和方法都不变。") == frozenset()


def test_the_profile_leads_with_the_new_and_drops_whole_sentences_only():
    present = "The user keeps bees.\nThe user sails."
    text = summary(["The user paints. The user sails."], present, max_chars=40)
    assert text == "The user paints.\nThe user sails."
    assert summary(["x" * 900], present, max_chars=800) == present
