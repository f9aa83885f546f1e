"""Writes down what the words of untyped entries tell, as part of the run that reads them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memorycore.model import Entry
from memorycore.plan import Action, AnnotateEntry, Plan
from memorycore.policy.hot_text import filled

MOST_TYPED: Final = 100
"""So many entries are typed by a run that has other work; the next ones type the rest."""


def with_types(plan: Plan, entries: Sequence[Entry], told: Sequence[Entry], now: datetime) -> Plan:
    """Return the plan with a note for each entry that it leaves alone and that has no kind.

    `told` are the untyped entries with what their words say. As steps of the run the notes are taken back
    with it; a time that nobody knows becomes `now`.
    """
    subjects = {action.subject for action in plan.actions}
    known = {entry.id: entry for entry in entries}
    staying = [one for one in told if one.id not in subjects and one.id in known and one.kind is not None]
    notes = [_note(known[one.id], one, now) for one in staying[:MOST_TYPED]]
    return replace(plan, actions=(*plan.actions, *notes))


def _note(entry: Entry, told: Entry, now: datetime) -> Action:
    return Action(
        rung="repair",
        subject=entry.id,
        reason=f"nobody had said what it is; its words say: a {told.kind}",
        target=entry.target,
        hot=AnnotateEntry(entry, filled(entry, told, now)),
    )
