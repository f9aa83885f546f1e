"""What is loaded equals what was dumped."""

from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.adapters.plan_codec import dump, load_action, load_item, load_plan
from memorycore.errors import StoreCorrupt
from memorycore.model import Entry, Record
from memorycore.plan import (
    Action,
    AddEntry,
    AnnotateEntry,
    BuryEntry,
    ColdOp,
    Expire,
    FillVector,
    JoinEntries,
    PartEntries,
    Plan,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
    Rung,
    RunKind,
)

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
zones = st.sampled_from(
    [UTC, timezone(timedelta(hours=9)), timezone(timedelta(hours=-3, minutes=-30, seconds=-7))]
)
times = st.datetimes(timezones=zones)
entries = st.builds(
    Entry,
    id=texts,
    target=st.sampled_from(["memory", "user"]),
    text=texts,
    kind=st.none() | st.sampled_from(["rule", "state", "stub"]),
    importance=st.none() | st.floats(0, 1),
    origin=st.none() | texts,
    written_at=st.none() | times,
    updated_at=st.none() | times,
)
records = st.builds(
    Record,
    id=texts,
    text=texts,
    created_at=times,
    updated_at=times,
    owner=texts,
    importance=st.floats(0, 1),
    context=st.none() | texts,
    event_at=st.none() | times,
    superseded_by=st.none() | texts,
    superseded_at=st.none() | times,
)
_SPECIAL = {
    ReplaceRecord: records.map(lambda record: ReplaceRecord(record, record)),
    FillVector: st.builds(FillVector, texts, texts),
    Expire: st.builds(Expire, texts),
}


def _op(kind):
    if kind in _SPECIAL:
        return _SPECIAL[kind]
    field = "entry" if "entry" in kind.__dataclass_fields__ else "record"
    if "item" in kind.__dataclass_fields__:
        return (entries | records).map(kind)
    return (entries if field == "entry" else records).map(kind)


cold_ops = st.one_of([_op(kind) for kind in get_args(ColdOp)])
places = st.none() | st.integers(0, 9)
edits = (
    st.none()
    | st.builds(AddEntry, entries, places)
    | st.builds(RemoveEntry, entries, places)
    | st.builds(ReplaceEntry, entries, entries)
    | entries.map(lambda entry: AnnotateEntry(entry, replace(entry, kind="state")))
    | st.builds(JoinEntries, *(entries.map(lambda entry: replace(entry, target="user")),) * 3, places)
    | st.builds(PartEntries, *(entries.map(lambda entry: replace(entry, target="memory")),) * 3, places)
)
_DROPS = {
    RemoveEntry: ("entry",),
    ReplaceEntry: ("before",),
    JoinEntries: ("kept", "gone"),
    PartEntries: ("joined",),
}


@st.composite
def actions(draw):
    hot = draw(edits)
    cold = [BuryEntry(getattr(hot, name)) for name in _DROPS.get(type(hot), ())]
    cold += draw(st.lists(cold_ops, min_size=0 if hot else 1, max_size=3))
    return Action(
        rung=draw(st.sampled_from(get_args(Rung))),
        subject=draw(texts),
        reason=draw(texts),
        target=draw(st.none() | st.sampled_from(["memory", "user"])),
        cold=tuple(cold),
        hot=hot,
    )


plans = st.builds(
    Plan, kind=st.sampled_from(get_args(RunKind)), actions=st.lists(actions(), max_size=3).map(tuple)
)


@given(plans)
@settings(max_examples=60, deadline=None)
def test_a_plan_survives(plan):
    assert load_plan(dump(plan)) == plan
    for action in plan.actions:
        assert load_action(dump(action)) == action


@given(entries | records)
@settings(max_examples=60, deadline=None)
def test_an_item_survives_with_its_offsets(item):
    loaded = load_item(dump(item))
    assert loaded == item
    assert type(loaded) is type(item)
    for name in ("created_at", "written_at", "updated_at", "event_at"):
        at = getattr(item, name, None)
        assert at is None or getattr(loaded, name).utcoffset() == at.utcoffset()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"is":"Nothing"}',
        '{"is":"Record","id":"x"}',
        '{"is":"Record","surprise":1}',
        "7",
    ],
)
def test_what_cannot_be_read_is_told(text):
    for load in (load_plan, load_action, load_item):
        with pytest.raises(StoreCorrupt):
            load(text)


def test_a_thing_of_another_kind_is_told():
    entry = Entry(id="e", target="memory", text="x")
    with pytest.raises(StoreCorrupt, match="no Plan"):
        load_plan(dump(entry))
