"""TOML files of hosts, edited in place: a table is a block of lines, and a new one may stand at the end."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from memorycore.errors import HostConfigError
from memorycore.faces.installing.documents import Document, Path2, newline_of

_STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|\'{3}.*?\'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*''', re.DOTALL
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of a table: its header and what belongs to it, without comments that lead to the next."""

    start: int
    end: int


class TomlFile:
    """TOML; a value is a table."""

    def parse(self, text: str) -> Document:
        try:
            return tomllib.loads(text.replace("\r\n", "\n"))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise HostConfigError(
                f"It is no TOML: {error}.", advice="Mend the file, then try again."
            ) from error

    def put(self, text: str, path: Path2, value: Any) -> str:
        newline = newline_of(text)
        table = self.snippet(path, value).replace("\n", newline)
        lines = text.split("\n")
        blocks = _blocks(text, path)
        if blocks:
            for block in reversed(blocks[1:]):
                _remove(lines, block)
            first = blocks[0]
            ending = "\r" if lines[first.end - 1].endswith("\r") else ""
            lines[first.start : first.end] = [table + ending]
            return "\n".join(lines)
        ending = "" if not text or text.endswith("\n") else newline
        gap = newline if text.strip() and not text.endswith(newline * 2) else ""
        return f"{text}{ending}{gap}{table}{newline}"

    def drop(self, text: str, path: Path2) -> str:
        lines = text.split("\n")
        for block in reversed(_blocks(text, path)):
            _remove(lines, block)
        return "\n".join(lines)

    def snippet(self, path: Path2, value: Any) -> str:
        return "\n\n".join(_tables(path, value))


def _remove(lines: list[str], block: _Block) -> None:
    """Take out a block, and one of the blank lines around it."""
    del lines[block.start : block.end]
    before = block.start > 0 and not lines[block.start - 1].strip()
    if before and (block.start == len(lines) or not lines[block.start].strip()):
        del lines[block.start - 1]


def _blocks(text: str, path: Path2) -> list[_Block]:
    """Return the blocks of a table and of the tables in it; such as follow each other are one."""
    lines = _STRING_OR_COMMENT.sub(_without_lines, text).split("\n")
    headers = [(at, header) for at, line in enumerate(lines) if (header := _header(line))]
    starts = [at for at, _ in headers] + [len(lines)]
    blocks: list[_Block] = []
    for place, (at, header) in enumerate(headers):
        if header[:2] != path:
            continue
        end = starts[place + 1]
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1
        follows = blocks and not "".join(lines[blocks[-1].end : at]).strip()
        blocks.append(_Block(blocks.pop().start if follows else at, end))
    return blocks


def _without_lines(found: re.Match[str]) -> str:
    """Put a stand-in for each line of a string of several lines, so that none looks like a header."""
    return re.sub(r"[^\n]+", "x", found[0]) if "\n" in found[0] else found[0]


def _header(line: str) -> tuple[str, ...]:
    """Return the name that a line opens a table of, () for every other line."""
    if not line.lstrip().startswith("["):
        return ()
    try:
        table = tomllib.loads(line.rstrip("\r"))
    except tomllib.TOMLDecodeError:
        return ()
    names = []
    while isinstance(table, dict) and table:
        ((name, table),) = table.items()
        names.append(name)
    return tuple(names)


def _tables(path: tuple[str, ...], value: dict[str, Any]) -> list[str]:
    """Write a table and after it the tables in it."""
    plain = [f"{_key(name)} = {_value(one)}" for name, one in value.items() if not isinstance(one, dict)]
    own = "\n".join([f"[{'.'.join(map(_key, path))}]", *plain])
    inner = [
        table for name, one in value.items() if isinstance(one, dict) for table in _tables((*path, name), one)
    ]
    return [own, *inner]


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # What JSON escapes, TOML reads; it wants one character more escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {_value(one)}' for name, one in value.items())} }}"
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is no TOML")
