"""The capacity gate: over its limits the cold tier is maintained, and every write goes through."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from memorycore.engine import gate
from memorycore.errors import StoreUnavailable
from memorycore.model import Record
from tests.engine.cold_helpers import padded
from tests.engine.helpers import FACT, NOW, World, record

LONG_AGO = {"created_at": NOW - timedelta(days=900), "updated_at": NOW - timedelta(days=900)}


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine must not decide whether a pass is seen at its end."""
    monkeypatch.setattr(gate, "_PATIENCE_SECONDS", 30.0)


def faded(world: World, count: int) -> list[Record]:
    made = [record(f"fern{n} kiln{n * 7}", **LONG_AGO) for n in range(count)]
    for one in made:
        world.cold.put(one, None)
    return made


def passes(world: World) -> int:
    return len({run.part_of for run in world.ledger.runs(limit=1_000) if run.part_of is not None})


def gate_receipts(world: World) -> list[dict]:
    return [one["answer"] for one in world.ledger.receipts(limit=99) if one["tool"] == "capacity_gate"]


def test_at_the_soft_limit_nothing_runs():
    world = World()
    faded(world, 10)
    receipt = world.core(cold_soft=10, cold_hard=20).store(FACT)
    assert (receipt.status, receipt.warnings, passes(world)) == ("cold_stored", (), 0)


def test_over_soft_one_pass_goes_before_the_write_and_the_receipt_says_so():
    world = World()
    faded(world, 41)
    receipt = world.core(cold_soft=40, cold_hard=80).store(FACT)
    assert receipt.status == "cold_stored"
    assert any("soft limit of 40" in warning and "maintenance" in warning for warning in receipt.warnings)
    assert (passes(world), len(world.trash_texts())) == (1, 2)
    assert FACT in world.cold_texts()


def test_over_hard_passes_follow_until_under_soft_five_at_most():
    world = World()
    faded(world, 45)
    world.core(cold_soft=40, cold_hard=44).store(FACT)
    assert (passes(world), len(world.trash_texts())) == (3, 6)
    crowded = World()
    faded(crowded, 100)
    receipt = crowded.core(cold_soft=40, cold_hard=44).store(FACT)
    assert any("hard limit of 44" in warning for warning in receipt.warnings)
    assert passes(crowded) == 5
    assert FACT in crowded.cold_texts()


def test_a_bulk_of_facts_starts_few_passes():
    world = padded(World(), 200)
    core = world.core(cold_soft=100, cold_hard=150)
    for number in range(120):
        core.store(f"Locker {number} of the swimming hall belongs to member {number * 13 + 5}.")
    assert len(world.cold_texts()) == 320
    sizes = [one["size"] for one in reversed(gate_receipts(world))]
    assert len(sizes) <= 7
    apart = [later / earlier - 1 for earlier, later in pairwise(sizes)]
    assert max(apart) <= 0.26
    world.clock.turn(days=1, minutes=1)
    core.store("The pilot boat is painted green.")
    assert gate_receipts(world)[0]["growth"] == pytest.approx(0.01)


def test_where_nothing_can_go_the_gate_rests_until_the_tier_grew_or_a_day_went_by():
    world = padded(World(), 200)
    core = world.core(cold_soft=100, cold_hard=150)
    assert any("was started" in warning for warning in core.store(FACT).warnings)
    again = core.store("The lighthouse keeper plays the bassoon.")
    assert (again.status, len(gate_receipts(world))) == ("cold_stored", 1)
    assert any("no more to retire" in warning for warning in again.warnings)
    core.store("A third fact about the harbour master.")
    assert len(gate_receipts(world)) == 2  # 202 records are a hundredth more than 200
    world.clock.turn(days=1, minutes=1)
    core.store("The pilot boat is painted green.")
    assert len(gate_receipts(world)) == 3


def test_another_process_rests_as_well():
    world = padded(World(), 200)
    world.core(cold_soft=100, cold_hard=150).store(FACT)
    world.core(cold_soft=100, cold_hard=150).store("The lighthouse keeper plays the bassoon.")
    assert len(gate_receipts(world)) == 1


def test_hot_writes_do_not_ask_the_gate():
    world = World()
    faded(world, 41)
    receipt = world.core(cold_soft=40, cold_hard=80).store("Always answer in English.")
    assert (receipt.tier, passes(world)) == ("hot", 0)


def test_a_hot_write_that_falls_back_into_the_cold_tier_asks_the_gate():
    world = World(limits={"memory": 40, "user": 40})
    faded(world, 41)
    receipt = world.core(cold_soft=40, cold_hard=80).store(f"Always answer in English, {'please ' * 9}.")
    assert (receipt.status, passes(world)) == ("cold_stored_fallback", 1)
    assert [warning for warning in receipt.warnings if "soft limit of 40" in warning]
    (kept,) = (one["answer"] for one in world.ledger.receipts(limit=9) if one["tool"] == "store_fact")
    assert kept["warnings"] == list(receipt.warnings)


def test_a_pass_that_fails_blocks_no_write(caplog):
    world = World()
    faded(world, 41)
    real = world.cold

    class Failing:
        def __getattr__(self, name):
            return getattr(real, name)

        def sweep(self):
            raise StoreUnavailable("The disk is slow.", advice="Wait.")

    world.cold = Failing()
    assert world.core(cold_soft=40, cold_hard=80).store(FACT).status == "cold_stored"
    assert "disk is slow" in caplog.text


def test_closing_ends_a_pass_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(gate, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(gate, "_CLOSING_SECONDS", 0.0)
    world = padded(World(), 300)
    core = world.core(cold_soft=100, cold_hard=150)
    receipt = core.store(FACT)
    assert receipt.status == "cold_stored"
    core.close()
    assert not [one for one in gate_threads() if one.is_alive()]


def gate_threads():
    import threading

    return [one for one in threading.enumerate() if one.name == "memorycore-gate"]


def test_far_from_the_limit_the_records_are_not_counted_at_each_write():
    world, asked = World(), []
    real = world.cold

    class Counting:
        def __getattr__(self, name):
            return getattr(real, name)

        def size(self, owner):
            asked.append(owner)
            return real.size(owner)

    world.cold = Counting()
    core = world.core(cold_soft=30, cold_hard=40)
    for number in range(20):
        core.store(f"Locker {number} belongs to the person in room {number * 7}.")
    assert 1 < len(asked) < 10
