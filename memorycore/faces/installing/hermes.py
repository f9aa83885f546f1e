"""Installing into Hermes Agent: the plugin's directory, and what config.yaml says of it and of the server."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memorycore.errors import HostConfigError
from memorycore.faces.installing import hermes_config, hermes_home, hermes_plugin
from memorycore.faces.installing.edits import on_disk
from memorycore.faces.installing.hermes_home import PLUGIN, Host
from memorycore.faces.installing.hermes_plugin import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was done, or would be: files written or removed, the diff of config.yaml and its backup."""

    home: str
    status: str
    dry_run: bool
    files: tuple[str, ...]
    backups: tuple[str, ...]
    diff: str
    notes: tuple[str, ...]


def install(
    host: Host, now: datetime, *, dry_run: bool = False, force: bool = False, pip: bool = False
) -> Outcome:
    """Bring all parts that the host shall have up to date; what is so already is not written.

    Raises `HostConfigError`, and nothing is written, if config.yaml can't be edited safely, if the name
    of the server is taken, or if the plugin could not be loaded by Hermes (`force` goes on all the same;
    `pip` installs MemoryCore there first).
    """
    source = hermes_home.plugin_source() if host.provider else None
    edit = hermes_config.installation(host, force=force)
    files = hermes_plugin.changed(source, host.plugin) if source else []
    adds = host.python if pip and host.provider and host.python and host.python.state != "installed" else None
    notes = [] if adds else _python_notes(host, refuse=not (dry_run or force))
    if host.entry and host.python and not (host.python.mcp or adds):
        notes.append(host.python.advice_for_servers)
    before, recorded = hermes_config.provider(host), Record.read(host.plugin).provider_before
    former = recorded if before == PLUGIN else before
    if host.provider and former and before != PLUGIN:
        notes.append(f"memory.provider was {former}; uninstall puts it back.")
    if adds:
        notes.append(f"MemoryCore goes into Hermes' Python: {shlex.join(adds.command)}")
    kept: list[Path] = []
    if not dry_run:
        if adds:
            adds.add_package()
        if source and (files or former != recorded):
            with on_disk(host.plugin):
                kept = hermes_plugin.copy(source, host.plugin, former, now)
        backup = edit.write(now) if edit.changes else None
        kept.extend([backup] if backup else [])
    done = bool(files or edit.changes or adds)
    if done:
        notes.append("Restart Hermes; `memorycore hermes status` shows what it will find.")
    return Outcome(
        home=str(host.home),
        status="installed" if done else "unchanged",
        dry_run=dry_run,
        files=tuple(str(host.plugin / name) for name in files),
        backups=tuple(map(str, kept)),
        diff=edit.diff(),
        notes=tuple(notes),
    )


def uninstall(host: Host, now: datetime, *, dry_run: bool = False) -> Outcome:
    """Take out what an installation added and nothing else; the former provider comes back.

    The facts stay, and so does MemoryCore in Hermes' environment.
    """
    edit = hermes_config.removal(host, Record.read(host.plugin).provider_before)
    there = host.provider and (host.plugin.is_symlink() or host.plugin.is_dir())
    notes, kept = [], []
    if not dry_run:
        backup = edit.write(now) if edit.changes else None
        kept.extend([backup] if backup else [])
        with on_disk(host.plugin):
            left = hermes_plugin.remove(hermes_home.own_source(), host.plugin) if there else []
        if left:
            notes.append(f"{host.plugin} keeps what other hands put there: {', '.join(left)}.")
    if there or edit.changes:
        notes.append("Your facts stay where they are. Restart Hermes.")
    return Outcome(
        home=str(host.home),
        status="removed" if there or edit.changes else "absent",
        dry_run=dry_run,
        files=(str(host.plugin),) if there else (),
        backups=tuple(map(str, kept)),
        diff=edit.diff(),
        notes=tuple(notes),
    )


def _python_notes(host: Host, *, refuse: bool) -> list[str]:
    """Return what is to be said of Hermes' interpreter; raise if the plugin could not be loaded in it."""
    if not host.provider:
        return []
    if host.python is None:
        return ["No `hermes` was found, so nobody has checked that its Python has MemoryCore."]
    if host.python.state == "installed":
        return []
    command = shlex.join(host.python.command)
    if host.python.state == "outdated":
        return [f"Hermes' Python has MemoryCore {host.python.version}; to bring it up to date: {command}"]
    if refuse:
        raise HostConfigError(
            f"Hermes' Python {host.python.path} has no MemoryCore, so Hermes would have no memory provider.",
            advice=f"Run {command} (or add --pip), or add --no-provider to register the server alone.",
        )
    return [f"Hermes' Python has no MemoryCore; put it there: {command}"]
