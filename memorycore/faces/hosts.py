"""How to register the server with the programs that agents run in."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from memorycore.settings import OF_PROFILE, Settings, environment, hermes_home, profile_home

# Seconds that Hermes waits for one call; a first maintenance of a large store may take minutes.
HERMES_TIMEOUT = 300
HOME_VARIABLE = "MEMORYCORE_HOME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host: where the registration goes and the text to put there."""

    name: str
    where: str
    text: str


def launch_command() -> list[str]:
    """Return the absolute command that starts this installation's server."""
    script = Path(sys.executable).with_name("memorycore-mcp")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "memorycore.server"]


def hosts(settings: Settings, sources: dict[str, str]) -> tuple[Host, ...]:
    """Return the registration for each known host."""
    server = server_entry(settings, sources)
    command, args, env = server["command"], server["args"], server["env"]
    entry = json.dumps({"mcpServers": {"memorycore": server}}, indent=2, ensure_ascii=False)
    variables = " ".join(f"-e {shlex.quote(f'{name}={value}')}" for name, value in env.items())
    return (
        Host(
            name="Hermes Agent",
            where=f"{_hermes() / 'config.yaml'}",
            text=_hermes_yaml(hermes_entry(settings, sources, _hermes())),
        ),
        Host(
            name="Claude Code",
            where="run once in a shell",
            text=" ".join(
                ["claude mcp add memorycore --scope user", *([variables] if variables else []), "--"]
                + [shlex.quote(part) for part in (command, *args)]
            ),
        ),
        Host(name="Cursor", where="~/.cursor/mcp.json", text=entry),
        Host(name="Any other MCP host", where="its list of stdio servers", text=entry),
    )


def is_secret(name: str) -> bool:
    """Whether a setting, by its name or its variable, is one whose value is never shown."""
    return name.lower().endswith("api_key")


def server_entry(settings: Settings, sources: dict[str, str]) -> dict[str, Any]:
    """Return command, args and env of this installation's server, for a host to start it with.

    Hosts start servers with a bare environment: what was set by hand goes along, without secrets.
    """
    command, *args = launch_command()
    home = hermes_home()
    named = {"HERMES_HOME": str(home)} if home not in {None, Path("~/.hermes").expanduser()} else {}
    known = environment(settings, sources, files=False)
    return {
        "command": command,
        "args": args,
        "env": named | {name: value for name, value in known.items() if not is_secret(name)},
    }


def hermes_entry(settings: Settings, sources: dict[str, str], home: Path) -> dict[str, Any]:
    """Return what Hermes' config.yaml says of the server, for a Hermes that lives in `home`.

    Hot files and home are those of the plugin in that Hermes, so that both work on one memory.
    """
    server = server_entry(settings, sources)
    env = {"HERMES_HOME": str(home), "MEMORY_DIR": str(home / "memories")}
    if sources["home"] in {"default", OF_PROFILE}:  # of the Hermes in use here, which may be another
        server["env"].pop(HOME_VARIABLE, None)
        own = profile_home(home)
        env |= {HOME_VARIABLE: str(own)} if own else {}
    return server | {
        "env": server["env"] | env,
        "timeout": HERMES_TIMEOUT,
        # The server has neither; each would add tools to the prompt.
        "tools": {"resources": False, "prompts": False},
    }


def _hermes() -> Path:
    return hermes_home() or Path("~/.hermes").expanduser()


def _hermes_yaml(entry: dict[str, Any]) -> str:
    return yaml.safe_dump(
        {"mcp_servers": {"memorycore": entry}}, sort_keys=False, allow_unicode=True
    ).rstrip()
