"""A shorter text that turns the sense is refused, whatever else it keeps; an honest one is let through."""

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.policy.rewrite import unfaithful, unsaid

GIVEN = tomllib.loads((Path(__file__).parent / "rewrites.toml").read_text(encoding="utf-8"))
FORMS = [(form["full"], form["rewrite"]) for form in GIVEN["forms"]]


@pytest.mark.parametrize("pair", GIVEN["turned"], ids=lambda pair: pair["rewrite"])
def test_a_turned_rewrite_is_refused(pair):
    assert unfaithful(pair["full"], pair["rewrite"])


@pytest.mark.parametrize("pair", GIVEN["honest"], ids=lambda pair: pair["rewrite"])
def test_an_honest_rewrite_is_let_through(pair):
    assert unfaithful(pair["full"], pair["rewrite"]) is None


VALUES = {
    "job": st.integers(100, 999).map(lambda number: f"J-{number}"),
    "host": st.integers(1, 99).map(lambda number: f"db{number}"),
    "time": st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda at: f"{at[0]:02}:{at[1]:02}"),
    "path": st.sampled_from(["/srv/out", "/var/data/x", "/home/team", "~/exports/daily"]),
    "date": st.dates(date(1990, 1, 1), date(2100, 1, 1)).map(str),
}
PEOPLE = (
    st.sampled_from(["Dana", "Luis", "Keiko", "Amara"]),
    st.sampled_from(["张伟", "李娜", "王芳", "赵磊"]),
)


@st.composite
def filled(draw):
    """A form and two sets of values that differ in each."""
    place = draw(st.integers(0, 1))
    strategies = VALUES | {"person": PEOPLE[place]}
    pairs = {
        name: draw(st.lists(values, min_size=2, max_size=2, unique=True))
        for name, values in strategies.items()
    }
    return FORMS[place], {k: v[0] for k, v in pairs.items()}, {k: v[1] for k, v in pairs.items()}


CHECKED = settings(max_examples=60, deadline=None)


@CHECKED
@given(filled())
def test_the_same_in_fewer_words_is_let_through(case):
    (full, short), values, _ = case
    assert unfaithful(full.format(**values), short.format(**values)) is None


@CHECKED
@given(filled(), st.sampled_from(["job", "host", "time", "path", "person", "date"]))
def test_one_value_changed_or_left_out_is_refused(case, name):
    (full, short), values, others = case
    text = full.format(**values)
    assert unfaithful(text, short.format(**values | {name: others[name]}))
    assert unfaithful(text, short.format(**values | {name: ""}))


@CHECKED
@given(filled())
def test_a_negation_left_out_or_put_elsewhere_is_refused(case):
    (full, short), values, _ = case
    text, shorter = full.format(**values), short.format(**values)
    for says, instead in (("does not run", "runs"), (" 不运行", " 运行")):
        if says in shorter:
            assert unfaithful(text, shorter.replace(says, instead))
    moved = shorter.replace("does not run", "runs").replace("writes to", "does not write to")
    moved = moved.replace(" 不运行", " 运行").replace("写入", "不写入")
    assert unfaithful(text, moved)


@CHECKED
@given(filled(), filled())
def test_values_that_change_places_are_refused(case, other):
    (_, short), values, others = case
    one, two = short.format(**values), short.format(**others)
    swapped = {**values, "time": others["time"]}, {**others, "time": values["time"]}
    assert unfaithful(f"{one} {two}", " ".join(short.format(**each) for each in swapped))


def test_a_rule_that_is_left_out_is_named():
    full = "Answer in British English. The house is old. Greet the user by first name."
    behaves = lambda sentence: "house" not in sentence  # noqa: E731
    assert unsaid(full, "Answer in British English.", behaves) == "Greet the user by first name."
    assert unsaid(full, "Answer in British English; greet by first name.", behaves) is None
