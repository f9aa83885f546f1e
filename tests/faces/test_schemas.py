"""Schemas are read from the answers' dataclasses and hold what strict clients ask for."""

import dataclasses

import pytest

from memorycore import answers
from memorycore.faces.schemas import answer_schema
from memorycore.faces.tools import TOOLS
from tests.faces.test_protocol import assert_strict


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_schema_is_strict(tool):
    assert_strict(tool.input)
    assert_strict(tool.output)


@pytest.mark.parametrize(
    "answer", [answers.StoreReceipt, answers.RecallAnswer, answers.Usage, answers.MaintenanceReport]
)
def test_a_schema_names_every_field_of_its_answer(answer):
    assert list(answer_schema(answer)["properties"]) == [field.name for field in dataclasses.fields(answer)]


def test_a_field_that_may_be_null_has_no_type_and_says_so():
    properties = answer_schema(answers.StoreReceipt)["properties"]
    assert properties["id"] == {"description": "string, or null"}
    assert properties["usage"]["properties"]["before"] == {"type": "number"}
    assert properties["superseded"] == {"type": "array", "items": {"type": "string"}}


def test_a_status_may_always_be_error():
    for answer in (answers.StoreReceipt, answers.MoveAnswer):
        assert answer_schema(answer)["properties"]["status"]["enum"].count("error") == 1
