"""What becomes of a new fact: every route against every kind of neighbour."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import Entry, Judgement, Record
from memorycore.plan import (
    AddEntry,
    BuryUnstored,
    PutRecord,
    RemoveEntry,
    ReplaceEntry,
    ReplaceRecord,
)
from memorycore.policy.write import Neighbour, NewFact, decide_write, record_of, taken_in, write_cold
from tests.engine.helpers import NOW, entry, record

OLD, LONGER, OPPOSITE = "I like green tea.", "I like green tea a lot.", "I hate green tea."


def fact(text=OPPOSITE, **fields) -> NewFact:
    given = {"importance": 0.5, "scope": "global", "target": "memory", "origin": "store_fact", "at": NOW}
    return NewFact(**{"id": "m_new", "text": text} | given | fields)


def near(item: Entry | Record, verdict) -> Neighbour:
    return Neighbour(item, Judgement(verdict=verdict, reason=f"for a test: {verdict}"))


HOT, COLD = entry(OLD, id="m_hot"), record(OLD, id="m_cold")


def decide(route, *neighbours, **fields):
    return decide_write(fact(**fields), route, "a test", neighbours)


def edits(decision):
    return [action.hot for action in decision.plan.actions]


def test_a_fact_that_is_like_nothing_goes_where_it_is_routed():
    hot, cold, stale = decide("hot"), decide("cold"), decide("stale")
    assert (hot.status, hot.tier, hot.target) == ("stored", "hot", "memory")
    assert isinstance(edits(hot)[0], AddEntry)
    assert (cold.status, cold.tier, cold.target) == ("cold_stored", "cold", None)
    assert cold.plan.actions[0].cold == (PutRecord(fact().as_record()),)
    assert (stale.status, stale.tier) == ("stale", None)
    assert stale.plan.actions[0].cold == (BuryUnstored(fact().as_record()),)


@pytest.mark.parametrize("route", ["hot", "cold", "stale"])
def test_what_stands_in_the_file_already_is_not_stored_anywhere(route):
    decision = decide(route, near(HOT, "same"), near(COLD, "same"))
    assert (decision.status, decision.id, decision.duplicate_of, decision.plan) == (
        "stored",
        "m_hot",
        "m_hot",
        None,
    )


def test_a_duplicate_names_the_file_where_it_stands():
    assert decide("hot", near(replace(HOT, target="user"), "same")).target == "user"


def test_a_cold_duplicate_is_skipped():
    decision = decide("cold", near(COLD, "same"))
    assert (decision.status, decision.duplicate_of, decision.plan) == ("cold_duplicate", "m_cold", None)


def test_a_rule_takes_the_place_of_the_same_cold_record_which_stays_as_history():
    decision = decide("hot", near(COLD, "same"))
    (action,) = decision.plan.actions
    assert action.cold == (ReplaceRecord(COLD, replace(COLD, superseded_by="m_new", superseded_at=NOW)),)
    assert (decision.status, decision.superseded) == ("stored", ("m_cold",))


def test_a_fact_that_adds_to_a_record_takes_its_place_and_the_record_becomes_history():
    kept = replace(COLD, importance=0.9)
    decision = decide("cold", near(kept, "merge"), text=LONGER, importance=0.7, context="At breakfast.")
    ((put, retire),) = [action.cold for action in decision.plan.actions]
    assert (decision.status, decision.id, decision.superseded) == ("cold_updated", "m_new", ("m_cold",))
    assert (put.record.text, put.record.importance, put.record.context) == (LONGER, 0.9, "At breakfast.")
    assert (retire.before, retire.after.text, retire.after.superseded_by) == (kept, OLD, "m_new")


def test_a_fact_that_adds_to_an_entry_takes_its_place_and_the_entry_becomes_history():
    rule = replace(HOT, kind="rule", importance=0.9, target="user")
    decision = decide("hot", near(rule, "merge"), text=LONGER)
    (action,) = decision.plan.actions
    assert (decision.id, decision.target, decision.superseded) == ("m_new", "user", ("m_hot",))
    assert (action.rung, action.hot.before, action.hot.after.text) == ("merge", rule, LONGER)
    assert (action.hot.after.kind, action.hot.after.importance) == ("rule", 0.9)
    assert [(op.record.text, op.record.superseded_by) for op in action.cold] == [(OLD, "m_new")]


@pytest.mark.parametrize("item", [HOT, COLD])
def test_what_supersedes_something_is_no_status(item):
    decision = decide("stale", near(item, "supersede"))
    assert (decision.status, decision.superseded) != ("stale", ())
    assert decision.superseded == (item.id,)


def test_a_merge_in_other_words_keeps_the_older_text_as_history():
    decision = decide("cold", near(COLD, "merge"), text="Trains are fast, she says, and on time.")
    assert (decision.status, decision.superseded) == ("cold_updated", ("m_cold",))
    assert decide("hot", near(HOT, "merge"), text="Trains are fast, she says.").superseded == (HOT.id,)


def test_what_a_fact_contradicts_is_not_taken_in_by_it():
    other = replace(COLD, id="m_other")
    decision = decide("cold", near(COLD, "merge"), near(other, "supersede"))
    first, second = decision.plan.actions
    assert (first.rung, second.rung) == ("merge", "supersede")
    assert taken_in(first, "m_new") == ("m_cold",)
    assert taken_in(second, "m_new") == ()
    assert set(decision.superseded) == {"m_cold", "m_other"}


def test_a_superseded_record_becomes_history():
    decision = decide("cold", near(COLD, "supersede"))
    assert decision.superseded == ("m_cold",)
    assert decision.plan.actions[0].cold[1].after.superseded_by == "m_new"


@pytest.mark.parametrize("route", ["hot", "cold"])
def test_a_superseded_entry_is_replaced_whatever_the_route_of_the_new_one(route):
    decision = decide(route, near(HOT, "supersede"))
    (action,) = decision.plan.actions
    assert isinstance(action.hot, ReplaceEntry)
    (history,) = action.cold
    assert (history.record.id, history.record.superseded_by) == ("m_hot", "m_new")
    assert (decision.id, decision.superseded) == ("m_new", ("m_hot",))


def test_the_replacement_stands_in_the_file_of_what_it_replaces():
    decision = decide("hot", near(replace(HOT, target="user"), "supersede"))
    assert (decision.target, edits(decision)[0].after.target) == ("user", "user")


def test_of_several_superseded_entries_none_stays():
    other = entry("I adore green tea.", id="m_other")
    decision = decide("hot", near(HOT, "supersede"), near(other, "supersede"), near(COLD, "supersede"))
    first, second = edits(decision)
    assert isinstance(first, ReplaceEntry)
    assert second == RemoveEntry(other)
    assert decision.superseded == ("m_hot", "m_other", "m_cold")


def test_a_fact_without_room_retires_what_it_supersedes_all_the_same():
    decision = write_cold(fact(), "no room", [near(HOT, "supersede")], status="cold_stored_fallback")
    put, retire = decision.plan.actions
    assert put.cold == (PutRecord(fact().as_record()),)
    assert retire.hot == RemoveEntry(HOT)


@pytest.mark.parametrize("route", ["hot", "cold", "stale"])
@pytest.mark.parametrize("verdict", ["same", "supersede", "merge"])
def test_what_is_not_safe_in_a_prompt_never_gets_there(route, verdict):
    decision = decide(route, near(HOT, verdict), prompt_safe=False)
    actions = decision.plan.actions if decision.plan else ()
    assert not any(isinstance(action.hot, AddEntry | ReplaceEntry) for action in actions)


@pytest.mark.parametrize("route", ["hot", "cold"])
def test_a_hostile_text_takes_nothing_out_of_a_file(route):
    decision = decide(route, near(HOT, "supersede"), near(COLD, "supersede"), prompt_safe=False, hostile=True)
    assert edits(decision) == [None]
    assert decision.superseded == ("m_cold",)


def test_an_entry_leaves_with_its_id_its_times_and_what_is_known_of_it():
    kept = record_of(HOT, NOW, owner="me")
    assert (kept.id, kept.text, kept.created_at, kept.updated_at) == (HOT.id, HOT.text, NOW, NOW)
    assert (kept.importance, kept.origin, kept.owner, kept.active) == (0.5, "store_fact", "me", True)


def test_an_entry_of_which_nothing_is_known_gets_sensible_values():
    bare = Entry(id="h_1", target="user", text="By hand.")
    kept = record_of(bare, NOW, owner="local", superseded_by="m_new")
    assert (kept.created_at, kept.updated_at, kept.importance, kept.origin) == (NOW, NOW, 0.5, "hot:user")
    assert (kept.superseded_by, kept.superseded_at) == ("m_new", NOW)


NEIGHBOURS = st.lists(
    st.builds(
        near,
        st.sampled_from([HOT, COLD, entry("I adore green tea.", "user"), record("Green tea is fine.")]),
        st.sampled_from(["same", "supersede", "merge"]),
    ),
    max_size=4,
    unique_by=lambda one: one.item.id,
)


@given(st.sampled_from(["hot", "cold", "stale"]), NEIGHBOURS, st.sampled_from([OPPOSITE, LONGER, OLD]))
def test_the_same_input_gives_the_same_plan_and_every_plan_names_its_reasons(route, neighbours, text):
    decision = decide(route, *neighbours, text=text)
    assert decision == decide(route, *neighbours, text=text)
    assert decision.detail
    assert (decision.plan is None) == (decision.duplicate_of is not None)
    if decision.plan is not None:
        assert all(action.reason for action in decision.plan.actions)
        assert decision.plan.kind == "store"
