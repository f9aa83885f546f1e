"""What goes beside a superseded fact: the same both ways, none of the new fact, nothing for hostile ones."""

from __future__ import annotations

from dataclasses import replace

from memorycore.model import Judgement
from memorycore.plan import PutRecord, RemoveEntry, ReplaceRecord
from memorycore.policy.paraphrase import Paraphrase, says_the_same, with_paraphrases
from memorycore.policy.similarity import judge_pair
from memorycore.policy.write import Neighbour, NewFact, decide_write
from tests.engine.helpers import NOW, entry, record

OLD, TWIN, NEW = (
    "The wiki runs on port 8090.",
    "The wiki uses port 8090.",
    "The wiki runs on port 8095.",
)
FACT = NewFact(
    id="m_new", text=NEW, importance=0.5, scope="global", target="memory", origin="store_fact", at=NOW
)


def decided(fact, *found):
    old = Neighbour(record(OLD, id="m_old"), Judgement(verdict="supersede", reason="another port"))
    return with_paraphrases(decide_write(fact, "cold", "a fact", [old]), fact, found)


def both_ways(one, other, cosine):
    return says_the_same(judge_pair(one, other, cosine=cosine), judge_pair(other, one, cosine=cosine))


def test_the_same_has_to_hold_in_both_directions():
    assert both_ways(OLD, TWIN, None)
    more = "The wiki runs on port 8090 and its certificate is renewed in May."
    assert both_ways(OLD, more, 0.9) is None
    assert both_ways(more, OLD, 0.9) is None
    assert both_ways(OLD, NEW, 0.95) is None
    assert says_the_same(judge_pair(OLD, TWIN, cosine=None), None) is None


def test_each_has_an_action_of_its_own_with_its_reason():
    hot, cold = entry(TWIN, id="e_1"), record(TWIN, id="m_twin")
    decision = decided(FACT, Paraphrase(hot, "m_old", "same"), Paraphrase(cold, "m_old", "same"))
    first, of_hot, of_cold = decision.plan.actions
    assert first.rung == "supersede"
    assert {of_hot.rung, of_cold.rung} == {"paraphrase"}
    assert of_hot.hot == RemoveEntry(hot)
    assert isinstance(of_hot.cold[0], PutRecord)
    assert of_hot.cold[0].record.superseded_by == "m_new"
    assert of_cold.cold == (ReplaceRecord(cold, replace(cold, superseded_by="m_new", superseded_at=NOW)),)
    assert decision.superseded == ("m_old", "e_1", "m_twin")
    assert "m_old" in of_cold.reason


def test_a_hostile_fact_takes_no_entry_along():
    hostile = replace(FACT, hostile=True, prompt_safe=False)
    hot, cold = entry(TWIN, id="e_1"), record(TWIN, id="m_twin")
    decision = decided(hostile, Paraphrase(hot, "m_old", "same"), Paraphrase(cold, "m_old", "same"))
    assert decision.superseded == ("m_old", "m_twin")


def test_what_says_the_new_fact_is_no_paraphrase_of_the_old():
    decision = decided(FACT, Paraphrase(record(NEW, id="m_same"), "m_old", "same"))
    assert decision.superseded == ("m_old",)


def test_a_decision_that_writes_nothing_stays_as_it_is():
    same = Neighbour(record(NEW, id="m_same"), Judgement(verdict="same", reason="the same words"))
    decision = decide_write(FACT, "cold", "a fact", [same])
    assert with_paraphrases(decision, FACT, [Paraphrase(record(TWIN), "m_old", "same")]) == decision
