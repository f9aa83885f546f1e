"""Processes that are killed at any moment, while Hermes writes the same files: nothing is lost.

Set HERMES_PYTHON to an interpreter that can import Hermes' `tools.memory_tool`; without it, skipped.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.model import TARGETS
from memorycore.plan import ReplaceRecord
from memorycore.policy.hot_text import DELIMITER, drifted
from tests.engine.killed_worker import clock_of, settings_of

pytestmark = pytest.mark.slow

KILLS = 200
LIMITS = {"memory": 2_200, "user": 1_375}
REPOSITORY = Path(__file__).parents[2]


class Child:
    """A process that answers lines with lines."""

    def __init__(self, *command, **environment):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=REPOSITORY,
            env={"PATH": "/usr/bin:/bin", "PYTHONUTF8": "1", **environment},
        )
        assert self.hear() == "ready"

    def tell(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline().strip()

    def close(self):
        self.process.communicate()


@pytest.fixture
def hermes(tmp_path):
    python = os.environ.get("HERMES_PYTHON")
    if not python:
        pytest.skip("HERMES_PYTHON does not name an interpreter with Hermes Agent")
    if subprocess.run(
        [python, "-c", "import tools.memory_tool"], capture_output=True, check=False
    ).returncode:
        pytest.skip(f"{python} can't import Hermes Agent's tools.memory_tool")
    (tmp_path / "memories").mkdir()
    child = Child(
        python,
        str(Path(__file__).with_name("hermes_writer.py")),
        HERMES_HOME=str(tmp_path),
        HOME=str(tmp_path),
    )
    yield child
    child.close()


@pytest.fixture
def worker(tmp_path):
    child = Child(sys.executable, "-m", "tests.engine.killed_worker", str(tmp_path), HOME=str(tmp_path))
    yield child
    child.close()


def kill_in_the_middle(worker, number, rng):
    worker.tell(number)
    pid = int(worker.hear())
    for _ in range(rng.randint(1, 5)):
        assert worker.hear() == "next"
    time.sleep(rng.uniform(0, 0.06))
    os.kill(pid, signal.SIGKILL)
    while (said := worker.hear()) != "dead":
        assert said == "next"


class Memory:
    """What the home holds, and what ought to be in it."""

    def __init__(self, root: Path):
        self.root = root
        self.merged: set[str] = set()
        self.hermes: dict[str, set[str]] = {"memory": set(), "user": set()}

    def told(self, answer):
        for edit in answer["edits"]:
            assert not edit["drift"], edit
            live = self.hermes[edit["target"]]
            live.discard(edit["dropped"])
            live |= {edit["added"]} - {None}

    def expected(self) -> set[str]:
        path = self.root / "acknowledged.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        stored = {json.loads(line)["text"] for line in lines if line.endswith("}")}
        return stored.union(*self.hermes.values())

    def check(self, core: MemoryCore, answer):
        assert answer["drift"] == {"memory": None, "user": None}
        assert list((self.root / "memories").glob("*.bak*")) == []
        for target, name in (("memory", "MEMORY.md"), ("user", "USER.md")):
            path = self.root / "memories" / name
            raw = path.read_text(encoding="utf-8") if path.exists() else ""
            entries = raw.split(DELIMITER) if raw else []
            assert not drifted(raw)
            assert len(raw) <= LIMITS[target]
            assert len(entries) == len(set(entries))
            assert entries == answer["entries"][target]
            assert entries == [one.text for one in core._parts.hot.read(target).entries]
        records = core._parts.cold.scan("local", after=None, limit=100_000)
        active = [(one.scope, one.text) for one in records if one.active]
        assert len(active) == len(set(active))
        assert core._parts.ledger.open_runs() == []
        self._check_texts(core, {one.text for one in records})

    def _check_texts(self, core: MemoryCore, cold: set[str]):
        hot = {one.text for target in TARGETS for one in core._parts.hot.read(target).entries}
        trash = {one.item.text for one in core._parts.ledger.trash(limit=100_000)}
        kept = hot | cold | trash
        missing = self.expected() - kept - self.merged
        if missing:
            self.merged = merged_away(core)
            missing -= self.merged
        inside = {text for text in missing if any(text.rstrip(".。") in one for one in kept)}
        assert missing - inside == set()


def merged_away(core: MemoryCore) -> set[str]:
    """Texts of records that took in another one: the journal has them, and undo gives them back."""
    runs = core._parts.ledger.runs(limit=100_000)
    ops = [op for run in runs for action in run.plan.actions for op in action.cold]
    return {op.before.text for op in ops if isinstance(op, ReplaceRecord)}


def test_killed_at_any_moment_beside_hermes_nothing_is_lost(tmp_path, hermes, worker):
    rng, memory, cut_off = random.Random(11), Memory(tmp_path), 0
    for number in range(KILLS):
        hermes.tell(f"{rng.randint(2, 8)} {number}")
        kill_in_the_middle(worker, number, rng)
        memory.told(json.loads(hermes.hear()))
        with build(settings_of(tmp_path), clock=clock_of(number)) as core:
            cut_off += len(core._parts.executor.recover())
            hermes.tell("0 0")
            memory.check(core, json.loads(hermes.hear()))
    with build(settings_of(tmp_path)) as core:
        runs = core._parts.ledger.runs(limit=100_000)
    rungs = {action.rung for run in runs for action in run.plan.actions}
    kinds = {run.plan.kind for run in runs}
    print(f"{KILLS} kills, {len(runs)} runs, {cut_off} cut off; {sorted(rungs)}")
    assert len(runs) >= KILLS
    assert cut_off > 0
    assert {"store", "overflow", "undo"} <= kinds
    assert {"state_ttl", "duplicate"} <= rungs
