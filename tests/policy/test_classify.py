"""Routing: what people mean as a rule stays hot, what is done sinks, and a fact is never buried."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore import lexicon
from memorycore.model import Likeness
from memorycore.policy.classify import ROUTES, classify
from memorycore.policy.words import language

WORDS = lexicon.load()


def routed(text, *, importance=0.5, likeness=None, **settings_):
    return classify(text, importance=importance, lexicon=WORDS, likeness=likeness, **settings_)


def leaning(text, category, strength=0.6):
    """Likeness to every example, as an embedder gives it that sees one category in the text."""
    return [
        Likeness(
            example=example.text,
            category=example.category,
            cosine=strength if example.category == category else 0.0,
        )
        for example in WORDS.examples(language(text))
    ]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("The user prefers tabs over spaces.", "preference"),
        ("From now on, file receipts by project.", "rule"),
        ("You got the name wrong again, it's Mayer.", "correction"),
        ("Never push to the main branch.", "red_line"),
        ("Call me Bo.", "address"),
        ("Keep answers short and in plain English.", "style"),
        ("Ask me before you book anything.", "ask_before"),
        ("用户喜欢靠窗的座位。", "preference"),
        ("从今往后，发票按项目归档。", "rule"),
        ("你又把名字写错了，是迈尔。", "correction"),
        ("绝对不许强推主分支。", "red_line"),
        ("叫我阿波。", "address"),
        ("回答要简短，用大白话。", "style"),
        ("訂任何東西之前先問我。", "ask_before"),
    ],
)
@pytest.mark.parametrize("importance", [0.0, 0.5, 1.0])
def test_behaviour_is_hot_at_any_importance(text, category, importance):
    routing = routed(text, importance=importance)
    assert (routing.route, routing.category, routing.kind) == ("hot", category, "rule")
    assert routing.terms
    assert routing.reason


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-14: the move to the new office was finished, keys handed over.",
        "On 3 May 2026 the board decided to keep the Leeds branch.",
        "2026年5月3日董事会决定保留利兹分部。",
        "2026-10-05 机房搬迁完成，没丢数据。",
    ],
)
@pytest.mark.parametrize("importance", [0.1, 0.9])
def test_a_dated_record_is_cold_at_any_importance(text, importance):
    routing = routed(text, importance=importance)
    assert (routing.route, routing.category, routing.kind) == ("cold", "record", "state")


@pytest.mark.parametrize(
    "text",
    ["The move is planned for 2026-12-14, contract not signed yet.", "2026年12月14日搬家，合同还没签。"],
)
def test_what_is_pending_is_no_record(text):
    assert routed(text, importance=0.9).route == "hot"
    assert routed(text, importance=0.5).route == "cold"


def test_a_record_that_sets_a_rule_stays_hot():
    text = "On 2026-03-02 it was decided: from now on, always ask me before you deploy."
    assert routed(text).route == "hot"


@pytest.mark.parametrize(
    "text", ["Cache cleared.", "Typo fixed", "All tests passed.", "缓存清空了", "备份完成。", "图片已上传"]
)
@pytest.mark.parametrize("importance", [0.2, 0.9])
def test_a_short_finished_status_is_stale(text, importance):
    routing = routed(text, importance=importance)
    assert (routing.route, routing.category, routing.kind) == ("stale", "status", "state")
    assert routing.terms


@pytest.mark.parametrize(
    "text",
    [
        "Moved to Berlin.", "Grandma died.", "Got engaged to Paul.", "Sold the car.", "Passed the bar exam.",
        "We decided to use PostgreSQL.", "Access key 4471 installed.", "Invoice of 1,240 EUR paid.",
        "Backup not finished yet.", "Cache cleared on 2026-03-02.", "搬到上海了。", "奶奶走了。",
        "儿子考上大学了。", "离婚了。", "退款 148 元到账了。", "备份还没完成。", "我们决定用 PostgreSQL。",
    ],
)  # fmt: skip
def test_what_may_be_worth_keeping_is_never_stale(text):
    assert routed(text).route != "stale"


@pytest.mark.parametrize(
    "text",
    [
        "Lunch is delivered at noon on Fridays.", "Invoices are archived in folder seven.",
        "Snow tyres are stored at Lindberg's garage.", "The bins are emptied on Tuesday mornings.",
        "Nightly backups are copied to the Dublin site.", "The library is closed.",
        "发票存放在七号文件夹。", "午饭周五中午送到公司。", "电影九点结束。", "血压正常。",
        "报名在网上完成。",
    ],
)  # fmt: skip
def test_what_is_usual_is_a_fact_and_no_status(text):
    assert routed(text).route == "cold"


@pytest.mark.parametrize(
    "text",
    [
        "The report is delivered now.",
        "The invoices have been archived.",
        "Download complete, 3.1 GB",
        "午饭送到了。",
    ],
)
def test_what_has_just_been_done_is_stale(text):
    assert routed(text).route == "stale"


def test_a_long_status_is_kept():
    assert routed("Cache cleared", stale_max_chars=5).route == "cold"


@pytest.mark.parametrize(
    "text",
    [
        "A must-see museum stands by the river.",
        "The preference pane of the old Mac would not open.",
        "Rule 14 of the tender asks for two samples.",
        "She never married and kept bees.",
        '"Never Let Me Go" is on the reading list.',
        "Marc prefers tea, his sister likes coffee.",
        "The survey was completed in the north; in the south it is being written. " * 6,
        "习惯性脱臼是他的病史",
        "《不要回答》是那部小说的第一章。",
        "他哥哥喜欢足球，不爱网球。",
        "招标文件第十四条规定，投标人不得转包。",
        "郊区那栋别墅没有暖气。",
    ],
)
def test_words_in_passing_are_no_rule(text):
    routing = routed(text)
    assert (routing.route, routing.kind) == ("cold", None)


def test_the_users_own_words_count_though_quoted():
    assert routed('User said: "never call before nine"').route == "hot"
    assert routed("用户说：“绝对不许九点前打电话”").route == "hot"


def test_importance_alone_is_enough_and_the_bar_can_be_moved():
    text = "The spare key hangs behind the meter."
    assert routed(text, importance=0.79).route == "cold"
    assert routed(text, importance=0.8).route == "hot"
    assert routed(text, importance=0.8).kind is None
    assert routed(text, importance=0.8, hot_at=0.9).route == "cold"
    assert routed("The team agreed on Kafka.", importance=0.8).kind == "state"


@pytest.mark.parametrize("text", ["Trains it is, whatever the clock says.", "火车就火车，几点都一样。"])
def test_where_words_are_silent_the_embedder_decides_and_is_named(text):
    hot = routed(text, likeness=leaning(text, "preference"))
    assert (hot.route, hot.category) == ("hot", "preference")
    assert hot.examples
    assert routed(text, likeness=leaning(text, "fact")).route == "cold"


def test_a_status_by_likeness_alone_is_not_buried():
    text = "The blue box on the shelf"
    assert routed(text, likeness=leaning(text, "status")).route != "stale"


@pytest.mark.parametrize("text", ["Never push to the main branch.", "Cache cleared.", "The key is blue."])
def test_only_the_order_of_cosines_and_their_ratios_matter(text):
    for category in ("preference", "fact", "status"):
        likeness = leaning(text, category)
        scaled = [
            Likeness(example=x.example, category=x.category, cosine=0.4 + x.cosine / 9) for x in likeness
        ]
        assert routed(text, likeness=likeness).route == routed(text, likeness=scaled).route


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.floats(0, 1), st.sampled_from([None, *sorted(ROUTES)]))
def test_any_content_is_routed_with_a_reason_and_always_the_same(text, importance, category):
    likeness = None if category is None else leaning(text, category)
    routing = routed(text, importance=importance, likeness=likeness)
    assert routing.reason
    assert routing == routed(text, importance=importance, likeness=likeness)
    if importance >= 0.8:
        assert routing.route != "cold" or routing.category == "record"


def test_a_very_long_text_is_read_at_its_beginning():
    assert routed("Never touch the archive. " + "x " * 100_000).route in {"hot", "cold"}


def test_a_request_to_run_something_again_is_no_finished_status():
    for text in ("重跑gen-itgc后50条", "重跑一下昨天的任务"):
        assert routed(text).route != "stale"


def test_a_fragment_is_no_rule_because_it_is_like_one():
    like = [Likeness(example="Be brief.", category="style", cosine=0.9)] + [
        Likeness(example=f"fact {place}", category="fact", cosine=0.1) for place in range(30)
    ]
    assert classify("stdin", importance=0.5, lexicon=WORDS, likeness=like).route == "cold"
