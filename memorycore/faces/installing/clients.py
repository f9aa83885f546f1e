"""The MCP clients that can be configured: where each keeps its servers, and in what form."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memorycore.errors import HostConfigError, InvalidInput
from memorycore.faces.hosts import HERMES_TIMEOUT
from memorycore.faces.installing.documents import Format
from memorycore.faces.installing.json_text import JsonFile
from memorycore.faces.installing.toml_text import TomlFile
from memorycore.settings import host_variables

SERVER = "memorycore"

Scope = Literal["user", "project"]

# Seconds that Codex waits for a server to start; its own 10 are short for a cold disk.
_CODEX_START = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a user's files lie on a system; `variables` are those of `host_variables`."""

    home: Path
    project: Path
    variables: dict[str, str]
    platform: str

    @classmethod
    def here(cls) -> Places:
        """Return those of this user, with the working directory as the project."""
        return cls(home=Path.home(), project=Path.cwd(), variables=host_variables(), platform=sys.platform)

    def named(self, variable: str, default: Path) -> Path:
        """Return the directory that a variable names, else the default."""
        value = self.variables.get(variable)
        if not value:
            return default
        path = Path(value).expanduser()
        if not path.is_absolute():
            raise HostConfigError(f"{variable} is {value!r}, a relative path.", advice="Make it absolute.")
        return path

    @property
    def programs(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "win32":
            return self.named("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.named("XDG_CONFIG_HOME", self.home / ".config")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client: its files, and how an entry for a server looks there.

    `marks` are the paths of which one exists where the client has been used. `first` are members that
    every entry has; `usual` are members that a user may set otherwise. `expands` finds what the client
    would replace in a path.
    """

    name: str
    title: str
    user_file: Callable[[Places], Path]
    marks: Callable[[Places], tuple[Path, ...]]
    project_file: str | None
    section: str = "mcpServers"
    form: Format = field(default_factory=lambda: JsonFile(lenient=True))
    first: dict[str, Any] = field(default_factory=dict)
    usual: dict[str, Any] = field(default_factory=dict)
    expands: re.Pattern[str] = re.compile(r"\$\{")

    def file(self, scope: Scope, places: Places) -> Path:
        """Return the file of a scope. Raises `InvalidInput` for a scope that the client does not have."""
        if scope == "user":
            return self.user_file(places)
        if self.project_file is None:
            raise InvalidInput(
                f"{self.title} has no configuration per project.", advice="Leave out `--scope project`."
            )
        return places.project / self.project_file

    def is_used(self, places: Places) -> bool:
        """Whether the client has left a trace on this system."""
        return any(path.exists() for path in self.marks(places))


def _claude(places: Places) -> Path:
    return places.named("CLAUDE_CONFIG_DIR", places.home) / ".claude.json"


def _codex(places: Places) -> Path:
    return places.named("CODEX_HOME", places.home / ".codex")


def _gemini(places: Places) -> Path:
    return places.named("GEMINI_CLI_HOME", places.home) / ".gemini"


_CLIENTS = (
    Client(
        name="claude-code",
        title="Claude Code",
        user_file=_claude,
        marks=lambda places: (
            _claude(places),
            places.named("CLAUDE_CONFIG_DIR", places.home / ".claude"),
        ),
        project_file=".mcp.json",
        form=JsonFile(lenient=False),
        first={"type": "stdio"},
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        user_file=lambda places: places.programs / "Claude" / "claude_desktop_config.json",
        marks=lambda places: (places.programs / "Claude",),
        project_file=None,
        form=JsonFile(lenient=False),
    ),
    Client(
        name="cursor",
        title="Cursor",
        user_file=lambda places: places.home / ".cursor" / "mcp.json",
        marks=lambda places: (places.home / ".cursor",),
        project_file=".cursor/mcp.json",
        first={"type": "stdio"},
    ),
    Client(
        name="vscode",
        title="VS Code",
        user_file=lambda places: places.programs / "Code" / "User" / "mcp.json",
        marks=lambda places: (places.programs / "Code",),
        project_file=".vscode/mcp.json",
        section="servers",
        first={"type": "stdio"},
    ),
    Client(
        name="codex",
        title="Codex",
        user_file=lambda places: _codex(places) / "config.toml",
        marks=lambda places: (_codex(places),),
        project_file=".codex/config.toml",
        section="mcp_servers",
        form=TomlFile(),
        usual={"startup_timeout_sec": _CODEX_START, "tool_timeout_sec": HERMES_TIMEOUT},
        expands=re.compile(r"(?!)"),
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        user_file=lambda places: _gemini(places) / "settings.json",
        marks=lambda places: (_gemini(places),),
        project_file=".gemini/settings.json",
        expands=re.compile(r"\$\{|\$\w"),
    ),
)
CLIENTS = {client.name: client for client in _CLIENTS}


def client_named(name: str) -> Client:
    """Return the client of a name. Raises `InvalidInput` that lists the names."""
    if name == "hermes":
        raise InvalidInput("Hermes has a command of its own.", advice="Run `memorycore hermes install`.")
    if name not in CLIENTS:
        raise InvalidInput(
            f"{name!r} is no client that can be configured.",
            advice=f"Name one of {', '.join(CLIENTS)}; `memorycore hosts` prints what others need.",
        )
    return CLIENTS[name]
