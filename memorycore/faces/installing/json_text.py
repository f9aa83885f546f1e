"""JSON files of hosts, edited in place; with comments and trailing commas where the host reads them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from memorycore.errors import HostConfigError
from memorycore.faces.installing.documents import Document, Path2, newline_of

_STRING_OR_COMMENT = re.compile(r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"|,(?=\s*[}\]])', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = "  "


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    key: str
    start: int
    value_start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    """An object in the text: where its braces are, and its members."""

    start: int
    end: int
    members: tuple[_Member, ...]

    def member(self, key: str) -> _Member | None:
        found = [member for member in self.members if member.key == key]
        if len(found) > 1:
            raise HostConfigError(f"It has {key!r} twice.", advice="Take one of them out, then try again.")
        return found[0] if found else None


class JsonFile:
    """JSON; `lenient` allows what editors allow: comments and commas after the last member."""

    def __init__(self, *, lenient: bool) -> None:
        self._lenient = lenient

    def parse(self, text: str) -> Document:
        plain = self._plain(text)
        if not plain.strip():
            return {}
        try:
            value = _DECODER.decode(plain)
        except json.JSONDecodeError as error:
            raise _malformed(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
        except (ValueError, RecursionError) as error:
            raise _malformed(str(error)) from error
        if not isinstance(value, dict):
            raise HostConfigError("It holds no JSON object.", advice="Mend it or move it away.")
        return value

    def put(self, text: str, path: Path2, value: Any) -> str:
        section, name = path
        plain = self._plain(text)
        if not plain.strip():
            head = text.rstrip()
            return f"{head}{newline_of(text) if head else ''}{self.snippet(path, value)}{newline_of(text)}"
        root = _object_at(plain, 0)
        outer = root.member(section)
        if outer is None:
            return self._added(text, root, section, {name: value})
        if plain[outer.value_start] != "{":
            return _replaced(text, outer, {name: value}, _unit(text, root))
        inner = _object_at(plain, outer.value_start)
        member = inner.member(name)
        if member is None:
            return self._added(text, inner, name, value)
        return _replaced(text, member, value, _unit(text, root))

    def drop(self, text: str, path: Path2) -> str:
        section, name = path
        plain = self._plain(text)
        outer = _object_at(plain, 0).member(section)
        assert outer is not None
        inner = _object_at(plain, outer.value_start)
        member = inner.member(name)
        assert member is not None
        return _cut(text, self._uncommented(text), inner, member)

    def snippet(self, path: Path2, value: Any) -> str:
        return json.dumps({path[0]: {path[1]: value}}, indent=_INDENT, ensure_ascii=False)

    def _uncommented(self, text: str) -> str:
        """Return the text with blanks in place of comments, of the same length."""
        return _blanked(text, _STRING_OR_COMMENT) if self._lenient else text

    def _plain(self, text: str) -> str:
        """Return the text as strict JSON of the same length."""
        return _blanked(self._uncommented(text), _STRING_OR_LAST_COMMA) if self._lenient else text

    def _added(self, text: str, into: _Object, key: str, value: Any) -> str:
        uncommented = self._uncommented(text)
        unit = _unit(text, _object_at(self._plain(text), 0))
        if not into.members:
            return _filled(text, into, key, value, unit)
        last = into.members[-1]
        comma = "," in uncommented[last.end : into.end]
        tail = text[last.end : into.end].rstrip()
        inline = "\n" not in text[into.start : into.members[0].start] and "//" not in tail
        if inline:
            body = f" {json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        else:
            indent = _indent_of(text, last.start)
            body = newline_of(text) + indent + _member_text(key, value, indent, unit, newline_of(text))
        at = last.end + len(tail)
        before, after = ("", ",") if comma else (",", "")
        return f"{text[: last.end]}{before}{tail}{body}{after}{text[at:]}"


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    """Blank out what the pattern finds besides strings; line breaks stay, so lines count as before."""
    return pattern.sub(
        lambda found: found[0] if found[0].startswith('"') else re.sub(r"[^\r\n]", " ", found[0]), text
    )


def _object_at(plain: str, start: int) -> _Object:
    """Return the object that begins at or after `start` in a text that is known to be JSON."""
    start = at = _after_space(plain, start)
    members = []
    at = _after_space(plain, at + 1)
    while plain[at] != "}":
        key_start = at
        key, at = _DECODER.raw_decode(plain, at)
        value_start = _after_space(plain, _after_space(plain, at) + 1)
        _, end = _DECODER.raw_decode(plain, value_start)
        members.append(_Member(key=key, start=key_start, value_start=value_start, end=end))
        at = _after_space(plain, end)
        if plain[at] == ",":
            at = _after_space(plain, at + 1)
    return _Object(start=start, end=at, members=tuple(members))


def _after_space(plain: str, at: int) -> int:
    found = _SPACE.match(plain, at)
    assert found is not None
    return found.end()


def _unit(text: str, root: _Object) -> str:
    """Return one step of the file's indentation, read from its first member."""
    first = root.members[0].start if root.members else root.start
    return _indent_of(text, first) if "\n" in text[root.start : first] else _INDENT


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _member_text(key: str, value: Any, indent: str, unit: str, newline: str) -> str:
    dumped = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)
    return f"{json.dumps(key, ensure_ascii=False)}: {dumped}"


def _filled(text: str, into: _Object, key: str, value: Any, unit: str) -> str:
    """Put the first member into an object that has none, after comments that it may have."""
    inside = text[into.start + 1 : into.end].rstrip()
    at = into.start + 1 + len(inside)
    if "\n" not in text.strip() and into.start > len(text) - len(text.lstrip()):
        member = f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        return text[:at] + member + text[into.end :]
    newline, outer = newline_of(text), _indent_of(text, into.start)
    member = _member_text(key, value, outer + unit, unit, newline)
    return f"{text[:at]}{newline}{outer}{unit}{member}{newline}{outer}{text[into.end :]}"


def _replaced(text: str, member: _Member, value: Any, unit: str) -> str:
    old = text[member.value_start : member.end]
    if "\n" in text.strip():
        indent = _indent_of(text, member.start)
        new = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline_of(text) + indent)
    else:
        new = json.dumps(value, ensure_ascii=False)
    return text if old == new else text[: member.value_start] + new + text[member.end :]


def _cut(text: str, uncommented: str, within: _Object, member: _Member) -> str:
    """Take a member out with one comma, and with the line that it leaves blank."""
    start, end = member.start, member.end
    after = uncommented.find(",", end, within.end)
    before = uncommented.rfind(",", within.start, start)
    if after >= 0:
        end = after + 1
    elif member is not within.members[0]:
        text = text[:before] + text[before + 1 :]
        start, end = start - 1, end - 1
    head, rest = text[:start].rstrip(" \t\r\n"), text[end:]
    if head.endswith("{") and rest.lstrip().startswith("}"):
        return head + rest.lstrip()
    if re.match(r"[ \t]*(?:\r?\n|\}|$)", rest):
        return head + rest
    return text[:start] + rest.lstrip(" \t")


def _malformed(what: str) -> HostConfigError:
    return HostConfigError(f"It is no JSON: {what}.", advice="Mend the file, then try again.")
