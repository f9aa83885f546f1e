"""YAML files of hosts, edited in place: PyYAML says where each node lies, and the text is cut there."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

import yaml

from memorycore.errors import HostConfigError
from memorycore.faces.installing.documents import Document, Path2, newline_of

_STEP = 2

Pair = tuple[yaml.Node, yaml.Node]


class YamlFile:
    """One YAML document that is a block mapping; sections may be blocks or in braces."""

    def parse(self, text: str) -> Document:
        try:
            value = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = f"line {mark.line + 1}: " if mark else ""
            raise _malformed(f"{where}{error.problem or error.context}") from error
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise _malformed(str(error)) from error
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise HostConfigError("It holds no mapping.", advice="Mend it or move it away.")
        return value

    def put(self, text: str, path: Path2, value: Any) -> str:
        section, name = path
        root = _root(text)
        if root is None or (root.flow_style and not root.value):
            start, end = (len(text), len(text)) if root is None else _span(root)
            return _appended(text[:start] + text[end:].lstrip(), {section: {name: value}}, 0)
        pair = _pair(root, section)
        if pair is None and root.flow_style:
            raise _unsafe()
        if pair is None:
            return _appended(text, {section: {name: value}}, root.start_mark.column)
        member = _pair(pair[1], name)
        if member is not None:
            return _replaced(text, member, name, value, flow=_is_flow(pair[1]))
        return _added(text, pair, name, value)

    def drop(self, text: str, path: Path2) -> str:
        section, name = path
        root = _root(text)
        outer = _pair(root, section)
        assert outer is not None
        inner = outer[1]
        member = _pair(inner, name)
        assert member is not None
        assert isinstance(inner, yaml.MappingNode)
        if inner.flow_style:
            return _cut_from_braces(text, *member)
        start = text.rfind("\n", 0, member[0].start_mark.index) + 1
        end = _line_end(text, _content_end(text, member))
        if text[start : member[0].start_mark.index].strip():
            raise _unsafe()
        if len(inner.value) > 1:
            return text[:start] + text[end:]
        return _with_empty(text[:start] + text[end:], outer[0], "{}")

    def include(self, text: str, path: Path2, item: str) -> str:
        key, node = _list(text, path)
        start, _ = _span(node)
        if start < key.end_mark.index:
            raise _unsafe()
        if node.flow_style:
            return f"{text[: start + 1]}{json.dumps(item, ensure_ascii=False)}, {text[start + 1 :]}"
        return _below(text, key, [item], node.start_mark.column)

    def exclude(self, text: str, path: Path2, item: str) -> str:
        key, node = _list(text, path)
        ours = [one for one in node.value if isinstance(one, yaml.ScalarNode) and one.value == item]
        for one in reversed(ours):
            text = _cut_from_braces(text, one, one) if node.flow_style else _without_line(text, one)
        emptied = len(ours) == len(node.value) and not node.flow_style
        return _with_empty(text, key, "[]") if emptied else text

    def snippet(self, path: Path2, value: Any) -> str:
        return _block({path[0]: {path[1]: value}}, 0, "\n").rstrip()


def _added(text: str, section: Pair, name: str, value: Any) -> str:
    """Add a member to a section, before those that it has."""
    key, node = section
    start, end = _span(node)
    if start < key.end_mark.index:  # an alias: its text stands elsewhere
        raise _unsafe()
    if isinstance(node, yaml.MappingNode) and node.value:
        if node.flow_style:
            at = start + len(text[start : end - 1].rstrip())
            return f"{text[:at]}, {_in_braces(name, value)}{text[at:]}"
        column = node.start_mark.column
        if node.start_mark.line == key.start_mark.line:
            raise _unsafe()
    else:  # nothing yet: `memory:`, `memory: null` or `memory: {}`
        column = key.start_mark.column + _STEP
        text = text[:start].rstrip(" ") + text[end:]
    return _below(text, key, {name: value}, column)


def _below(text: str, key: yaml.Node, value: Any, column: int) -> str:
    """Insert the lines of a value below that of a key, whose comment stays beside it."""
    at = _line_end(text, key.end_mark.index)
    newline = newline_of(text)
    ending = "" if text[:at].endswith("\n") else newline
    return f"{text[:at]}{ending}{_block(value, column, newline)}{text[at:]}"


def _replaced(text: str, member: Pair, name: str, value: Any, *, flow: bool) -> str:
    key, node = member
    if node.start_mark.index < key.end_mark.index:
        raise _unsafe()
    if flow:
        return text[: key.start_mark.index] + _in_braces(name, value) + text[node.end_mark.index :]
    start, end = _span(node)
    if isinstance(value, list) and _is_empty(node):
        return _below(text[:start].rstrip(" ") + text[end:], key, value, key.start_mark.column)
    if isinstance(node, yaml.ScalarNode) and not isinstance(value, dict | list):
        gap = " " if text[start - 1] == ":" else ""
        return text[:start] + gap + _block({name: value}, 0, "\n").split(": ", 1)[1].rstrip() + text[end:]
    block = _block({name: value}, key.start_mark.column, newline_of(text))
    return text[: key.start_mark.index] + block.strip() + text[_content_end(text, member) :]


def _without_line(text: str, item: yaml.Node) -> str:
    """Take out the line of a list's item."""
    start = text.rfind("\n", 0, item.start_mark.index) + 1
    if text[start : item.start_mark.index].strip() != "-":
        raise _unsafe()
    return text[:start] + text[_line_end(text, item.end_mark.index) :]


def _with_empty(text: str, key: yaml.Node, empty: str) -> str:
    """Say of a key, whose members were taken out, that it is empty."""
    colon = text.index(":", key.end_mark.index) + 1
    return f"{text[:colon]} {empty}{text[colon:]}"


def _cut_from_braces(text: str, first: yaml.Node, last: yaml.Node) -> str:
    head, rest = text[: first.start_mark.index], text[last.end_mark.index :]
    comma = re.match(r"\s*,[ \t]*", rest)
    return head + rest[comma.end() :] if comma else re.sub(r",?\s*\Z", "", head) + rest


def _appended(text: str, value: Any, column: int) -> str:
    newline = newline_of(text)
    ending = "" if not text or text.endswith("\n") else newline
    return text + ending + _block(value, column, newline)


def _block(value: Any, column: int, newline: str) -> str:
    dumped = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1_000_000)
    return textwrap.indent(dumped, " " * column).replace("\n", newline)


def _in_braces(name: str, value: Any) -> str:
    return f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"


def _list(text: str, path: Path2) -> tuple[yaml.Node, yaml.SequenceNode]:
    """Return the key and the value of a place that holds a list."""
    section, name = path
    outer = _pair(_root(text), section)
    assert outer is not None
    inner = _pair(outer[1], name)
    assert inner is not None
    key, node = inner
    assert isinstance(node, yaml.SequenceNode)
    return key, node


def _pair(node: yaml.Node | None, name: str) -> Pair | None:
    """Return the key and the value of a name in a mapping, None if there is none."""
    if not isinstance(node, yaml.MappingNode):
        return None
    found = [pair for pair in node.value if pair[0].value == name]
    if len(found) > 1:
        raise HostConfigError(f"It has {name!r} twice.", advice="Take one of them out, then try again.")
    return found[0] if found else None


def _content_end(text: str, member: Pair) -> int:
    """Return where the text of a member ends; PyYAML counts blank lines and comments after a block to it."""
    key, node = member
    start, end = _span(node)
    if start < key.end_mark.index:
        raise _unsafe()
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _content_end(text, last if isinstance(last, tuple) else (key, last))
    return start + len(text[start:end].rstrip())


def _span(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.index, node.end_mark.index


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _root(text: str) -> yaml.MappingNode | None:
    root = yaml.compose(text, yaml.SafeLoader)
    return root if isinstance(root, yaml.MappingNode) else None


def _is_empty(node: yaml.Node) -> bool:
    return not node.value or node.tag == "tag:yaml.org,2002:null"


def _is_flow(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def _unsafe() -> HostConfigError:
    return HostConfigError("It has no lines of its own.", advice="Edit the file by hand.")


def _malformed(what: str) -> HostConfigError:
    return HostConfigError(f"It is no YAML: {what}.", advice="Mend the file, then try again.")
