"""Servers for the protocol tests: which interpreters run them, and a client that sees every byte."""

import asyncio
import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from memorycore.faces.sdk import connect

ROOT = Path(__file__).parents[2]
SERVER = ["-m", "memorycore.server"]
PATIENCE = 60

# Facts that have nothing to do with one another.
FACTS = [
    "The spare key hangs behind the clock.",
    "Old invoices lie in the seventh folder.",
    "Maria leads the design team.",
    "The staging server listens on port 8443.",
    "Grandmother was born in Riga.",
    "The printer needs toner of type K12.",
    "Lunch comes at noon on Fridays.",
    "The boiler was serviced by Hansen & Sons.",
    "上海办公室在三楼。",
    "The violin is tuned to 442 Hz.",
    "Our mascot is a heron called Otto.",
    "The contract with Delphi ends in June.",
    "Bicycles are parked in the north yard.",
    "小王负责数据库备份。",
    "The museum ticket is valid for two days.",
    "Sourdough rests overnight in the cellar.",
    "The telescope stands on the roof terrace.",
    "Passports lie in the grey cabinet.",
    "The choir rehearses in the old mill.",
    "Batteries of the drone last forty minutes.",
    "The ferry to Ven leaves from Landskrona.",
    "Honey comes from the neighbour's hives.",
    "The projector's bulb is an Osram.",
    "Snow tyres wait at Lindberg's garage.",
    "The cat answers to the name of Pascal.",
]


def interpreters():
    """This interpreter, and those with another MCP SDK that the Makefile names."""
    others = [os.environ.get(name) for name in ("MEMORYCORE_MCP1_PYTHON", "MEMORYCORE_MCP2_PYTHON")]
    return [sys.executable, *(other for other in others if other)]


def server_env(home, **more):
    """The environment of a server in a home of its own that knows nothing of this machine's user."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "MEMORYCORE_HOME": str(home / "memorycore"),
        "MEMORY_DIR": str(home / "memories"),
        "MEMORYCORE_EMBEDDER": "none",
        **more,
    }


@asynccontextmanager
async def connected(python, home, **more):
    """A server with an SDK client."""
    with (home / "stderr.log").open("a") as errlog:
        async with connect(python, SERVER, env=server_env(home, **more), errlog=errlog) as client:
            yield client


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, PATIENCE))


async def answer(client, name, /, **arguments):
    """The wire object of a call that is no fault; its text block is the same."""
    result = await client.call(name, arguments)
    assert not result.get("isError"), result
    (block,) = result["content"]
    assert json.loads(block["text"]) == result["structuredContent"]
    return result["structuredContent"]


class RawServer:
    """A server process spoken to line by line."""

    def __init__(self, command, env):
        self.process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines = []
        self.stderr = b""
        self._answers = queue.Queue()
        self._readers = [threading.Thread(target=reader) for reader in (self._read, self._read_stderr)]
        for reader in self._readers:
            reader.start()
        self._last = 0

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            self._answers.put(line)

    def _read_stderr(self):
        self.stderr = self.process.stderr.read()

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode())
        self.process.stdin.flush()

    def send(self, method, params=None):
        """Send a request and return its id."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self.write(json.dumps(message) + "\n")
        return self._last

    def receive(self, id):
        """The answer to a request; fails if none comes."""
        while True:
            message = json.loads(self._answers.get(timeout=PATIENCE))
            if message.get("id") == id:
                return message

    def initialize(self):
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        told = self.receive(self.send("initialize", hello))
        self.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return told["result"]

    def call(self, name, **arguments):
        return self.receive(self.send("tools/call", {"name": name, "arguments": arguments}))["result"]

    def end(self):
        """Close stdin, as a client does that goes away; returns the exit code."""
        self.process.stdin.close()
        return self.wait()

    def wait(self):
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code


@contextmanager
def raw_server(python, home, *, args=tuple(SERVER), **more):
    server = RawServer([python, *args], server_env(home, **more))
    try:
        yield server
    finally:
        server.process.kill()
        server.wait()
        for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
            with suppress(OSError):  # what was never sent to a server that has gone
                pipe.close()
