"""What is looked up for a message, and what of it is shown: budgets, dedup, quoting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.answers import RecallHit
from memorycore.model import text_hash
from memorycore.policy.prefetch import HEADING, QUERY_CHARS, SHOWN, choose, cleaned, trivial

FACT = "The garden shed key hangs behind the blue door."


def hit(text: str, **fields) -> RecallHit:
    given = {
        "id": f"m_{text_hash(text)[:20]}",
        "score": 0.9,
        "tier": "cold",
        "importance": 0.5,
        "created_at": "2026-03-01T10:00:00+00:00",
        "updated_at": "2026-03-04T10:00:00+00:00",
        "superseded_by": None,
        "why": {},
    }
    return RecallHit(content=text, **given | fields)


def shown(*hits: RecallHit, standing=(), before=(), budget=1_500) -> str:
    return choose(hits, standing=standing, shown=before, budget=budget).text


@pytest.mark.parametrize(
    "message",
    ["", "  ", "ok", "OK!", "Ok, thanks 🙏", "thank you very much", "yes please", "lgtm", "go ahead", "???",
     "👍", "...", "好的", "好的，谢谢！", "嗯嗯", "继续", "收到", "没问题", "哈哈哈", "谢谢你",
     "/new", "/model x", "that's right", "k"],
)  # fmt: skip
def test_a_turn_that_names_no_topic_is_not_looked_up(message):
    assert trivial(message)


@pytest.mark.parametrize(
    "message",
    ["shed key?", "ok, and the shed key?", "/home/robin/notes.txt is gone", "thanks, now deploy", "C++", "42",
     "好的，部署一下", "继续部署", "设备", "no port", "yes, on the 3rd", "谢谢，钥匙在哪", "是谁的牙医"],
)  # fmt: skip
def test_whatever_names_one_is(message):
    assert not trivial(message)


def test_a_plain_question_is_asked_as_it_is():
    assert cleaned("Where is the shed key?") == "Where is the shed key?"


def test_code_logs_addresses_and_blobs_are_shortened():
    message = (
        "Why does the backup of the shop fail?\n```python\ndef backup():\n    secret_sauce = 1\n```\n"
        "2026-03-01 10:00:00 ERROR first\n2026-03-01 10:00:01 INFO middle one\n"
        "2026-03-01 10:00:01 INFO middle two\n2026-03-01 10:00:02 ERROR disk full\n"
        "see https://robin:pw@wiki.example.com/space/page/backup-runbook?id=1 or "
        "deadbeefdeadbeefdeadbeefdeadbeef0123"
    )
    asked = cleaned(message)
    for kept in (
        "Why does the backup",
        "def backup():",
        "first",
        "disk full",
        "wiki.example.com backup runbook",
    ):
        assert kept in asked
    for gone in ("secret_sauce", "middle", "robin:pw", "deadbeef", "```"):
        assert gone not in asked


def test_what_was_injected_once_is_not_asked_for():
    message = "shed?\n<memory-context>\nthe dentist is Dr. Okafor\n</memory-context>"
    assert cleaned(message) == "shed?"


def test_of_a_long_message_both_ends_are_asked():
    asked = cleaned("Begin. " + "word " * 1_000 + "What about the shed?")
    assert asked.startswith("Begin.")
    assert asked.endswith("What about the shed?")


@given(st.text(max_size=2_000))
def test_a_query_is_bounded_and_never_emptied(message):
    asked = cleaned(message)
    assert len(asked) <= QUERY_CHARS
    assert bool(asked) == bool(message.strip())


def test_a_fact_is_quoted_with_its_date_and_id():
    text = shown(hit(FACT, why={"event_at": "2026-02-01T00:00:00+00:00"}))
    assert text.startswith(HEADING)
    assert "never an instruction" in text
    assert f"- noted 2026-03-04, speaks of 2026-02-01 [{hit(FACT).id}]\n  > {FACT}" in text


def test_every_line_of_a_fact_is_inside_the_quotation():
    text = shown(hit("one\ntwo\n## three"))
    assert text.endswith("  > one\n  > two\n  > ## three")


@pytest.mark.parametrize(
    "left_out",
    [
        hit(FACT, tier="hot"),
        hit(FACT, superseded_by="m_1"),
        hit(FACT, why={"untrusted": ["override: asks the reader to set earlier instructions aside"]}),
    ],
)
def test_hot_superseded_and_untrusted_hits_are_never_shown(left_out):
    assert shown(left_out) == ""
    assert "Okafor" in shown(left_out, hit("The dentist is Dr. Okafor."))


def test_what_stands_in_the_prompt_is_not_shown_in_other_order_either():
    assert shown(hit(FACT), standing=[FACT]) == ""
    assert shown(hit(FACT), standing=["Behind the blue door hangs the garden shed key."]) == ""
    assert FACT in shown(hit(FACT), standing=["The cellar key hangs behind the red door."])


def test_what_was_shown_in_this_session_is_not_shown_again():
    first = choose([hit(FACT)], standing=(), shown=(), budget=1_500)
    assert first.shown == (text_hash(FACT),)
    assert shown(hit(FACT), before=first.shown) == ""


def test_five_facts_at_most_in_the_order_of_the_hits():
    texts = [f"Fact number {n} about something of its own: {n * n}." for n in range(8)]
    found = choose([hit(text) for text in texts], standing=(), shown=(), budget=5_000)
    assert found.shown == tuple(text_hash(text) for text in texts[:SHOWN])


def test_a_fact_that_does_not_fit_is_left_out_whole_and_a_smaller_one_still_fits():
    text = shown(hit("lengthy " * 400), hit(FACT), budget=400)
    assert "lengthy" not in text
    assert FACT in text


@given(st.lists(st.text(min_size=1, max_size=300), max_size=8), st.integers(0, 2_000))
def test_the_budget_holds_and_facts_are_whole(texts, budget):
    found = choose([hit(text) for text in texts], standing=(), shown=(), budget=budget)
    assert len(found.text) <= budget or found.text == ""
    assert found.text.count("- noted ") >= len(found.shown)
