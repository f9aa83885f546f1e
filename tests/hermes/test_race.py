"""Our overflows against writes of Hermes' memory tool, in two processes at once: no loss, no drift."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.engine.helpers import on_disk
from tests.hermes.host import hermes_python

pytestmark = pytest.mark.slow

WRITES = 200
OVERFLOWS = 150

# Adds; each answer says whether it was done and what the file's drift guard says.
HERMES = """
import json, sys
from tools.memory_tool import MemoryStore
store = MemoryStore(memory_char_limit=2200, user_char_limit=1375)
store.load_from_disk()
for n in range(int(sys.argv[1])):
    text = f"On 2026-03-01 unit {n} was audited and finished."
    done = store.add("memory", text)
    print(json.dumps([text, done["success"], store._detect_external_drift("memory")]), flush=True)
"""


def test_overflows_and_writes_at_once_lose_nothing(tmp_path):
    python = hermes_python("tools.memory_tool")
    home = tmp_path / "hermes"
    (home / "memories").mkdir(parents=True)
    core = on_disk(
        tmp_path, memory_dir=home / "memories", hot_limit_memory=2_200, hot_limit_user=1_375, state_ttl_days=1
    )
    writer = subprocess.Popen(
        [python, "-c", HERMES, str(WRITES)],
        stdout=subprocess.PIPE,
        text=True,
        env={"HERMES_HOME": str(home), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    core.watch()
    for _ in range(OVERFLOWS):
        core.follow("memory")
        core.overflow("memory")
    answers = [json.loads(line) for line in writer.communicate(timeout=120)[0].splitlines()]
    core.follow("memory")
    kept = {entry.text for entry in core._parts.hot.read("memory").entries}
    kept |= {record.text for record in core._parts.cold.scan("local", after=None, limit=1_000)}
    kept |= {item.item.text for item in core._parts.ledger.trash(limit=1_000)}
    core.close()
    assert len(answers) == WRITES
    assert {text for text, done, _ in answers if done} <= kept
    assert [drift for *_, drift in answers if drift] == []
    assert not list((home / "memories").glob("*.bak.*"))
