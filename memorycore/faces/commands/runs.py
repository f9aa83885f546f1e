"""Commands about what was done: history, show, undo."""

from __future__ import annotations

from typing import Annotated

import typer

from memorycore.answers import to_wire
from memorycore.faces.commands.console import AsJson, app, ask, move, show
from memorycore.faces.commands.facts import show_history

ARun = Annotated[str, typer.Argument(help="The run or pass, from a receipt or from `memorycore history`.")]


@app.command()
def history(
    id: Annotated[str, typer.Argument(help="A fact's id, for what it replaced and what replaced it.")] = "",
    limit: Annotated[int, typer.Option(help="How many runs at most.")] = 20,
    before: Annotated[str, typer.Option(help="Only runs older than this one.")] = "",
    as_json: AsJson = None,
) -> None:
    """List what was done, newest first; of one fact: what it replaced, what replaced it, when and why."""
    if id:
        show_history(id, as_json)
        return
    from memorycore.faces import render_runs

    answer = ask(lambda core: core.history(limit=limit, before=before or None))
    show(as_json, to_wire(answer), lambda: render_runs.history(answer))


@app.command(name="show")
def show_run(run: ARun, as_json: AsJson = None) -> None:
    """Show what a run did: each action, why, what moved from where to where, and whether it can be undone."""
    from memorycore.faces import render_runs

    answer = ask(lambda core: core.show(run))
    show(as_json, to_wire(answer), lambda: render_runs.detail(answer))


@app.command()
def undo(run: ARun, as_json: AsJson = None) -> None:
    """Take back what a run did, exactly; the undo is a run too, and can be undone."""
    move(lambda core: core.undo(run), as_json)
