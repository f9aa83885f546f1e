"""Full files and busy ones: what users of memory tools have seen go wrong, with the overflow running."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from memorycore.adapters import files
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.engine.core import MemoryCore
from memorycore.policy.hot_text import DELIMITER, render
from tests.engine.helpers import NOW, TurnableClock, entry, on_disk

LIMITS = {"memory": 2_200, "user": 1_375}
RULE = "Never deploy on Fridays."
NEW_RULE = "Always " + "check the ledger twice and " * 10 + "then say so to the clerk."


def state(number: int, days: int = 100):
    then = NOW - timedelta(days=days)
    text = (
        f"2026-01-{1 + number % 28:02}: the move of archive number {number} to the new shelf was completed."
    )
    return entry(text, kind="state", written_at=then, updated_at=then, id=f"state_{number}")


@contextmanager
def opened(root, *entries, clock=None) -> Iterator[MemoryCore]:
    """A core on real files of Hermes' size that hold these entries."""
    with on_disk(root, clock, hot_limit_memory=2_200, hot_limit_user=1_375) as core:
        for one in entries:
            core._parts.hot.add(one)
        yield core


def full_file(chars: int):
    """Entries that fill a file to the character: a rule, old states, and a rule that makes up the length."""
    entries = [entry(RULE), *(state(number) for number in range(20))]
    rest = chars - len(render([one.text for one in entries])) - len(DELIMITER)
    text = "Always answer in English" + ", and in short sentences" * 60
    return [*entries, entry(text[: rest - 1] + ".", importance=0.95)]


def everywhere(core: MemoryCore) -> set[str]:
    hot = {one.text for target in LIMITS for one in core._parts.hot.read(target).entries}
    cold = {one.text for one in core._parts.cold.scan("local", after=None, limit=10_000)}
    return hot | cold | {one.item.text for one in core._parts.ledger.trash(limit=10_000)}


# -- capacity


def test_300_characters_into_a_file_with_two_left_is_one_call_that_tells_what_moved(tmp_path):
    entries = full_file(2_198)
    with opened(tmp_path, *entries) as core:
        assert core._parts.hot.read("memory").chars == 2_198
        before = everywhere(core)
        assert len(NEW_RULE) >= 300
        receipt = core.store(NEW_RULE)
        assert (receipt.status, receipt.tier) == ("stored", "hot")
        assert receipt.usage.before > receipt.usage.after
        assert receipt.overflow.moved == 20
        told = [one["answer"] for one in core._parts.ledger.receipts(limit=10) if "actions" in one["answer"]]
        moved = [action for answer in told for action in answer["actions"]]
        assert {action["id"] for action in moved} == {f"state_{number}" for number in range(20)}
        assert all("days old" in action["reason"] and action["outcome"] == "done" for action in moved)
        assert before | {NEW_RULE} <= everywhere(core)
        assert core.undo(receipt.undo).status == "undone"
        assert core.undo(receipt.overflow.run).status == "undone"
        assert [one.text for one in core._parts.hot.read("memory").entries] == [one.text for one in entries]


def test_a_file_full_of_protected_rules_takes_no_more_and_loses_none(tmp_path):
    rules = [f"Never show invoice {number} of the year to a visitor." for number in range(50)]
    with opened(tmp_path) as core:
        receipts = [core.store(text, importance=0.95) for text in rules]
        hot = {one.text for one in core._parts.hot.read("memory").entries}
        assert core._parts.hot.read("memory").chars <= 2_200
        assert {one.status for one in receipts} == {"stored", "cold_stored_fallback"}
        for receipt, text in zip(receipts, rules, strict=True):
            assert (receipt.tier == "hot") == (text in hot), text
        assert set(rules) <= everywhere(core)


def test_an_entry_longer_than_its_file_goes_cold(tmp_path):
    with opened(tmp_path, entry(RULE)) as core:
        text = "Always " + "check the ledger twice and " * 90 + "say so."
        receipt = core.store(text, importance=0.95)
        assert (receipt.status, receipt.tier) == ("cold_stored_fallback", "cold")
        assert {text, RULE} <= everywhere(core)


# -- many at once


def test_stores_and_forgets_in_parallel_with_the_overflow_lose_nothing(tmp_path):
    states = [state(number) for number in range(20)]
    facts = [f"Never hand the key of locker {number} to a stranger." for number in range(20)]
    clock = TurnableClock()
    with opened(tmp_path, *states, clock=clock) as core, ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(core.store, fact) for fact in facts]
        jobs += [pool.submit(core.forget, one.id) for one in states[:5]]
        jobs += [pool.submit(core.overflow, "memory") for _ in range(3)]
        for job in jobs:
            job.result()
        assert set(facts) | {one.text for one in states} <= everywhere(core)
        assert core._parts.hot.read("memory").chars <= 2_200
        hot = [one.text for one in core._parts.hot.read("memory").entries]
        assert len(hot) == len(set(hot))
        assert core._parts.ledger.open_runs() == []


def test_a_reader_during_an_overflow_sees_whole_files(tmp_path):
    states = [state(number) for number in range(20)]
    seen, done = [], threading.Event()

    def look():
        reader = MarkdownHotStore(tmp_path / "memories", LIMITS, clock=TurnableClock())
        while not done.is_set():
            seen.append(tuple(one.text for one in reader.read("memory").entries))

    with opened(tmp_path, entry(RULE), *states) as core:
        reading = threading.Thread(target=look)
        reading.start()
        core.overflow("memory")
        done.set()
        reading.join()
    known = {RULE, *(one.text for one in states)}
    assert all(RULE in texts and set(texts) <= known for texts in seen)


# -- other hands on the files


class Between:
    """A hot store that lets somebody else write just before each edit of one kind."""

    def __init__(self, hot, method, write):
        self._hot, self._method, self._write = hot, method, write

    def __getattr__(self, name):
        if name == self._method:
            self._write()
        return getattr(self._hot, name)


def between(core: MemoryCore, method: str, write) -> MemoryCore:
    executor = core._parts.executor
    executor._hot = Between(executor._hot, method, write)
    return core


def test_text_that_a_shell_appends_in_the_middle_of_an_overflow_survives(tmp_path):
    path, lines = tmp_path / "memories" / "MEMORY.md", iter(range(100))

    def append():
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{DELIMITER}Appended by hand, line {next(lines)}.")

    with opened(tmp_path, entry(RULE), *(state(number) for number in range(5))) as core:
        report = between(core, "remove", append).overflow("memory")["memory"]
        assert {one.outcome for one in report.actions} == {"done"}
        hot = [one.text for one in core._parts.hot.read("memory").entries]
        assert hot == [RULE, *(f"Appended by hand, line {number}." for number in range(5))]


@pytest.mark.parametrize("method", ["remove", "join"])
def test_an_entry_that_others_changed_meanwhile_is_left_as_they_left_it(tmp_path, method):
    path = tmp_path / "memories" / "MEMORY.md"
    gone = state(1)
    one = entry("Deploys run from Jenkins. The staging box is reset at night.")
    other = entry("Deploys run from Jenkins. Logs are kept for a month.")

    def rewrite():
        raw = path.read_text(encoding="utf-8").replace("Logs", "Backups").replace("shelf", "cellar")
        path.write_text(raw, encoding="utf-8")

    with opened(tmp_path, gone, one, other) as core:
        before = everywhere(core)
        between(core, method, rewrite).overflow("memory")
        hot = {one.text for one in core._parts.hot.read("memory").entries}
        changed = (
            other.text.replace("Logs", "Backups")
            if method == "join"
            else gone.text.replace("shelf", "cellar")
        )
        assert changed in hot
        assert before <= everywhere(core)


# -- a disk that refuses


def test_a_rename_that_is_refused_twice_is_tried_again_in_the_middle_of_an_overflow(tmp_path, monkeypatch):
    real, refusals = files.os.replace, iter([True, True])
    monkeypatch.setattr(files.time, "sleep", lambda _: None)

    def refusing(source, goal):
        if next(refusals, False):
            raise PermissionError(13, "a reader holds it")
        real(source, goal)

    with opened(tmp_path, entry(RULE), state(1)) as core:
        monkeypatch.setattr(files.os, "replace", refusing)
        (action,) = core.overflow("memory")["memory"].actions
        assert action.outcome == "done"
    assert list((tmp_path / "memories").glob(".mem_*")) == []


def test_a_rename_that_stays_refused_moves_nothing_and_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(files.time, "sleep", lambda _: None)

    def refusing(source, goal):
        raise PermissionError(13, "a reader holds it")

    with opened(tmp_path, entry(RULE), state(1)) as core:
        before = core._parts.hot.read("memory").entries
        with monkeypatch.context() as patch:
            patch.setattr(files.os, "replace", refusing)
            report = core.overflow("memory")["memory"]
        assert report.actions[0].outcome.startswith("failed:")
        assert "a reader holds it" in report.errors[-1]
        assert core._parts.hot.read("memory").entries == before
        assert core._parts.cold.scan("local", after=None, limit=10) == []
        assert list((tmp_path / "memories").glob(".mem_*")) == []
        assert core.overflow("memory")["memory"].actions[0].outcome == "done"


def test_an_overflow_over_a_sidecar_that_breaks_off_goes_by_what_is_left_of_it(tmp_path):
    with opened(tmp_path, entry(RULE, importance=0.95), state(1), state(2)) as core:
        path = tmp_path / "memories" / "MEMORY.meta.json"
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole[: len(whole) - 60], encoding="utf-8")
        before = everywhere(core)
        warned = core.audit("memory").targets["memory"].warnings
        assert any("damaged" in one for one in warned)
        core.overflow("memory")
        assert before <= everywhere(core)
        assert RULE in [one.text for one in core._parts.hot.read("memory").entries]
        assert json.loads(path.read_text(encoding="utf-8"))
        assert (path.with_name(f"{path.name}.broken")).read_text(encoding="utf-8").startswith("{")


def test_what_a_join_says_of_an_entry_stands_in_the_sidecar(tmp_path):
    one = entry("Deploys run from Jenkins. The staging box is reset at night.", importance=0.95)
    other = replace(entry("Deploys run from Jenkins. Logs are kept for a month."), importance=0.6)
    with opened(tmp_path, one, other) as core:
        report = core.overflow("memory")["memory"]
        assert [action.rung for action in report.actions] == ["merge", "merge"]
        items = json.loads((tmp_path / "memories" / "MEMORY.meta.json").read_text(encoding="utf-8"))
        (item,) = items.values()
        assert (item["id"], item["importance"]) == (one.id, 0.95)
        core.undo(report.run)
        assert core._parts.hot.read("memory").entries == (one, other)
