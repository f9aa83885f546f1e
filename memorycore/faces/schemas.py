"""JSON Schemas that strict clients read: no references, no unions, `properties` in every object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

_PLAIN: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def object_schema(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with these properties, none of them required."""
    return {"type": "object", "properties": dict(properties)}


def answer_schema(answer: type) -> Schema:
    """Return the schema of an answer's wire form, read from its dataclass.

    A field that may be null has no type, for strict clients know no way to say both. A `status` may
    also be "error", which is how a tool refuses bad input.
    """
    hints = get_type_hints(answer)
    schema = object_schema({field.name: _schema(hints[field.name]) for field in fields(answer)})
    status = schema["properties"].get("status")
    if status is not None and "error" not in status["enum"]:
        status["enum"].append("error")
    return schema


def _schema(hint: Any) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0])}
    if is_dataclass(hint):
        return answer_schema(hint if isinstance(hint, type) else type(hint))
    if origin is dict or hint is dict:
        return object_schema({})
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}


def _union(members: tuple[Any, ...]) -> Schema:
    kinds = {_schema(member).get("type", "any") for member in members if member is not NoneType}
    if NoneType in members:
        return {"description": f"{' or '.join(sorted(kinds))}, or null"}
    return object_schema({}) if kinds == {"object"} else {}
