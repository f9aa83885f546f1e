"""kill -9 in the middle of maintenance: no text is lost, and the next pass goes on to the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.ledger_sqlite import SqliteLedger
from memorycore.app import build
from memorycore.model import Record
from memorycore.testing import HashingEmbedder
from tests.engine.cold_helpers import day, padded
from tests.engine.helpers import NOW, TurnableClock, World, settings

KILLS = 100
CHILD = """
import sys
from pathlib import Path
from memorycore.app import build
from memorycore.testing import HashingEmbedder
from tests.engine.helpers import NOW, TurnableClock, settings
with build(settings(Path(sys.argv[1])), embedder=HashingEmbedder(), clock=TurnableClock()) as core:
    core.warm_up()
    print("ready", flush=True)
    while core.maintain().run is not None:
        print("pass", flush=True)
print("done", flush=True)
"""


def sown() -> list[Record]:
    """Doubles, chains, finished and faded facts, of which a pass may take a few at a time."""
    long_ago = NOW - timedelta(days=900)
    made = padded(World(), 120).records()
    for n in range(20):
        made += [
            day(1, f"The cat of house {n}x is called Mimi."),
            day(9, f"The cat of house {n}x is called Mimi"),
        ]
        made += [day(d, f"The admin port of relay-{n} is 8{n + 10}{d}.") for d in (1, 5, 9)]
        made.append(day(2, f"The kiln fern drum{n} {n * 7}", created_at=long_ago, updated_at=long_ago))
    return made


def kept_texts(root) -> set[str]:
    cold, ledger = SqliteColdStore(root / "home/cold.sqlite3"), SqliteLedger(root / "home/ledger.sqlite3")
    try:
        records = cold.scan("local", after=None, limit=10_000)
        return {one.text for one in records} | {item.item.text for item in ledger.trash(limit=10_000)}
    finally:
        cold.close()
        ledger.close()


def killed_after(root, seconds: float) -> bool:
    """Run maintenance in another process and kill it so long after it began; say whether it was done."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(root)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": "."},
    )
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == "ready\n"
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        said = child.stdout.read()
    child.wait(30)
    return said.endswith("done\n")


def check_kills(root, kills: int) -> None:
    chance, rounds = random.Random(7), 0
    texts: set[str] = set()
    for kill in range(kills):
        home = root / f"{rounds}"
        if not texts:
            with build(settings(home), embedder=HashingEmbedder(), clock=TurnableClock()) as core:
                for one in sown():
                    core._parts.cold.put(one, None)
                    texts.add(one.text)
        done = killed_after(home, chance.uniform(0.0, 1.0))
        assert texts - kept_texts(home) == set(), f"kill {kill}"
        if done:
            rounds, texts = rounds + 1, set()
    with build(settings(root / f"{rounds}"), embedder=HashingEmbedder(), clock=TurnableClock()) as core:
        while core.maintain().run is not None:
            pass
        assert core._parts.ledger.open_runs() == []
        active = [one.text for one in core._parts.cold.scan("local", after=None, limit=9_999) if one.active]
        assert not [text for text in active if text.startswith("The kiln fern")]
        assert sum(text.startswith("The cat of house") for text in active) in {0, 20}


@pytest.mark.slow
def test_a_hundred_kills_lose_nothing(tmp_path):
    check_kills(tmp_path, KILLS)
