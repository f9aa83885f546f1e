"""Commands about single facts: store, recall, forget, restore."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from memorycore.answers import to_wire
from memorycore.errors import InvalidInput
from memorycore.faces.commands.console import AsJson, app, ask, move, show, told


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

    with told():
        fact = _stdin() if content == "-" else content
    answer = ask(
        lambda core: core.store(fact, importance=importance, scope=scope, target=checks.target(target))
    )
    show(as_json, to_wire(answer), lambda: render.receipt(answer))
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
    history: Annotated[
        bool, typer.Option("--history", "--include-superseded", help="Facts that were replaced, too.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Search everything that was stored, by meaning and by words."""
    from memorycore.faces import render

    ask(
        lambda core: core.recall(query, top_k=top_k, include_superseded=history),
        lambda answer: show(as_json, to_wire(answer), lambda: render.recalled(answer)),
    )


@app.command()
def forget(
    id: Annotated[str, typer.Argument(help="The fact's id.")],
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove every trace for good, and prove it; no undo.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Purge without asking.")] = False,
    as_json: AsJson = None,
) -> None:
    """Put one fact into the trash, or with --purge remove every trace of it."""
    if not purge:
        move(lambda core: core.forget(id), as_json)
        return
    from memorycore.faces import render_history

    with told():
        _confirm_purge(id, yes=yes)
    answer = ask(lambda core: core.forget(id, purge=True))
    show(as_json, to_wire(answer), lambda: render_history.purged(answer))
    raise typer.Exit(0 if answer.status == "purged" else 1)


def _confirm_purge(id: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput(
            "A purge can't be undone, and there is nobody here to ask.", advice="Add --yes if it is meant."
        )
    typer.confirm(f"Remove every trace of {id}? It can't be undone.", abort=True, err=True)


@app.command()
def restore(id: Annotated[str, typer.Argument(help="The fact's id.")], as_json: AsJson = None) -> None:
    """Bring one fact back from the trash, or one that was replaced."""
    move(lambda core: core.restore(id), as_json)


def show_history(id: str, as_json: bool | None) -> None:
    """Show the chain of a fact, the oldest version first; exit with 1 if there is no such fact."""
    from memorycore.faces import render_history

    answer = ask(lambda core: core.fact_history(id))
    show(as_json, to_wire(answer), lambda: render_history.history(answer))
    raise typer.Exit(1 if answer.status == "not_found" else 0)


@app.command()
def trash(
    limit: Annotated[int, typer.Option(help="How many items at most.")] = 50,
    after: Annotated[str, typer.Option(help="`next` of the page before.")] = "",
    as_json: AsJson = None,
) -> None:
    """Show what lies in the trash, why, and when it expires."""
    from memorycore.faces import render_history

    answer = ask(lambda core: core.trash(limit=limit, after=after or None))
    show(as_json, to_wire(answer), lambda: render_history.trash(answer))
