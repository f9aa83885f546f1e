"""The real Hermes Agent, offline, in a home of its own, with the provider's directory among its plugins.

HERMES_PYTHON names an interpreter that has both Hermes Agent and MemoryCore; `make test-all` builds one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.settings import for_hermes
from tests.hermes.model_server import ModelServer

NAME = "memorycore-prefetch"
SHIM = Path(__file__).parents[2] / "hermes-plugin" / NAME

# Plays messages, one JSON line each, to one agent; a message may also be a call of the agent by name.
DRIVER = """
import json, sys, time
from run_agent import AIAgent
from hermes_state import SessionDB
url, skip = sys.argv[1], sys.argv[2] == "skip"
agent = AIAgent(model="fake", provider="custom", base_url=url, api_key="sk-fake",
                api_mode="chat_completions", quiet_mode=True, platform=sys.argv[3], session_db=SessionDB(),
                skip_memory=skip)
history = []
for line in sys.stdin:
    call = json.loads(line)
    began = time.perf_counter()
    if "say" in call:
        result = agent.run_conversation(call["say"], conversation_history=history)
        history = result["messages"]
        answer = result["final_response"]
    else:
        answer = eval(call["do"], {"agent": agent})
    seconds = time.perf_counter() - began
    print(json.dumps({"answer": answer, "seconds": seconds}, default=str), flush=True)
agent.shutdown_memory_provider(history)
agent.close()
"""


def hermes_python(needs: str = "run_agent, memorycore") -> str:
    """Return the interpreter, or skip the test where there is none that has what is needed."""
    python = os.environ.get("HERMES_PYTHON")
    if not python:
        pytest.skip("HERMES_PYTHON does not name an interpreter with Hermes Agent")
    if subprocess.run([python, "-c", f"import {needs}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{python} can't import {needs}")
    return python


class Host:
    """A Hermes in `root`, whose model is a script."""

    def __init__(
        self, root: Path, script: dict[str, list[Any]] | None = None, *, provider: str = NAME
    ) -> None:
        self.python = hermes_python()
        self.root = root
        self.home = root / "hermes"
        self.store = root / "store"
        self.model = ModelServer(script)
        self.environment: dict[str, str] = {}
        shutil.copytree(SHIM, self.home / "plugins" / NAME, ignore=shutil.ignore_patterns("__pycache__"))
        (root / "cwd").mkdir()
        self.configure(memory={"memory_enabled": True, "user_profile_enabled": True, "provider": provider})
        seen = {"ts": time.time(), "behind": 0, "rev": None, "ver": "0.19.0"}
        (self.home / ".update_check").write_text(json.dumps(seen))

    def configure(self, **sections: Any) -> None:
        """Write config.yaml: what keeps Hermes on the loopback, and these sections."""
        path = self.home / "config.yaml"
        known = {
            "model": {
                "default": "fake",
                "provider": "custom",
                "base_url": self.model.url,
                "api_key": "sk-fake",
                "context_length": 131_072,
            },
            "mcp_discovery_timeout": 20,
            "model_catalog": {"enabled": False},
            "skills": {"creation_nudge_interval": 0},
            "compression": {"enabled": False},
            "security": {"tirith_enabled": False},
        }
        if path.exists():
            known |= yaml.safe_load(path.read_text())
        known |= sections
        known.setdefault("memory", {})["nudge_interval"] = 0
        path.write_text(yaml.safe_dump(known))

    def run(self, *command: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Run `hermes` with these arguments to its end."""
        binary = str(Path(self.python).with_name("hermes"))
        return subprocess.run(
            [binary, *command],
            env=self.variables(),
            cwd=self.root / "cwd",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **how,
        )

    def talk(self, *lines: str | dict[str, str], **how: Any) -> list[Any]:
        """Say these things in one conversation of one process and return the answers; the process ends."""
        return [turn["answer"] for turn in self.play(*lines, **how)]

    def play(
        self, *lines: str | dict[str, str], platform: str = "cli", skip_memory: bool = False
    ) -> list[dict[str, Any]]:
        """Say these things as `talk` does; return each answer with the seconds that it took."""
        calls = [{"say": line} if isinstance(line, str) else line for line in lines]
        done = subprocess.run(
            [self.python, "-c", DRIVER, self.model.url, "skip" if skip_memory else "use", platform],
            input="".join(json.dumps(call) + "\n" for call in calls),
            env=self.variables(),
            cwd=self.root / "cwd",
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3_000:] + self.log()
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"answer"')]

    def memorycore(self, *command: str) -> Any:
        """Run `memorycore` on the same home and files; its answer is JSON."""
        done = subprocess.run(
            [self.python, "-m", "memorycore", *command],
            env=self.variables(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def variables(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(self.python).parent}:/usr/bin:/bin",
            "HOME": str(self.root),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "HERMES_HOME": str(self.home),
            "MEMORYCORE_HOME": str(self.store),
        } | self.environment

    def core(self) -> MemoryCore:
        """A MemoryCore of this process on the same home and files, without a model."""
        return build(for_hermes(self.home, home=self.store, embedder="none"))

    def kept(self) -> dict[str, set[str]]:
        """Every text that is anywhere, by where it is."""
        with self.core() as core:
            parts = core._parts
            return {
                "hot": set(self.entries()),
                "cold": {record.text for record in parts.cold.scan("local", after=None, limit=1_000)},
                "trash": {item.item.text for item in parts.ledger.trash(limit=1_000)},
            }

    def entries(self, name: str = "MEMORY.md") -> list[str]:
        path = self.home / "memories" / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return [entry for entry in text.split("\n§\n") if entry]

    def sidecar(self, name: str = "MEMORY.meta.json") -> dict[str, Any]:
        path = self.home / "memories" / name
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def log(self) -> str:
        logs = self.home / "logs"
        return "\n".join(path.read_text()[-4_000:] for path in logs.glob("*.log")) if logs.exists() else ""

    def close(self) -> None:
        self.model.close()
