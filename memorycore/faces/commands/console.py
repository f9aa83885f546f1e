"""What the commands of `memorycore` share: the application, its options, how answers and errors are shown.

stdout is data, as JSON when it is piped; stderr is for messages. Exit codes: 0 done, 1 failed or not
found, 2 used wrongly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console, RenderableType

from memorycore.answers import to_wire
from memorycore.errors import InvalidInput, MemoryCoreError
from memorycore.faces.about import installed_version
from memorycore.faces.log import log_to_stderr
from memorycore.settings import Settings, load_with_sources

if TYPE_CHECKING:
    from memorycore.engine.core import MemoryCore

T = TypeVar("T")

app = typer.Typer(
    name="memorycore",
    help="Memory governance for LLM agents: small true hot files, a cold tier that stays findable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[
    bool | None,
    typer.Option("--json/--text", help="JSON for programs or text for people; by default JSON when piped."),
]
WhichFile = Annotated[str, typer.Option("--target", help="memory, user or both.")]

given: dict[str, Any] = {}
"""What `--home` and `--memory-dir` gave, as arguments of the settings."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memorycore {installed_version()}")
        raise typer.Exit


@app.callback()
def _options(
    home: Annotated[Path | None, typer.Option(help="Where the stores lie; else MEMORYCORE_HOME.")] = None,
    memory_dir: Annotated[Path | None, typer.Option(help="Where the hot files lie; else MEMORY_DIR.")] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    given.clear()
    given.update({"home": home} if home else {}, **({"memory_dir": memory_dir} if memory_dir else {}))


@contextmanager
def told() -> Iterator[None]:
    """Turn an error into one line on stderr and an exit code."""
    try:
        yield
    except MemoryCoreError as error:
        typer.secho(f"{error.message}", fg="red", err=True)
        typer.echo(error.advice, err=True)
        raise typer.Exit(2 if isinstance(error, InvalidInput) else 1) from None


def settings() -> tuple[Settings, dict[str, str]]:
    """Return the settings and where each came from, and log as they say."""
    known, sources = load_with_sources(**given)
    log_to_stderr(known.log_level)
    return known, sources


def ask(call: Callable[[MemoryCore], T], show: Callable[[T], None] = lambda _answer: None) -> T:
    """Return what `call` makes of a MemoryCore that lives as long as it takes.

    `show` gets the answer before closing, which may wait for what the answer does not depend on.
    """
    from memorycore.app import build

    with told():
        core = build(settings()[0])
        try:
            answer = call(core)
            show(answer)
            return answer
        finally:
            core.close()


def show(
    as_json: bool | None, wire: Any, text: Callable[[], RenderableType], *, soft_wrap: bool = False
) -> None:
    """Print an answer: `wire` as JSON, or the text that is made for people.

    With `soft_wrap`, lines are left whole, for what is to be copied.
    """
    if as_json if as_json is not None else not sys.stdout.isatty():
        typer.echo(json.dumps(wire, ensure_ascii=False, indent=2))
    else:
        Console(soft_wrap=soft_wrap, highlight=False).print(text())


def move(call: Callable[[MemoryCore], Any], as_json: bool | None) -> None:
    """Show what a forget, restore or undo did; exit with 1 if there was nothing to do it to."""
    from memorycore.faces import render

    answer = ask(call)
    show(as_json, to_wire(answer), lambda: render.moved(answer))
    raise typer.Exit(1 if answer.status == "not_found" else 0)
