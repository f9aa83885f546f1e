"""What expired is gone from the disk as well, without a rewrite of the files."""

from __future__ import annotations

import json
from pathlib import Path

from memorycore.app import build
from memorycore.testing import HashingEmbedder
from tests.engine.helpers import NOW, TurnableClock, settings

TEXTS = [f"The lighthouse number {number} is painted in red and white." for number in range(60)]


def held(home: Path, text: str) -> list[str]:
    forms = (text.encode(), json.dumps(text)[1:-1].encode())
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


def expired(home: Path, clock: TurnableClock) -> list[str]:
    with build(settings(home), embedder=HashingEmbedder(), clock=clock) as core:
        ids = [core.store(text, route="cold").id for text in TEXTS]
        for one in ids[::3]:
            core.forget(one)
        clock.turn(days=31)
        report = core.maintain()
        assert (report.expired, report.errors) == (20, ())
        return [name for text in TEXTS[::3] for name in held(home, text)]


def test_a_pass_leaves_nothing_of_what_expired_in_any_file(tmp_path):
    assert expired(tmp_path, TurnableClock(NOW)) == []
    assert held(tmp_path, TEXTS[1])
