"""One MemoryCore per server, built late, closed once."""

import threading

import pytest

from memorycore.app import build
from memorycore.errors import SettingsError, StoreUnavailable
from memorycore.faces.session import Session
from memorycore.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(home=tmp_path, memory_dir=tmp_path / "memories", embedder="none")


def test_many_threads_share_one_core_that_is_built_at_the_first_use(settings):
    built = []

    def make():
        built.append(build(settings))
        return built[-1]

    session = Session(make)
    assert built == []
    seen = []
    threads = [threading.Thread(target=lambda: session.use(seen.append)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1
    assert seen == built * 8
    assert session.close(grace=1)


def test_a_build_that_failed_is_tried_again(settings):
    outcomes = [SettingsError("Broken.", advice="Mend it."), None]

    def make():
        if error := outcomes.pop(0):
            raise error
        return build(settings)

    session = Session(make)
    with pytest.raises(SettingsError):
        session.use(lambda core: core.usage())
    assert session.use(lambda core: core.usage()).hot["memory"].chars == 0
    session.close(grace=1)


def test_closing_waits_for_running_calls_and_refuses_new_ones(settings):
    session = Session(lambda: build(settings))
    started, go = threading.Event(), threading.Event()

    def work(core):
        started.set()
        go.wait(10)
        return core.store("The last fact of the day is kept.")

    receipts = []
    caller = threading.Thread(target=lambda: receipts.append(session.use(work)))
    caller.start()
    started.wait(10)
    assert session.close(grace=0.01) is False
    with pytest.raises(StoreUnavailable):
        session.use(lambda core: core.usage())
    go.set()
    caller.join()
    assert receipts[0].id
    assert session.close(grace=5) is True
    assert session.close(grace=5) is True


def test_a_failing_warm_up_is_left_for_the_first_call_to_tell():
    def broken():
        raise SettingsError("Broken.", advice="Mend it.")

    session = Session(broken)
    session.warm_up()
    with pytest.raises(SettingsError):
        session.use(lambda core: core.usage())
