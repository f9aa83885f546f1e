"""`memorycore`: the command line.

stdout is data, as JSON when it is piped; stderr is for messages. Exit codes: 0 done, 1 failed or not
found, 2 used wrongly.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.text import Text

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

# What `--home` and `--memory-dir` gave, as arguments of the settings.
_given: dict[str, Any] = {}


def main() -> None:
    """Run the command line; the console script."""
    try:
        app()
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone; nothing is left to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)


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
    _given.clear()
    _given.update({"home": home} if home else {}, **({"memory_dir": memory_dir} if memory_dir else {}))


@contextmanager
def _told() -> Iterator[None]:
    """Turn an error into one line on stderr and an exit code."""
    try:
        yield
    except MemoryCoreError as error:
        typer.secho(f"{error.message}", fg="red", err=True)
        typer.echo(error.advice, err=True)
        raise typer.Exit(2 if isinstance(error, InvalidInput) else 1) from None


def _settings() -> tuple[Settings, dict[str, str]]:
    settings, sources = load_with_sources(**_given)
    log_to_stderr(settings.log_level)
    return settings, sources


def _ask(call: Callable[[MemoryCore], T], show: Callable[[T], None] = lambda _answer: None) -> T:
    """Return what `call` makes of a MemoryCore that lives as long as it takes.

    `show` gets the answer before closing, which may wait for what the answer does not depend on.
    """
    from memorycore.app import build

    with _told():
        core = build(_settings()[0])
        try:
            answer = call(core)
            show(answer)
            return answer
        finally:
            core.close()


def _show(as_json: bool | None, wire: Any, text: Callable[[], RenderableType]) -> None:
    if as_json if as_json is not None else not sys.stdout.isatty():
        typer.echo(json.dumps(wire, ensure_ascii=False, indent=2))
    else:
        Console(soft_wrap=False, highlight=False).print(text())


@app.command()
def serve() -> None:
    """Serve MCP on stdin and stdout, for hosts that start their servers themselves."""
    from memorycore.faces.serve import run

    run(**_given)


@app.command()
def store(
    content: Annotated[str, typer.Argument(help="The fact; - reads it from stdin.")],
    importance: Annotated[float, typer.Option(help="0 to 1; 0.5 lets the content decide.")] = 0.5,
    scope: Annotated[str, typer.Option(help="Namespace of the fact.")] = "global",
    target: Annotated[str, typer.Option(help="memory or user.")] = "memory",
    as_json: AsJson = None,
) -> None:
    """Store one fact and print its receipt."""
    from memorycore.engine import checks
    from memorycore.faces import render

    with _told():
        fact = _stdin() if content == "-" else content
    answer = _ask(
        lambda core: core.store(fact, importance=importance, scope=scope, target=checks.target(target))
    )
    _show(as_json, to_wire(answer), lambda: render.receipt(answer))
    raise typer.Exit(1 if answer.status == "error" else 0)


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"stdin is not UTF-8: byte 0x{error.object[error.start]:02x} at offset {error.start}.",
            advice="Convert it first, for instance with iconv.",
        ) from None


@app.command()
def recall(
    query: Annotated[str, typer.Argument(help="What you want to know; any language.")],
    top_k: Annotated[int, typer.Option("--top-k", "-k", help="How many results at most.")] = 5,
    history: Annotated[bool, typer.Option("--history", help="Facts that were replaced, too.")] = False,
    as_json: AsJson = None,
) -> None:
    """Search everything that was stored, by meaning and by words."""
    from memorycore.faces import render

    _ask(
        lambda core: core.recall(query, top_k=top_k, include_superseded=history),
        lambda answer: _show(as_json, to_wire(answer), lambda: render.recalled(answer)),
    )


@app.command()
def audit(
    target: WhichFile = "both",
    cursor: Annotated[str, typer.Option(help="`next` of the page before.")] = "",
    as_json: AsJson = None,
) -> None:
    """Show the hot files and what the next overflow does with each entry; changes nothing."""
    from memorycore.faces import render

    answer = _ask(lambda core: core.audit(target, cursor=cursor or None))
    _show(as_json, to_wire(answer), lambda: render.audited(answer))


@app.command()
def usage(as_json: AsJson = None) -> None:
    """Show how full everything is."""
    from memorycore.faces import render

    answer = _ask(lambda core: core.usage())
    _show(as_json, to_wire(answer), lambda: render.used(answer))


@app.command()
def forget(id: Annotated[str, typer.Argument(help="The fact's id.")], as_json: AsJson = None) -> None:
    """Put one fact into the trash."""
    _move(lambda core: core.forget(id), as_json)


@app.command()
def restore(id: Annotated[str, typer.Argument(help="The fact's id.")], as_json: AsJson = None) -> None:
    """Bring one fact back from the trash."""
    _move(lambda core: core.restore(id), as_json)


@app.command()
def undo(
    run: Annotated[str, typer.Argument(help="The run, from a receipt.")], as_json: AsJson = None
) -> None:
    """Take back what a run did."""
    _move(lambda core: core.undo(run), as_json)


def _move(call: Callable[[MemoryCore], Any], as_json: bool | None) -> None:
    from memorycore.faces import render

    answer = _ask(call)
    _show(as_json, to_wire(answer), lambda: render.moved(answer))
    raise typer.Exit(1 if answer.status == "not_found" else 0)


@app.command()
def overflow(
    target: WhichFile = "both",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would move.")] = False,
    as_json: AsJson = None,
) -> None:
    """Make room in the hot files: do to each entry what the audit shows."""
    from memorycore.faces import render

    if dry_run:
        audit(target=target, cursor="", as_json=as_json)
        return
    reports = _ask(lambda core: core.overflow(target))
    wire = {name: to_wire(report) for name, report in reports.items()}
    _show(as_json, wire, lambda: render.overflowed(reports))
    raise typer.Exit(1 if any(report.errors for report in reports.values()) else 0)


@app.command()
def maintain(as_json: AsJson = None) -> None:
    """Bring the cold tier in order: every record gets the vector that it lacks."""
    from rich.progress import Progress

    from memorycore.faces import render

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("maintaining", total=None)
        report = _ask(
            lambda core: core.maintain(
                progress=lambda done, total: bar.update(task, completed=done, total=total)
            )
        )
    _show(as_json, to_wire(report), lambda: render.maintained(report))
    raise typer.Exit(1 if report.errors else 0)


@app.command()
def config(as_json: AsJson = None) -> None:
    """Show each setting's value, its environment variable and where the value came from."""
    from memorycore.faces import listing

    with _told():
        settings, sources = _settings()
        rows = listing.config_rows(settings, sources)
    _show(as_json, rows, lambda: listing.config_table(rows))


@app.command()
def doctor(as_json: AsJson = None) -> None:
    """Check the installation and say how to mend what is wrong; changes no fact."""
    from memorycore.faces import listing
    from memorycore.faces.doctor import examine

    with _told():
        settings, _ = _settings()
    findings = list(examine(settings))
    _show(as_json, listing.finding_rows(findings), lambda: listing.finding_table(findings))
    raise typer.Exit(1 if any(finding.health == "problem" for finding in findings) else 0)


@app.command(name="hosts")
def show_hosts(
    as_json: Annotated[bool, typer.Option("--json", help="JSON for programs.")] = False,
) -> None:
    """Print how to register the server in Hermes, Claude Code, Cursor and others."""
    from memorycore.faces import listing
    from memorycore.faces.hosts import hosts

    with _told():
        known = hosts(*_settings())
    if as_json:
        _show(as_json, listing.host_rows(known), Text)
    else:
        Console(highlight=False).print(listing.host_text(known), soft_wrap=True)


@app.command()
def demo(
    keep: Annotated[Path | None, typer.Option(help="Keep the demo's home in this new directory.")] = None,
    facts: Annotated[Path | None, typer.Option(help="A TOML file of your own facts and questions.")] = None,
) -> None:
    """Start a real server in a temporary home and show it at work, in about a minute."""
    from memorycore.faces.demo import run_demo

    with _told():
        raise typer.Exit(0 if run_demo(keep=keep, facts=facts) else 1)
