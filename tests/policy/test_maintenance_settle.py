"""What follows from judged pairs: nothing goes up in what goes itself, whatever the order of the pairs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycore.model import Judgement, Record
from memorycore.plan import BuryRecord, ExpectRecord, ReplaceRecord
from memorycore.policy.maintenance import share, within
from memorycore.policy.maintenance_pairs import JudgedPair, in_order, judge_records, subject_pairs, word_pairs
from memorycore.policy.maintenance_settle import settle
from memorycore.policy.thresholds import Thresholds

NOW = datetime(2026, 5, 4, tzinfo=UTC)
LIMITS = Thresholds()


def made(number: int, text: str | None = None, **fields) -> Record:
    at = NOW - timedelta(days=99 - number)
    return Record(
        **(
            {"id": f"m_{number:02}", "text": text or f"{number} tea", "created_at": at, "updated_at": at}
            | fields
        )
    )


RECORDS = [made(number, f"tea {'and milk ' * (number % 4)}") for number in range(12)]


@st.composite
def judged(draw):
    older, newer = sorted(draw(st.lists(st.integers(0, 11), min_size=2, max_size=2, unique=True)))
    verdict = draw(st.sampled_from(["same", "merge", "supersede"]))
    return JudgedPair(
        older=RECORDS[older], newer=RECORDS[newer], judgement=Judgement(verdict=verdict, reason="so")
    )


PAIRS = st.lists(judged(), max_size=25, unique_by=lambda pair: (pair.older.id, pair.newer.id))


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter(pairs, chance):
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    assert settle(shuffled, {}, NOW, LIMITS) == settle(pairs, {}, NOW, LIMITS)


@given(PAIRS)
def test_each_record_leaves_once_and_what_took_it_in_stays(pairs):
    actions = settle(pairs, {}, NOW, LIMITS)
    gone = [action.subject for action in actions]
    assert len(gone) == len(set(gone))
    for action in actions:
        first = action.cold[0]
        holder = first.record if isinstance(first, ExpectRecord) else first.after
        if action.rung == "conflict":
            # A chain: it may have given way to something newer in its turn, but is not in the trash.
            assert holder.id not in {one.subject for one in actions if one.rung != "conflict"}
        else:
            assert holder.id not in gone
            assert isinstance(action.cold[-1], BuryRecord)


@given(PAIRS)
def test_every_action_rests_on_a_verdict_on_its_very_pair(pairs):
    verdicts = {frozenset((pair.older.id, pair.newer.id)): pair.judgement.verdict for pair in pairs}
    rungs = {"conflict": "supersede", "duplicate": "same", "merge": "merge"}
    for action in settle(pairs, {}, NOW, LIMITS):
        first = action.cold[0]
        holder = first.record if isinstance(first, ExpectRecord) else first.after
        assert verdicts[frozenset((action.subject, holder.id))] == rungs[action.rung]
        assert action.reason


@given(PAIRS)
def test_what_holds_others_is_as_old_and_as_important_as_any_of_them(pairs):
    for action in settle(pairs, {}, NOW, LIMITS):
        first = action.cold[0]
        if action.rung != "conflict" and isinstance(first, ReplaceRecord):
            held = action.cold[-1].record
            assert first.after.created_at <= min(held.created_at, first.before.created_at)
            assert first.after.text == first.before.text


def test_one_record_takes_in_no_more_than_its_parts():
    pairs = [
        JudgedPair(older=RECORDS[0], newer=RECORDS[n], judgement=Judgement(verdict="same", reason="so"))
        for n in range(1, 12)
    ]
    assert len(settle(pairs, {}, NOW, Thresholds(absorbed_parts=3))) == 3


@pytest.mark.parametrize(("active", "room"), [(0, 1), (1, 1), (19, 1), (20, 1), (40, 2), (10_000, 500)])
def test_a_pass_may_retire_a_twentieth_and_one_at_least(active, room):
    assert share(active, LIMITS) == room


def test_what_is_wrong_goes_first():
    pairs = [
        JudgedPair(older=RECORDS[0], newer=RECORDS[1], judgement=Judgement(verdict="same", reason="so")),
        JudgedPair(older=RECORDS[2], newer=RECORDS[3], judgement=Judgement(verdict="supersede", reason="so")),
    ]
    taken, left = within(list(reversed(settle(pairs, {}, NOW, LIMITS))), 1)
    assert ([action.rung for action in taken], left) == (["conflict"], 1)


@pytest.mark.parametrize(
    ("older", "newer", "known"),
    [
        ({}, {}, True),
        ({"updated_at": NOW}, {}, False),
        ({"event_at": NOW - timedelta(days=9)}, {"event_at": NOW}, True),
        ({"event_at": NOW}, {"event_at": NOW}, False),
    ],
)
def test_when_the_order_of_two_is_known(older, newer, known):
    assert in_order(made(1, **older), made(2, **newer)) is known


@given(st.permutations([made(n, "The cat is called Mimi" + "." * n) for n in range(2)]))
def test_a_pair_is_judged_alike_from_both_sides(both):
    one, other = both
    assert judge_records(one, other, None) == judge_records(other, one, None)


def test_words_bring_up_pairs_that_share_rare_ones_and_no_others():
    records = [made(n, f"the lamp{n // 2} is on shelf") for n in range(60)]
    lonely = {records[0].id, records[7].id}
    pairs = {(one.id, other.id) for one, other in word_pairs(records, lonely, 5)}
    assert pairs == {("m_00", "m_01"), ("m_07", "m_06")}
    assert list(word_pairs(records, [], 5)) == []


def test_records_of_one_subject_meet_unless_it_is_a_topic():
    ports = [made(n, f"The admin port of relay-{n // 2} is 80{n}.") for n in range(40)]
    mine = [made(n + 40, f"I like tea number {n}.") for n in range(21)]
    met = {frozenset((one.id, other.id)) for one, other in subject_pairs(ports + mine)}
    assert met == {frozenset((f"m_{n:02}", f"m_{n + 1:02}")) for n in range(0, 40, 2)}
