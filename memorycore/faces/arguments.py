"""What a tool takes: its arguments, their schema, and a lenient reading of what models send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memorycore.errors import InvalidInput
from memorycore.faces.schemas import Schema
from memorycore.faces.stdio import HALF_PAIR

ArgumentType = Literal["string", "number", "integer", "boolean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument; without a default it is required.

    `minimum` and `maximum` are told to clients; the facade is who holds them.
    """

    name: str
    type: ArgumentType
    description: str
    default: str | float | None = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    @property
    def schema(self) -> Schema:
        """The argument's JSON Schema."""
        schema: Schema = {"type": self.type, "description": self.description}
        if self.default is not None:
            schema["default"] = self.default
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.minimum is not None:
            schema["minimum"] = self.minimum
        if self.maximum is not None:
            schema["maximum"] = self.maximum
        return schema


def input_schema(arguments: Sequence[Argument]) -> Schema:
    """Return the schema of a tool's arguments."""
    schema: Schema = {
        "type": "object",
        "properties": {argument.name: argument.schema for argument in arguments},
        "additionalProperties": False,
    }
    required = [argument.name for argument in arguments if argument.default is None]
    return schema | ({"required": required} if required else {})


def read_arguments(arguments: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for every argument; null counts as not given, and "5" as 5.

    Raises `InvalidInput` for a name that is not known, a required one that is missing, and a value
    that can't be read as the argument's type.
    """
    known = [argument.name for argument in arguments]
    for name in given:
        if name not in known:
            takes = f"It takes {', '.join(known)}." if known else "It takes no arguments."
            raise InvalidInput(f"The argument {name[:80]!r} is not known.", advice=takes)
    return {argument.name: _value(argument, given.get(argument.name)) for argument in arguments}


def _value(argument: Argument, value: Any) -> Any:
    if value is None:
        if argument.default is None:
            raise InvalidInput(f"The argument {argument.name!r} is missing.", advice="Send it.")
        return argument.default
    if argument.type == "string":
        return _text(argument, value)
    if argument.type == "boolean":
        return _truth(argument, value)
    return _number(argument, value)


def _text(argument: Argument, value: Any) -> str:
    if isinstance(value, bool | dict | list):
        raise InvalidInput(f"{argument.name!r} is not text.", advice="Send it as one string.")
    text = str(value)
    if HALF_PAIR in text:
        raise InvalidInput(
            f"{argument.name!r} holds half of a surrogate pair or bytes that are not UTF-8.",
            advice="An emoji was probably cut in two; send the text whole.",
        )
    if not argument.choices:
        return text
    choice = text.strip().lower()
    if choice not in argument.choices:
        raise InvalidInput(
            f"{argument.name!r} can't be {text[:80]!r}.", advice=f"Send one of {', '.join(argument.choices)}."
        )
    return choice


def _truth(argument: Argument, value: Any) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    if word in (True, "true", "1", "yes"):  # 1 equals True
        return True
    if word in (False, "false", "0", "no", ""):
        return False
    raise InvalidInput(
        f"{argument.name!r} is {value!r:.80}, neither true nor false.", advice="Send true or false."
    )


def _number(argument: Argument, value: Any) -> float | int:
    whole = argument.type == "integer"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = float(value)
        if whole and number != int(number):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        kind = "a whole number" if whole else "a number"
        raise InvalidInput(
            f"{argument.name!r} is {value!r:.80}, not {kind}.", advice=f"Send {kind}."
        ) from None
    return int(number) if whole else number
