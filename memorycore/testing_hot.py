"""An in-memory hot store for tests of what uses one; it passes the contract suite of the real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from memorycore.engine.ports import EditOutcome
from memorycore.model import Entry, HotSnapshot, Target
from memorycore.policy import hot_text


class InMemoryHotStore:
    """Hot files that live as long as the object. Not for use from several threads at once."""

    def __init__(self, limits: Mapping[Target, int], *, clock: Callable[[], datetime]) -> None:
        self._limits = dict(limits)
        self._clock = clock
        self._entries: dict[Target, dict[str, Entry]] = {target: {} for target in self._limits}

    def read(self, target: Target) -> HotSnapshot:
        """Return the entries in order."""
        entries = self._entries[target]
        return HotSnapshot(
            target=target,
            entries=tuple(entries.values()),
            chars=len(hot_text.render(tuple(entries))),
            limit=self._limits[target],
        )

    def write_by_hand(self, target: Target, raw: str) -> None:
        """Put a file's text in place, as another program would: new texts come without metadata."""
        known = self._entries[target]
        self._entries[target] = {
            text: known.get(text) or Entry(id=hot_text.derived_id(text), target=target, text=text)
            for text in hot_text.parse(raw)
        }

    def add(self, entry: Entry, at: int | None = None) -> EditOutcome:
        """Put the entry at place `at` or, without one, at the end; `present` if the same text is there.

        Raises `HotFileFull`, `InvalidInput`.
        """
        text, entries = hot_text.accepted(entry.text), self._entries[entry.target]
        if text in entries:
            return "present"
        texts = hot_text.inserted(tuple(entries), text, at)
        hot_text.check_room(tuple(entries), texts, self._limits[entry.target])
        known = entries | {text: replace(entry, text=text)}
        self._entries[entry.target] = {one: known[one] for one in texts}
        return "done"

    def remove(self, entry: Entry) -> EditOutcome:
        """Take the entry out; `present` if it was not there any more."""
        gone = self._entries[entry.target].pop(hot_text.normalised(entry.text), None)
        return "present" if gone is None else "done"

    def replace(self, before: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `before`; `changed` if `before` is gone. Raises as `add` does."""
        hot_text.check_one_file(before, after)
        old, new = hot_text.normalised(before.text), hot_text.accepted(after.text)
        entries = self._entries[before.target]
        if old == new:
            return self.annotate(after)
        if old not in entries:
            return "present" if new in entries else "changed"
        texts = tuple(dict.fromkeys(new if text == old else text for text in entries))
        hot_text.check_room(tuple(entries), texts, self._limits[before.target])
        known = entries | {new: replace(after, text=new)}
        self._entries[before.target] = {text: known[text] for text in texts}
        return "done"

    def join(self, kept: Entry, gone: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `kept` and take `gone` out; `changed` if one of them is gone."""
        hot_text.check_one_file(kept, gone, after)
        old, other = hot_text.normalised(kept.text), hot_text.normalised(gone.text)
        new = hot_text.accepted(after.text)
        entries = self._entries[kept.target]
        if not {old, other} <= set(entries):
            return "present" if new in entries else "changed"
        self._put(kept.target, hot_text.joined(tuple(entries), old, other, new), after)
        return "done"

    def part(self, joined: Entry, kept: Entry, gone: Entry, at: int | None = None) -> EditOutcome:
        """Put `kept` in the place of `joined` and `gone` at place `at`; `changed` if `joined` is gone."""
        hot_text.check_one_file(joined, kept, gone)
        whole = hot_text.normalised(joined.text)
        old, other = hot_text.accepted(kept.text), hot_text.accepted(gone.text)
        entries = self._entries[joined.target]
        if whole not in entries:
            return "present" if {old, other} <= set(entries) else "changed"
        self._put(joined.target, hot_text.parted(tuple(entries), whole, old, other, at), kept, gone)
        return "done"

    def annotate(self, entry: Entry) -> EditOutcome:
        """Take over what `entry` says of its text; `changed` if the text is not there."""
        text, entries = hot_text.normalised(entry.text), self._entries[entry.target]
        if text not in entries:
            return "changed"
        told = replace(entry, text=text)
        if entries[text] == told:
            return "present"
        entries[text] = told
        return "done"

    def _put(self, target: Target, texts: Sequence[str], *told: Entry) -> None:
        entries = self._entries[target]
        hot_text.check_room(tuple(entries), texts, self._limits[target])
        named = [replace(one, text=hot_text.normalised(one.text)) for one in told]
        known = entries | {one.text: one for one in named}
        self._entries[target] = {text: known[text] for text in texts}

    def reconcile(self, target: Target, typed: Sequence[Entry]) -> int:
        """Give kinds, and what else they lack, to the entries that have none; return how many changed."""
        entries, changed = self._entries[target], 0
        for entry in typed:
            known = entries.get(hot_text.normalised(entry.text))
            if known is None or known.kind is not None or entry.kind is None:
                continue
            entries[known.text] = hot_text.filled(known, entry, self._clock())
            changed += 1
        return changed
