"""Editing one value of a configuration file while every other byte of it stays.

A `Format` finds the place and edits the text; `put` and `drop` read the result again and refuse it unless
that value alone has changed. So a format may be simple where a file is odd: it then fails, and harms nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from memorycore.errors import HostConfigError

Path2 = tuple[str, str]
"""A value's place: the section and the name in it."""

Document = dict[str, Any]


class Format(Protocol):
    """A kind of configuration file. A malformed text raises `HostConfigError` that names its line."""

    def parse(self, text: str) -> Document:
        """Return what the text says; an empty text says nothing, {}."""

    def put(self, text: str, path: Path2, value: Any) -> str:
        """Return the text with the value at the path, added or replaced."""

    def drop(self, text: str, path: Path2) -> str:
        """Return the text without the value at the path, which is there."""

    def snippet(self, path: Path2, value: Any) -> str:
        """Return what a person would paste into a file of this kind."""


class ListFormat(Format, Protocol):
    """A kind of configuration file in which lists can be edited too."""

    def include(self, text: str, path: Path2, item: str) -> str:
        """Return the text with the item first in the list at the path, which has others."""

    def exclude(self, text: str, path: Path2, item: str) -> str:
        """Return the text without the item in the list at the path, which has it."""


def put(form: Format, text: str, path: Path2, value: Any) -> str:
    """Return the text with the value at the path and all else as it was.

    Raises `HostConfigError` if the text is malformed, or if the edit can't be made without touching more.
    """
    section, name = path
    expected = dict(form.parse(text))
    expected[section] = {**_section(expected, section), name: value}
    return _checked(
        form,
        lambda: form.put(text, path, value),
        expected,
        section,
        advice=f"Put this into it by hand:\n{form.snippet(path, value)}",
    )


def drop(form: Format, text: str, path: Path2) -> str:
    """Return the text without the value at the path, the same text if it is not there.

    A section that it leaves empty stays. Raises as `put`.
    """
    section, name = path
    expected = dict(form.parse(text))
    if name not in _section(expected, section):
        return text
    expected[section] = {key: value for key, value in expected[section].items() if key != name}
    return _checked(
        form,
        lambda: form.drop(text, path),
        expected,
        section,
        advice=f"Take {name} out of {section} by hand.",
    )


def include(form: ListFormat, text: str, path: Path2, item: str) -> str:
    """Return the text with the item in the list at the path; its others stay. Raises as `put`."""
    section, name = path
    found = list_at(form, text, path)
    if item in found:
        return text
    if not found:
        return put(form, text, path, [item])
    expected = dict(form.parse(text))
    expected[section] = {**expected[section], name: [item, *found]}
    advice = f"Put {item} into {section}.{name} by hand."
    return _checked(form, lambda: form.include(text, path, item), expected, section, advice=advice)


def exclude(form: ListFormat, text: str, path: Path2, item: str) -> str:
    """Return the text without the item in the list at the path; a list that it leaves empty stays.

    Raises as `put`.
    """
    section, name = path
    found = list_at(form, text, path)
    if item not in found:
        return text
    expected = dict(form.parse(text))
    expected[section] = {**expected[section], name: [one for one in found if one != item]}
    advice = f"Take {item} out of {section}.{name} by hand."
    return _checked(form, lambda: form.exclude(text, path, item), expected, section, advice=advice)


def list_at(form: Format, text: str, path: Path2) -> list[Any]:
    """Return the list at the path, empty if there is none. Raises `HostConfigError` for another value."""
    found = value_at(form, text, path)
    if found is None:
        return []
    if not isinstance(found, list):
        raise HostConfigError(f"Its {'.'.join(path)} is no list.", advice="Mend it, then try again.")
    return found


def value_at(form: Format, text: str, path: Path2) -> Any:
    """Return the value at the path, None if it is not there."""
    return _section(form.parse(text), path[0]).get(path[1])


def newline_of(text: str) -> str:
    """Return how the text ends its lines."""
    return "\r\n" if "\r\n" in text else "\n"


def same(one: Any, other: Any) -> bool:
    """Whether two parsed values are alike, types included: 1 is neither True nor 1.0, and NaN is NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other or (one != one and other != other))  # noqa: PLR0124  only NaN differs from itself


def _section(document: Document, section: str) -> Document:
    found = document.get(section)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise HostConfigError(f"Its {section!r} is no table of names.", advice="Mend it, then try again.")
    return found


def _checked(form: Format, edit: Callable[[], str], expected: Document, section: str, *, advice: str) -> str:
    try:
        text = edit()
        alike = same(_without_empty(form.parse(text), section), _without_empty(expected, section))
    except (HostConfigError, RecursionError):
        alike = False
    if not alike:
        raise HostConfigError("It is written in a way that can't be edited safely.", advice=advice)
    return text


def _without_empty(document: Document, section: str) -> Document:
    """Leave out the section if nothing is in it: not every format can write an empty one."""
    return {key: value for key, value in document.items() if key != section or value not in ({}, None)}
