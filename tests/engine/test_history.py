"""Supersession is history: kept, hidden, told with its reason, and brought back when somebody asks."""

from __future__ import annotations

import pytest

from memorycore.answers import to_wire
from memorycore.plan import Action, PutRecord, ReplaceRecord
from memorycore.policy.history import retires, valid_to
from tests.engine.helpers import FACT, NOW, World, entry, record

LOVES, HATES = "I love Chinese food.", "I hate Chinese food."
PORT = "The staging server listens on port {}."


@pytest.fixture
def world():
    return World()


def cold(world, text, **more):
    return world.core().store(text, route="cold", **more)


def ports(world, *numbers):
    ids = []
    for number in numbers:
        world.clock.turn(days=1)
        ids.append(cold(world, PORT.format(number)).id)
    return ids


def texts(history):
    return [version.text for version in history.versions]


def test_a_chain_is_told_from_any_of_its_members_oldest_first(world):
    ids = ports(world, 8441, 8442, 8443)
    for one in ids:
        history = world.core().fact_history(one)
        assert (history.status, history.id) == ("found", one)
        assert [version.id for version in history.versions] == ids
        assert texts(history) == [PORT.format(number) for number in (8441, 8442, 8443)]
    first, second, last = history.versions
    assert (first.superseded_by, second.superseded_by, last.superseded_by) == (ids[1], ids[2], None)
    assert first.valid_from < first.valid_to == second.valid_from
    assert last.valid_to is None
    assert f"supersedes {ids[0]}" in first.why
    assert world.ledger.run(first.run).plan.kind == "store"
    assert (last.why, last.run) == (None, None)


def test_hot_entries_and_the_trash_belong_to_the_chain(world):
    first = world.core().store(LOVES, route="hot")
    second = world.core().store(HATES, route="hot")
    history = world.core().fact_history(first.id)
    assert [(version.text, version.tier) for version in history.versions] == [(LOVES, "cold"), (HATES, "hot")]
    world.core().forget(second.id)
    world.core().forget(first.id)
    history = world.core().fact_history(second.id)
    assert [(one.text, one.tier) for one in history.versions] == [(LOVES, "trash"), (HATES, "trash")]
    assert history.versions[1].why == "asked for by id"


def test_a_fact_that_replaced_nothing_is_its_own_history_and_an_unknown_one_has_none(world):
    kept = cold(world, FACT).id
    assert texts(world.core().fact_history(kept)) == [FACT]
    unknown = world.core().fact_history("m_unknown")
    assert to_wire(unknown) == {"status": "not_found", "id": "m_unknown", "versions": []}


def test_a_circle_in_the_links_ends(world):
    world.cold.put(record("tea", id="m_a", superseded_by="m_b", superseded_at=NOW), None)
    world.cold.put(record("milk", id="m_b", superseded_by="m_a", superseded_at=NOW), None)
    assert sorted(texts(world.core().fact_history("m_a"))) == ["milk", "tea"]


def test_what_came_true_earlier_than_it_was_told_ended_the_older_then():
    older = record("a", created_at=NOW.replace(month=1), superseded_by="m_2", superseded_at=NOW)
    march = record("b", event_at=NOW.replace(month=3), created_at=NOW)
    before = record("b", event_at=NOW.replace(year=2020), created_at=NOW)
    assert valid_to(older, march) == march.event_at
    assert valid_to(older, before) == older.superseded_at == valid_to(older, None)
    assert valid_to(march, None) is None
    assert valid_to(entry("x"), march) is None


def test_only_what_makes_history_of_an_item_counts_as_its_reason():
    old = record("tea", id="m_1")
    gone = record("tea", id="m_1", superseded_by="m_2", superseded_at=NOW)
    made = Action(rung="supersede", subject="m_2", reason="r", cold=(ReplaceRecord(old, gone),))
    back = Action(rung="restore", subject="m_1", reason="r", cold=(ReplaceRecord(gone, old),))
    put = Action(rung="write", subject="m_1", reason="r", cold=(PutRecord(old),))
    assert retires(made, "m_1")
    assert not any(retires(one, "m_1") for one in (back, put))
    assert not retires(made, "m_2")


# -- hidden unless asked for


def test_the_newer_leads_and_the_older_is_shown_only_when_asked_for(world):
    first, second = ports(world, 8441, 8442)
    (hit,) = world.core().recall("staging server port").results
    assert (hit.id, hit.superseded_by, hit.valid_to) == (second, None, None)
    hits = world.core().recall("staging server port", include_superseded=True).results
    assert {one.id for one in hits} == {first, second}
    older = next(one for one in hits if one.id == first)
    assert older.superseded_by == second
    assert older.valid_from < older.valid_to == hit.valid_from


def test_no_read_path_shows_history_or_counts_it_as_there(world):
    first, second = ports(world, 8441, 8442)
    core = world.core()
    assert first not in str(to_wire(core.audit()))
    assert (core.usage().cold["total"], core.usage().cold["superseded"]) == (1, 1)
    world.clock.turn(hours=2)
    core.recall("staging server port", include_superseded=True)
    core._parts.afterwork.drain()
    assert (world.cold.get(first).recalls, world.cold.get(second).recalls) == (0, 1)
    again = cold(world, PORT.format(8441))
    assert again.status == "cold_stored"
    assert again.superseded == (second,)


def test_of_a_changed_mind_one_fact_is_active_and_the_first_can_be_had_back(world):
    first, second = cold(world, LOVES), cold(world, HATES)
    assert second.superseded == (first.id,)
    assert [one.content for one in world.core().recall("Chinese food").results] == [HATES]
    told = world.core().fact_history(first.id).versions[0]
    assert told.why
    assert told.run == second.undo
    restored = world.core().restore(first.id)
    assert restored.status == "restored"
    assert second.id in restored.detail
    assert world.cold.get(first.id).active
    world.core().undo(restored.undo)
    assert world.cold.get(first.id).superseded_by == second.id


def test_forgetting_the_newer_leaves_the_older_history_and_says_how_to_have_it_back(world):
    first, second = ports(world, 8441, 8442)
    answer = world.core().forget(second)
    assert f"memorycore restore {first}" in answer.detail
    assert world.core().recall("staging server port").results == ()
    world.core().restore(first)
    assert world.core().recall("staging server port").results[0].id == first
    world.core().restore(second)
    assert world.cold.get(second).active


@pytest.mark.parametrize("where", ["hot", "cold"])
def test_history_whose_text_is_active_again_is_not_doubled(world, where):
    first, _ = ports(world, 8441, 8442)
    if where == "hot":
        world.hot.write_by_hand("memory", PORT.format(8441))
    else:
        cold(world, PORT.format(8441))
    before = world.state()
    answer = world.core().restore(first)
    assert (answer.status, answer.undo) == ("restored", None)
    assert "active already" in answer.detail
    assert world.state() == before


# -- paraphrases of what is superseded


def put(world, text, **more):
    """Put a record past the verdicts, as an import would."""
    one = record(text, **more)
    world.cold.put(one, world.core()._parts.embed(text)[0])
    return one.id


@pytest.mark.parametrize(
    ("new", "old", "twin"),
    [
        ("The wiki runs on port 8095.", "The wiki runs on port 8090.", "The wiki uses port 8090."),
        ("We deploy on Mondays.", "We deploy on Fridays.", "On Fridays we deploy."),
        ("用户现在住在上海。", "用户住在北京。", "用户家在北京。"),
    ],
)
def test_what_says_the_same_goes_with_it_and_comes_back_with_it(world, new, old, twin):
    first, second = put(world, old), put(world, twin)
    before = world.state()
    receipt = cold(world, new)
    assert set(receipt.superseded) == {first, second}
    assert [one.text for one in world.records() if one.active] == [new]
    history = world.core().fact_history(receipt.id)
    assert len(history.versions) == 3
    assert all(one.why for one in history.versions[:2])
    world.core().undo(receipt.undo)
    entries, users, records, _ = world.state()
    assert (entries, users, records) == before[:3]


def test_a_hot_paraphrase_leaves_the_prompt(world):
    world.hot.add(entry("The wiki uses port 8090."))
    first = put(world, "The wiki runs on port 8090.")
    receipt = cold(world, "The wiki runs on port 8095.")
    assert first in receipt.superseded
    assert world.hot_texts() == []
    told = world.core().fact_history(receipt.id)
    assert {one.text: one.why is None for one in told.versions} == {
        "The wiki uses port 8090.": False,
        "The wiki runs on port 8090.": False,
        "The wiki runs on port 8095.": True,
    }
    world.core().undo(receipt.undo)
    assert world.hot_texts() == ["The wiki uses port 8090."]


@pytest.mark.parametrize(
    "bystander",
    [
        "The wiki backup runs on port 8090.",
        "The intranet runs on port 8090.",
        "The wiki runs on port 8091 in the test network.",
        "Dana looks after the wiki.",
        "The wiki runs on port 8090 and its certificate is renewed in May.",
    ],
)
def test_what_differs_or_says_more_stays(world, bystander):
    put(world, "The wiki runs on port 8090.")
    other = put(world, bystander)
    paraphrased = [
        action.subject
        for action in world.ledger.run(cold(world, "The wiki runs on port 8095.").undo).plan.actions
        if action.rung == "paraphrase"
    ]
    assert other not in paraphrased


def test_another_scope_keeps_its_own(world):
    put(world, "The wiki runs on port 8090.")
    elsewhere = put(world, "The wiki uses port 8090.", scope="work")
    cold(world, "The wiki runs on port 8095.")
    assert world.cold.get(elsewhere).active


def test_recalled_text_that_is_fed_back_is_no_new_fact(world):
    cold(world, FACT)
    for hit in world.core().recall("garden shed key").results:
        receipt = world.core().store(hit.content)
        assert receipt.duplicate_of == hit.id
    assert [one.text for one in world.records()] == [FACT]
    assert world.hot_texts() == []


def test_a_mere_mention_of_the_same_person_retires_nothing(world):
    cold(world, "Dana plays the violin in the city orchestra.")
    receipt = cold(world, "Dana called yesterday about the invoice for the garden fence.")
    assert receipt.superseded == ()
    assert all(one.active for one in world.records())


def test_who_ate_steak_in_march_was_vegetarian_in_january(world):
    first = cold(world, "Tom is a vegetarian.")
    world.clock.turn(days=60)
    second = cold(world, "Tom is no longer a vegetarian; he had steak on Friday.")
    assert second.superseded == (first.id,)
    hits = world.core().recall("is Tom a vegetarian", include_superseded=True).results
    assert [hit.superseded_by for hit in hits] == [None, second.id]
