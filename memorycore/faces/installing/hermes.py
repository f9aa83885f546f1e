"""Installing into Hermes Agent: the plugin's directory, the provider's name and the server in config.yaml."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memorycore.adapters.files import read_whole
from memorycore.errors import HostConfigError
from memorycore.faces.installing import documents, hermes_plugin
from memorycore.faces.installing.clients import SERVER
from memorycore.faces.installing.edits import Edit, about, backups, encoded, on_disk, text_of
from memorycore.faces.installing.hermes_home import PLUGIN, plugin_source
from memorycore.faces.installing.hermes_plugin import Record
from memorycore.faces.installing.hermes_python import HermesPython
from memorycore.faces.installing.registering import before_puts, is_ours, merged
from memorycore.faces.installing.yaml_text import YamlFile

_YAML = YamlFile()
_PROVIDER = ("memory", "provider")
_SERVER = ("mcp_servers", SERVER)
# A server that died is noticed by this ping; until then its tools fail.
_USUAL = {"connect_timeout": 60, "keepalive_interval": 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A Hermes and what it shall have: `entry` is the server's, None of it for no server."""

    home: Path
    python: HermesPython | None
    entry: dict[str, Any] | None
    provider: bool

    @property
    def plugin(self) -> Path:
        """Where the plugin lies."""
        return self.home / "plugins" / PLUGIN

    @property
    def config(self) -> Path:
        """Hermes' configuration file."""
        return self.home / "config.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of an installation; `state` is installed, absent, outdated, different or unknown."""

    name: str
    state: str
    detail: str


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
    source = plugin_source() if host.provider else None
    edit = _config_with(host, force=force)
    files = hermes_plugin.changed(source, host.plugin) if source else []
    notes = _python_notes(host, refuse=not (dry_run or force or pip))
    if host.entry and host.python and not (host.python.mcp or (pip and host.provider)):
        notes.append(_no_mcp(host.python))
    before, record = _provider(host), Record.read(host.plugin)
    former = record.provider_before if before == PLUGIN else before
    if host.provider and former and before != PLUGIN:
        notes.append(f"memory.provider was {former}; uninstall puts it back.")
    kept: list[Path] = []
    if not dry_run:
        if pip and host.provider and host.python and host.python.state != "installed":
            host.python.add_package()
        if source and (files or former != record.provider_before):
            with on_disk(host.plugin):
                kept = hermes_plugin.copy(source, host.plugin, former, now)
        backup = edit.write(now) if edit.changes else None
        kept.extend([backup] if backup else [])
    if files or edit.changes:
        notes.append("Restart Hermes; `memorycore hermes status` shows what it will find.")
    return Outcome(
        home=str(host.home),
        status="installed" if files or edit.changes else "unchanged",
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
    edit = _config_without(host)
    there = host.provider and (host.plugin.is_symlink() or host.plugin.is_dir())
    notes, kept = [], []
    if not dry_run:
        backup = edit.write(now) if edit.changes else None
        kept.extend([backup] if backup else [])
        with on_disk(host.plugin):
            left = hermes_plugin.remove(_own_source(), host.plugin) if there else []
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


def status(host: Host) -> list[Part]:
    """Return each part that the host shall have, and how it is. Raises if config.yaml is malformed."""
    parts = []
    if host.provider:
        parts.append(_package_part(host))
        state = hermes_plugin.state(_own_source(), host.plugin)
        parts.append(Part(name="plugin", state=state, detail=str(host.plugin)))
        found = _provider(host)
        known = {PLUGIN: "installed", None: "absent"}
        parts.append(
            Part(
                name="provider",
                state=known.get(found, "different"),
                detail=f"memory.provider is {found or 'not set'}",
            )
        )
    if host.entry is not None:
        parts.append(_server_part(host, host.entry))
        if host.python and not host.python.mcp:
            parts.append(Part(name="mcp", state="absent", detail=_no_mcp(host.python)))
    return parts


def _no_mcp(python: HermesPython) -> str:
    return f"Hermes can't use MCP servers yet; run {shlex.join(python.installing('hermes-agent[mcp]'))}"


def _package_part(host: Host) -> Part:
    python = host.python
    if python is None:
        return Part(
            name="package", state="unknown", detail="no `hermes` found; name its Python with --python"
        )
    detail = f"{python.version or 'not'} in {python.path}"
    if python.state != "installed":
        detail += f"; run {shlex.join(python.command)}"
    return Part(name="package", state=python.state, detail=detail)


def _server_part(host: Host, entry: dict[str, Any]) -> Part:
    found = _value(host, _SERVER)
    if found is None:
        return Part(name="server", state="absent", detail=f"no mcp_servers.{SERVER} in {host.config}")
    if is_ours(found) and not Path(found["command"]).expanduser().is_file():
        return Part(name="server", state="outdated", detail=f"there is no {found['command']}")
    alike = documents.same(found, merged(found, entry, _USUAL))
    if alike and found.get("enabled", True) is not True:
        return Part(name="server", state="different", detail=f"switched off in {host.config}")
    return Part(name="server", state="installed" if alike else "different", detail=str(host.config))


def _config_with(host: Host, *, force: bool) -> Edit:
    before = read_whole(host.config)
    text, mark = text_of(host.config, before)
    with about(host.config):
        if host.provider and documents.value_at(_YAML, text, _PROVIDER) != PLUGIN:
            text = documents.put(_YAML, text, _PROVIDER, PLUGIN)
        if host.entry is not None:
            found = documents.value_at(_YAML, text, _SERVER)
            if found is not None and not is_ours(found) and not force:
                raise HostConfigError(
                    f"Its mcp_servers.{SERVER} does not start a command, so it is not this one.",
                    advice="Rename that one, add --force, or add --no-mcp.",
                )
            entry = merged(found, host.entry, _USUAL)
            if not documents.same(found, entry):
                text = documents.put(_YAML, text, _SERVER, entry)
    after = mark + encoded(text)
    return Edit(host.config, before, after if text or before is not None else None)


def _config_without(host: Host) -> Edit:
    before = read_whole(host.config)
    text, mark = text_of(host.config, before)
    with about(host.config):
        found = documents.value_at(_YAML, text, _SERVER)
        puts: list[tuple[documents.Path2, Any]] = []
        if host.provider and documents.value_at(_YAML, text, _PROVIDER) == PLUGIN:
            puts.append((_PROVIDER, PLUGIN))
        if host.entry is not None and is_ours(found):
            puts.append((_SERVER, found))
        if not puts:
            return Edit(host.config, before, before)
        old = before_puts(_YAML, host.config, text, puts)
        if old is None:
            old = _taken_out(text, [place for place, _ in puts], Record.read(host.plugin).provider_before)
    return Edit(host.config, before, mark + encoded(old) if old or list(backups(host.config)) else None)


def _taken_out(text: str, places: list[documents.Path2], former: str | None) -> str:
    for place in places:
        if place == _PROVIDER and former:
            text = documents.put(_YAML, text, place, former)
        else:
            text = documents.drop(_YAML, text, place)
    return text


def _provider(host: Host) -> str | None:
    found = _value(host, _PROVIDER)
    return found if isinstance(found, str) and found else None


def _value(host: Host, place: documents.Path2) -> Any:
    text, _ = text_of(host.config, read_whole(host.config))
    with about(host.config):
        return documents.value_at(_YAML, text, place)


def _own_source() -> Path | None:
    try:
        return plugin_source()
    except HostConfigError:
        return None


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
