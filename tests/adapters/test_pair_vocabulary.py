"""Texts are cut whole, the likeliest way, whatever they consist of."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.pair_vocabulary import UNKNOWN, Vocabulary

SCORED = {"▁": -3, "▁the": -1, "▁th": -2.5, "e": -2, "▁port": -2, "s": -2, "端口": -4, "端": -3.5, "口": -3.5}
SCORED |= {"8": -2, "44": -2.5, "3": -2}
PIECES = ["<s>", "<pad>", "</s>", "<unk>", *SCORED]
VOCABULARY = Vocabulary(PIECES, [0.0, 0.0, 0.0, 0.0, *SCORED.values()])


def pieces(text):
    return [PIECES[one] for one in VOCABULARY.cut(text)]


def test_the_likeliest_cut_wins():
    assert pieces("the ports") == ["▁the", "▁port", "s"]
    assert pieces("端口8443") == ["▁", "端口", "8", "44", "3"]


def test_forms_and_spaces_don_t_matter():
    assert VOCABULARY.cut("  the\n\tｐorts ") == VOCABULARY.cut("the ports")


def test_what_no_piece_has_is_unknown_one_by_one():
    assert pieces("the žés") == ["▁the", "▁", "<unk>", "<unk>", "s"]


def test_the_names_of_the_special_pieces_are_plain_text():
    assert not {0, 1, 2} & set(VOCABULARY.cut("<s> <pad> </s> <unk>"))


@given(st.text())
def test_nothing_is_left_out(text):
    whole = "".join("▁" + word for word in unicodedata.normalize("NFKC", text).split()) or "▁"
    told = VOCABULARY.cut(text)
    assert sum(1 if one == UNKNOWN else len(PIECES[one]) for one in told) == len(whole)
