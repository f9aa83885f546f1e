"""A process that works on a home until it is killed, over and over.

`python -m tests.engine.killed_worker ROOT` reads a line "<round>" from stdin, forks a child that opens the
home, says its pid, and works without end, saying "next" before each step; once somebody has killed it, "dead"
is said. What a child was told
as stored stands in `acknowledged.jsonl`.
"""

from __future__ import annotations

import json
import os
import random
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.errors import MemoryCoreError
from memorycore.lexicon import load
from memorycore.settings import Settings

START = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
SHAPES = (
    ("Always answer the letters of client {n} in {language}.", 0.5),
    ("Never show the invoice of client {n} to anybody.", 0.95),
    ("客户{n}喜欢用{language}写的报告。", 0.5),
    ("The key of locker {n} is kept by {name}.", 0.4),
    ("Locker {n} was repaired on 2026-04-{day:02} by {name}, and the bill is paid.", 0.5),
    ("Done, tests of locker {n} passed.", 0.5),
    ("The house of client {n} stands at the canal. {name} has the key.", 0.85),
)
LANGUAGES, NAMES = ("English", "German", "Dutch", "Danish"), ("Mara", "Joost", "Imke", "Sefa")


def settings_of(root: Path) -> Settings:
    """The settings of this home, with Hermes' limits."""
    return Settings(
        home=root / "home",
        memory_dir=root / "memories",
        embedder="none",
        hot_limit_memory=2_200,
        hot_limit_user=1_375,
    )


def clock_of(round_: int):
    """A clock that goes twelve hours in a moment, so that things age while the test runs."""
    ticks = count()
    return lambda: START + timedelta(days=round_, minutes=next(ticks))


def text_of(rng: random.Random) -> tuple[str, float]:
    shape, importance = rng.choice(SHAPES)
    n = rng.randrange(100_000)
    text = shape.format(n=n, day=1 + n % 28, language=rng.choice(LANGUAGES), name=rng.choice(NAMES))
    return text, importance


def work(root: Path, round_: int) -> None:
    rng, undo = random.Random(round_), []
    with (root / "acknowledged.jsonl").open("a", encoding="utf-8", buffering=1) as told:
        core = build(settings_of(root), clock=clock_of(round_))
        core.usage()
        print(os.getpid(), flush=True)
        while True:
            print("next", flush=True)
            with suppress(MemoryCoreError):
                step(core, rng, undo, told)


def step(core: MemoryCore, rng: random.Random, undo: list[str], told) -> None:
    target = rng.choice(["memory", "memory", "user"])
    what = rng.random()
    if what < 0.6:
        text, importance = text_of(rng)
        receipt = core.store(text, importance=importance, target=target)
        told.write(json.dumps({"text": text, "status": receipt.status}) + "\n")
        undo.append(receipt.undo)
    elif what < 0.85:
        undo.append(core.overflow(target)[target].run)
    elif undo and (run := undo.pop(rng.randrange(len(undo)))):
        core.undo(run)


def warm_up() -> None:
    """Do once in a home that nobody keeps what a child would lose its first half second with."""
    with TemporaryDirectory() as scratch, build(settings_of(Path(scratch))) as core:
        for _ in range(5):
            core.store(text_of(random.Random(0))[0], importance=0.9)
        core.overflow()


def main() -> None:
    root = Path(sys.argv[1])
    load(())  # what a child need not do again
    warm_up()
    print("ready", flush=True)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            work(root, int(line))
        os.waitpid(pid, 0)
        print("dead", flush=True)


if __name__ == "__main__":
    main()
