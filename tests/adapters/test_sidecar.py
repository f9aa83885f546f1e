"""The sidecar: read leniently, written exactly, and never the reason why an edit fails."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.adapters.sidecar import Sidecar, SidecarFile, parse
from memorycore.model import Entry, text_hash
from memorycore.policy.hot_text import derived_id
from tests.adapters.hot_fixtures import LIMITS, NOW, clock, entry, texts

UNKNOWN = {"kind": None, "importance": None, "origin": None, "written_at": None, "updated_at": None}


def one_item(**item):
    return Sidecar({text_hash("a"): item}).entry("memory", "a")


@pytest.fixture
def store(tmp_path):
    return MarkdownHotStore(tmp_path, LIMITS, clock=clock)


def test_the_format_on_disk_is_the_documented_one(store, tmp_path):
    one = entry("Ask before deploying.", id="m_1", importance=0.9)
    store.add(one)
    data = json.loads((tmp_path / "MEMORY.meta.json").read_text())
    stamp = "2026-05-04T12:30:00+00:00"
    assert data == {
        text_hash("Ask before deploying."): {
            "type": "rule",
            "written_at": stamp,
            "updated_at": stamp,
            "origin": "store_fact",
            "importance": 0.9,
            "id": "m_1",
        }
    }
    store.remove(one)
    assert json.loads((tmp_path / "MEMORY.meta.json").read_text()) == {}


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("2026-03-02T08:00:00", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("2026-03-02T08:00:00Z", datetime(2026, 3, 2, 8, tzinfo=UTC)),
        ("2026-03-02T08:00:00+09:00", datetime(2026, 3, 1, 23, tzinfo=UTC)),
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
    ],
)
def test_stamps_of_every_kind_are_read_as_utc(stamp, moment):
    found, warnings = one_item(written_at=stamp)
    assert found.written_at == moment
    assert found.written_at.tzinfo is UTC
    assert warnings == ()


def test_an_item_may_say_little_or_nothing():
    assert one_item() == (Entry(id=derived_id("a"), target="memory", text="a"), ())
    found, _ = one_item(type="stub", importance=1)
    assert (found.kind, found.importance, found.written_at) == ("stub", 1.0, None)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "lesson"},
        {"type": ["rule"]},
        {"importance": 1.5},
        {"importance": "high"},
        {"importance": True},
        {"importance": float("nan")},
        {"written_at": "yesterday"},
        {"written_at": 1_700_000_000},
        {"updated_at": "0001-01-01T00:00:00+09:00"},
        {"origin": 3},
        {"origin": "\ud800"},
        {"id": ""},
    ],
)
def test_a_value_that_can_not_be_used_counts_as_unknown_with_a_warning(item):
    found, warnings = one_item(**item)
    assert found == Entry(id=derived_id("a"), target="memory", text="a", **UNKNOWN)
    assert len(warnings) == 1
    assert next(iter(item)) in warnings[0]


def test_keys_that_we_do_not_know_survive(store, tmp_path):
    path = tmp_path / "MEMORY.meta.json"
    item = {"type": "rule", "colour": "red", "tags": [1, {"x": None}]}
    path.write_text(json.dumps({"version": 3, "_about": {"tool": "x"}, text_hash("a"): item}))
    (tmp_path / "MEMORY.md").write_text("a")
    known = store.read("memory").entries[0]
    store.add(entry("b"))
    store.annotate(replace(known, kind="state"))
    store.reconcile("memory", [])
    data = json.loads(path.read_text())
    assert data["version"] == 3
    assert data["_about"] == {"tool": "x"}
    assert data[text_hash("a")] == {"type": "state", "id": known.id} | {
        "colour": "red",
        "tags": [1, {"x": None}],
    }


def test_reconcile_drops_the_items_of_texts_that_are_gone(store, tmp_path):
    store.add(entry("a"))
    store.add(entry("b"))
    (tmp_path / "MEMORY.md").write_text("b")
    assert store.reconcile("memory", []) == 1
    assert list(json.loads((tmp_path / "MEMORY.meta.json").read_text())) == [text_hash("b")]
    assert store.reconcile("memory", []) == 0


@given(st.integers(1, 1_000))
def test_a_cut_sidecar_gives_every_item_that_is_whole(cut):
    items = {
        text_hash(text): {"type": "rule", "origin": '}{"", ' * n, "more": [{}]}
        for n, text in enumerate("abcd")
    }
    pieces = [json.dumps({key: item})[1:-1] for key, item in items.items()]
    whole = "{" + ", ".join(pieces) + "}"
    cut = min(cut, len(whole) - 1)
    found = parse(whole[:cut].encode(), "MEMORY.meta.json")
    ends = [len("{" + ", ".join(pieces[: n + 1])) for n in range(4)]
    assert found.broken
    assert found.items == dict(list(items.items())[: sum(end <= cut for end in ends)])
    assert f"{len(found.items)} of its items" in found.warnings[0]


@pytest.mark.parametrize(
    ("raw", "saved"),
    [
        (b"", 0),
        (b"[]", 0),
        (b"null", 0),
        (b"[" * 100_000, 0),
        (b'{"k": ' * 100_000, 0),
        (b'{"k": {"type": "rule"}} trailing', 1),
        (b'{"k": {"type": "rule"}, 3: {}}', 1),
        (b'{"k": {"type": "rule"}, "l": "\xff"}', 1),
        (b'{"k" {"type": "rule"}}', 0),
    ],
)
def test_damage_of_every_kind_is_survived(raw, saved):
    found = parse(raw, "MEMORY.meta.json")
    assert found.broken
    assert len(found.items) == saved


def test_a_byte_order_mark_is_no_damage():
    assert not parse(b'\xef\xbb\xbf{"k": {}}', "x").broken


def test_a_damaged_sidecar_warns_blocks_nothing_and_is_set_aside_at_the_next_write(store, tmp_path):
    first, second = entry("a"), entry("b")
    store.add(first)
    store.add(second)
    path = tmp_path / "MEMORY.meta.json"
    damaged = path.read_bytes()[:-60]
    path.write_bytes(damaged)
    snapshot = store.read("memory")
    assert snapshot.entries == (first, Entry(id=derived_id("b"), target="memory", text="b"))
    assert "damaged" in snapshot.warnings[0]
    assert path.read_bytes() == damaged

    assert store.add(entry("c")) == "done"
    assert (tmp_path / "MEMORY.meta.json.broken").read_bytes() == damaged
    assert store.read("memory").warnings == ()
    assert texts(store) == ["a", "b", "c"]


def test_an_older_broken_copy_is_not_overwritten(tmp_path):
    beside = SidecarFile(tmp_path / "M.json")
    for damaged in (b'{"1', b'{"2', b'{"1'):
        (tmp_path / "M.json").write_bytes(damaged)
        beside.save(beside.load())
    assert (tmp_path / "M.json.broken").read_bytes() == b'{"1'
    assert (tmp_path / "M.json.broken.1").read_bytes() == b'{"2'
    assert not (tmp_path / "M.json.broken.2").exists()


def test_a_sidecar_that_can_not_be_opened_is_told_and_stops_no_edit(store, tmp_path):
    (tmp_path / "MEMORY.meta.json").mkdir()
    one = entry("a")
    assert store.add(one) == "done"
    snapshot = store.read("memory")
    assert snapshot.entries == (Entry(id=derived_id("a"), target="memory", text="a"),)
    assert "MEMORY.meta.json can't be read" in snapshot.warnings[0]
    assert store.remove(one) == "done"


def test_a_sidecar_that_can_not_be_written_is_told_until_it_can(store, tmp_path):
    nowhere = tmp_path / "MEMORY.meta.json"
    nowhere.symlink_to(tmp_path / "missing" / "x.json")
    assert store.add(entry("a")) == "done"
    assert "last change of MEMORY.meta.json is lost" in store.read("memory").warnings[0]
    nowhere.unlink()
    assert store.annotate(entry("a")) == "done"
    assert store.read("memory").warnings == ()


def test_what_is_already_said_is_not_written_again(store, tmp_path):
    one = entry("a", written_at=NOW)
    store.add(one)
    path = tmp_path / "MEMORY.meta.json"
    inode = path.stat().st_ino
    assert store.annotate(one) == "present"
    assert store.reconcile("memory", [one]) == 0
    assert path.stat().st_ino == inode


@pytest.mark.parametrize(
    "item",
    [
        None,
        {},
        "no object",
        {"type": "rule"},
        {"type": "state", "written_at": "2026-03-02T08:00:00+09:00", "colour": "red"},
        {"type": "lesson", "importance": "high", "id": "m_1"},
        {"id": derived_id("Ask before deploying."), "type": "rule"},
    ],
    ids=repr,
)
def test_an_entry_that_goes_and_comes_back_is_noted_as_it_was(item, store, tmp_path):
    text, path = "Ask before deploying.", tmp_path / "MEMORY.meta.json"
    (tmp_path / "MEMORY.md").write_text(text, encoding="utf-8")
    before = {} if item is None else {text_hash(text): item}
    path.write_text(json.dumps(before), encoding="utf-8")
    (one,) = store.read("memory").entries
    store.remove(one)
    assert json.loads(path.read_text()) == {}
    store.add(one)
    assert json.loads(path.read_text()) == before
    store.annotate(replace(one, kind="state", importance=0.3))
    assert store.read("memory").entries[0].kind == "state"
    store.annotate(one)
    assert store.read("memory").entries == (one,)
    store.replace(one, replace(one, text="Ask before deploying, always.", importance=0.4))
    store.replace(replace(one, text="Ask before deploying, always.", importance=0.4), one)
    assert json.loads(path.read_text()) == before
