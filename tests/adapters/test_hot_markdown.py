"""The hot files on disk: their bytes, foreign hands, several writers at once, and sudden death."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.errors import HotFileBusy, HotFileFull, HotFileUnreadable, InvalidInput
from memorycore.policy import hot_text
from tests.adapters.hot_fixtures import LIMITS, clock, drift_by_the_book, entry, texts

ROOT = Path(__file__).parents[2]
ROOMY = {"memory": 100_000, "user": 100_000}


@pytest.fixture
def store(tmp_path):
    return MarkdownHotStore(tmp_path, LIMITS, clock=clock)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "MEMORY.md"


def child(code, *arguments, **options):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, **options)


def test_making_and_reading_a_store_makes_nothing(tmp_path):
    home = tmp_path / "home"
    store = MarkdownHotStore(home, LIMITS, clock=clock)
    assert store.read("memory").entries == ()
    assert not home.exists()
    store.add(entry("a"))
    assert sorted(path.name for path in home.iterdir()) == ["MEMORY.md", "MEMORY.md.lock", "MEMORY.meta.json"]


def test_the_bytes_are_those_of_hermes(store, memory, tmp_path):
    store.add(entry("one\r\ntwo "))
    store.add(entry("三"))
    store.add(entry("a user's word", "user"))
    assert memory.read_bytes() == b"one\ntwo\n\xc2\xa7\n\xe4\xb8\x89"
    assert (tmp_path / "USER.md").read_bytes() == b"a user's word"
    for found in store.read("memory").entries:
        store.remove(found)
    assert memory.read_bytes() == b""


def test_a_hand_written_file_is_read_and_never_touched_by_reading(store, memory):
    raw = "\ufeff# Notes\r\n\r\n- likes tea\r\n§\r\n second \r\n§\r\n".encode()
    memory.write_bytes(raw)
    snapshot = store.read("memory")
    assert [one.text for one in snapshot.entries] == ["# Notes\n\n- likes tea", "second"]
    assert "byte order mark" in snapshot.warnings[0]
    assert "Hermes" in snapshot.warnings[1]
    assert memory.read_bytes() == raw


def test_a_drifted_file_is_tidied_by_the_next_write_and_loses_no_text(store, memory):
    memory.write_text("\n§\na\n§\n\n§\n b\u00a0\n§\na\n§\n", encoding="utf-8")
    store.add(entry("c"))
    assert memory.read_text(encoding="utf-8") == "a\n§\nb\n§\nc"
    assert store.read("memory").warnings == ()


def test_an_entry_over_the_limit_that_others_wrote_is_read_with_a_warning(store, memory):
    memory.write_text("x" * 3_000)
    snapshot = store.read("memory")
    assert snapshot.pct == 136.4
    assert "longer than the file's limit" in snapshot.warnings[0]
    with pytest.raises(HotFileFull):
        store.add(entry("y"))


def test_text_appended_with_a_shell_survives_a_replacement(store, memory):
    old = entry("old")
    store.add(old)
    with memory.open("a") as file:
        file.write("\n§\nappended\n")
    store.replace(old, entry("new"))
    assert memory.read_text() == "new\n§\nappended"


@pytest.mark.parametrize("raw", [b"caf\xe9\n\xc2\xa7\nb", b"abc\xff"])
def test_an_undecodable_byte_is_named_and_the_file_left_alone(store, memory, raw):
    memory.write_bytes(raw)
    byte, offset = (0xE9, 3) if b"\xe9" in raw else (0xFF, 3)
    one = entry("a")
    for call in (
        lambda: store.read("memory"),
        lambda: store.add(one),
        lambda: store.remove(one),
        lambda: store.replace(one, entry("b")),
        lambda: store.annotate(one),
        lambda: store.reconcile("memory", [one]),
    ):
        with pytest.raises(
            HotFileUnreadable, match=f"MEMORY.md is not UTF-8: byte 0x{byte:02X} at offset {offset}"
        ):
            call()
    assert memory.read_bytes() == raw
    assert not (memory.parent / "MEMORY.meta.json").exists()


def test_a_file_that_can_not_be_opened_is_no_empty_memory(store, memory):
    memory.mkdir()
    with pytest.raises(HotFileUnreadable):
        store.read("memory")
    with pytest.raises(HotFileUnreadable):
        store.add(entry("a"))


def test_what_changes_nothing_writes_nothing(store, memory):
    memory.write_bytes(b"a\r\n\xc2\xa7\r\nb\n")
    before = memory.stat()
    store.add(entry("a"))
    store.remove(entry("gone"))
    store.replace(entry("gone"), entry("b"))
    store.annotate(entry("b"))
    for bad in ("", "x\n§\ny", "\0"):
        with pytest.raises(InvalidInput):
            store.add(entry(bad))
    assert memory.stat().st_ino == before.st_ino
    assert memory.stat().st_mtime_ns == before.st_mtime_ns


def test_the_sidecar_comes_before_the_text_and_goes_after_it(store, monkeypatch):
    order = []
    from memorycore.adapters import hot_markdown, sidecar

    for module in (hot_markdown, sidecar):
        real = module.write_whole
        monkeypatch.setattr(
            module, "write_whole", lambda path, data, real=real: (order.append(path.name), real(path, data))
        )
    one = entry("a")
    store.add(one)
    store.remove(one)
    assert order == ["MEMORY.meta.json", "MEMORY.md", "MEMORY.md", "MEMORY.meta.json"]


def test_another_writer_that_holds_the_lock_is_waited_for_only_so_long(tmp_path, memory):
    fcntl = pytest.importorskip("fcntl")
    store = MarkdownHotStore(tmp_path, LIMITS, lock_timeout=0.05, clock=clock)
    store.add(entry("a"))
    with (tmp_path / "MEMORY.md.lock").open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(HotFileBusy, match=r"MEMORY\.md"):
            store.add(entry("b"))
        assert texts(store) == ["a"]
        assert store.add(entry("b", "user")) == "done"


ADDER = """
import sys
from pathlib import Path
from memorycore.adapters.hot_markdown import MarkdownHotStore
from tests.adapters.hot_fixtures import clock, entry
store = MarkdownHotStore(Path(sys.argv[1]), {"memory": 100_000, "user": 100_000}, clock=clock)
for n in range(30):
    assert store.add(entry(f"fact {n} of {sys.argv[2]}")) == "done"
"""


def test_four_processes_and_two_threads_lose_nothing(tmp_path, memory):
    children = [child(ADDER, tmp_path, name) for name in "abcd"]
    store = MarkdownHotStore(tmp_path, ROOMY, clock=clock)
    failures = []

    def work(name):
        try:
            for n in range(15):
                one = entry(f"fact {n} of thread {name}")
                store.add(one)
                store.replace(one, entry(f"fact {n} of thread {name}, revised"))
                store.remove(entry(f"fact {n - 1} of thread {name}, revised"))
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in children] == [0] * 4
    assert failures == []
    expected = {f"fact {n} of {name}" for n in range(30) for name in "abcd"}
    expected |= {f"fact 14 of thread {name}, revised" for name in "ef"}
    snapshot = store.read("memory")
    assert {one.text for one in snapshot.entries} == expected
    assert all(one.id.startswith("m_") for one in snapshot.entries)
    assert not drift_by_the_book(memory.read_text(encoding="utf-8"))


def test_a_reader_beside_a_writer_always_sees_ids_that_were_given(tmp_path):
    writer = child(ADDER, tmp_path, "w")
    store = MarkdownHotStore(tmp_path, ROOMY, clock=clock)
    while writer.poll() is None:
        assert all(one.id.startswith("m_") for one in store.read("memory").entries)
    assert writer.returncode == 0


WORKER = """
import sys
from pathlib import Path
from memorycore.adapters.hot_markdown import MarkdownHotStore
from tests.adapters.hot_fixtures import clock, entry
store = MarkdownHotStore(Path(sys.argv[1]), {"memory": 100_000, "user": 100_000}, clock=clock)
for n in range(10_000):
    store.add(entry(f"fact {n}"))
    print("added", n, flush=True)
    if n >= 3:
        store.remove(entry(f"fact {n - 3}"))
        print("removed", n - 3, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("acknowledged", [1, 6, 11, 18])
def test_a_killed_writer_leaves_every_finished_edit_and_nothing_half(tmp_path, memory, acknowledged):
    worker = child(WORKER, tmp_path, stdout=subprocess.PIPE, text=True)
    log = [worker.stdout.readline().split() for _ in range(acknowledged)]
    os.kill(worker.pid, signal.SIGKILL)
    rest, _ = worker.communicate()
    log += [line.split() for line in rest.splitlines()]
    added = [int(n) for verb, n in log if verb == "added"]
    removed = {int(n) for verb, n in log if verb == "removed"}
    sure = {f"fact {n}" for n in added} - {f"fact {n}" for n in removed}
    # One edit may have been done and not told: the next addition, or the next removal.
    open_edits = {f"fact {max(added) + 1}", f"fact {max(added) - 3}"}

    store = MarkdownHotStore(tmp_path, ROOMY, clock=clock)
    snapshot = store.read("memory")
    found = {one.text for one in snapshot.entries}
    assert found ^ sure <= open_edits
    assert snapshot.warnings == ()
    assert hot_text.render(texts(store)) == memory.read_text(encoding="utf-8")
    assert store.add(entry("after the crash")) == "done"
