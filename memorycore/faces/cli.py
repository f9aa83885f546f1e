"""`memorycore`: the command line, put together from the modules of `commands`."""

from __future__ import annotations

import os
import sys

from memorycore.faces.commands import cold, facts, hermes, hot, install, runs, setup
from memorycore.faces.commands.console import app

__all__ = ["app", "main"]

COMMANDS = (setup, install, hermes, facts, hot, runs, cold)
"""The modules that add commands."""


def main() -> None:
    """Run the command line; the console script."""
    try:
        app()
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has gone; nothing is left to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
