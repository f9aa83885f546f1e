"""Lines of JSON in which no half of a surrogate pair is left."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.faces.stdio import HALF_PAIR, mark_half_pairs


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        (r'"\ud83d"', f'"{HALF_PAIR}"'),
        (r'"\uDE00 x"', f'"{HALF_PAIR} x"'),
        (r'"\ud83d\ude00"', r'"\ud83d\ude00"'),
        (r'"\ud83d\ud83d\ude00"', f'"{HALF_PAIR}' + r'\ud83d\ude00"'),
        (r'"\ude00\ud83d"', f'"{HALF_PAIR}{HALF_PAIR}"'),
        (r'"\\ud83d"', r'"\\ud83d"'),
        (r'"\\\ud83d"', r'"\\' + f'{HALF_PAIR}"'),
        ('"\udcff"', f'"{HALF_PAIR}"'),
        (r'"\u00e9\u4e2d"', r'"\u00e9\u4e2d"'),
    ],
)
def test_halves_are_marked_and_nothing_else(line, marked):
    assert mark_half_pairs(line) == marked


@given(st.text(st.characters(exclude_characters=HALF_PAIR, codec="utf-8")))
def test_text_without_halves_is_left_alone(text):
    for line in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        assert mark_half_pairs(line) == line


@given(st.text(st.characters(exclude_characters=HALF_PAIR)))
def test_any_line_becomes_valid_unicode_and_keeps_every_whole_character(text):
    read = json.loads(mark_half_pairs(json.dumps(text)))
    read.encode()
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert read.replace(HALF_PAIR, "\ufffd") == whole
