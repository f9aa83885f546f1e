"""The state of one overflow while it is decided: what is in the file by now, and who left it by which rung.

Values go in and values come out; the desk lives inside one call of `plan_overflow`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memorycore.answers import AuditVerdict
from memorycore.lexicon import HOT_CATEGORIES, Lexicon
from memorycore.model import Entry, HotSnapshot, Kind, Record, usage_pct
from memorycore.plan import (
    Action,
    AnnotateEntry,
    ColdOp,
    HotEdit,
    JoinEntries,
    RemoveEntry,
    ReplaceEntry,
    Rung,
)
from memorycore.policy.evidence import EntryVerdict, Evidence, Twin, Typed
from memorycore.policy.hot_text import DELIMITER
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.thresholds import Thresholds
from memorycore.policy.write import record_of

DELIMITER_CHARS: Final = len(DELIMITER)
"""What each entry but the first costs beside its own text."""

_SHIELDS: Final = {
    "red_line": "a red line",
    "ask_before": "asks to be asked first",
    "style": "a rule of style",
    "correction": "a correction",
    "address": "says how to address someone",
    "rule": "a rule of behaviour",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An entry in its place in the file, with what its words and its age say of it.

    `shield` says what protects it, empty if nothing does; `age` is in days, None where nobody knows.
    """

    typed: Typed
    place: int
    age: int | None
    shield: str

    @property
    def entry(self) -> Entry:
        return self.typed.entry

    @property
    def id(self) -> str:
        return self.typed.entry.id

    @property
    def text(self) -> str:
        return self.typed.entry.text

    @property
    def kind(self) -> Kind | None:
        return self.typed.kind

    @property
    def importance(self) -> float:
        return 0.5 if self.entry.importance is None else self.entry.importance


def items_of(
    typed: Sequence[Typed], now: datetime, thresholds: Thresholds, lexicon: Lexicon
) -> tuple[Item, ...]:
    """Return the entries as the ladder sees them, in the order of the file."""
    return tuple(
        Item(
            typed=one,
            place=place,
            age=None if one.since is None else (now - one.since).days,
            shield=_shield(one, thresholds, lexicon),
        )
        for place, one in enumerate(typed)
    )


def behaves(text: str, lexicon: Lexicon) -> bool:
    """Whether a word of the text asks for a behaviour or tells a preference."""
    return any(
        match.decisive and match.category in HOT_CATEGORIES for match in lexicon.matches(lexicon.plain(text))
    )


def shield(entry: Entry, thresholds: Thresholds, lexicon: Lexicon) -> str:
    """Return what protects an entry that is no pointer, empty if nothing does."""
    if (entry.importance or 0.0) >= thresholds.protect_importance:
        return f"importance {entry.importance:.2f}"
    found = rule_word(entry.text, lexicon)
    return "" if found is None else f"{_SHIELDS[found[0]]} (“{found[1]}”)"


def rule_word(text: str, lexicon: Lexicon) -> tuple[str, str] | None:
    """Return category and words of what makes the text a rule that is never moved, None if nothing does.

    A bare preference is none, one about the style of answers is: hints of style that are single characters
    are common in other words, so one of them is not enough.
    """
    matches = lexicon.matches(lexicon.plain(text))
    spoken = {match.category: match.text for match in reversed(matches) if match.decisive}
    found = next(((name, spoken[name]) for name in _SHIELDS if name in spoken), None)
    if found is None and "preference" in spoken:
        hints = {match.text for match in matches if match.category == "style"}
        if len(hints) > 1 or any(len(hint) > 1 for hint in hints):
            return "style", max(sorted(hints), key=len)
    return found


def oldest_first(items: Sequence[Item]) -> list[Item]:
    """Return the items longest idle first, of one age the less important first, unknown ages last."""
    return sorted(
        items, key=lambda item: (-1 if item.age is None else -item.age, item.importance, item.place)
    )


class Desk:
    """Collects the exits of one run. Each entry takes at most one; asking after the second is a fault."""

    def __init__(
        self,
        snapshot: HotSnapshot,
        items: Sequence[Item],
        evidence: Evidence,
        *,
        now: datetime,
        limits: Thresholds,
        owner: str,
        lexicon: Lexicon,
    ) -> None:
        self.target = snapshot.target
        self.items = tuple(items)
        self.evidence = evidence
        self.now = now
        self.limits = limits
        self.owner = owner
        self.lexicon = lexicon
        self.pct = snapshot.pct
        self.soft = snapshot.chars >= limits.soft * snapshot.limit
        self.hard = snapshot.chars >= limits.hard * snapshot.limit
        self.taken: Counter[Rung] = Counter()
        self.actions: list[Action] = []
        self.sunk: list[tuple[Item, str]] = []
        self._snapshot = snapshot
        self._exits: dict[int, EntryVerdict] = {}
        self._texts = {item.place: item.text for item in items}

    @property
    def chars(self) -> int:
        """The length of the file once what was decided so far is done."""
        if not any(action.hot is not None for action in self.actions):
            return self._snapshot.chars
        return sum(map(len, self._texts.values())) + DELIMITER_CHARS * max(0, len(self._texts) - 1)

    @property
    def at_target(self) -> bool:
        return self.chars <= self.limits.target * self._snapshot.limit

    @property
    def pct_after(self) -> float:
        return usage_pct(self.chars, self._snapshot.limit)

    def staying(self) -> list[Item]:
        """Return the items that met no exit so far, in the order of the file."""
        return [item for item in self.items if item.place not in self._exits]

    def stays(self, item: Item) -> bool:
        return item.place not in self._exits

    def twin(self, item: Item) -> Twin | None:
        """Return the cold record that makes an entry redundant.

        The profile summary is none: it only holds what fits it, so it keeps nothing for good.
        """
        twin = self.evidence.twins.get(item.id)
        return None if twin is None or twin.id == PROFILE_ID else twin

    def holds(self, text: str) -> bool:
        """Whether the file holds this very text by now."""
        return text in self._texts.values()

    def record(self, item: Item) -> Record:
        """Return the cold record that the entry becomes; it keeps its id."""
        return record_of(item.entry, self.now, owner=self.owner)

    def part(self, item: Item, text: str) -> Record:
        """Return a record of a text that leaves while the entry stays: it gets an id of its own.

        The id tells entry and time apart, so that a later part of the same entry is another record.
        """
        return replace(self.record(item), id=f"{item.id}_{self.now:%y%m%d%H%M%S}", text=text)

    def remove(self, item: Item, rung: Rung, verdict: AuditVerdict, reason: str, *cold: ColdOp) -> None:
        """Take the entry out of the file, after `cold`."""
        at = list(self._texts).index(item.place)
        del self._texts[item.place]
        self._settle(item, rung, verdict, reason, cold, RemoveEntry(item.entry, at))

    def change(
        self, item: Item, after: Entry, rung: Rung, verdict: AuditVerdict, reason: str, *cold: ColdOp
    ) -> None:
        """Put `after` in the place of the entry, after `cold`; only a note if the text is the same."""
        if after.text == item.text:
            edit: HotEdit = AnnotateEntry(item.entry, after)
        else:
            edit = ReplaceEntry(item.entry, after)
        self._texts[item.place] = after.text
        self._settle(item, rung, verdict, reason, cold, edit)

    def join(self, kept: Item, goes: Item, after: Entry, reason: str, *cold: ColdOp) -> None:
        """Merge: put `after` in the place of `kept` and take `goes` out, in one step, after `cold`."""
        at = list(self._texts).index(goes.place)
        del self._texts[goes.place]
        self._texts[kept.place] = after.text
        self._leave(goes, "merge", "merge", reason)
        self._settle(kept, "merge", "merge", reason, cold, JoinEntries(kept.entry, goes.entry, after, at))

    def verdict(self, item: Item, why_it_stays: str) -> EntryVerdict:
        """Return the verdict on an entry once all is decided."""
        return self._exits.get(item.place) or self._verdict(item, None, "keep", why_it_stays)

    def _settle(
        self,
        item: Item,
        rung: Rung,
        verdict: AuditVerdict,
        reason: str,
        cold: tuple[ColdOp, ...],
        hot: HotEdit,
    ) -> None:
        self._leave(item, rung, verdict, reason)
        self.taken[rung] += 1
        self.actions.append(
            Action(rung=rung, subject=item.id, reason=reason, target=self.target, cold=cold, hot=hot)
        )

    def _leave(self, item: Item, rung: Rung, verdict: AuditVerdict, reason: str) -> None:
        if item.place in self._exits:
            raise ValueError(f"{item.id} has left by a rung already")
        self._exits[item.place] = self._verdict(item, rung, verdict, reason)

    def _verdict(self, item: Item, rung: Rung | None, verdict: AuditVerdict, reason: str) -> EntryVerdict:
        return EntryVerdict(
            typed=item.typed,
            verdict=verdict,
            rung=rung,
            reason=reason,
            protected=bool(item.shield),
            age_days=item.age,
        )


def _shield(typed: Typed, thresholds: Thresholds, lexicon: Lexicon) -> str:
    return "" if typed.kind == "stub" else shield(typed.entry, thresholds, lexicon)
