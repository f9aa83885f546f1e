"""The steps that look at two entries of a hot file: what is doubled, and what is of one topic. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from rapidfuzz.distance import Indel

from memorycore.model import Entry, Kind
from memorycore.plan import BuryEntry, ColdOp, PutRecord
from memorycore.policy.comparison import keys
from memorycore.policy.desk import DELIMITER_CHARS, Desk, Item
from memorycore.policy.rewrite import merged
from memorycore.policy.similarity import NEAR, judge_pair
from memorycore.policy.slots import read

MOST_PAIRS: Final = 2_000
"""So many pairs of a file are looked at, those that share most words first."""

_ALIKE: Final = 0.5  # of the words in order, from which two entries are of one topic
_ALIKE_IF_CLOSE: Final = 0.3
_CLOSE: Final = 0.6  # a cosine between one topic and one meaning
_WORTH_MERGING: Final = 0.1  # of the characters of both have to be saved
_RANKS: Final[dict[Kind | None, int]] = {"rule": 2, None: 1, "state": 0, "stub": 0}


def near_pairs(items: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Return the pairs that share a third of the words of the shorter, nearest first, up to `MOST_PAIRS`."""
    words = [keys(read(item.text).tokens) for item in items]
    places: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[float, int, int]] = []
    for second, own in enumerate(words):
        shared = Counter(first for word in own for first in places[word])
        for first, count in shared.items():
            share = count / min(len(own), len(words[first]))
            if 3 * share >= 1:
                found.append((-share, first, second))
        for word in own:
            places[word].append(second)
    return [(items[first], items[second]) for _, first, second in sorted(found)[:MOST_PAIRS]]


def drop_doubles(desk: Desk) -> None:
    """Of two entries of which one says all that the other says, let the one go that says no more.

    What goes is never better protected, and never a rule in favour of something that will leave soon.
    """
    for one, other in sorted(_pairs(desk), key=lambda pair: (pair[1].place, pair[0].place)):
        if not (desk.stays(one) and desk.stays(other)):
            continue
        for goes, kept in _directions(one, other):
            verdict = judge_pair(goes.text, kept.text, cosine=_cosine(desk, one, other))
            if verdict.verdict == "same":
                reason = f"doubles {kept.id}: {verdict.reason}"
                desk.remove(goes, "duplicate", "drop", reason, BuryEntry(goes.entry))
                break


def merge_topics(desk: Desk) -> None:
    """Make one entry of two that are of one topic and share words, a few a run."""
    made = 0
    for one, other in _pairs(desk):
        if made >= desk.limits.merges_per_run:
            return
        if desk.stays(one) and desk.stays(other) and one.kind == other.kind and one.kind in ("rule", None):
            made += _merge(desk, one, other)


def _merge(desk: Desk, one: Item, other: Item) -> bool:
    if not _same_topic(one.text, other.text, _cosine(desk, one, other)):
        return False
    text = merged(one.text, other.text)
    before = len(one.text) + len(other.text) + DELIMITER_CHARS
    if text is None or len(text) > _most_chars(desk) or before - len(text) < _WORTH_MERGING * before:
        return False
    kept, goes = (one, other) if len(one.text) >= len(other.text) else (other, one)
    if text == kept.text:
        reason = f"{kept.id} says all of it already"
        desk.remove(goes, "merge", "merge", reason, BuryEntry(goes.entry))
    elif desk.holds(text):
        return False
    else:
        _join(desk, kept, goes, text, f"{before} characters become {len(text)}")
    return True


def _join(desk: Desk, kept: Item, goes: Item, text: str, gain: str) -> None:
    """Write both as one, in one step: at no moment is what one of them says missing from the file.

    What goes becomes history in the cold tier. A text that the cold tier holds already needs no record of its
    own: it goes into the trash.
    """
    history = replace(desk.record(goes), superseded_by=kept.id, superseded_at=desk.now)
    keep: ColdOp = BuryEntry(goes.entry) if goes.id in desk.evidence.copies else PutRecord(history)
    desk.join(
        kept,
        goes,
        _merged_entry(kept.entry, goes.entry, text),
        f"of one topic, so {kept.id} takes in {goes.id}: {gain}",
        keep,
        BuryEntry(kept.entry),
    )


def _merged_entry(kept: Entry, other: Entry, text: str) -> Entry:
    """The entry of both: as important as either, as old and as fresh as they come."""
    known = [value for value in (kept.importance, other.importance) if value is not None]
    return replace(
        kept,
        text=text,
        importance=max(known, default=None),
        written_at=_either(min, kept.written_at, other.written_at),
        updated_at=_either(max, kept.updated_at, other.updated_at),
    )


def _either(choose: Callable[[list[datetime]], datetime], *times: datetime | None) -> datetime | None:
    known = [time for time in times if time is not None]
    return choose(known) if known else None


def _most_chars(desk: Desk) -> int:
    """In the user file a merged entry must not become one that is then split."""
    return desk.limits.split_over_chars if desk.target == "user" else desk.limits.merged_chars


def _same_topic(one: str, other: str, cosine: float | None) -> bool:
    if cosine is not None and cosine < NEAR:
        return False
    first, second = ([token.key for token in read(text).tokens] for text in (one, other))
    alike = Indel.normalized_similarity(first, second)
    return alike >= _ALIKE or (cosine is not None and cosine >= _CLOSE and alike >= _ALIKE_IF_CLOSE)


def _pairs(desk: Desk) -> Iterator[tuple[Item, Item]]:
    """Yield the pairs worth a look that may still meet an exit, nearest in words first, then in meaning."""
    staying = [item for item in desk.staying() if item.kind != "stub"]
    near = near_pairs(staying)
    yield from near
    seen = {(one.id, other.id) for one, other in near}
    by_id = {item.id: item for item in staying}
    for (first, second), cosine in sorted(desk.evidence.likeness.items()):
        if cosine >= NEAR and (first, second) not in seen and first in by_id and second in by_id:
            yield by_id[first], by_id[second]


def _directions(one: Item, other: Item) -> Iterator[tuple[Item, Item]]:
    """Yield (what goes, what is kept) in each direction that loses no protection, the better first."""
    for goes, kept in sorted(
        ((other, one), (one, other)), key=lambda pair: (_worth(pair[0]), -pair[0].place)
    ):
        if (not goes.shield or kept.shield) and _RANKS[kept.kind] >= _RANKS[goes.kind]:
            yield goes, kept


def _worth(item: Item) -> tuple[bool, int, float]:
    return bool(item.shield), _RANKS[item.kind], item.importance


def _cosine(desk: Desk, one: Item, other: Item) -> float | None:
    return desk.evidence.likeness.get((one.id, other.id))
