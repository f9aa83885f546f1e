"""The worker: equal hints are one, a full queue drops a hint aloud, a fault ends nothing."""

from __future__ import annotations

import logging
import threading

from memorycore.faces.hermes.worker import QUEUE_SIZE, Worker


def test_what_waits_is_done_at_once_and_equal_hints_are_one():
    done, gate, began = [], threading.Event(), threading.Event()

    def work(hints):
        done.append(sorted(hints))
        began.set()
        gate.wait(5)

    worker = Worker(work, lambda: done.append("finish"))
    worker.hint("memory")
    began.wait(5)
    for _ in range(20):
        worker.hint("memory")
        worker.hint("user")
    gate.set()
    worker.drain()
    assert done == [["memory"], ["memory", "user"]]
    assert worker.close(5)
    assert done[-1] == "finish"


def test_a_hint_that_finds_no_room_is_dropped_and_told(caplog):
    gate, began = threading.Event(), threading.Event()

    def work(hints):
        began.set()
        gate.wait(5)

    worker = Worker(work, lambda: None)
    worker.hint("memory")
    began.wait(5)
    taken = [worker.hint("user") for _ in range(QUEUE_SIZE + 2)]
    assert taken.count(False) == 2
    assert "left to the next look" in caplog.text
    gate.set()
    assert worker.close(5)


def test_a_full_queue_does_not_keep_it_from_stopping():
    gate, began = threading.Event(), threading.Event()

    def work(hints):
        began.set()
        gate.wait(5)

    worker = Worker(work, lambda: None, size=1)
    worker.hint("memory")
    began.wait(5)
    worker.hint("user")
    gate.set()
    assert worker.close(5)


def test_a_fault_is_logged_and_the_next_hint_is_worked_on(caplog):
    caplog.set_level(logging.WARNING)
    done = []

    def work(hints):
        done.append(hints)
        if len(done) == 1:
            raise OSError("the disk is gone")

    worker = Worker(work, lambda: None)
    worker.hint("memory")
    worker.drain()
    worker.hint("user")
    worker.drain()
    assert len(done) == 2
    assert "the disk is gone" in caplog.text
    assert worker.close(5)
