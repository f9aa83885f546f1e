"""The text form of a hot file: what is accepted comes back, what can't come back is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.errors import HotFileFull, InvalidInput
from memorycore.policy import hot_text
from tests.adapters.hot_fixtures import awkward_text, drift_by_the_book, entry, file_text


def accepted_or_none(text):
    try:
        return hot_text.accepted(text)
    except InvalidInput:
        return None


@given(st.lists(awkward_text, max_size=5))
def test_accepted_entries_come_back_as_they_were_and_never_drift(candidates):
    entries = tuple(dict.fromkeys(text for one in candidates if (text := accepted_or_none(one))))
    raw = hot_text.render(entries)
    assert hot_text.parse(raw) == entries
    assert not drift_by_the_book(raw)
    assert not hot_text.drifted(raw)


@given(st.lists(file_text, max_size=5).map("\n§\n".join) | file_text)
def test_a_foreign_file_is_tidied_in_one_write_and_keeps_its_text(raw):
    entries = hot_text.parse(raw)
    tidy = hot_text.render(entries)
    assert hot_text.parse(tidy) == entries
    assert not drift_by_the_book(tidy)
    form = str.maketrans("", "", "§\ufeff")
    words = {word for part in raw.split() for word in part.translate(form).split("\0")}
    assert words <= {word for part in tidy.split() for word in part.translate(form).split("\0")} | {""}


@given(st.lists(file_text, max_size=5).map("\n§\n".join), file_text)
def test_an_entry_added_to_a_foreign_file_stands_last_and_whole(raw, new):
    text = accepted_or_none(new)
    entries = hot_text.parse(raw)
    if text is not None and text not in entries:
        assert hot_text.parse(hot_text.render((*entries, text))) == (*entries, text)


@given(file_text)
def test_drifted_is_the_condition_of_hermes(raw):
    unix = raw.replace("\r\n", "\n").replace("\r", "\n")
    assert hot_text.drifted(raw) == drift_by_the_book(unix)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        (" \n\u2028", "empty"),
        ("a\n§\nb", "§"),
        ("a\r\n§\r\nb", "§"),
        ("a\n§", "§"),
        ("a\n§ ", "§"),
        ("a\0b", "NUL"),
        ("a\ufeffb", "U\\+FEFF"),
        ("a\ud83d", "surrogate"),
    ],
)
def test_what_a_file_can_not_hold_is_refused_with_a_reason(text, word):
    with pytest.raises(InvalidInput, match=word):
        hot_text.accepted(text)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("§", "§"),
        ("§\na", "§\na"),
        ("see § 14", "see § 14"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\u00a0 a \x1c", "a"),
        ("```\n## heading\n```", "```\n## heading\n```"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_what_a_file_can_hold_is_kept(text, stored):
    assert hot_text.accepted(text) == stored


@pytest.mark.parametrize(
    ("raw", "entries"),
    [
        ("", ()),
        (" \n\n", ()),
        ("\ufeff# Notes\r\n\r\n- one", ("# Notes\n\n- one",)),
        ("a\n§\nb\n§\n", ("a", "b")),
        ("a\n§\nb\n§", ("a", "b")),
        ("\n§\na", ("a",)),
        ("a\n§\n\n§\nb", ("a", "b")),
        ("a \n§\n\u00a0b", ("a", "b")),
        ("a\n§\nb\n§\na", ("a", "b")),
        ("a § b", ("a § b",)),
        ("a\n§ \n§\nb", ("a", "b")),
    ],
)
def test_files_that_others_wrote_are_read(raw, entries):
    assert hot_text.parse(raw) == entries


def test_room_is_counted_with_the_delimiter():
    hot_text.check_room(("12345",), ("12345", "12"), 10)
    with pytest.raises(HotFileFull, match=r"5 of 10 characters free; 6 more"):
        hot_text.check_room(("12345",), ("12345", "123"), 10)


def test_a_file_over_its_limit_may_shrink_but_not_by_an_entry_that_is_itself_too_long():
    hot_text.check_room(("1" * 9, "2" * 9), ("1" * 9, "2"), 10)
    with pytest.raises(HotFileFull, match="11 characters"):
        hot_text.check_room(("1" * 20,), ("1" * 11,), 10)
    with pytest.raises(HotFileFull, match="0 of 10"):
        hot_text.check_room(("1" * 9, "2" * 9), ("1" * 9, "3" * 9), 10)


def test_one_file_per_replacement():
    with pytest.raises(InvalidInput, match="user"):
        hot_text.check_one_file(entry("a"), entry("b", "user"))
