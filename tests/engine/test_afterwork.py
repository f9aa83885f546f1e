"""What answers do not wait for: done in order, never fatal, finished at close."""

from __future__ import annotations

import logging
import threading

import numpy as np

from memorycore.engine.afterwork import Afterwork, LateCache
from memorycore.errors import StoreUnavailable
from memorycore.testing import InMemoryLedger


def test_jobs_are_done_in_order_and_close_waits_for_them():
    work, done = Afterwork(), []
    for number in range(50):
        work.add(lambda number=number: done.append(number))
    work.close()
    assert done == list(range(50))


def test_draining_waits_for_what_was_added():
    work, done, gate = Afterwork(), [], threading.Event()
    work.add(gate.wait)
    work.add(lambda: done.append(1))
    assert done == []
    gate.set()
    work.drain()
    assert done == [1]
    work.close()


def test_a_job_that_fails_is_logged_and_the_next_one_runs(caplog):
    def fail():
        raise StoreUnavailable("The disk is gone.", advice="Plug it in.")

    work, done = Afterwork(), []
    with caplog.at_level(logging.WARNING):
        work.add(fail)
        work.add(lambda: done.append(1))
        work.drain()
        work.close()
    assert done == [1]
    assert "disk is gone" in caplog.text


def test_what_is_too_much_is_dropped_and_said(caplog):
    work, done, gate, began = Afterwork(), [], threading.Event(), threading.Event()

    def hold():
        began.set()
        gate.wait()

    work.add(hold)
    began.wait()
    with caplog.at_level(logging.WARNING):
        for number in range(1_010):
            work.add(lambda number=number: done.append(number))
    gate.set()
    work.close()
    assert done == list(range(1_000))
    assert "goes unnoted" in caplog.text


def test_no_thread_without_a_job_and_closing_twice_does_nothing():
    before = threading.active_count()
    work = Afterwork()
    work.drain()
    work.close()
    work.close()
    assert threading.active_count() == before


def test_vectors_are_cached_behind_the_answer():
    ledger, work, gate = InMemoryLedger(), Afterwork(), threading.Event()
    cache = LateCache(ledger, work)
    work.add(gate.wait)
    cache.cache_vectors("toy/2", {"h": np.array([0.6, 0.8], np.float32)})
    assert cache.cached_vectors("toy/2", ["h"]) == {}
    gate.set()
    work.close()
    assert cache.cached_vectors("toy/2", ["h"])["h"].tolist() == np.array([0.6, 0.8], np.float32).tolist()


def test_closing_does_not_wait_for_one_busy_store_after_the_other():
    import threading

    started, done = threading.Event(), []
    gate = threading.Event()

    def fail():
        started.set()
        gate.wait(10)
        raise StoreUnavailable("Somebody is writing.", advice="Wait.")

    work = Afterwork()
    work.add(fail)
    work.add(lambda: done.append(1))
    started.wait(10)
    closing = threading.Thread(target=work.close)
    closing.start()
    while not work._closing:
        pass
    gate.set()
    closing.join(10)
    assert not closing.is_alive()
    assert done == []
