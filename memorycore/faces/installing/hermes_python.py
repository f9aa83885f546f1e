"""The interpreter that Hermes runs in, and whether MemoryCore is in it: the plugin is loaded there."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from memorycore.errors import HostConfigError
from memorycore.faces.about import SOURCE, installed_version

PACKAGE = "memorycore-mcp"

_STDERR = 2
_ASK_SECONDS = 60
_LONGEST_SCRIPT = 65_536
_WRAPPERS_DEEP = 4
# Prints where neither package needs to be imported, which would take seconds.
_QUESTION = f"""
import importlib.metadata as m, importlib.util as u, json
def version():
    try:
        return m.version({PACKAGE!r})
    except m.PackageNotFoundError:
        return {SOURCE!r} if u.find_spec("memorycore") else None
print(json.dumps({{"hermes": bool(u.find_spec("hermes_cli")), "version": version(),
    "pip": bool(u.find_spec("pip")), "mcp": bool(u.find_spec("mcp"))}}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HermesPython:
    """An interpreter that has Hermes; `version` is that of the MemoryCore in it, None if there is none.

    `pip` says whether it has pip of its own, which environments that uv makes have not; `mcp` whether
    Hermes can use MCP servers at all.
    """

    path: Path
    version: str | None
    pip: bool
    mcp: bool

    @property
    def state(self) -> str:
        """Say absent, outdated (another version than this one) or installed."""
        if self.version is None:
            return "absent"
        return "installed" if self.version == installed_version() else "outdated"

    @property
    def command(self) -> list[str]:
        """The command that puts this very MemoryCore into the interpreter."""
        return self.installing("--upgrade", requirement())

    @property
    def advice_for_servers(self) -> str:
        """What to do where Hermes can't use MCP servers."""
        return f"Hermes can't use MCP servers yet; run {shlex.join(self.installing('hermes-agent[mcp]'))}"

    def installing(self, *what: str) -> list[str]:
        """Return the command that puts a package into the interpreter."""
        if self.pip:
            return [str(self.path), "-m", "pip", "install", *what]
        return ["uv", "pip", "install", "--python", str(self.path), *what]

    def add_package(self) -> None:
        """Run the command, with what it prints on stderr. Raises `HostConfigError` if it fails."""
        try:
            failed = subprocess.run(self.command, check=False, stdout=_STDERR).returncode != 0
        except OSError:
            failed = True
        if failed:
            raise HostConfigError(
                "MemoryCore could not be put into Hermes' environment.",
                advice=f"The command was {shlex.join(self.command)}",
            )


def find(named: Path | None) -> HermesPython | None:
    """Return Hermes' interpreter: the one that is named, else that of the `hermes` on the search path.

    None if there is no `hermes` or its interpreter can't be told. Raises `HostConfigError` if the one that
    is named has no Hermes.
    """
    if named is not None:
        found = _asked(named)
        if found is None:
            raise HostConfigError(
                f"{named} is no Python that has Hermes.", advice="Name the one that `hermes` starts with."
            )
        return found
    script = shutil.which("hermes")
    for candidate in _interpreters(Path(script), _WRAPPERS_DEEP) if script else ():
        found = _asked(candidate)
        if found is not None:
            return found
    return None


def requirement() -> str:
    """Return what pip gets this MemoryCore by: the place that it was installed from, else its version."""
    try:
        origin = distribution(PACKAGE).read_text("direct_url.json")
    except PackageNotFoundError:
        return str(Path(__file__).parents[3])
    if origin is None:
        return f"{PACKAGE}=={installed_version()}"
    known = json.loads(origin)
    if "vcs_info" in known:
        vcs = known["vcs_info"]
        return f"{PACKAGE} @ {vcs['vcs']}+{known['url']}@{vcs['commit_id']}"
    url = urlsplit(known["url"])
    return url2pathname(url.path) if url.scheme == "file" else f"{PACKAGE} @ {known['url']}"


def _asked(python: Path) -> HermesPython | None:
    if not python.is_file():
        return None
    try:
        answer = subprocess.run(
            [python, "-I", "-c", _QUESTION], check=False, capture_output=True, timeout=_ASK_SECONDS
        )
        said = json.loads(answer.stdout)
        if not said["hermes"]:
            return None
        return HermesPython(path=python, version=said["version"], pip=said["pip"], mcp=said["mcp"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return None


def _interpreters(script: Path, depth: int) -> list[Path]:
    """Return what may be the interpreter of a script, likeliest first.

    A script of pip's names it in its first line, or, where its path is long or has blanks, in a line of
    shell; an installer's wrapper names another script; on Windows it lies beside the program.
    """
    real = script.resolve()
    found = []
    for name in _named_in(real):
        path = Path(name)
        if path.name.startswith("python"):
            found.append(path)
        elif depth and path.name.startswith("hermes") and path.is_file():
            found.extend(_interpreters(path, depth - 1))
    beside = ("python", "python3", "python.exe")
    return [*found, *(real.with_name(name) for name in beside)]


def _named_in(script: Path) -> list[str]:
    try:
        with script.open("rb") as file:
            text = file.read(_LONGEST_SCRIPT).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    first = re.match(r"#!\s*(\S.*)", text)
    words = [first[1].strip()] if first else []
    return words + re.findall(r"""exec'?\s+["']?(/[^"'\n$]*?)["']?(?:\s+["$-]|\s*$)""", text, re.MULTILINE)
