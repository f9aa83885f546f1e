"""Adds `hermes memorycore`: a general plugin of Hermes, found as an entry point of this package.

The host names a memory provider's own command after its directory, `hermes memorycore-prefetch`; this one
is the same under a shorter name, once `plugins.enabled` in the host's config.yaml lists it.
"""

from __future__ import annotations

from typing import Any

from memorycore.faces.hermes.commands import HELP, register_cli
from memorycore.faces.hermes.setup import COMMAND


def register(ctx: Any) -> None:
    """Register the command with the host."""
    ctx.register_cli_command(name=COMMAND, help=HELP, setup_fn=register_cli)
