"""Shows what a run would do: each entry of the hot files with its verdict, page by page. Writes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memorycore.answers import Audit, AuditAlso, AuditEntry, AuditTarget, to_wire
from memorycore.engine.evidence import Assessor
from memorycore.engine.parts import Parts, iso
from memorycore.errors import InvalidInput
from memorycore.model import HotSnapshot, Target, usage_pct
from memorycore.policy.evidence import EntryVerdict, OverflowPlan
from memorycore.policy.tokens import cut_to_tokens, estimated_tokens

PAGE_TOKENS = 2_000
"""What a page may take of a model's context as compact JSON, by `estimated_tokens`."""

_TEXT_CHARS = 80
_REASON_TOKENS = 250
_WARNING_TOKENS = 60
_MOST_WARNINGS = 3
_PENDING_SHOWN = 10
_CURSOR_DIGITS = 9
_WALK = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """A plan and all that it was made from: as long as that is so, the next page may use it."""

    snapshot: HotSnapshot
    at: datetime | None
    newest_run: str | None
    planned: OverflowPlan
    unanswered: tuple[str, ...]
    made: datetime


class Auditor:
    """Renders the verdicts of an assessor. A walk through the pages is of one plan while nothing changes."""

    def __init__(self, parts: Parts, assessor: Assessor) -> None:
        self._parts = parts
        self._assessor = assessor
        self._looks: dict[Target, _Look] = {}

    def audit(
        self,
        targets: tuple[Target, ...],
        *,
        cursor: str | None,
        page_size: int | None,
        at: datetime | None = None,
    ) -> Audit:
        """Return what each entry is and what an overflow does with it, now or `at` a later time.

        The judge is asked what it has not answered yet, so that the overflow decides by the same answers;
        for a look ahead it is not. A page has `page_size` entries or, without one, as many as fit into
        `PAGE_TOKENS`, one at least.
        """
        start = _position(cursor, targets)
        looks = {target: self._look(target, at, follows=bool(cursor)) for target in targets}
        page = Audit(
            targets={target: _head(look) for target, look in looks.items()},
            cold=self._cold(),
            next=None,
            at=iso(at),
        )
        room = _Room(page, page_size)
        for target, look in looks.items():
            verdicts = look.planned.verdicts
            first = start.get(target, 0)
            entries = room.taken(map(_entry, verdicts[first:]))
            page.targets[target] = replace(page.targets[target], entries=entries)
            if first + len(entries) < len(verdicts):
                return replace(page, next=f"{target}:{first + len(entries)}")
        return page

    def _look(self, target: Target, at: datetime | None, *, follows: bool) -> _Look:
        """Return the plan for a file; a page that `follows` another uses the plan of that one.

        Everything that a plan is made from changes with a run or with the file. The activity log does not,
        so a plan serves for a minute only.
        """
        snapshot, now = self._parts.hot.read(target), self._parts.clock()
        newest = next(iter(self._parts.ledger.runs(limit=1)), None)
        run = None if newest is None else newest.id
        known = self._looks.get(target)
        if (
            follows
            and known is not None
            and (known.snapshot, known.at, known.newest_run) == (snapshot, at, run)
            and timedelta(0) <= now - known.made < _WALK
            and (newest is None or newest.state != "open")
        ):
            return known
        counsel = self._parts.counsel(asks=at is None)
        planned = self._assessor.plan(snapshot, counsel, at=at)
        look = _Look(
            snapshot=snapshot, at=at, newest_run=run, planned=planned, unanswered=counsel.faults, made=now
        )
        self._looks[target] = look
        return look

    def _cold(self) -> dict[str, Any]:
        model = self._parts.model()
        counts = self._parts.cold.counts(self._parts.owner, model)
        pending = self._parts.cold.pending(self._parts.owner, model or "none", _PENDING_SHOWN)
        return {
            "total": counts.total,
            "embedded": counts.embedded,
            "pending": counts.pending,
            "superseded": counts.superseded,
            "pending_ids": [record.id for record in pending],
            "trash": self._parts.ledger.trash_count(),
        }


class _Room:
    """What is left of a page."""

    def __init__(self, page: Audit, size: int | None) -> None:
        self._size = size
        self._tokens = PAGE_TOKENS - _tokens(to_wire(replace(page, next="memory:999999999")))
        self._first = True

    def taken(self, entries: Any) -> tuple[AuditEntry, ...]:
        """Return the entries, from the first on, that the page has room for."""
        found: list[AuditEntry] = []
        for entry in entries:
            if not self._fits(entry):
                break
            found.append(entry)
        return tuple(found)

    def _fits(self, entry: AuditEntry) -> bool:
        if self._size is not None:
            self._size -= 1
            return self._size >= 0
        self._tokens -= _tokens(asdict(entry)) + 1
        first, self._first = self._first, False
        return first or self._tokens >= 0


def _tokens(wire: Any) -> int:
    return estimated_tokens(json.dumps(wire, ensure_ascii=False, separators=(",", ":")))


def _head(look: _Look) -> AuditTarget:
    """Return a target without its entries."""
    snapshot, planned = look.snapshot, look.planned
    leaving = sum(verdict.verdict != "keep" for verdict in planned.verdicts)
    subjects = {verdict.typed.entry.id for verdict in planned.verdicts}
    return AuditTarget(
        limit=snapshot.limit,
        chars=snapshot.chars,
        pct=snapshot.pct,
        entries=(),
        sink_candidates=leaving,
        sink_chars=max(0, snapshot.chars - planned.chars_after),
        pct_after=usage_pct(planned.chars_after, snapshot.limit),
        also=tuple(
            AuditAlso(
                rung=action.rung, id=action.subject, reason=cut_to_tokens(action.reason, _REASON_TOKENS)
            )
            for action in planned.plan.actions
            if action.subject not in subjects
        ),
        why_nothing=planned.note or None,
        warnings=_few((*snapshot.warnings, *look.unanswered)),
    )


def _few(warnings: Sequence[str]) -> tuple[str, ...]:
    shown = [cut_to_tokens(warning, _WARNING_TOKENS) for warning in warnings[:_MOST_WARNINGS]]
    more = len(warnings) - len(shown)
    return (*shown, f"{more} more warnings like these.") if more else tuple(shown)


def _entry(verdict: EntryVerdict) -> AuditEntry:
    entry = verdict.typed.entry
    return AuditEntry(
        id=entry.id,
        text=entry.text[:_TEXT_CHARS],
        chars=len(entry.text),
        kind=verdict.typed.kind,
        importance=entry.importance,
        written_at=iso(entry.written_at),
        updated_at=iso(entry.updated_at),
        age_days=verdict.age_days,
        protected=verdict.protected,
        verdict=verdict.verdict,
        rung=verdict.rung,
        reason=cut_to_tokens(verdict.reason, _REASON_TOKENS),
    )


def _position(cursor: str | None, targets: tuple[Target, ...]) -> Mapping[Target, int]:
    """Read a cursor "target:place": targets before it have been shown whole."""
    if not cursor:
        return {}
    name, _, place = cursor.partition(":") if isinstance(cursor, str) else ("", "", "")
    if name not in targets or not place.isdecimal() or len(place) > _CURSOR_DIGITS:
        raise InvalidInput(
            f"cursor is {cursor!r}.", advice="Send the `next` of the page before, with the same target."
        )
    at = targets.index(name)
    return {target: int(place) if target == name else 10**9 for target in targets[: at + 1]}
