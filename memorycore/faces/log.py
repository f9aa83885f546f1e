"""Logging for a process of ours: everything to stderr, warnings included."""

from __future__ import annotations

import logging
import sys


def log_to_stderr(level: str) -> None:
    """Send the log from `level` upwards, and Python's warnings, to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.captureWarnings(True)
