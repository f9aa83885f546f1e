"""The lexicons: what patterns mean, what the bundled files promise, and how bad files are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore import lexicon
from memorycore.errors import LexiconError
from memorycore.policy.classify import ROUTES, classify

BUNDLED = lexicon.load()


def with_file(folder, text, name="own.toml"):
    (folder / name).write_text(text, "utf-8")
    return lexicon.load([folder])


def found(lex, text, category="rule"):
    return [
        match.text for match in lex.matches(lex.plain(text)) if match.category == category and match.decisive
    ]


@pytest.mark.parametrize(
    ("pattern", "text", "fires"),
    [
        ("zorb", "They Zorb here", True),
        ("zorb", "they zorbed, zorb-like, non-zorb and zorb's", False),
        ("zorb~", "zorbed", True),
        ("zope~", "zoping", True),
        ("zory~", "zoried", True),
        ("[zorb|zarb] it", "zarb it", True),
        ("zorb [please|] now", "zorb now", True),
        ("zorb [please|] now", "zorb please now", True),
        ("zorb [now|]", "zorb", True),
        ("zorb [now|] $", "so zorb.", True),
        ("zorb [now|] $", "so zorb later.", False),
        ("^zorb", "Stop. Zorb it", True),
        ("^zorb", "do zorb it", False),
        ("zorb ... last", "zorb one two three four five last", True),
        ("zorb ... last", "zorb one two three four five six last", False),
        ("zorb ... last", "zorb one. two last", False),
        ("if ... , zorb", "if all of it fails, zorb", True),
        ("if ... , zorb", "if all of it fails they zorb", False),
        ("# zorbs", "41 zorbs", True),
        ("*orbed it", "they zorbed it", True),
        ("*orbed it", "orbed it", False),
        ("{thing} zorb", "blue box zorb", True),
        ("{thing}~ zorb", "kegs zorb", True),
        ("don't zorb", "Don’t zorb", True),
        ("zorb (x", "zorb (x", True),
    ],
)
def test_patterns(tmp_path, pattern, text, fires):
    lex = with_file(
        tmp_path, f'language = "en"\n[words]\nthing = "blue box|keg"\n[rule]\nterms = ["{pattern}"]\n'
    )
    assert any("z" in term for term in found(lex, text)) is fires


def test_chinese_patterns_need_no_word_boundary_and_fold_traditional_characters(tmp_path):
    lex = with_file(
        tmp_path, 'language = "zh"\n[rule]\nterms = ["量子[态|]...归零"]\nnot_when = ["归零膏"]\n'
    )
    assert found(lex, "这个量子寄存器要归零") == ["量子寄存器要归零"]
    assert found(lex, "這個量子態先歸零"[:-2] + "归零")
    assert not found(lex, "量子店里卖归零膏")


def test_a_hint_is_no_term_and_a_context_voids_both(tmp_path):
    lex = with_file(
        tmp_path, 'language = "en"\n[rule]\nterms = ["zorb"]\nhints = ["zarb"]\nnot_when = ["zorb museum"]\n'
    )
    (match,) = [m for m in lex.matches(lex.plain("a zarb")) if m.category == "rule"]
    assert not match.decisive
    assert not found(lex, "the zorb museum")


def test_every_category_says_why_and_has_examples_enough():
    for language in ("en", "zh"):
        counts = {
            name: sum(example.category == name for example in BUNDLED.examples(language)) for name in ROUTES
        }
        for name in (*lexicon.HOT_CATEGORIES, "record", "status"):
            assert BUNDLED.why(name, language)
            assert counts[name] >= 25, (language, name)
        assert counts["fact"] >= 40


def test_examples_are_distinct_and_in_the_same_order_on_each_load(tmp_path):
    texts = [example.text for example in BUNDLED.examples()]
    assert len(texts) == len(set(texts))
    again = with_file(tmp_path, 'language = "en"\n[fact]\nexamples = ["The zorb is blue."]\n')
    assert [example.text for example in again.examples()][: len(texts)] == texts


def test_no_example_of_a_fact_is_taken_for_anything_to_bury():
    for example in BUNDLED.examples():
        if example.category != "status":
            routing = classify(example.text, importance=0.5, lexicon=BUNDLED, likeness=None)
            assert routing.route != "stale", example.text


def test_a_missing_directory_adds_nothing(tmp_path):
    assert lexicon.load([tmp_path / "none"]) is BUNDLED


def test_own_files_add_to_what_is_there(tmp_path):
    lex = with_file(
        tmp_path, 'language = "en"\n[red_line]\nterms = ["zorb~"]\nexamples = ["No zorbing here."]\n'
    )
    assert found(lex, "no zorbing", "red_line") == ["zorbing"]
    assert lexicon.Example("No zorbing here.", "red_line", "en") in lex.examples("en")
    assert found(lex, "never touch it", "red_line")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('language = "en"\n[rule\n', "not TOML"),
        ("[rule]\nterms = ['a']\n", "language"),
        ('language = "de"\n', "language"),
        ('language = "en"\n[mood]\nterms = ["a"]\n', "`mood`"),
        ('language = "en"\nrule = 3\n', "`rule`"),
        ('language = "en"\n[rule]\nterm = ["a"]\n', "`rule.term`"),
        ('language = "en"\n[rule]\nterms = "a"\n', "`rule.terms`"),
        ('language = "en"\n[rule]\nterms = [" "]\n', "`rule.terms`"),
        ('language = "en"\n[rule]\nterms = [1]\n', "`rule.terms`"),
        ('language = "en"\n[rule]\nwhy = 1\n', "`rule.why`"),
        ('language = "en"\n[rule]\nterms = ["{nobody} runs"]\n', "nobody"),
        ('language = "en"\n[words]\nx = 1\n', "`words`"),
        ('language = "en"\nwords = 1\n', "`words`"),
        ('language = "en"\n[words]\nx = "{x}"\n', "`words`"),
        ('language = "en"\n[rule]\nterms = 3\n', "`rule.terms`"),
        ('language = "en"\nfold = "ab"\n', "`fold`"),
        ('language = "en"\n[fold]\nfrom = "ab"\nto = "a"\n', "`fold`"),
        ('language = "en"\n[rule]\nterms = ["zorb"]\ncounter_examples = ["We zorb."]\n', "We zorb."),
        ('language = "en"\n[rule]\nexamples = ["Zorb."]\n[fact]\nexamples = ["Zorb."]\n', "Zorb."),
    ],
)
def test_a_bad_file_is_refused_with_its_name_its_key_and_advice(tmp_path, text, named):
    with pytest.raises(LexiconError) as caught:
        with_file(tmp_path, text)
    assert "own.toml" in caught.value.message
    assert named in caught.value.message
    assert caught.value.advice


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "own.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(LexiconError, match=r"own\.toml"):
        lexicon.load([tmp_path])


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="ab [|]{}~.^$#*+?()\\中文", min_size=1, max_size=12))
def test_any_pattern_compiles_or_is_refused(tmp_path_factory, pattern):
    folder = tmp_path_factory.mktemp("lexicon")
    quoted = pattern.replace("\\", "\\\\")
    try:
        lex = with_file(folder, f'language = "en"\n[rule]\nterms = ["{quoted}"]\n')
    except LexiconError:
        return
    assert lex.matches("ab 中文") is not None
