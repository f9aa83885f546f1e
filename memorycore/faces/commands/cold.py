"""Commands about the cold tier: maintain, reindex."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from memorycore.answers import to_wire
from memorycore.faces.commands.console import AsJson, app, ask, show


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr where somebody sees it; yields what moves it."""
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@app.command()
def maintain(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would leave, change nothing.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Bring the cold tier in order: merge doubles, retire what is outdated or faded, fill vectors."""
    from memorycore.faces import render

    if dry_run:
        with _bar("looking") as moved:
            preview = ask(lambda core: core.preview_maintenance(progress=moved))
        show(as_json, to_wire(preview), lambda: render.previewed(preview))
        return
    with _bar("maintaining") as moved:
        report = ask(lambda core: core.maintain(progress=moved))
    show(as_json, to_wire(report), lambda: render.maintained(report))
    raise typer.Exit(1 if report.errors else 0)


@app.command()
def reindex(as_json: AsJson = None) -> None:
    """After a change of the embedding model, make all vectors anew; may be stopped and run again."""
    from memorycore.faces import render

    with _bar("reindexing") as moved:
        report = ask(lambda core: core.reindex(progress=moved))
    show(as_json, to_wire(report), lambda: render.reindexed(report))
    raise typer.Exit(0 if report.done else 1)
