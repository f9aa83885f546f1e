"""Commands about the cold tier: maintain."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from memorycore.answers import to_wire
from memorycore.faces.commands.console import AsJson, app, ask, show


@app.command()
def maintain(as_json: AsJson = None) -> None:
    """Bring the cold tier in order: every record gets the vector that it lacks."""
    from rich.progress import Progress

    from memorycore.faces import render

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("maintaining", total=None)
        report = ask(
            lambda core: core.maintain(
                progress=lambda done, total: bar.update(task, completed=done, total=total)
            )
        )
    show(as_json, to_wire(report), lambda: render.maintained(report))
    raise typer.Exit(1 if report.errors else 0)
