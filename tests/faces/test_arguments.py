"""What tools take: lenient about form, strict about meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.errors import InvalidInput
from memorycore.faces.arguments import Argument, input_schema, read_arguments
from memorycore.faces.stdio import HALF_PAIR
from memorycore.faces.tools import TOOLS

TEXT = Argument(name="text", type="string", description="a text")
WHICH = Argument(name="which", type="string", description="one of two", default="both", choices=("a", "both"))
COUNT = Argument(name="count", type="integer", description="a number", default=5, minimum=1, maximum=9)
SHARE = Argument(name="share", type="number", description="a share", default=0.5)
FLAG = Argument(name="flag", type="boolean", description="yes or no", default=False)
ALL = (TEXT, WHICH, COUNT, SHARE, FLAG)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_what_is_not_given_or_null_takes_its_default():
    assert read_arguments(ALL, {"text": "x", "count": None}) == {
        "text": "x",
        "which": "both",
        "count": 5,
        "share": 0.5,
        "flag": False,
    }


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"count": "7"}, 7),
        ({"count": 7.0}, 7),
        ({"count": " 7 "}, 7),
        ({"share": "0.9"}, 0.9),
        ({"share": 1}, 1.0),
        ({"flag": True}, True),
        ({"flag": " True "}, True),
        ({"flag": "no"}, False),
        ({"flag": 0}, False),
        ({"which": " Both "}, "both"),
        ({"text": 42}, "42"),
        ({"text": ' {"a": 1} '}, ' {"a": 1} '),
    ],
)
def test_sloppy_forms_are_read(given, read):
    (name,) = given
    assert read_arguments(ALL, {"text": "x"} | given)[name] == read


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"text": None},
        {"text": ["x"]},
        {"text": True},
        {"text": f"cut {HALF_PAIR}"},
        {"text": "x", "count": 2.5},
        {"text": "x", "count": True},
        {"text": "x", "count": "many"},
        {"text": "x", "count": float("inf")},
        {"text": "x", "count": float("nan")},
        {"text": "x", "share": []},
        {"text": "x", "which": "c"},
        {"text": "x", "flag": "perhaps"},
        {"text": "x", "flag": [True]},
        {"text": "x", "other": 1},
    ],
    ids=str,
)
def test_what_can_not_be_meant_is_refused_with_advice(given):
    with pytest.raises(InvalidInput) as refusal:
        read_arguments(ALL, given)
    assert refusal.value.advice.endswith(".")


def test_a_tool_without_arguments_says_so_when_given_one():
    with pytest.raises(InvalidInput, match="takes no arguments"):
        read_arguments((), {"x": 1})


@given(st.dictionaries(st.sampled_from(["text", "which", "count", "share", "flag", "other"]), JSON))
def test_any_json_is_read_or_refused(given):
    try:
        read = read_arguments(ALL, given)
    except InvalidInput:
        return
    assert read.keys() == {"text", "which", "count", "share", "flag"}
    assert isinstance(read["flag"], bool)
    assert isinstance(read["text"], str)
    assert isinstance(read["count"], int)
    assert isinstance(read["share"], float)
    assert read["which"] in WHICH.choices


def test_the_schema_tells_defaults_choices_and_what_is_required():
    schema = input_schema(ALL)
    assert schema["required"] == ["text"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["which"]["enum"] == ["a", "both"]
    assert schema["properties"]["count"] == {
        "type": "integer",
        "description": "a number",
        "default": 5,
        "minimum": 1,
        "maximum": 9,
    }
    assert "required" not in input_schema(())


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_descriptions_say_when_to_call_and_each_argument_is_described(tool):
    assert tool.description.endswith(".")
    assert all(argument.description.endswith(".") for argument in tool.arguments)
