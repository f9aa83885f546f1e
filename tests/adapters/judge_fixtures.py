"""A judge's endpoint in a process of its own, for the tests of what asks one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

from tests.adapters.embed_servers import free_port, wait_for


@contextmanager
def judge_server() -> Iterator[str]:
    """Run the server; yields its address, below which each way of answering has a path."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.adapters.judge_server", str(port)])
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def bodies(url: str) -> list[dict[str, Any]]:
    """Return the requests that were sent to a path of the server."""
    with urlopen(url) as answer:
        told: list[dict[str, Any]] = json.load(answer)
    return told
