"""Commands that write to the configuration of MCP clients: install, uninstall."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from memorycore.errors import InvalidInput
from memorycore.faces.about import SOURCE, installed_version
from memorycore.faces.commands.console import AsJson, app, settings, show, told

if TYPE_CHECKING:
    from memorycore.faces.installing.clients import Client, Scope
    from memorycore.faces.installing.registering import Outcome
    from memorycore.settings import Settings

Named = Annotated[str, typer.Argument(help="claude-code, claude-desktop, cursor, vscode, codex or gemini.")]
ScopeName = Annotated[
    str, typer.Option("--scope", help="user: all your projects; project: the working directory's alone.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change as a diff and write nothing.")]
Force = Annotated[
    bool, typer.Option("--force", help="Write where the client was never used, or another server's name is.")
]


@app.command()
def install(
    client: Named,
    scope: ScopeName = "user",
    dry_run: DryRun = False,
    force: Force = False,
    as_json: AsJson = None,
) -> None:
    """Register the server in an MCP client's own configuration file; the old one stays beside it."""
    from memorycore.faces.hosts import server_entry
    from memorycore.faces.installing import clients, registering

    with told():
        known, sources = settings()
        chosen, places = clients.client_named(client), clients.Places.here()
        wanted = _scope(scope)
        edit = registering.installation(chosen, wanted, places, server_entry(known, sources), force=force)
        notes = _notes(chosen, wanted, known, sources)
        outcome = registering.carry_out(chosen, edit, datetime.now(UTC), dry_run=dry_run, notes=notes)
    show(as_json, asdict(outcome), lambda: _shown(outcome), soft_wrap=True)


@app.command()
def uninstall(
    client: Named,
    scope: ScopeName = "user",
    dry_run: DryRun = False,
    force: Force = False,
    as_json: AsJson = None,
) -> None:
    """Take the server out of an MCP client's configuration file; your facts stay where they are."""
    from memorycore.faces.installing import clients, registering

    with told():
        chosen, places = clients.client_named(client), clients.Places.here()
        edit = registering.removal(chosen, _scope(scope), places, force=force)
        outcome = registering.carry_out(
            chosen,
            edit,
            datetime.now(UTC),
            dry_run=dry_run,
            notes=(f"Restart {chosen.title} to stop the server.",),
        )
    show(as_json, asdict(outcome), lambda: _shown(outcome), soft_wrap=True)


def _notes(client: Client, scope: Scope, known: Settings, sources: dict[str, str]) -> tuple[str, ...]:
    notes = [f"Restart {client.title} to load the server."]
    if installed_version() == SOURCE:
        notes.append("MemoryCore runs from its source here: install it, or the client can't start it.")
    if known.embed_api_key and sources["embed_api_key"] != "config.toml":
        notes.append(
            "MEMORYCORE_EMBED_API_KEY was not written there; "
            f"put embed_api_key into {known.home / 'config.toml'}."
        )
    if scope == "project":
        notes.append("The file names paths of this machine: think before you commit it.")
    return tuple(notes)


def _scope(name: str) -> Scope:
    from memorycore.faces.installing.clients import Scope

    for scope in get_args(Scope):
        if name == scope:
            return scope  # type: ignore[no-any-return]
    raise InvalidInput(f"{name!r} is no scope.", advice="Give user or project.")


def _shown(outcome: Outcome) -> RenderableType:
    would = {"installed": "would be installed", "updated": "would be updated", "removed": "would be removed"}
    said = {"unchanged": "is already there", "absent": "is not there"} | (
        {} if not outcome.dry_run else would
    )
    lines: list[RenderableType] = [
        Text(f"memorycore {said.get(outcome.status, outcome.status)}: {outcome.path}")
    ]
    if outcome.dry_run and outcome.diff:
        lines.append(Text(outcome.diff))
    if outcome.backup:
        lines.append(Text(f"The old file is {outcome.backup}.", style="dim"))
    lines.extend(Text(note, style="dim") for note in outcome.notes)
    return Group(*lines)
