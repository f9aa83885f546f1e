"""The pressure ladder: the ways out of a hot file that look at one entry at a time. Pure.

A step is two functions. `shut` says what keeps it shut for an entry: None if it is open, `NOT_MEANT` if the
step is not for such entries, else a reason, which the audit shows of an entry that stays. `take` carries an
open step out. Signals decide who and in which order, pressure decides whether.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from memorycore.errors import InvalidInput
from memorycore.model import Entry
from memorycore.plan import BuryEntry, PutRecord, Rung
from memorycore.policy.classify import classify
from memorycore.policy.dates import event_dates
from memorycore.policy.desk import Desk, Item, behaves, rule_word
from memorycore.policy.hot_text import accepted
from memorycore.policy.rewrite import stub_text, unfaithful, unsaid, without_long_tail

NOT_MEANT: Final = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One way out, for one entry at a time."""

    rung: Rung
    shut: Callable[[Item, Desk], str | None]
    take: Callable[[Item, Desk], None]


def why_it_stays(item: Item, desk: Desk) -> str:
    """Return why an entry that met no exit stays: which steps stayed shut, and for want of what."""
    shut = {step.rung: step.shut(item, desk) for step in LADDER}
    told = {rung: why for rung, why in shut.items() if why}
    if item.kind == "stub":
        return f"a pointer to a text in the cold tier; {told.get('stub', 'it is collected next')}"
    if item.shield:
        more = "".join(f"; {rung}: {why}" for rung, why in told.items())
        return f"protected: {item.shield}; it may be merged or shortened, never moved{more}"
    if item.kind == "state":
        return f"a finished or decided thing, {told.get('state_ttl', 'and it leaves next')}"
    if not desk.soft:
        return f"the file is at {desk.pct} %; rules leave from {desk.limits.soft:.0%} on"
    return "; ".join(f"{rung}: {why}" for rung, why in told.items()) or "nothing says that it may leave"


def shut_by_pressure(desk: Desk, *, hard: bool) -> str | None:
    """Return what keeps a step shut that opens at soft or hard and closes when the target is reached."""
    if not (desk.hard if hard else desk.soft):
        share = desk.limits.hard if hard else desk.limits.soft
        return f"opens at {share:.0%}, the file is at {desk.pct} %"
    if desk.at_target:
        return f"the file is down to {desk.pct_after} %, the target is {desk.limits.target:.0%}"
    return None


def shut_by_age(item: Item, days: int) -> str | None:
    """Return what keeps a step shut that asks for so many days without a change."""
    if item.age is None:
        return "nothing says how old it is"
    return f"changed {item.age} days ago, {days} are asked for" if item.age < days else None


def _movable(item: Item) -> bool:
    """Whether it is a rule or fact that nothing protects."""
    return item.kind in ("rule", None) and not item.shield


# -- doubled in the cold tier


def _cold_double_shut(item: Item, desk: Desk) -> str | None:
    free = item.kind in ("state", None) and not item.shield
    return None if free and desk.twin(item) is not None else NOT_MEANT


def _drop_cold_double(item: Item, desk: Desk) -> None:
    _drop_for_twin(item, desk, "duplicate", "it is in the cold tier")


def _drop_for_twin(item: Item, desk: Desk, rung: Rung, why: str) -> None:
    twin = desk.twin(item)
    if twin is not None:
        desk.sunk.append((item, item.text))
        desk.remove(item, rung, "drop", f"{why} as {twin.id}: {twin.reason}", BuryEntry(item.entry))


# -- stale


def _stale_shut(item: Item, desk: Desk) -> str | None:
    limit = desk.limits.stale_chars
    if item.kind not in ("state", None) or item.shield or len(item.text) > limit:
        return NOT_MEANT
    routing = classify(
        item.text, importance=item.importance, lexicon=desk.lexicon, likeness=None, stale_max_chars=limit
    )
    return None if routing.route == "stale" else NOT_MEANT


def _bury_stale(item: Item, desk: Desk) -> None:
    reason = f"a finished status of {len(item.text)} characters, with nothing in it worth keeping"
    desk.remove(item, "stale", "drop", reason, BuryEntry(item.entry))


# -- split


def _split_shut(item: Item, desk: Desk) -> str | None:
    limits = desk.limits
    if desk.target != "user" or item.kind not in ("rule", None) or len(item.text) <= limits.split_over_chars:
        return NOT_MEANT
    if item.importance >= limits.protect_importance:
        return NOT_MEANT
    shut = shut_by_pressure(desk, hard=False)
    return shut or _nothing_to_split(item, desk)


def _nothing_to_split(item: Item, desk: Desk) -> str | None:
    limits = desk.limits
    parts = _split(item, desk)
    if parts is None:
        return "no part of it is long tail beside a part that asks for a behaviour"
    sinks, least = len(parts[1]), max(limits.split_chars, limits.split_share * len(item.text))
    if sinks < least:
        return f"{sinks} characters would sink, at least {least:.0f} are asked for"
    return "its shorter form is there already" if desk.holds(parts[0]) else None


def _take_split(item: Item, desk: Desk) -> None:
    parts = _split(item, desk)
    if parts is None:
        return
    stays, sinks = parts
    desk.sunk.append((item, sinks))
    desk.change(
        item,
        replace(item.entry, text=stays),
        "split",
        "split",
        f"{len(sinks)} of {len(item.text)} characters ask for no behaviour and move to the cold tier",
        PutRecord(replace(desk.part(item, sinks), context=item.text)),
        BuryEntry(item.entry),
    )


def _split(item: Item, desk: Desk) -> tuple[str, str] | None:
    return without_long_tail(item.text, lambda sentence: behaves(sentence, desk.lexicon))


# -- state, past its time


def _ttl_shut(item: Item, desk: Desk) -> str | None:
    days = desk.limits.state_ttl_days
    if item.kind != "state" or item.shield:
        return NOT_MEANT
    if item.age is None:
        return "but nothing says how old it is"
    return f"{item.age} days old; it stays until it is {days} days old" if item.age < days else None


def _sink_state(item: Item, desk: Desk) -> None:
    source = "its words say" if item.typed.by_words else "it is"
    reason = f"{source} a finished or decided thing, {item.age} days old; such entries leave after "
    desk.sunk.append((item, item.text))
    desk.remove(
        item, "state_ttl", "sink", f"{reason}{desk.limits.state_ttl_days} days", PutRecord(desk.record(item))
    )


# -- S2, finished after all


def _retype_shut(item: Item, desk: Desk) -> str | None:
    age, markers = _days_since_last_date(item, desk), _done_markers(item, desk)
    if item.kind != "rule" or item.shield or age is None or not markers:
        return NOT_MEANT
    return shut_by_pressure(desk, hard=False) or _not_finished(item, desk, age, markers)


def _not_finished(item: Item, desk: Desk, age: int, markers: list[str]) -> str | None:
    if age < desk.limits.retype_days:
        return f"its date is {age} days ago, {desk.limits.retype_days} are asked for"
    if behaves(item.text, desk.lexicon):
        return "it tells a preference"
    if len(markers) < desk.limits.retype_markers:
        return f"only “{markers[0]}” says that it is done"
    return None


def _retype(item: Item, desk: Desk) -> None:
    markers = "”, “".join(_done_markers(item, desk)[:3])
    days = _days_since_last_date(item, desk)
    reason = f"its date is {days} days ago and “{markers}” say that it is done: a finished thing from now on"
    desk.change(item, replace(item.entry, kind="state", updated_at=desk.now), "retype", "retype", reason)


def _days_since_last_date(item: Item, desk: Desk) -> int | None:
    dates = list(event_dates(item.text, desk.now))
    return (desk.now - max(dates)).days if dates else None


def _done_markers(item: Item, desk: Desk) -> list[str]:
    """Return the words that say that it is done, none if others say that it is still open."""
    matches = [match for match in desk.lexicon.matches(desk.lexicon.plain(item.text)) if match.decisive]
    if any(match.category == "pending" for match in matches):
        return []
    found: dict[int, str] = {}
    end = 0
    for match in matches:
        if match.category in ("record", "status") and match.start >= end:
            found[match.start] = match.text
            end = match.start + len(match.text)
    return list(found.values())


# -- S5, redundant


def _redundant_shut(item: Item, desk: Desk) -> str | None:
    if not _movable(item):
        return NOT_MEANT
    shut = shut_by_pressure(desk, hard=False) or shut_by_age(item, desk.limits.redundant_idle_days)
    if shut is None and desk.twin(item) is None:
        return "no record of the cold tier is known to say the same"
    return shut


def _drop_redundant(item: Item, desk: Desk) -> None:
    _drop_for_twin(item, desk, "redundant", f"unchanged for {item.age} days and in the cold tier")


# -- compression


def _compress_shut(item: Item, desk: Desk) -> str | None:
    limits = desk.limits
    if item.kind not in ("rule", None) or len(item.text) < limits.compress_chars:
        return NOT_MEANT
    shut = shut_by_pressure(desk, hard=False) or shut_by_age(item, limits.compress_idle_days)
    if shut is not None:
        return shut
    if desk.taken["compress"] >= limits.compressions_per_run:
        return f"{limits.compressions_per_run} a run are enough"
    rewrite = desk.evidence.rewrites.get(item.id)
    return "no judge offers a shorter text" if rewrite is None else _refused(rewrite, item, desk)


def _refused(rewrite: str, item: Item, desk: Desk) -> str | None:
    most = int(len(item.text) * (1 - desk.limits.compress_gain))
    try:
        text = accepted(rewrite)
    except InvalidInput as error:
        return f"the shorter text is refused: {error.message}"
    if len(text) > most:
        return f"the shorter text has {len(text)} characters, {most} are allowed"
    if why := unfaithful(item.text, text):
        return f"the shorter text is refused: {why}"
    if gone := unsaid(item.text, text, lambda sentence: behaves(sentence, desk.lexicon)):
        return f"the shorter text is refused: it leaves out “{gone}”"
    if rule_word(item.text, desk.lexicon) is not None and rule_word(text, desk.lexicon) is None:
        return "the shorter text is refused: it no longer reads as a rule"
    return "the shorter text is there already" if desk.holds(text) else None


def _compress(item: Item, desk: Desk) -> None:
    text = accepted(desk.evidence.rewrites[item.id])
    desk.change(
        item,
        replace(item.entry, text=text, updated_at=desk.now),
        "compress",
        "shorten",
        f"unchanged for {item.age} days; {len(item.text)} characters become {len(text)}, "
        "the full text goes to the cold tier",
        PutRecord(desk.part(item, item.text)),
    )


# -- S4, dormant


def _dormant_shut(item: Item, desk: Desk) -> str | None:
    limits = desk.limits
    if not _movable(item):
        return NOT_MEANT
    shut = shut_by_pressure(desk, hard=True) or shut_by_age(item, limits.stub_idle_days)
    shut = shut or _used(item, desk)
    if shut is None and desk.taken["dormant"] >= limits.stubs_per_run:
        return f"{limits.stubs_per_run} a run are enough"
    return shut or _no_stub(item, desk)


def _used(item: Item, desk: Desk) -> str | None:
    """Return what the activity log lacks to call an entry dormant."""
    evidence, limits = desk.evidence, desk.limits
    if evidence.log_queries is None:
        return "no activity log says whether it is used"
    if item.id not in evidence.used:
        return "the activity log was not held against it"
    used = evidence.used[item.id]
    if used is not None and used <= limits.activity_window_days:
        return f"a query asked for it {used} days ago"
    if item.id in evidence.denied_dormant:
        return "the judge says that it still matters"
    if item.id not in evidence.confirmed_dormant and evidence.log_queries < limits.activity_queries:
        return (
            f"no judge confirms it, and {evidence.log_queries} logged queries are too few to tell "
            f"({limits.activity_queries} are asked for)"
        )
    return None


def _no_stub(item: Item, desk: Desk) -> str | None:
    text = _pointer(item, desk)
    if text is None or desk.holds(text):
        return "no pointer of its own, half as long, can be made of its words"
    return None


def _pointer(item: Item, desk: Desk) -> str | None:
    return stub_text(item.text, min(desk.limits.stub_chars, len(item.text) // 2))


def _stub(item: Item, desk: Desk) -> None:
    text = _pointer(item, desk)
    if text is None:
        return
    confirmed = "the judge agrees" if item.id in desk.evidence.confirmed_dormant else "nothing speaks for it"
    stub = Entry(
        id=f"{item.id}_stub",
        target=desk.target,
        text=text,
        kind="stub",
        importance=item.entry.importance,
        origin=item.entry.origin,
        written_at=desk.now,
        updated_at=desk.now,
    )
    reason = (
        f"unchanged for {item.age} days, asked for by none of {desk.evidence.log_queries} logged queries, "
        f"{confirmed}: the text goes to the cold tier, a pointer stays"
    )
    desk.sunk.append((item, item.text))
    desk.change(item, stub, "dormant", "stub", reason, PutRecord(desk.record(item)))


# -- stubs


def _stub_shut(item: Item, desk: Desk) -> str | None:
    limits = desk.limits
    if item.kind != "stub":
        return NOT_MEANT
    shut = shut_by_pressure(desk, hard=True)
    if shut is not None:
        return shut
    if item.age is None:
        return "nothing says how old it is"
    if item.age < limits.stub_age_days:
        return f"it is {item.age} days old, {limits.stub_age_days} is asked for"
    if desk.taken["stub"] >= limits.stubs_per_run:
        return f"{limits.stubs_per_run} a run are enough"
    return None


def _collect_stub(item: Item, desk: Desk) -> None:
    reason = f"a pointer of {item.age} days, collected under hard pressure; its text stays in the cold tier"
    desk.remove(item, "stub", "drop", reason, BuryEntry(item.entry))


CLEANING: Final = (
    Step("duplicate", _cold_double_shut, _drop_cold_double),
    Step("stale", _stale_shut, _bury_stale),
)
"""Before entries are merged, at any pressure."""

LADDER: Final = (
    Step("split", _split_shut, _take_split),
    Step("state_ttl", _ttl_shut, _sink_state),
    Step("retype", _retype_shut, _retype),
    Step("redundant", _redundant_shut, _drop_redundant),
    Step("compress", _compress_shut, _compress),
    Step("dormant", _dormant_shut, _stub),
    Step("stub", _stub_shut, _collect_stub),
)
"""After that, each step longest idle first. All but `state_ttl` ask for pressure and end at the target."""
