"""Nothing is lost, whenever the process dies: every port call of every kind of run, before and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorycore.engine.core import MemoryCore
from memorycore.errors import HotFileError, MemoryCoreError
from memorycore.plan import Discard, ReplaceEntry, ReplaceRecord
from tests.engine.helpers import FACT, NOW, STALE, CrashError, Fuse, World, entry, record

LOVES, HATES = "I love Chinese food.", "I hate Chinese food."
SHORTER, LONGER = "Always answer in English.", "Always answer in English and in short sentences."
CAT, CAT_UPSTAIRS = "The cat is called Mimi.", "The cat is called Mimi and lives upstairs."
PORT, OTHER_PORT = "The server port is 8443.", "The server port is 8444."
DECIDED = "The move to the new office was finished on 2026-04-20."
TEXTS = (FACT, STALE, LOVES, HATES, SHORTER, LONGER, CAT, CAT_UPSTAIRS, PORT, OTHER_PORT, DECIDED)
RESET = "Deploys run from Jenkins. The staging box is reset at night."
LOGS = "Deploys run from Jenkins. Logs are kept for a month."
PAID = "The kitchen renovation was completed in spring and the invoice of the carpenter was paid."
ATLAS = "The heirloom atlas of grandfather lies in the camphor chest of the study all year round."
LONG_TAIL = (
    "Always answer in British English. He grew up in Utrecht and studied hydrology at the university there "
    "for six years before he moved to the coast, where he lives with two cats."
)
PRESSED = {"memory": 2_200, "user": 620}
ROOMY, TIGHT = {"memory": 2_200, "user": 1_375}, {"memory": 60, "user": 60}


def merged_away(world: World) -> set[str]:
    """Texts that a merge, or its undo, put others in the place of: the run has them and gives them back."""
    runs = world.ledger.runs(limit=1_000)
    ops = [op for run in runs for action in run.plan.actions for op in (*action.cold, action.hot)]
    replaced = {op.before.text for op in ops if isinstance(op, ReplaceRecord | ReplaceEntry)}
    return replaced | {op.item.text for op in ops if isinstance(op, Discard)}


def assert_nothing_lost(world: World, texts: set[str]) -> None:
    kept = {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}
    assert texts - kept - merged_away(world) == set()
    assert len(world.hot_texts()) == len(set(world.hot_texts()))
    active = [(record.scope, record.text) for record in world.records() if record.active]
    assert len(active) == len(set(active))
    assert world.ledger.open_runs() == []


def id_of(world: World, text: str) -> str:
    entries = [entry for target in ("memory", "user") for entry in world.hot.read(target).entries]
    items = [*entries, *world.records(), *(item.item for item in world.ledger.trash(limit=100))]
    return next((item.id for item in items if item.text == text), "m_unknown")


def last_run(world: World) -> str:
    return next((run.id for run in world.ledger.runs(limit=1)), "r_unknown")


@dataclass(frozen=True)
class Scenario:
    """What was there before, and the call that is cut off."""

    name: str
    call: Callable[[World, MemoryCore], object]
    before: Sequence[str] = ()
    prepare: Callable[[World, MemoryCore], object] = lambda _world, _core: None
    limits: dict[str, int] = field(default_factory=lambda: ROOMY)

    def world(self) -> World:
        world = World(limits=self.limits)
        core = world.core()
        for text in self.before:
            core.store(text)
        self.prepare(world, core)
        world.clock.turn(days=10)
        return world


def age(world: World, core: MemoryCore) -> None:
    for number in range(3):
        world.hot.add(entry(f"Task {number} is finished.", kind="state"))


def press(world: World, core: MemoryCore) -> None:
    """Fill a file with what leaves it by many ways: a double, a merge, a state, a split, a pointer."""
    then = NOW - timedelta(days=100)
    texts = (LONG_TAIL, PAID, RESET, LOGS, ATLAS, CAT, CAT[:-1])
    for place, text in enumerate(texts):
        kind = "state" if text == PAID else "rule"
        world.hot.add(entry(text, "user", kind=kind, written_at=then, updated_at=then, id=f"h_{place}"))
    for number in range(40):
        world.ledger.log_activity(f"Which bus goes to harbour number {number}?", [], NOW)


def press_and_overflow(world: World, core: MemoryCore) -> None:
    press(world, core)
    core.overflow("user")


def neglect(*texts):
    """Leave a cold tier as an import may, without vectors; each text is from a day later."""

    def prepare(world: World, core: MemoryCore) -> None:
        for place, text in enumerate(texts):
            at = NOW - timedelta(days=900 if text == ATLAS else 50 - place)
            world.cold.put(record(text, id=f"m_{place}", created_at=at, updated_at=at), None)

    return prepare


def maintain(_, core):
    return core.maintain()


def forget(text):
    return lambda world, core: core.forget(id_of(world, text))


def restore(text):
    return lambda world, core: core.restore(id_of(world, text))


def store(text, **given):
    return lambda _, core: core.store(text, **given)


def undo(world, core):
    return core.undo(last_run(world))


def forget_and_refill(world, core):
    core.forget(id_of(world, LOVES))
    core.store(SHORTER, importance=0.9)


SCENARIOS = (
    Scenario("store hot", store(LOVES)),
    Scenario("store cold", store(FACT)),
    Scenario("store stale", store(STALE)),
    Scenario("supersede hot", store(HATES), [LOVES]),
    Scenario("supersede cold", store(OTHER_PORT), [PORT]),
    Scenario("supersede cold by hot", store(OTHER_PORT, importance=0.9), [PORT]),
    Scenario("merge hot", store(LONGER), [SHORTER]),
    Scenario("merge cold", store(CAT_UPSTAIRS), [CAT]),
    Scenario("no room", store(SHORTER), [LOVES, "Never use emojis."], limits=TIGHT),
    Scenario("store after overflow", store(LOVES), prepare=age, limits={"memory": 100, "user": 100}),
    Scenario("overflow", lambda _, core: core.overflow(), prepare=age),
    Scenario("overflow by many ways", lambda _, core: core.overflow("user"), (), press, PRESSED),
    Scenario("undo overflow by many ways", undo, (), press_and_overflow, PRESSED),
    Scenario("maintain doubles", maintain, (), neglect(CAT, CAT_UPSTAIRS)),
    Scenario("maintain outdated", maintain, (), neglect(PORT, OTHER_PORT)),
    Scenario("maintain finished", maintain, (), neglect(FACT, STALE)),
    Scenario("maintain faded", maintain, (), neglect(FACT, ATLAS)),
    Scenario("forget hot", forget(LOVES), [LOVES]),
    Scenario("forget cold", forget(FACT), [FACT]),
    Scenario("restore hot", restore(LOVES), [LOVES], forget(LOVES)),
    Scenario("restore cold", restore(FACT), [FACT], forget(FACT)),
    Scenario("restore stale", restore(STALE), [STALE]),
    Scenario("restore without room", restore(LOVES), [LOVES], forget_and_refill, {"memory": 40, "user": 40}),
    Scenario("undo store", undo, [LOVES]),
    Scenario("undo stale", undo, [STALE]),
    Scenario("undo supersession", undo, [LOVES, HATES]),
    Scenario("undo merge hot", undo, [SHORTER, LONGER]),
    Scenario("undo merge cold", undo, [CAT, CAT_UPSTAIRS]),
    Scenario("undo forget", undo, [LOVES], forget(LOVES)),
    Scenario("undo restore", undo, [FACT], lambda w, c: (forget(FACT)(w, c), restore(FACT)(w, c))),
    Scenario("undo overflow", undo, (), lambda w, c: (age(w, c), w.clock.turn(days=9), c.overflow())),
    Scenario("undo undo", undo, [LOVES, HATES], undo),
)


def calls_of(scenario: Scenario) -> int:
    """How many port calls the scenario makes if nothing cuts it off."""
    world, fuse = scenario.world(), Fuse()
    with suppress(HotFileError):
        scenario.call(world, world.core(fuse=fuse))
    return fuse.calls


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_crash_after_any_call_loses_nothing_and_the_call_can_be_sent_again(scenario):
    """After one call is before the next one: stores can't tell the two apart."""
    for at in range(1, calls_of(scenario) + 1):
        world = scenario.world()
        texts = {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}
        with pytest.raises(CrashError):
            scenario.call(world, world.core(fuse=Fuse(at=at, after=True)))
        world.executor().recover()
        assert_nothing_lost(world, texts)
        with suppress(HotFileError):
            scenario.call(world, world.core())
        assert_nothing_lost(world, texts)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_crash_in_the_recovery_is_recovered_from(scenario):
    """The worst place: the cold half is done and marked, or about to be."""
    for at in range(calls_of(scenario) // 2, calls_of(scenario) + 1):
        world = scenario.world()
        texts = {*world.hot_texts(), *world.cold_texts(), *world.trash_texts()}
        with pytest.raises(CrashError):
            scenario.call(world, world.core(fuse=Fuse(at=at, after=True)))
        for second in range(1, 8):
            with suppress(CrashError):
                world.executor(Fuse(at=second, after=second % 2 == 0)).recover()
        world.executor().recover()
        assert_nothing_lost(world, texts)


STEPS = st.one_of(
    st.tuples(st.just("store"), st.sampled_from(TEXTS), st.sampled_from([0.2, 0.5, 0.95])),
    st.tuples(st.sampled_from(["forget", "restore"]), st.sampled_from(TEXTS), st.none()),
    st.tuples(st.sampled_from(["undo", "overflow", "maintain", "wait"]), st.just(""), st.none()),
)


def take(step: tuple[str, str, float | None], world: World, core: MemoryCore) -> str | None:
    """Carry a step out; return the text that it acknowledged as stored."""
    name, text, importance = step
    match name:
        case "store":
            receipt = core.store(text, importance=importance)
            return text if receipt.duplicate_of is None else None
        case "forget":
            core.forget(id_of(world, text))
        case "restore":
            core.restore(id_of(world, text))
        case "undo":
            core.undo(last_run(world))
        case "overflow":
            core.overflow()
        case "maintain":
            core.maintain()
        case _:
            world.clock.turn(days=5)
    return None


@settings(max_examples=120, deadline=None)
@given(
    st.lists(STEPS, min_size=1, max_size=9),
    st.dictionaries(st.integers(0, 8), st.tuples(st.integers(1, 40), st.booleans()), max_size=3),
    st.sampled_from([ROOMY, TIGHT]),
)
def test_random_lives_with_crashes_lose_no_acknowledged_text(steps, crashes, limits):
    world = World(limits=limits)
    core, texts = world.core(), set()
    for number, step in enumerate(steps):
        if number in crashes:
            at, after = crashes[number]
            core = world.core(fuse=Fuse(at=at, after=after))
        try:
            texts.add(take(step, world, core))
        except CrashError:
            core = world.core()
            world.executor().recover()
        except MemoryCoreError:
            pass
        world.clock.turn(seconds=1)
        core = world.core()
        assert_nothing_lost(world, texts - {None})
