"""What Hermes' config.yaml says of MemoryCore: the provider, the listed plugin and the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memorycore.adapters.files import read_whole
from memorycore.errors import HostConfigError
from memorycore.faces.hermes.setup import COMMAND
from memorycore.faces.hosts import HOME_VARIABLE
from memorycore.faces.installing import documents
from memorycore.faces.installing.changes import Change, Listed, Put, text_before
from memorycore.faces.installing.clients import SERVER
from memorycore.faces.installing.edits import Edit, about, backups, encoded, text_of
from memorycore.faces.installing.hermes_home import PLUGIN, Host
from memorycore.faces.installing.registering import is_ours, merged
from memorycore.faces.installing.yaml_text import YamlFile
from memorycore.settings import profile_home

_YAML = YamlFile()
_PROVIDER = ("memory", "provider")
_ENABLED = ("plugins", "enabled")
_DISABLED = ("plugins", "disabled")
_SERVER = ("mcp_servers", SERVER)
# A server that died is noticed by this ping; until then its tools fail.
_USUAL = {"connect_timeout": 60, "keepalive_interval": 30}


def installation(host: Host, *, force: bool) -> Edit:
    """Return the edit that names all that the host shall have; what is so already stays as it is.

    Raises `HostConfigError` if it can't be made safely, or if the server's name is taken by one of another
    kind; `force` overrides the latter.
    """
    before = read_whole(host.config)
    text, mark = text_of(host.config, before)
    with about(host.config):
        wanted = _plugin_changes() if host.provider else []
        if host.entry is not None:
            found = documents.value_at(_YAML, text, _SERVER)
            if found is not None and not is_ours(found) and not force:
                raise HostConfigError(
                    f"Its mcp_servers.{SERVER} does not start a command, so it is not this one.",
                    advice="Rename that one, add --force, or add --no-mcp.",
                )
            wanted.append(Put(_YAML, _SERVER, wanted_server(host, host.entry, found)))
        for change in wanted:
            if not change.is_in(text):
                text = change.made(text)
    after = mark + encoded(text)
    return Edit(host.config, before, after if text or before is not None else None)


def removal(host: Host, former: str | None) -> Edit:
    """Return the edit that takes ours out, and makes `former` the provider again.

    A file that nobody else has changed since gets back the very text that it had.
    """
    before = read_whole(host.config)
    text, mark = text_of(host.config, before)
    with about(host.config):
        found = documents.value_at(_YAML, text, _SERVER)
        changes = _plugin_changes(former) if host.provider else []
        if host.entry is not None and is_ours(found):
            changes.append(Put(_YAML, _SERVER, found))
        changes = [change for change in changes if change.is_in(text)]
        if not changes:
            return Edit(host.config, before, before)
        old = text_before(host.config, text, changes)
        if old is None:
            old = text
            for change in changes:
                old = change.taken_back(old)
    return Edit(host.config, before, mark + encoded(old) if old or list(backups(host.config)) else None)


def provider(host: Host) -> str | None:
    """Return the provider that config.yaml names, None if it names none."""
    found = _value(host, _PROVIDER)
    return found if isinstance(found, str) and found else None


def server(host: Host) -> Any:
    """Return the entry of a server under our name, None if there is none."""
    return _value(host, _SERVER)


def command_state(host: Host) -> str:
    """Say whether Hermes loads `hermes memorycore`: installed, absent, or different where it is barred."""
    if COMMAND in _listed(host, _DISABLED):
        return "different"
    return "installed" if COMMAND in _listed(host, _ENABLED) else "absent"


def wanted_server(host: Host, entry: dict[str, Any], found: Any) -> dict[str, Any]:
    """Return the server's entry as it should be, where `found` stands now.

    Other variables that it hands on stay, for they hold for the plugin too; so does a home that it names,
    unless the environment of this process names another, or it came along when a profile was copied.
    """
    kept = found.get("env") if is_ours(found) else None
    kept = dict(kept) if isinstance(kept, dict) else {}
    if kept.get(HOME_VARIABLE) == str(profile_home(Path(str(kept.get("HERMES_HOME", ""))))):
        del kept[HOME_VARIABLE]
    own = profile_home(host.home)
    first = {HOME_VARIABLE: str(own)} if own else {}
    given = {name: value for name, value in entry["env"].items() if first.get(name) != value}
    return merged(found, {**entry, "env": first | kept | given}, _USUAL)


def _plugin_changes(former: str | None = None) -> list[Change]:
    return [Put(_YAML, _PROVIDER, PLUGIN, former), Listed(_YAML, _ENABLED, COMMAND)]


def _listed(host: Host, place: documents.Path2) -> list[Any]:
    text, _ = text_of(host.config, read_whole(host.config))
    with about(host.config):
        return documents.list_at(_YAML, text, place)


def _value(host: Host, place: documents.Path2) -> Any:
    text, _ = text_of(host.config, read_whole(host.config))
    with about(host.config):
        return documents.value_at(_YAML, text, place)
