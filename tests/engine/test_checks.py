"""What a caller may send: each refusal says what is wrong and what to do."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.engine import checks
from memorycore.errors import InvalidInput

TEXT_CHECKS = [checks.content, checks.query, checks.scope, checks.known_id]
BAD_TEXTS = [None, 5, b"bytes", ["a"], "", " \t\n\u3000", "a\0b", "half \ud800 pair", "\udfff"]


@pytest.mark.parametrize("check", TEXT_CHECKS)
@pytest.mark.parametrize("value", BAD_TEXTS, ids=repr)
def test_texts_that_are_none_are_refused(check, value):
    with pytest.raises(InvalidInput) as caught:
        check(value)
    assert caught.value.advice
    str(caught.value).encode()  # can be shown


@pytest.mark.parametrize(
    ("check", "most"),
    [(checks.content, 20_000), (checks.query, 20_000), (checks.scope, 200), (checks.context, 20_000)],
)
def test_a_text_may_be_as_long_as_its_limit(check, most):
    assert check("x" * most) == "x" * most
    assert check(f" {'x' * most}\n") == "x" * most
    with pytest.raises(InvalidInput, match=f"{most + 1:,}"):
        check("x" * (most + 1))


@given(st.text(min_size=1, max_size=50, alphabet=st.characters(exclude_categories=["Cs"])))
def test_other_texts_pass_unchanged_but_for_the_white_space_at_their_ends(text):
    if text.strip() and "\0" not in text:
        assert checks.content(text) == text.strip()


@pytest.mark.parametrize("value", [None, "", "  "])
def test_an_empty_context_is_none(value):
    assert checks.context(value) is None


def test_a_context_must_be_a_text():
    with pytest.raises(InvalidInput):
        checks.context(5)


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.5, 1.0])
def test_importance_is_a_number_from_0_to_1(value):
    assert checks.importance(value) == float(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.1, 1.1, True, False, "0.5", None, [0.5]])
def test_other_importances_are_refused(value):
    with pytest.raises(InvalidInput) as caught:
        checks.importance(value)
    assert caught.value.advice


@pytest.mark.parametrize(("check", "most"), [(checks.top_k, 50), (checks.page_size, 1_000)])
def test_counts_are_whole_numbers_in_their_range(check, most):
    assert (check(1), check(most)) == (1, most)
    for value in (0, -1, most + 1, 1.5, 5.0, True, "5", None):
        with pytest.raises(InvalidInput) as caught:
            check(value)
        assert caught.value.advice


def test_targets():
    assert checks.target("user") == "user"
    assert checks.targets("both") == ("memory", "user")
    assert checks.targets("memory") == ("memory",)


@pytest.mark.parametrize("value", ["both", "USER", "", None, 5, ["user"], "../user"])
def test_a_fact_has_one_target(value):
    with pytest.raises(InvalidInput):
        checks.target(value)


@pytest.mark.parametrize("value", ["all", "", None, ["memory"]])
def test_views_have_one_target_or_both(value):
    with pytest.raises(InvalidInput):
        checks.targets(value)


def test_routes():
    assert [checks.route(value) for value in ("hot", "cold", "stale", None)] == ["hot", "cold", "stale", None]
    for value in ("warm", "", 5):
        with pytest.raises(InvalidInput):
            checks.route(value)
