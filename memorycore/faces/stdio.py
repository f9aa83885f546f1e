"""The wire: the process's own stdin and stdout, kept for the protocol alone."""

from __future__ import annotations

import io
import os
import re
import sys
from dataclasses import dataclass
from typing import TextIO

# A code point that Unicode reserves for use inside a program; it stands for half of a surrogate pair,
# which JSON can spell and text can't hold.
HALF_PAIR = "\ufdd0"

# An even run of backslashes, then either a whole pair (kept) or a half.
_ESCAPED_HALF = re.compile(
    r"(?<!\\)((?:\\\\)*)"
    r"(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_BARE_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Wire:
    """The protocol's streams."""

    stdin: TextIO
    stdout: TextIO


def take_wire() -> Wire:
    """Return the process's stdin and stdout and point both elsewhere.

    From here on a print, a C library's message or a child's output goes to stderr, and whoever reads
    stdin finds it at its end. Undecodable input bytes arrive as halves of surrogate pairs.
    """
    inward, outward = os.dup(0), os.dup(1)
    _point(0, os.open(os.devnull, os.O_RDONLY))
    _point(1, os.dup(2))
    sys.stdout.flush()  # what was printed before we came goes elsewhere too
    sys.stdout = sys.stderr
    return Wire(
        stdin=io.TextIOWrapper(os.fdopen(inward, "rb"), encoding="utf-8", errors="surrogateescape"),
        stdout=io.TextIOWrapper(os.fdopen(outward, "wb"), encoding="utf-8", newline="\n"),
    )


def _point(descriptor: int, elsewhere: int) -> None:
    os.dup2(elsewhere, descriptor)
    os.close(elsewhere)


def mark_half_pairs(line: str) -> str:
    """Return the JSON line with each half of a surrogate pair replaced by `HALF_PAIR`.

    An MCP SDK drops a message that holds one and leaves the client waiting; marked, it can be refused.
    """
    if "\\u" in line:
        line = _ESCAPED_HALF.sub(lambda found: found[1] + (found[2] or HALF_PAIR), line)
    return _BARE_HALF.sub(HALF_PAIR, line)
