"""Taking a text out of JSON, and what it is quoted by, without harm to what merely looks like it."""

import pytest

from memorycore.adapters.purging import strings_holding, without_text, without_words

TEXT = "Dana's flat in 北京市 has number 4711."


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        ("another number: 4711 became 4712", "another …: … became 4712"),
        ("the new text says the opposite", "the new text says the opposite"),
        ("北京市变成了上海", "………变成了上海"),
        ("it has a flat", "it has a …"),
    ],
)
def test_reasons_lose_the_words_that_they_quote_and_nothing_else(reason, left):
    plain = {"reason": reason, "subject": "4711", "cold": [{"detail": reason, "text": reason}]}
    assert without_words(plain, TEXT) == {
        "reason": left,
        "subject": "4711",
        "cold": [{"detail": left, "text": reason}],
    }


def test_strings_that_hold_a_text_are_found_at_any_depth():
    plain = {"a": [TEXT, {"b": f"said: {TEXT}"}], "c": 4711, "d": None, "e": "4711"}
    assert list(strings_holding(plain, TEXT)) == [TEXT, f"said: {TEXT}"]


def test_structure_is_never_taken_for_a_text():
    plain = {"is": "a long enough name", "op": "a long enough name", "text": "a long enough name"}
    assert without_text(plain, "a long enough name") == plain | {"text": "[purged]"}
