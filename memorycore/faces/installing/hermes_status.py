"""How an installation into Hermes stands, part by part."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memorycore.errors import SettingsError
from memorycore.faces.hermes.setup import COMMAND
from memorycore.faces.hosts import HOME_VARIABLE
from memorycore.faces.installing import documents, hermes_config, hermes_home, hermes_plugin
from memorycore.faces.installing.clients import SERVER
from memorycore.faces.installing.hermes_home import PLUGIN, Host
from memorycore.faces.installing.registering import is_ours
from memorycore.settings import for_hermes, served_home


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an installation; `state` is installed, absent, outdated, different or unknown."""

    name: str
    state: str
    detail: str


def parts(host: Host) -> Iterator[Part]:
    """Yield each part that the host shall have, and how it is. Raises if config.yaml is malformed."""
    if host.provider:
        yield _package(host)
        yield Part("plugin", hermes_plugin.state(hermes_home.own_source(), host.plugin), str(host.plugin))
        yield _provider(host)
        yield _command(host)
    if host.entry is not None:
        yield _server(host, host.entry)
        if host.python and not host.python.mcp:
            yield Part("mcp", "absent", host.python.advice_for_servers)
    if host.provider and host.entry is not None:
        yield from _home(host)


def _package(host: Host) -> Part:
    python = host.python
    if python is None:
        return Part("package", "unknown", "no `hermes` found; name its Python with --python")
    detail = f"{python.version or 'not'} in {python.path}"
    if python.state != "installed":
        detail += f"; run {shlex.join(python.command)}"
    return Part("package", python.state, detail)


def _provider(host: Host) -> Part:
    found = hermes_config.provider(host)
    known = {PLUGIN: "installed", None: "absent"}
    return Part("provider", known.get(found, "different"), f"memory.provider is {found or 'not set'}")


def _command(host: Host) -> Part:
    state = hermes_config.command_state(host)
    details = {
        "installed": f"`hermes {COMMAND}`, listed in plugins.enabled",
        "absent": f"plugins.enabled does not list {COMMAND}, so there is no `hermes {COMMAND}`",
        "different": f"plugins.disabled lists {COMMAND}; `hermes plugins enable {COMMAND}` takes it out",
    }
    return Part("command", state, details[state])


def _server(host: Host, entry: dict[str, Any]) -> Part:
    found = hermes_config.server(host)
    if found is None:
        return Part("server", "absent", f"no mcp_servers.{SERVER} in {host.config}")
    if is_ours(found) and not Path(found["command"]).expanduser().is_file():
        return Part("server", "outdated", f"there is no {found['command']}")
    alike = documents.same(found, hermes_config.wanted_server(host, entry, found))
    if alike and found.get("enabled", True) is not True:
        return Part("server", "different", f"switched off in {host.config}")
    return Part("server", "installed" if alike else "different", str(host.config))


def _home(host: Host) -> Iterator[Part]:
    """Yield a part if the plugin, in an environment as this one, and the server are not on one home."""
    try:
        own, served = for_hermes(host.home).home, served_home(host.home)
    except SettingsError as error:
        yield Part("home", "unknown", error.message)
        return
    if served not in {None, own}:
        yield Part(
            "home",
            "different",
            f"{HOME_VARIABLE} leads the plugin to {own} and the server to {served}: two memories that know "
            f"nothing of each other; set it alike in the environment and in {host.config}",
        )
