"""The facade on real files: refusals that change no byte, threads, processes, kills, ill stores."""

from __future__ import annotations

import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memorycore.errors import (
    HotFileError,
    InvalidInput,
    StoreCorrupt,
    StoreError,
    StoreTooNew,
    StoreUnavailable,
)
from memorycore.model import TARGETS
from tests.engine.helpers import FACT, RULE, STALE, CrashError, Fuse, World, all_bytes, on_disk

ROOT = Path(__file__).parents[2]

BAD_CALLS = {
    "empty content": lambda core: core.store(""),
    "white space": lambda core: core.store(" \n\t\u3000"),
    "20,001 characters": lambda core: core.store("x" * 20_001),
    "NUL": lambda core: core.store("a\0b"),
    "a lone surrogate": lambda core: core.store("half \ud83d"),
    "no text": lambda core: core.store(5),
    "None": lambda core: core.store(None),
    "a delimiter in a hot entry": lambda core: core.store(
        "Always be brief.\n§\nNever be long.", importance=0.9
    ),
    "a wrong target": lambda core: core.store(FACT, target="both"),
    "a target that is a list": lambda core: core.store(FACT, target=["user"]),
    "importance nan": lambda core: core.store(FACT, importance=math.nan),
    "importance inf": lambda core: core.store(FACT, importance=math.inf),
    "importance -0.1": lambda core: core.store(FACT, importance=-0.1),
    "importance 1.1": lambda core: core.store(FACT, importance=1.1),
    "importance True": lambda core: core.store(FACT, importance=True),
    "importance 'x'": lambda core: core.store(FACT, importance="x"),
    "a scope that is no text": lambda core: core.store(FACT, scope=5),
    "an empty scope": lambda core: core.store(FACT, scope=""),
    "a route that is none": lambda core: core.store(FACT, route="warm"),
    "a context that is no text": lambda core: core.store(FACT, context=5),
    "a surrogate in the context": lambda core: core.store(FACT, context="\udc00"),
    "an empty query": lambda core: core.recall("  "),
    "a query that is no text": lambda core: core.recall(None),
    "top_k 0": lambda core: core.recall("key", top_k=0),
    "top_k 51": lambda core: core.recall("key", top_k=51),
    "top_k 1.5": lambda core: core.recall("key", top_k=1.5),
    "top_k True": lambda core: core.recall("key", top_k=True),
    "a bad cursor": lambda core: core.audit(cursor="page two"),
    "a page of nothing": lambda core: core.audit(page_size=0),
    "an audit of nothing": lambda core: core.audit("all"),
    "an overflow of nothing": lambda core: core.overflow("all"),
    "an empty id": lambda core: core.forget(" "),
    "an id that is no text": lambda core: core.restore(7),
    "a run that is no text": lambda core: core.undo(None),
}
UNKNOWN = {
    "forget": lambda core: core.forget("m_unknown"),
    "restore": lambda core: core.restore("../../etc/passwd"),
    "undo": lambda core: core.undo("r_unknown"),
}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory):
    """A memory in use, and the directory of all its files."""
    root = tmp_path_factory.mktemp("home")
    with on_disk(root) as core:
        core.store(RULE)
        core.store(FACT)
        core._parts.afterwork.drain()
        yield core, root


@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS)
def test_bad_input_is_refused_with_advice_and_changes_no_byte(lived_in, call):
    core, root = lived_in
    before = all_bytes(root)
    with pytest.raises(InvalidInput) as caught:
        call(core)
    assert caught.value.advice
    assert str(caught.value).encode()
    core._parts.afterwork.drain()
    assert all_bytes(root) == before


@pytest.mark.parametrize("call", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_ids_are_not_found_and_change_no_byte(lived_in, call):
    core, root = lived_in
    before = all_bytes(root)
    assert call(core).status == "not_found"
    assert all_bytes(root) == before


def test_a_delimiter_in_a_cold_fact_is_kept_as_it_is(tmp_path):
    with on_disk(tmp_path) as core:
        text = "The file said:\n§\n```\n## heading\n```"
        receipt = core.store(text, route="cold")
        assert core.recall("file said heading").results[0].content == text
        assert receipt.status == "cold_stored"


def test_nothing_is_made_before_the_first_use(tmp_path):
    on_disk(tmp_path / "deep" / "down").close()
    assert list(tmp_path.iterdir()) == []


def test_everything_is_there_after_a_restart(tmp_path):
    with on_disk(tmp_path) as core:
        ids = [core.store(text).id for text in (RULE, FACT, STALE)]
    with on_disk(tmp_path) as core:
        assert [core.store(text).id for text in (RULE, FACT, STALE)] == ids
        assert core.usage().trash == {"count": 1}


def test_closing_twice_does_nothing(tmp_path):
    core = on_disk(tmp_path)
    core.store(FACT)
    core.recall("key")
    core.close()
    core.close()


def test_a_closed_memory_says_so(tmp_path):
    core = on_disk(tmp_path)
    core.close()
    with pytest.raises(StoreUnavailable) as caught:
        core.store(FACT)
    assert caught.value.advice


def test_what_was_cut_off_is_finished_at_the_first_write_and_logged(caplog):
    world = World()
    world.core().store(RULE)
    for at in range(1, 40):
        try:
            world.core(fuse=Fuse(at=at)).forget(world.hot.read("memory").entries[0].id)
        except CrashError:
            if world.ledger.open_runs():
                break
    world.core().store(FACT)
    assert world.ledger.open_runs() == []
    assert "was cut off" in caplog.text


def test_twenty_stores_and_five_forgets_at_once(tmp_path):
    with on_disk(tmp_path) as core:
        old = [core.store(f"Old note {n}: the lamp in room {n} is broken.").id for n in range(5)]
        new = [f"New note {n}: the window in room {n} was painted." for n in range(20)]
        with ThreadPoolExecutor(8) as pool:
            stored = [pool.submit(core.store, text) for text in new]
            gone = [pool.submit(core.forget, one) for one in old]
            receipts = [one.result() for one in stored]
            assert {one.result().status for one in gone} == {"forgotten"}
        ids = {receipt.id for receipt in receipts}
        assert len(ids) == 20
        records = core._parts.cold.scan("local", after=None, limit=100)
        assert {record.id for record in records} == ids
        assert {item.id for item in core._parts.ledger.trash(limit=100)} == set(old)


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


STORING = """
import sys, time
from pathlib import Path
from tests.engine.helpers import on_disk
name, number = sys.argv[2], 0
with on_disk(Path(sys.argv[1])) as core:
    core.warm_up()
    end = time.monotonic() + 2
    while number < 20 or time.monotonic() < end:
        receipt = core.store(f"{name} saw train {number} pass the bridge {name}{number}.", route="cold")
        print(receipt.id, flush=True)
        number += 1
"""


def test_two_processes_store_into_one_home(tmp_path):
    children = [child(STORING, tmp_path, name) for name in ("Ada", "Bob")]
    ids = [line.strip() for one in children for line in one.communicate(timeout=60)[0].splitlines()]
    assert [one.returncode for one in children] == [0, 0]
    with on_disk(tmp_path) as core:
        records = core._parts.cold.scan("local", after=None, limit=10_000)
        assert len(ids) >= 40
        assert {record.id for record in records if record.active} == set(ids)
        assert core.usage().cold["pending"] == 0
        assert core._parts.ledger.open_runs() == []


LIVING = """
import random, sys
from pathlib import Path
from tests.engine.helpers import on_disk
root, seed = Path(sys.argv[1]), int(sys.argv[2])
dice, known = random.Random(seed), []
with on_disk(root, hot_limit_memory=400) as core:
    for number in range(10_000):
        move = dice.random()
        if move < 0.6 or not known:
            text = f"{'Always ' if dice.random() < 0.5 else ''}check valve {seed}-{number} before noon."
            print("+" + text, flush=True) if core.store(text).id else None
            known.append(core.store(text).id)
        elif move < 0.8:
            core.forget(dice.choice(known))
        elif move < 0.9:
            core.restore(dice.choice(known))
        else:
            receipt = core.store(f"The code of door {seed}-{number} is {dice.randrange(10**6)}.")
            core.undo(receipt.undo) if receipt.undo else None
"""


@pytest.mark.slow
def test_a_killed_process_loses_nothing(tmp_path):
    dice, said = random.Random(1), []
    for seed in range(30):
        one = child(LIVING, tmp_path, seed)
        said.append(one.stdout.readline())
        time.sleep(dice.uniform(0.0, 0.25))
        one.send_signal(signal.SIGKILL)
        said += one.communicate(timeout=30)[0].splitlines()
    acknowledged = {
        line[1:].strip() for line in said if line.startswith("+") and line.rstrip().endswith("noon.")
    }
    with on_disk(tmp_path, hot_limit_memory=400) as core:
        core.overflow()
        hot = [entry.text for target in TARGETS for entry in core._parts.hot.read(target).entries]
        cold = [record.text for record in core._parts.cold.scan("local", after=None, limit=100_000)]
        trash = [item.item.text for item in core._parts.ledger.trash(limit=100_000)]
        assert core._parts.ledger.open_runs() == []
    assert len(acknowledged) > 30
    assert acknowledged <= {*hot, *cold, *trash}
    assert len(hot) == len(set(hot))


def databases(root: Path) -> list[Path]:
    return [root / "home" / name for name in ("cold.sqlite3", "ledger.sqlite3")]


def test_a_home_that_cannot_be_made_is_told_and_nothing_is_written(tmp_path):
    (tmp_path / "file").write_text("not a directory", encoding="utf-8")
    with on_disk(tmp_path, home=tmp_path / "file" / "home") as core, pytest.raises(StoreError) as caught:
        core.store(RULE)
    assert caught.value.advice
    assert all_bytes(tmp_path) == {"file": b"not a directory"}


def test_a_hot_directory_that_cannot_be_made_is_told_and_nothing_is_stored(tmp_path):
    (tmp_path / "file").write_text("not a directory", encoding="utf-8")
    with on_disk(tmp_path, memory_dir=tmp_path / "file" / "memories") as core:
        with pytest.raises(HotFileError) as caught:
            core.store(RULE)
        assert caught.value.advice
        assert core._parts.cold.scan("local", after=None, limit=9) == []


@pytest.mark.parametrize("place", [0, 1], ids=["cold", "ledger"])
@pytest.mark.parametrize(
    "bytes_", [b"this is no database, it is a letter" * 200, b""], ids=["letter", "empty"]
)
def test_a_damaged_database_is_told_and_left_as_it_is(tmp_path, place, bytes_):
    with on_disk(tmp_path) as core:
        core.store(RULE)
    path = databases(tmp_path)[place]
    for beside in path.parent.glob(f"{path.name}-*"):
        beside.unlink()
    path.write_bytes(bytes_)
    with on_disk(tmp_path) as core:
        if not bytes_:  # an empty file is an empty database
            assert core.store(FACT).status == "cold_stored"
            return
        for call in (lambda: core.store(FACT), lambda: core.forget("m_x"), lambda: core.restore("m_x")):
            with pytest.raises(StoreCorrupt) as caught:
                call()
            assert caught.value.advice
    assert path.read_bytes() == bytes_


@pytest.mark.parametrize("place", [0, 1], ids=["cold", "ledger"])
def test_a_newer_schema_is_told_and_left_as_it_is(tmp_path, place):
    with on_disk(tmp_path) as core:
        core.store(FACT)
    path = databases(tmp_path)[place]
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA user_version = 999")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = path.read_bytes()
    with on_disk(tmp_path) as core, pytest.raises(StoreTooNew) as caught:
        core.store("The other key is under the mat.")
    assert caught.value.advice
    assert path.read_bytes() == before


def test_a_hot_file_that_cannot_be_read_is_never_overwritten(tmp_path):
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "MEMORY.md").write_bytes(b"caf\xe9 is not UTF-8")
    with on_disk(tmp_path) as core, pytest.raises(HotFileError) as caught:
        core.store(RULE)
    assert "0xE9" in str(caught.value)
    assert (tmp_path / "memories" / "MEMORY.md").read_bytes() == b"caf\xe9 is not UTF-8"
