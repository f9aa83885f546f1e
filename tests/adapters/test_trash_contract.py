"""What every ledger must do with the vectors and the times of its trash, and with mentions of an id."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from memorycore.adapters.ledger_sqlite import SqliteLedger
from memorycore.errors import EmbedderMismatch
from memorycore.model import Embedding, text_hash
from memorycore.testing_ledger import InMemoryLedger
from tests.adapters.sqlite_fixtures import MODEL, START, embedding
from tests.adapters.test_ledger_contract import plan, trashed

MONTH = timedelta(days=31)


@pytest.fixture(params=["sqlite", "memory"])
def ledger(request, tmp_path):
    made = InMemoryLedger() if request.param == "memory" else SqliteLedger(tmp_path / "ledger.db")
    yield made
    made.close()


def near(ledger, *numbers, model=MODEL, limit=5, now=START):
    vector = np.array(numbers, np.float32)
    found = ledger.buried_near(model, vector, limit=limit, now=now)
    return {one.item.id: round(one.cosine, 3) for one in found}


def test_what_was_buried_with_vectors_is_found_nearest_first(ledger):
    for number, numbers in ((1, (1, 0, 0, 0)), (2, (0.6, 0.8, 0, 0)), (3, (0, 0, 1, 0))):
        ledger.bury(trashed(number), embedding(*numbers))
    ledger.bury(trashed(4))
    assert near(ledger, 1, 0, 0, 0) == {"m_001": 1.0, "m_002": 0.6, "m_003": 0.0}
    assert list(near(ledger, 0, 1, 0, 0, limit=1)) == ["m_002"]


def test_it_comes_back_whole_with_both_its_vectors(ledger):
    own, find = np.array([1, 0, 0, 0], np.float32), np.array([0.5, 0.5, 0, 0], np.float32)
    item = trashed(1)
    ledger.bury(item, Embedding(MODEL, own, find))
    (found,) = ledger.buried_near(MODEL, own, limit=3, now=START)
    assert (found.item, found.embedding.model) == (item, MODEL)
    assert found.embedding.own.tolist() == own.tolist()
    assert found.embedding.find.tolist() == find.tolist()
    assert found.cosine == pytest.approx(0.5)


def test_every_change_of_the_trash_is_seen_at_once(ledger):
    assert near(ledger, 1, 0, 0, 0) == {}
    ledger.bury(trashed(1, "one"), embedding(1, 0, 0, 0))
    ledger.bury(trashed(2, "two"), embedding(0, 1, 0, 0))
    assert set(near(ledger, 1, 0, 0, 0)) == {"m_001", "m_002"}
    ledger.exhume("m_001")
    assert set(near(ledger, 1, 0, 0, 0)) == {"m_002"}
    ledger.bury(trashed(2, "two anew"))
    assert near(ledger, 1, 0, 0, 0) == {}
    ledger.bury(trashed(3, "the third text"), embedding(0, 1, 0, 0))
    ledger.purge("the third text")
    assert near(ledger, 1, 0, 0, 0) == {}


def test_other_models_and_lengths_are_never_compared(ledger):
    ledger.bury(trashed(1), embedding(1, 0, 0, 0, model="other/4"))
    ledger.bury(trashed(2), embedding(1, 0, 0))
    assert near(ledger, 1, 0, 0, 0) == {}
    assert near(ledger, 1, 0, 0, 0, model="other/4") == {"m_001": 1.0}
    assert near(ledger, 1, 0, 0) == {"m_002": 1.0}


def test_a_vector_that_makes_no_sense_is_refused_and_nothing_buried(ledger):
    with pytest.raises(EmbedderMismatch):
        ledger.bury(trashed(1), embedding(0, 0, 0, 0))
    assert ledger.trash_count() == 0


def test_what_has_expired_is_told_oldest_first_and_found_no_more(ledger):
    for number, hours in ((1, 2), (2, 0), (3, 1)):
        ledger.bury(trashed(number, hours=hours), embedding(1, 0, 0, 0))
    due = START + timedelta(days=30, hours=1)
    assert [item.id for item in ledger.expired(due, limit=9)] == ["m_002", "m_003"]
    assert [item.id for item in ledger.expired(due, limit=1)] == ["m_002"]
    assert ledger.expired(START, limit=9) == []
    assert set(near(ledger, 1, 0, 0, 0, now=due)) == {"m_001"}
    assert near(ledger, 1, 0, 0, 0, now=START + MONTH) == {}
    assert ledger.trash_count() == 3


def test_actions_that_speak_of_an_id_are_told_oldest_first(ledger):
    ledger.begin("r_1", plan(), START)
    ledger.mark("r_1", 0, "done", "")
    ledger.begin("r_2", replace(plan(), actions=plan().actions[1:]), START + MONTH)
    ledger.begin("r_3", replace(plan(), actions=plan().actions[:1]), START + MONTH)
    told = ledger.mentions("m_001")
    assert [(one.run, one.at, one.state) for one in told] == [
        ("r_1", START, "planned"),
        ("r_2", START + MONTH, "planned"),
    ]
    assert told[0].action == plan().actions[1]
    assert [one.state for one in ledger.mentions("e_1")] == ["done", "planned"]
    assert ledger.mentions("m_00") == []


def test_all_vectors_of_a_text_are_told_and_go_with_a_purge(ledger):
    text = "the zanzibar passphrase"
    vector = np.array([1, 0, 0, 0], np.float32)
    ledger.cache_vectors("a/4", {text_hash(text): vector})
    ledger.cache_vectors("b/4", {text_hash(text): -vector})
    ledger.bury(trashed(1, text), embedding(0, 0, 1, 0))
    told = {tuple(one.tolist()) for one in ledger.vectors_of(text_hash(text))}
    assert told == {(1, 0, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0)}
    ledger.purge(text)
    assert ledger.vectors_of(text_hash(text)) == []


def test_a_purge_takes_the_text_out_of_the_context_of_what_else_lies_there(ledger):
    text = "the zanzibar passphrase"
    other = trashed(2, "tea")
    ledger.bury(replace(other, item=replace(other.item, context=f"He said {text}.")))
    ledger.bury(replace(trashed(3), item=replace(trashed(3).item, context="nothing of it")))
    ledger.purge(text)
    assert ledger.buried("m_002") == other
    assert ledger.buried("m_003").item.context == "nothing of it"


def test_a_purge_takes_quoted_words_out_of_the_reasons_of_its_runs_only(ledger):
    text = "the wiki runs on port 48090"
    told = replace(plan(text).actions[1], reason="another number: 48090 became 48095")
    ledger.begin("r_1", replace(plan(), actions=(told,)), START)
    ledger.add_receipt("r_1", "store_fact", {"detail": "48090 became 48095", "id": "m_001"}, START)
    ledger.begin("r_2", replace(plan(), actions=(replace(plan().actions[1], reason="48090 again"),)), START)
    ledger.purge(text)
    assert ledger.run("r_1").plan.actions[0].reason == "another number: … became 48095"
    assert ledger.receipts(limit=1)[0]["answer"] == {"detail": "… became 48095", "id": "m_001"}
    assert ledger.run("r_2").plan.actions[0].reason == "48090 again"
