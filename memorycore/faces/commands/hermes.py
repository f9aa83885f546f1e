"""Commands about Hermes Agent: hermes install, status, uninstall."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from memorycore.faces.commands.console import AsJson, app, settings, show, told

if TYPE_CHECKING:
    from memorycore.faces.installing.hermes import Outcome
    from memorycore.faces.installing.hermes_home import Host
    from memorycore.faces.installing.hermes_status import Part

hermes = typer.Typer(
    help="Install MemoryCore into Hermes Agent, see how it is there, take it out.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(hermes, name="hermes")

Profile = Annotated[
    str | None, typer.Option("--profile", help="A profile of Hermes; else the one that `hermes` uses.")
]
NoProvider = Annotated[
    bool, typer.Option("--no-provider", help="Leave the plugin, memory.provider and plugins.enabled alone.")
]
NoServer = Annotated[bool, typer.Option("--no-mcp", help="Leave mcp_servers alone.")]
Python = Annotated[
    Path | None, typer.Option("--python", help="The Python that Hermes runs in; else that of `hermes`.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the files and the diff, and write nothing.")]


@hermes.command()
def install(
    profile: Profile = None,
    no_provider: NoProvider = False,
    no_mcp: NoServer = False,
    python: Python = None,
    pip: Annotated[bool, typer.Option("--pip", help="First install MemoryCore into Hermes' Python.")] = False,
    dry_run: DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Go on though Hermes can't load it yet.")] = False,
    as_json: AsJson = None,
) -> None:
    """Copy the plugin, switch it on, register the MCP server; the old config.yaml stays beside the new."""
    from memorycore.faces.installing import hermes as installing

    with told():
        host = _host(profile, python, provider=not no_provider, server=not no_mcp)
        outcome = installing.install(host, datetime.now(UTC), dry_run=dry_run, force=force, pip=pip)
    show(as_json, asdict(outcome), lambda: _shown(outcome), soft_wrap=True)


@hermes.command()
def status(
    profile: Profile = None,
    no_provider: NoProvider = False,
    no_mcp: NoServer = False,
    python: Python = None,
    as_json: AsJson = None,
) -> None:
    """Show each part of the installation; exits with 1 if one is not as this MemoryCore would have it."""
    from memorycore.faces.installing import hermes_status

    with told():
        host = _host(profile, python, provider=not no_provider, server=not no_mcp)
        parts = list(hermes_status.parts(host))
    complete = all(part.state == "installed" for part in parts)
    wire = {"home": str(host.home), "complete": complete, "parts": [asdict(part) for part in parts]}
    show(as_json, wire, lambda: _listed(parts), soft_wrap=True)
    raise typer.Exit(0 if complete else 1)


@hermes.command()
def uninstall(
    profile: Profile = None,
    no_provider: NoProvider = False,
    no_mcp: NoServer = False,
    dry_run: DryRun = False,
    as_json: AsJson = None,
) -> None:
    """Take out what install added; the provider that there was comes back, and your facts stay."""
    from memorycore.faces.installing import hermes as installing

    with told():
        host = _host(profile, None, provider=not no_provider, server=not no_mcp, ask=False)
        outcome = installing.uninstall(host, datetime.now(UTC), dry_run=dry_run)
    show(as_json, asdict(outcome), lambda: _shown(outcome), soft_wrap=True)


def _host(
    profile: str | None, python: Path | None, *, provider: bool, server: bool, ask: bool = True
) -> Host:
    from memorycore.faces.hosts import hermes_entry
    from memorycore.faces.installing import hermes_python
    from memorycore.faces.installing.hermes_home import Host, home_of

    home = home_of(profile)
    entry = hermes_entry(*settings(), home) if server else None
    return Host(
        home=home,
        python=hermes_python.find(python) if ask else None,
        entry=entry,
        provider=provider,
    )


def _shown(outcome: Outcome) -> RenderableType:
    would = "would be " if outcome.dry_run else ""
    said = {"unchanged": "is already there", "absent": "is not there"}
    lines: list[RenderableType] = [
        Text(f"memorycore {said.get(outcome.status, would + outcome.status)}: {outcome.home}")
    ]
    lines.extend(Text(f"  {would}{outcome.status}: {name}") for name in outcome.files)
    if outcome.dry_run and outcome.diff:
        lines.append(Text(outcome.diff))
    lines.extend(Text(f"  kept: {name}", style="dim") for name in outcome.backups)
    lines.extend(Text(note) for note in outcome.notes)
    return Group(*lines)


def _listed(parts: list[Part]) -> RenderableType:
    colours = {"installed": "green", "absent": "red"}
    return Group(
        *(
            Text.assemble(
                f"{part.name:<10}", (f"{part.state:<11}", colours.get(part.state, "yellow")), part.detail
            )
            for part in parts
        )
    )
