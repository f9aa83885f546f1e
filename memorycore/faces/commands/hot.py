"""Commands about the hot files and how full everything is: audit, overflow, usage."""

from __future__ import annotations

from typing import Annotated

import typer

from memorycore.answers import to_wire
from memorycore.faces.commands.console import AsJson, WhichFile, app, ask, show, told


@app.command()
def audit(
    target: WhichFile = "both",
    cursor: Annotated[str, typer.Option(help="`next` of the page before.")] = "",
    at: Annotated[
        str, typer.Option(help="Look ahead: what would be done on this date, or at this ISO 8601 time.")
    ] = "",
    as_json: AsJson = None,
) -> None:
    """Show the hot files and what the next overflow does with each entry; changes nothing."""
    from memorycore.faces import render
    from memorycore.faces.moments import moment

    with told():
        then = moment(at) if at else None
    answer = ask(
        lambda core: core.audit(target, cursor=cursor or None, at=None if then is None else then.time)
    )
    if then is not None and then.assumed:
        typer.echo(then.assumed, err=True)
    show(as_json, to_wire(answer), lambda: render.audited(answer))


@app.command()
def overflow(
    target: WhichFile = "both",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would move.")] = False,
    as_json: AsJson = None,
) -> None:
    """Make room in the hot files: do to each entry what the audit shows."""
    from memorycore.faces import render

    if dry_run:
        audit(target=target, cursor="", at="", as_json=as_json)
        return
    reports = ask(lambda core: core.overflow(target))
    wire = {name: to_wire(report) for name, report in reports.items()}
    show(as_json, wire, lambda: render.overflowed(reports))
    raise typer.Exit(1 if any(report.errors for report in reports.values()) else 0)


@app.command()
def usage(as_json: AsJson = None) -> None:
    """Show how full everything is."""
    from memorycore.faces import render

    answer = ask(lambda core: core.usage())
    show(as_json, to_wire(answer), lambda: render.used(answer))
