"""What this installation is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

SOURCE = "0+source"


def installed_version() -> str:
    """Return the installed version; "0+source" for a source tree that was never installed."""
    try:
        return version("memorycore-mcp")
    except PackageNotFoundError:
        return SOURCE
