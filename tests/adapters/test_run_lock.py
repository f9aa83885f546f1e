"""The lock of a home: one holder at a time, of threads and of processes, and it ends with its process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memorycore.adapters import run_lock
from memorycore.adapters.run_lock import RunLock
from memorycore.errors import StoreUnavailable

ROOT = Path(__file__).parents[2]
HOLDING = """
import sys
from pathlib import Path
from memorycore.adapters.run_lock import RunLock
with RunLock(Path(sys.argv[1]))():
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert child.stdout.readline() == "held\n"
    return child


def test_the_constructor_makes_nothing(tmp_path):
    RunLock(tmp_path / "home" / "run.lock")
    assert list(tmp_path.iterdir()) == []


def test_a_thread_that_holds_it_may_take_it_again(tmp_path, monkeypatch):
    monkeypatch.setattr(run_lock, "_WAIT_SECONDS", 0.05)
    lock, other = RunLock(tmp_path / "run.lock"), RunLock(tmp_path / "run.lock")
    with lock():
        with lock(), lock():
            pass
        with pytest.raises(StoreUnavailable), other():
            pytest.fail("the inner blocks let it go")
    with other():
        pass


def test_it_is_let_go_when_the_block_raises(tmp_path):
    lock = RunLock(tmp_path / "run.lock")
    with pytest.raises(KeyError), lock():
        raise KeyError
    with RunLock(tmp_path / "run.lock")():
        pass


def test_threads_exclude_one_another(tmp_path):
    lock, inside, worst = RunLock(tmp_path / "run.lock"), [], []

    def work():
        for _ in range(50):
            with lock():
                inside.append(1)
                worst.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worst == [1] * 200


def test_processes_exclude_one_another(tmp_path, monkeypatch):
    monkeypatch.setattr(run_lock, "_WAIT_SECONDS", 0.05)
    child = holder(tmp_path / "run.lock")
    with pytest.raises(StoreUnavailable) as caught, RunLock(tmp_path / "run.lock")():
        pytest.fail("two held it")
    assert caught.value.advice
    child.communicate(timeout=30)
    with RunLock(tmp_path / "run.lock")():
        pass


def test_it_ends_with_its_process(tmp_path):
    child = holder(tmp_path / "run.lock")
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    with RunLock(tmp_path / "run.lock")():
        pass


def test_a_refused_lock_can_be_taken_later(tmp_path, monkeypatch):
    monkeypatch.setattr(run_lock, "_WAIT_SECONDS", 0.05)
    child, lock = holder(tmp_path / "run.lock"), RunLock(tmp_path / "run.lock")
    with pytest.raises(StoreUnavailable), lock():
        pass
    child.communicate(timeout=30)
    with lock():
        pass


def test_a_home_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnavailable) as caught, RunLock(tmp_path / "file" / "home" / "run.lock")():
        pass
    assert "can't be written" in caught.value.message
    assert caught.value.advice
