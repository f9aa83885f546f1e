"""`hermes memorycore status|search|audit|undo`: the commands inside Hermes, on its home and its files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memorycore.errors import MemoryCoreError

if TYPE_CHECKING:
    from memorycore.engine.core import MemoryCore

HELP = "MemoryCore: what is remembered, where it is and how to take a move back"

Run = Callable[["MemoryCore", argparse.Namespace], int]


def register_cli(parser: argparse.ArgumentParser) -> None:
    """Add the commands to the host's parser."""
    commands = parser.add_subparsers(dest="memorycore_command", metavar="COMMAND")
    _command(commands, "status", "how full everything is, where it lies and what runs degraded", _status)
    search = _command(commands, "search", "search everything that was stored", _search)
    search.add_argument("query", nargs="+", help="what you want to know; any language")
    search.add_argument("-k", "--top-k", type=int, default=5, help="how many results at most")
    audit = _command(
        commands, "audit", "the hot files, and what the next overflow does with each entry", _audit
    )
    audit.add_argument("--target", choices=["memory", "user", "both"], default="both", help="which file")
    undo = _command(commands, "undo", "take back what a run did", _undo)
    undo.add_argument("run", help="the run, from a receipt or an answer")
    parser.set_defaults(func=_usage(parser))


def _usage(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def show(_: argparse.Namespace) -> int:
        parser.print_help()
        return 2

    return show


def _command(commands: Any, name: str, help: str, run: Run) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help)
    # The host calls `func`; a directory name with a hyphen leaves it no other way to the handler.
    parser.set_defaults(func=lambda arguments: _with_core(run, arguments))
    return parser


def _with_core(run: Run, arguments: argparse.Namespace) -> int:
    """Call a command on a MemoryCore of its own; an error is one line on stderr, its advice another."""
    from memorycore.app import build
    from memorycore.faces.hermes.setup import settings

    try:
        with build(settings()) as core:
            code = run(core, arguments)
    except MemoryCoreError as error:
        print(error.message, error.advice, sep="\n", file=sys.stderr)
        code = 1
    if code:
        sys.exit(code)  # the host drops what a handler returns
    return code


def _status(core: MemoryCore, _: argparse.Namespace) -> int:
    from memorycore.faces import render
    from memorycore.faces.hermes.setup import settings, shown

    for what, value in shown(settings()).items():
        print(f"{what}: {value}")
    _show(render.used(core.usage()))
    return 0


def _search(core: MemoryCore, arguments: argparse.Namespace) -> int:
    from memorycore.faces import render

    _show(render.recalled(core.recall(" ".join(arguments.query), top_k=arguments.top_k)))
    return 0


def _audit(core: MemoryCore, arguments: argparse.Namespace) -> int:
    from memorycore.faces import render

    _show(render.audited(core.audit(arguments.target, page_size=1_000)))
    return 0


def _undo(core: MemoryCore, arguments: argparse.Namespace) -> int:
    from memorycore.faces import render

    answer = core.undo(arguments.run)
    _show(render.moved(answer))
    return 1 if answer.status == "not_found" else 0


def _show(text: Any) -> None:
    from rich.console import Console

    Console(highlight=False).print(text)
