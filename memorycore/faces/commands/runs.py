"""Commands about what was done: undo."""

from __future__ import annotations

from typing import Annotated

import typer

from memorycore.faces.commands.console import AsJson, app, move


@app.command()
def undo(
    run: Annotated[str, typer.Argument(help="The run, from a receipt.")], as_json: AsJson = None
) -> None:
    """Take back what a run did."""
    move(lambda core: core.undo(run), as_json)
