"""What the ledger on SQLite owes beyond the contract: it outlives its process, and leaves no traces."""

import threading

import numpy as np
import pytest

from memorycore.adapters.ledger_sqlite import SqliteLedger
from memorycore.errors import InvalidInput, StoreCorrupt
from memorycore.model import text_hash
from tests.adapters.sqlite_fixtures import START, tamper
from tests.adapters.test_ledger_contract import plan, trashed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "ledger.db"


@pytest.fixture
def ledger(path):
    made = SqliteLedger(path)
    yield made
    made.close()


def test_everything_is_there_after_a_restart(ledger, path):
    ledger.begin("r_1", plan(), START)
    ledger.mark("r_1", 0, "cold_done", "")
    ledger.bury(trashed(1))
    ledger.log_activity("tea", ["m_001"], START)
    ledger.close()
    again = SqliteLedger(path)
    assert [run.id for run in again.open_runs()] == ["r_1"]
    assert [step.state for step in again.run("r_1").steps] == ["cold_done", "planned"]
    assert again.buried("m_001") == trashed(1)
    assert list(again.activity(since=START)) == [(START, "tea", ("m_001",))]
    again.close()


def test_an_earlier_log_is_no_evidence_once_logging_is_off(ledger, path):
    ledger.log_activity("tea", [], START)
    silent = SqliteLedger(path, activity_enabled=False)
    silent.log_activity("milk", [], START)
    assert list(silent.activity(since=START)) == []
    assert [query for _, query, _ in ledger.activity(since=START)] == ["tea"]
    silent.close()


def test_what_was_purged_is_in_no_file(ledger, path):
    ledger.begin("r_1", plan("the zanzibar passphrase"), START)
    ledger.bury(trashed(1, "the zanzibar passphrase"))
    ledger.log_activity("the zanzibar passphrase", [], START)
    ledger.cache_vectors("a/4", {text_hash("the zanzibar passphrase"): np.full(4, 0.123456, np.float32)})
    ledger.cache_answer("j", "compare", "k", {"reason": "of the zanzibar passphrase, twice"}, about=["h"])
    ledger.purge("the zanzibar passphrase")
    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"zanzibar" not in content
    assert np.float32(0.123456).tobytes() not in content


def test_a_journal_that_was_tampered_with_is_told_as_damage(ledger, path):
    ledger.begin("r_1", plan(), START)
    tamper(path, 'UPDATE steps SET action = \'{"is": "Action"}\'')
    with pytest.raises(StoreCorrupt):
        ledger.open_runs()


def test_a_broken_character_is_refused_and_nothing_kept(ledger):
    with pytest.raises(InvalidInput):
        ledger.log_activity("half \ud800", [], START)
    with pytest.raises(InvalidInput):
        ledger.add_receipt(None, "recall", {"text": "\udfff"}, START)
    assert list(ledger.activity(since=START)) == []
    assert ledger.receipts(limit=1) == []


def test_threads_journal_at_once(ledger):
    def work(number):
        for count in range(5):
            ledger.begin(f"r_{number}_{count}", plan(), START)
            ledger.finish(f"r_{number}_{count}", "done", START)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.runs(limit=99)) == 20
    assert ledger.open_runs() == []
