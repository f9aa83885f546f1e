"""Whatever a document says is found by saying it again."""

import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.policy.words import MAX_TOKEN_CHARS, language, query_tokens, tokens


def found(query: str, document: str) -> bool:
    wanted = query_tokens(query)
    return bool(wanted) and set(wanted) <= set(tokens(document))


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("成语接龙", "今天玩成语接龙游戏"),
        ("设备", "请把设备的电量同步到手机"),
        ("茶", "他喜欢喝茶"),
        ("itgc", "重跑gen-itgc后50条"),
        ("gen-itgc", "重跑gen-itgc后50条"),
        ("50 条", "重跑gen-itgc后50条"),
        ("pre-edit", "run the pre-edit hook"),
        ("TODO: fix", "left a TODO to fix the parser"),
        ("don't", "I don\u2019t eat meat"),
        ("dont", "I don't eat meat"),
        ("a/b", "the a/b test ran"),
        ("C++", "writes C++ at work"),
        ("C++11", "writes c++11 at work"),
        ("C#", "learns C#, slowly"),
        ("notepad", "opens Notepad++"),
        (".NET", "ported to .NET 8"),
        ("AND", "salt AND pepper"),
        ('"x', "the x axis"),
        ("*", "***"),
        ("(", "((("),
        ("™", "™"),
        ("cafe", "the Café on the corner"),
        ("CAFÉ", "a cafe"),
        ("résumé", "sent the resume"),
        ("deploys", "deploying the server"),
        ("Alice", "Alice's birthday is in May"),
        ("Ｐｏｒｔ ８４４３", "port 8443"),
        ("windows", "Windows™ laptop"),
        ("state ttl", "STATE_TTL_DAYS=7"),
        ("🎉", "launch 🎉🎉"),
        ("👍", "👍🏽 from Bob"),
        ("🇨🇳", "🇨🇳🇫🇷"),
        ("می‌خواهم", "من میخواهم"),
        ("हिंदी", "मुझे हिंदी पसंद है"),
        ("カタカナ", "このカタカナを読む"),
        ("서울", "나는 서울에서 산다"),
        ("ภาษา", "ฉันเรียนภาษาไทย"),
        ("the", "what the"),
    ],
)
def test_a_query_finds_the_document(query, document):
    assert found(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("C++", "writes C at work"),
        ("C#", "writes C++ at work"),
        ("成语", "语成"),
        ("8443", "port 8444"),
        ("art", "the cartoon"),
    ],
)
def test_a_query_does_not_find_what_merely_looks_alike(query, document):
    assert not found(query, document)


def test_documents_hold_characters_and_pairs_where_queries_hold_pairs():
    assert tokens("设备号") == ["设", "备", "号", "设备", "备号"]
    assert query_tokens("设备号") == ["设备", "备号"]
    assert query_tokens("设") == ["设"]


def test_a_document_repeats_its_tokens_and_a_query_does_not():
    assert tokens("tea tea") == ["tea", "tea"]
    assert query_tokens("tea tea") == ["tea"]


def test_stop_words_leave_a_query_only_when_others_remain():
    assert query_tokens("what is the port of it") == ["port"]
    assert query_tokens("to be or") == ["to", "be", "or"]
    assert "the" in tokens("the port")


@pytest.mark.parametrize("text", ["", "  \n", "\x00", "\u200d", "\ud800"])
def test_text_without_a_visible_character_has_no_tokens(text):
    assert tokens(text) == []
    assert query_tokens(text) == []


def test_an_endless_word_is_cut_the_same_way_on_both_sides():
    assert tokens("k" * 100_000) == query_tokens("k" * 90_000)
    assert len(tokens("x9" * 50_000)[0]) == MAX_TOKEN_CHARS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把 deploy 脚本的 timeout 改成 30 秒", "zh"),
        ("the word 茶 means tea", "en"),
        ("我的 MacBook Pro M3 跑 Stable Diffusion XL", "zh"),
        ("my name is 王小明", "en"),
        ("User's name is 王小明 (Wang Xiaoming)", "en"),
        ("重跑gen-itgc后50条", "zh"),
        ("すしが好き", "zh"),
        ("Привет, мир", "en"),
        ("8443", "en"),
        ("", "en"),
    ],
)
def test_language_goes_by_script(text, expected):
    assert language(text) == expected


@given(st.text())
def test_every_visible_text_is_found_by_itself(text):
    visible = any(
        unicodedata.category(char)[0] in "LNPS" for char in unicodedata.normalize("NFKC", text).casefold()
    )
    assert bool(tokens(text)) >= visible
    assert set(query_tokens(text)) <= set(tokens(text))


@given(st.text())
def test_tokens_are_whole_words_for_any_splitter(text):
    for token in tokens(text):
        assert token
        assert len(token.split()) == 1
        assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in token)


@given(st.text())
def test_case_and_width_make_no_difference(text):
    assert (
        tokens(text) == tokens(unicodedata.normalize("NFKC", text.casefold()))
        or "\u2122" in text
        or "\u2120" in text
    )


def test_threads_get_the_same_stems():
    words = [f"{a}{b}ing" for a in "bcdfghlmnprst" for b in ("arn", "ill", "umpl", "eat")]
    answers: list[dict[str, list[str]]] = []

    def work():
        answers.append({word: tokens(word) for word in words})

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [{word: tokens(word) for word in words}] * 4
