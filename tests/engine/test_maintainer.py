"""Maintenance: what leaves, what is filled, and how a pass behaves as a whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memorycore.adapters.embed_none import NoEmbedder
from memorycore.app import build
from memorycore.errors import HotFileUnreadable
from memorycore.model import TrashItem
from memorycore.policy.profile import PROFILE_ID
from tests.engine.cold_helpers import (
    CAT,
    LOVES,
    OTHER_PORT,
    PORT,
    by_id,
    day,
    padded,
    put,
    texts,
)
from tests.engine.helpers import (
    FACT,
    NOW,
    Flaky,
    TurnableClock,
    World,
    encoder_of,
    entry,
    on_disk,
    record,
    settings,
)

# -- what is finished, faded, expired


def test_a_finished_status_leaves_when_its_time_is_up():
    world = World()
    old, fresh = put(world, day(80, "Done, tests passed."), record("Finished, the build is green."))
    report = world.core().maintain()
    assert (report.cleaned, world.trash_texts()) == (1, [old.text])
    assert by_id(world, fresh) == fresh


@pytest.mark.parametrize(
    "changes", [{"importance": 0.8}, {"recalled_at": NOW}, {"updated_at": NOW}, {"superseded_by": "m_x"}]
)
def test_a_finished_status_that_matters_stays(changes):
    world = World()
    put(world, day(50, "Done, tests passed.", **changes))
    assert world.core().maintain().run is None


@pytest.mark.parametrize(
    ("days", "importance", "leaves"),
    [(290, 0.5, False), (310, 0.5, True), (100, 0.1, True), (80, 0.1, False), (9_000, 0.8, False)],
)
def test_what_faded_goes_to_the_trash(days, importance, leaves):
    world = World()
    at = NOW - timedelta(days=days)
    put(world, record(FACT, importance=importance, created_at=at, updated_at=at))
    report = world.core().maintain()
    assert report.forgotten == leaves
    assert world.trash_texts() == [FACT] * leaves
    if leaves:
        assert "unused for" in world.ledger.trash(limit=1)[0].reason


def test_what_is_recalled_or_pointed_to_does_not_fade():
    world = World()
    long_ago = {"created_at": NOW - timedelta(days=900), "updated_at": NOW - timedelta(days=900)}
    pointed, *_ = put(
        world,
        record(FACT, **long_ago),
        record(CAT, recalled_at=NOW, **long_ago),
        record("A summary of the user.", id=PROFILE_ID, importance=0.5, **long_ago),
        record(LOVES, superseded_by="m_x", **long_ago),
    )
    world.hot.add(entry("shed key", id=f"{pointed.id}_stub", kind="stub"))
    assert world.core().maintain().run is None


def test_pointers_that_cannot_be_read_keep_everything():
    world = World()
    put(world, day(1, CAT), day(9, CAT[:-1]))

    class Broken:
        def read(self, target):
            raise HotFileUnreadable("Not UTF-8.", advice="Save it as UTF-8.")

    world.hot = Broken()
    report = world.core().maintain()
    assert report.run is None
    assert "Not UTF-8" in report.errors[0]


def test_a_merge_lets_nothing_fade_that_is_in_use():
    world = World()
    long_ago = NOW - timedelta(days=900)
    kept, _ = put(
        world,
        record(CAT, created_at=long_ago, updated_at=long_ago),
        record(
            CAT[:-1], created_at=long_ago + timedelta(1), updated_at=long_ago + timedelta(1), recalled_at=NOW
        ),
    )
    core = world.core()
    core.maintain()
    core.maintain()
    assert by_id(world, kept).active


def test_a_trash_item_expires_with_its_copies_and_not_a_day_before():
    world = World()
    core = world.core()
    secret = core.store("The vault code of grandmother is 4711 0815.")
    core.forget(secret.id)
    world.clock.turn(days=29)
    assert core.maintain().expired == 0
    world.clock.turn(days=2)
    report = core.maintain()
    assert (report.expired, world.trash_texts()) == (1, [])
    assert "4711" not in repr(world.ledger.runs(limit=99))
    assert core.maintain().run is None


def test_a_copy_in_the_trash_of_what_stands_elsewhere_goes_alone():
    world = World()
    live = world.core().store(FACT)
    item = TrashItem(item=record(FACT), reason="a double", run="r_1", trashed_at=NOW, expires_at=NOW)
    world.ledger.bury(item)
    report = world.core().maintain()
    assert (report.expired, world.trash_texts()) == (1, [])
    assert FACT in repr(world.ledger.run(live.undo).plan)


# -- the pass as a whole


def test_a_pass_retires_a_twentieth_at_most_and_says_what_is_left():
    world = World()
    long_ago = NOW - timedelta(days=900)
    put(
        world, *(record(f"fern{n} kiln{n * 7}", created_at=long_ago, updated_at=long_ago) for n in range(100))
    )
    report = world.core().maintain()
    assert (report.forgotten, len(world.trash_texts())) == (5, 5)
    assert any("95 more" in error for error in report.errors)


def test_a_pass_has_one_id_and_its_parts_are_in_the_ledger():
    world = padded(World())
    put(world, day(1, CAT), day(9, CAT[:-1]))
    put(world, day(1, PORT), day(9, OTHER_PORT))
    report = world.core().maintain()
    parts = world.ledger.parts(report.run)
    assert sum(len(part.plan.actions) for part in parts) == 2
    assert all(action.reason for part in parts for action in part.plan.actions)
    (receipt,) = [one for one in world.ledger.receipts(limit=9) if one["run"] == report.run]
    assert receipt["answer"]["merged"] == 1


def test_the_second_pass_rests_and_asks_no_model(tmp_path):
    flaky = Flaky()
    encoder = encoder_of(flaky)
    world = padded(World())
    put(world, day(1, CAT), day(5, CAT[:-1]), day(1, PORT), day(9, OTHER_PORT))
    world.cold.put(day(1, FACT), None)
    core = world.core(encoder)
    assert core.maintain().run is not None
    before, asked = world.state(), flaky.calls
    again = core.maintain()
    assert (again.run, flaky.calls, world.state()) == (None, asked, before)


def test_a_pass_sees_what_another_process_wrote(tmp_path):
    with on_disk(tmp_path) as core:
        core.store(CAT, route="cold", scope="a")
    with on_disk(tmp_path) as core:
        (one,) = core._parts.cold.scan("local", after=None, limit=9)
        double = record(CAT[:-1], scope="a", created_at=NOW + timedelta(1), updated_at=NOW + timedelta(1))
        core._parts.cold.put(double, None)
    with on_disk(tmp_path) as core:
        report = core.maintain()
        assert (report.merged, report.embedded, report.integrity.pending) == (1, 1, 0)
        assert core._parts.cold.get(one.id).active


def test_a_preview_shows_what_the_pass_then_does():
    world = padded(World())
    long_ago = NOW - timedelta(days=900)
    put(world, day(1, CAT), day(9, CAT[:-1]), day(1, PORT), day(9, OTHER_PORT))
    put(world, record("kiln of the harp", created_at=long_ago, updated_at=long_ago))
    core, before = world.core(), world.state()
    preview = core.preview_maintenance()
    assert world.state() == before
    assert {action.outcome for action in preview.actions} == {"planned"}
    report = core.maintain()
    did = [action for part in world.ledger.parts(report.run) for action in part.plan.actions]
    assert [(one.rung, one.id, one.reason) for one in preview.actions] == [
        (one.rung, one.subject, one.reason) for one in did
    ]


def test_progress_rises_to_its_end_in_a_hundred_steps_or_so():
    world, seen = World(), []
    for number in range(130):
        world.cold.put(record(f"Box {number} holds cables."), None)
    world.core().maintain(progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert len(seen) <= 110


def test_a_changed_record_is_left_to_the_next_pass():
    world = World()
    older, newer = put(world, day(1, CAT), day(9, CAT[:-1]))
    real = world.cold

    class Changing:
        def __getattr__(self, name):
            return getattr(real, name)

        def neighbours(self, *args, **kwargs):
            found = list(real.neighbours(*args, **kwargs))
            real.replace(replace(newer, importance=0.9), None)
            return iter(found)

    world.cold = Changing()
    core = world.core()
    world.cold = real
    assert core.maintain().merged == 0
    assert texts(world) == {CAT, CAT[:-1]}
    assert world.core().maintain().merged == 1
    assert by_id(world, older).importance == 0.9


def test_a_broken_vector_in_the_file_is_made_anew_and_told(tmp_path):
    from tests.adapters.sqlite_fixtures import tamper

    with on_disk(tmp_path) as core:
        core.store(FACT, route="cold")
        core.store(CAT, route="cold")
    tamper(tmp_path / "home" / "cold.sqlite3", "UPDATE vectors SET find = zeroblob(1024) WHERE record = 1")
    with on_disk(tmp_path) as core:
        report = core.maintain()
        assert (report.embedded, report.integrity.pending) == (1, 0)
        assert any("could not be compared" in error for error in report.errors)
        assert core.maintain().run is None


# -- vectors


def test_maintenance_fills_exactly_what_is_missing_and_then_rests():
    flaky = Flaky(nth=5)
    encoder = encoder_of(flaky)
    world = World()
    core = world.core(encoder)
    core.warm_up()
    flaky.armed = True
    receipts = [core.store(f"Locker {n} belongs to the person in room {n * 7}.") for n in range(10)]
    missing = {receipt.id for receipt in receipts if not receipt.embedded}
    assert len(missing) == 2
    assert all(receipt.warnings for receipt in receipts if not receipt.embedded)
    assert {one.id for one in world.cold.pending("local", encoder.identity, 99)} == missing
    assert set(core.audit().cold["pending_ids"]) == missing
    flaky.armed = False
    before = flaky.calls
    report = core.maintain()
    assert (report.embedded, report.scanned, report.errors) == (2, 10, ())
    assert (report.integrity.total, report.integrity.embedded, report.integrity.pending) == (10, 10, 0)
    assert flaky.calls == before + 2
    again = core.maintain()
    assert (again.run, again.embedded, flaky.calls) == (None, 0, before + 2)


def test_maintenance_without_an_embedder_says_so_and_does_nothing():
    world = World()
    world.cold.put(record(FACT), None)
    report = world.core(encoder_of(NoEmbedder())).maintain()
    assert (report.run, report.embedded, report.integrity.pending) == (None, 0, 1)
    assert report.errors


def test_maintenance_that_is_cut_short_by_the_embedder_goes_on_later():
    flaky = Flaky()
    encoder = encoder_of(flaky)
    world = World()
    world.core(encoder).warm_up()
    for number in range(3):
        world.cold.put(record(f"Box {number} holds cables."), None)
    flaky.down = True
    report = world.core(encoder).maintain()
    assert (report.embedded, len(report.errors)) == (0, 1)
    flaky.down = False
    assert world.core(encoder).maintain().embedded == 3


def test_what_was_stored_while_the_model_was_down_is_found_by_meaning_after_a_pass():
    flaky = Flaky()
    world = World()
    core = world.core(encoder_of(flaky))
    core.warm_up()
    flaky.down = True
    core.store(FACT)
    flaky.down = False
    assert core.recall("garden shed keys").results[0].why["meaning"] is None
    core.maintain()
    answer = core.recall("garden shed keys")
    assert answer.results[0].why["meaning"] is not None
    assert answer.degraded is None


def test_what_is_in_daily_use_stays_and_what_is_not_fades():
    words = ("lamp", "boat", "fern", "drum", "kiln", "moss", "rope", "vase", "sled", "harp")
    used = [f"The {word} of the captain stands in room {n}." for n, word in enumerate(words)]
    unused = [f"The {word} of the tailor was sold to a museum in town {n}." for n, word in enumerate(words)]
    world = World()
    core = world.core()
    for text in used + unused:
        core.store(text, importance=0.07, route="cold")
    for _ in range(60):
        world.clock.turn(days=1)
        for word in words:
            core.recall(f"{word} of the captain", top_k=1)
        core._parts.afterwork.drain()
        core.maintain()
    assert set(world.cold_texts()) == set(used)
    for word in words:
        assert {hit.content for hit in core.recall(f"{word} of the captain").results} <= set(used)
    # Only who asks for one of them outright gets it back, out of the trash.
    asked = core.recall(unused[0], top_k=1).results
    assert [(hit.content, hit.why.get("revived")) for hit in asked] == [(unused[0], True)]


def test_looking_at_facts_is_no_use_of_them():
    world = World()
    core = world.core()
    core.store(FACT)
    before = world.records()
    core.audit()
    core.usage()
    core.preview_maintenance()
    core.maintain()
    assert world.records() == before


@pytest.mark.slow
def test_of_two_thousand_the_one_that_lacks_a_vector_gets_one(tmp_path):
    embedder = Flaky()
    with build(settings(tmp_path), embedder=embedder, clock=TurnableClock()) as core:
        core.warm_up()
        said = [f"lamp{n} fern{n * 7} kiln{n * 31}" for n in range(2_000)]
        vectors = core._parts.encoder.passages([(text, None) for text in said])
        for n, (text, vector) in enumerate(zip(said, vectors, strict=True)):
            core._parts.cold.put(record(text), None if n == 777 else vector)
        asked = embedder.calls
        report = core.maintain()
        assert (report.embedded, report.integrity.pending, embedder.calls - asked) == (1, 0, 1)
