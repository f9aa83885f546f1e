"""Commands about the installation: serve, config, doctor, hosts, demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from memorycore.faces.commands.console import AsJson, app, given, settings, show, told


@app.command()
def serve() -> None:
    """Serve MCP on stdin and stdout, for hosts that start their servers themselves."""
    from memorycore.faces.serve import run

    run(**given)


@app.command()
def config(as_json: AsJson = None) -> None:
    """Show each setting's value, its environment variable and where the value came from."""
    from memorycore.faces import listing

    with told():
        known, sources = settings()
        rows = listing.config_rows(known, sources)
    show(as_json, rows, lambda: listing.config_table(rows))


@app.command()
def doctor(as_json: AsJson = None) -> None:
    """Check the installation and say how to mend what is wrong; changes no fact."""
    from memorycore.faces import listing
    from memorycore.faces.doctor import examine

    with told():
        known, _ = settings()
    findings = list(examine(known))
    show(as_json, listing.finding_rows(findings), lambda: listing.finding_table(findings))
    raise typer.Exit(1 if any(finding.health == "problem" for finding in findings) else 0)


@app.command(name="hosts")
def show_hosts(
    as_json: Annotated[bool, typer.Option("--json", help="JSON for programs.")] = False,
) -> None:
    """Print how to register the server in Hermes, Claude Code, Cursor and others."""
    from memorycore.faces import listing
    from memorycore.faces.hosts import hosts

    with told():
        known = hosts(*settings())
    if as_json:
        show(as_json, listing.host_rows(known), Text)
    else:
        Console(highlight=False).print(listing.host_text(known), soft_wrap=True)
        Console(highlight=False, stderr=True).print(
            "Or let it be written for you: `memorycore install` names a client, "
            "`memorycore hermes install` is for Hermes.",
            soft_wrap=True,
        )


@app.command()
def demo(
    keep: Annotated[Path | None, typer.Option(help="Keep the demo's home in this new directory.")] = None,
    facts: Annotated[Path | None, typer.Option(help="A TOML file of your own facts and questions.")] = None,
) -> None:
    """Start a real server in a temporary home and show it at work, in about a minute."""
    from memorycore.faces.demo import run_demo

    with told():
        raise typer.Exit(0 if run_demo(keep=keep, facts=facts) else 1)
