"""The wire format: the fields of design and clients, as JSON and nothing but."""

from __future__ import annotations

import json

import pytest

from memorycore.answers import Answer, to_wire
from tests.engine.helpers import FACT, RULE, World

FIELDS = {
    "store": "status id tier target detail embedded duplicate_of superseded usage overflow undo warnings",
    "recall": "results degraded",
    "hit": "id content score tier importance created_at updated_at superseded_by why valid_from valid_to",
    "move": "status id undo detail",
    "audit": "targets cold next at",
    "audit target": "limit chars pct entries sink_candidates sink_chars pct_after also why_nothing warnings",
    "audit entry": "id text chars kind importance written_at updated_at age_days protected verdict rung"
    " reason",
    "overflow": "run pct_before pct_after actions errors note",
    "maintain": "run scanned merged cleaned superseded forgotten revived expired embedded integrity errors",
    "integrity": "total embedded pending",
    "usage": "hot cold trash embedder thresholds degraded judge pair_model",
}


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    core = World().core()
    stored = core.store(RULE)
    core.store(FACT)
    return {
        "store": stored,
        "recall": core.recall("garden shed key"),
        "move": core.forget("m_unknown"),
        "audit": core.audit(),
        "overflow": core.overflow()["memory"],
        "maintain": core.maintain(),
        "usage": core.usage(),
    }


@pytest.mark.parametrize("name", ["store", "recall", "move", "audit", "overflow", "maintain", "usage"])
def test_an_answer_is_plain_json_with_the_promised_fields(answers, name):
    wire = to_wire(answers[name])
    assert json.loads(json.dumps(wire, allow_nan=False)) == wire
    assert set(wire) == set(FIELDS[name].split())


def test_parts_of_answers_have_the_promised_fields(answers):
    (hit,) = to_wire(answers["recall"])["results"]
    target = to_wire(answers["audit"])["targets"]["memory"]
    assert set(hit) == set(FIELDS["hit"].split())
    assert set(target) == set(FIELDS["audit target"].split())
    assert set(target["entries"][0]) == set(FIELDS["audit entry"].split())
    assert set(to_wire(answers["maintain"])["integrity"]) == set(FIELDS["integrity"].split())
    assert set(to_wire(answers["store"])["usage"]) == {"before", "after"}
    usage = to_wire(answers["usage"])
    assert set(usage["hot"]["memory"]) == {"chars", "limit", "pct"}
    assert set(usage["cold"]) >= {"backend", "total", "embedded", "pending", "soft", "hard"}
    assert set(usage["embedder"]) == {"name", "model", "dim"}


def test_times_are_iso_in_utc(answers):
    (hit,) = to_wire(answers["recall"])["results"]
    assert hit["created_at"] == "2026-05-04T12:30:00+00:00"
