"""A Hermes that is to have MemoryCore: its home by profile, and the plugin that we bring."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import memorycore
from memorycore.errors import HostConfigError, InvalidInput
from memorycore.faces.installing.hermes_python import HermesPython
from memorycore.settings import hermes_home

PLUGIN = "memorycore-prefetch"

_PROFILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


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


def home_of(profile: str | None) -> Path:
    """Return the home of a profile; without one, that of the profile which `hermes` would use.

    Raises `InvalidInput` for what can't be a profile's name, `HostConfigError` if there is no such home.
    """
    home = hermes_home() or Path("~/.hermes").expanduser()
    in_profile = home.parent.name == "profiles"
    root = home.parent.parent if in_profile else home
    name = profile or (home.name if in_profile else _active_profile(root))
    if name is not None and not _PROFILE.fullmatch(name):
        raise InvalidInput(
            f"{name!r} can't be a profile of Hermes.", advice="`hermes profile list` shows those there are."
        )
    found = root if name in {None, "default"} else root / "profiles" / str(name)
    if not found.is_dir():
        raise HostConfigError(
            f"There is no Hermes home {found}.",
            advice="Run `hermes` once, or set HERMES_HOME to where its config.yaml lies.",
        )
    if (found / ".managed").exists():
        raise HostConfigError(
            f"{found} is managed by a package manager.", advice="Configure Hermes there instead."
        )
    return found


def plugin_source() -> Path:
    """Return the plugin directory that this installation brings. Raises `HostConfigError` if it has none."""
    package = Path(memorycore.__file__).parent
    for place in (package / "hermes_plugin" / PLUGIN, package.parent / "hermes-plugin" / PLUGIN):
        if (place / "__init__.py").is_file():
            return place
    raise HostConfigError(
        f"This installation does not bring Hermes' plugin {PLUGIN}.",
        advice="Install MemoryCore anew, or add --no-provider to register the server alone.",
    )


def own_source() -> Path | None:
    """Return the plugin directory that this installation brings, None if it has none."""
    try:
        return plugin_source()
    except HostConfigError:
        return None


def _active_profile(root: Path) -> str | None:
    """Return the profile that `hermes profile use` chose."""
    try:
        return (root / "active_profile").read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
