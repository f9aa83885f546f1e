"""Frozen values: hashes, ids, percentages."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import Entry, HotSnapshot, Record, TrashItem, new_id, new_run_id, text_hash, usage_pct

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
def test_a_hash_is_blind_to_white_space_at_the_ends_only(text):
    assert text_hash(f" \n{text}\t") == text_hash(text)
    assert text_hash(f"{text.strip()}x") != text_hash(text)


def test_a_hash_is_the_one_of_the_sidecars():
    expected = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert text_hash("hello") == expected
    assert Entry(id="m_1", target="memory", text=" hello\n").hash == expected
    assert Record(id="m_1", text="hello", created_at=NOW, updated_at=NOW).hash == expected


def test_ids_are_new_and_of_one_form():
    ids = {new_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(one.startswith("m_") and len(one) == 22 for one in ids)


@given(st.integers(0, 10**9), st.integers(1, 10**8))
def test_run_ids_sort_by_time(start, seconds):
    first = NOW + timedelta(seconds=start)
    assert new_run_id(first) < new_run_id(first + timedelta(seconds=seconds))


def test_a_record_is_active_until_it_is_superseded():
    record = Record(id="m_1", text="hello", created_at=NOW, updated_at=NOW)
    assert record.active
    assert not dataclasses.replace(record, superseded_by="m_2").active
    assert (record.owner, record.scope, record.importance) == ("local", "global", 0.5)


@pytest.mark.parametrize(
    ("chars", "limit", "pct"), [(0, 2_200, 0.0), (1_100, 2_200, 50.0), (1, 3, 33.3), (9, 3, 300.0)]
)
def test_usage_is_in_percent_to_one_decimal(chars, limit, pct):
    assert usage_pct(chars, limit) == pct
    assert HotSnapshot(target="memory", entries=(), chars=chars, limit=limit).pct == pct


def test_values_are_frozen():
    entry = Entry(id="m_1", target="memory", text="hello")
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.text = "other"


def test_a_trash_item_bears_the_id_of_what_lies_in_it():
    entry = Entry(id="m_1", target="memory", text="hello")
    item = TrashItem(item=entry, reason="asked", run="r_1", trashed_at=NOW, expires_at=NOW)
    assert item.id == "m_1"
