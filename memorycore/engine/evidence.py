"""Reads a hot file, asks what the policy wants to know of it, and hands both to the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memorycore.engine.counsel import Counsel
from memorycore.engine.nearby import cosine, nearby, own_vector
from memorycore.engine.parts import Parts
from memorycore.model import Candidate, Entry, HotSnapshot, Kind, Record, Vector
from memorycore.policy.classify import classify
from memorycore.policy.dates import event_date
from memorycore.policy.evidence import Evidence, Needs, OverflowPlan, Twin, Typed
from memorycore.policy.needs import needs
from memorycore.policy.overflow import plan_overflow
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.scan import hostile, scan
from memorycore.policy.words import language

_KINDS_KEPT = 5_000
_SCOPE = "global"
"""Where entries go when they sink: a record of another scope says the same, but not to everybody."""

_TWINS_READ = 1
"""So many of an entry's near records the model reads: an overflow looks at many entries at once."""

_Asked = tuple[datetime, str, tuple[str, ...]]
Vectors = Mapping[str, Vector]
"""Vectors of entries by their ids; an entry that has none is absent."""


class Assessor:
    """Says what an overflow makes of a hot file. Audit and overflow both ask it; it moves nothing."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._kinds: dict[str, Kind | None] = {}

    def plan(
        self, snapshot: HotSnapshot, counsel: Counsel | None = None, *, at: datetime | None = None
    ) -> OverflowPlan:
        """Return the verdicts on all entries and the plan that carries them out, now or `at` a later time.

        Without counsel the judge is not asked; what it said before counts all the same.
        """
        parts, now = self._parts, at or self._parts.clock()
        typed = [self._typed(entry, now) for entry in snapshot.entries]
        wanted = needs(snapshot, typed, now, parts.thresholds, parts.lexicon)
        known = self._evidence(snapshot, wanted, now, counsel or parts.counsel(asks=False))
        return plan_overflow(
            snapshot, typed, known, now, parts.thresholds, owner=parts.owner, lexicon=parts.lexicon
        )

    def told_by_words(self, snapshot: HotSnapshot) -> list[Entry]:
        """Return the entries that nobody has typed, with the kind and the date that their words tell."""
        now = self._parts.clock()
        read = [self._typed(entry, now) for entry in snapshot.entries if entry.kind is None]
        return [replace(one.entry, kind=one.kind, written_at=one.since) for one in read]

    def twins(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Return, by the ids of the entries, the ids of the active records that say all that they say."""
        vectors = self._parts.known_vectors([entry.text for entry in entries])
        found = {entry.id: self._twin(entry, vector) for entry, vector in zip(entries, vectors, strict=True)}
        return {key: twin.id for key, twin in found.items() if twin is not None}

    def _typed(self, entry: Entry, now: datetime) -> Typed:
        """Take an entry's kind from its metadata; an untyped one is read for what its words say."""
        if entry.kind is not None:
            since = entry.updated_at or entry.written_at
            return Typed(entry=entry, kind=entry.kind, since=since, by_words=False)
        since = entry.written_at or event_date(entry.text, now)
        return Typed(entry=entry, kind=self._kind_by_words(entry.text), since=since, by_words=True)

    def _kind_by_words(self, text: str) -> Kind | None:
        """Read a text once: a hand-written file is audited page by page, and its words don't change."""
        if text not in self._kinds:
            if len(self._kinds) >= _KINDS_KEPT:
                self._kinds.clear()
            routing = classify(text, importance=0.5, lexicon=self._parts.lexicon, likeness=None)
            self._kinds[text] = routing.kind
        return self._kinds[text]

    def _evidence(self, snapshot: HotSnapshot, wanted: Needs, now: datetime, counsel: Counsel) -> Evidence:
        entries = {entry.id: entry for entry in snapshot.entries}
        vectors = self._vectors(entries, wanted)
        used, log = self._activity([entries[key] for key in wanted.dormant], vectors, now)
        twins = {key: self._twin(entries[key], vectors.get(key)) for key in wanted.twins}
        rewrites = self._rewrites([entries[key] for key in wanted.rewrites], counsel)
        idle = self._idle([entries[key] for key in wanted.dormant if used.get(key, 0) is None], log, counsel)
        return Evidence(
            twins={key: twin for key, twin in twins.items() if twin is not None},
            copies=frozenset(key for key in wanted.copies if self._copy(entries[key]) is not None),
            likeness={
                (one, other): float(vectors[one] @ vectors[other])
                for one, other in wanted.likeness
                if one in vectors and other in vectors
            },
            used=used,
            log_queries=len(log) or None,
            rewrites=rewrites,
            confirmed_dormant=frozenset(key for key, dormant in idle.items() if dormant),
            denied_dormant=frozenset(key for key, dormant in idle.items() if not dormant),
            profile=self._parts.cold.get(PROFILE_ID) if wanted.profile else None,
        )

    def _vectors(self, entries: Mapping[str, Entry], wanted: Needs) -> Vectors:
        asked = (*wanted.twins, *wanted.dormant, *(key for pair in wanted.likeness for key in pair))
        ids = list(dict.fromkeys(asked))
        made = self._parts.known_vectors([entries[key].text for key in ids])
        return {key: vector for key, vector in zip(ids, made, strict=True) if vector is not None}

    # -- twins

    def _copy(self, entry: Entry) -> Record | None:
        return self._parts.cold.find_text(self._parts.owner, _SCOPE, entry.hash)

    def _twin(self, entry: Entry, vector: Vector | None) -> Twin | None:
        """Return the active record that says all that the entry says, the nearest one first.

        One that gives the agent orders is none: it must not take anything out of a hot file.
        """
        copy = self._copy(entry)
        if copy is not None:
            return Twin(id=copy.id, text=copy.text, reason="the same words")
        found = nearby(self._parts, entry.text, vector)
        near = [
            (one.record, self._cosine(one, vector))
            for one in sorted(found, key=lambda one: (-(one.cosine or 0.0), -one.words, one.record.id))
            if one.record.scope == _SCOPE
            and one.record.id != PROFILE_ID
            and not hostile(scan(one.record.text))
        ]
        told = self._parts.verdicts.judge(
            entry.text, [(record.text, likeness) for record, likeness in near], most=_TWINS_READ
        )
        twins = (
            Twin(id=record.id, text=record.text, reason=judgement.reason)
            for (record, _), judgement in zip(near, told, strict=True)
            if judgement is not None and judgement.verdict == "same"
        )
        return next(twins, None)

    def _cosine(self, one: Candidate, vector: Vector | None) -> float | None:
        """Return how like the texts are; only where a context is blended in, the search can't have told."""
        if one.record.context is None or vector is None:
            return one.cosine
        return cosine(vector, own_vector(self._parts, one.record, self._parts.model()))

    # -- activity

    def _activity(
        self, entries: Sequence[Entry], vectors: Vectors, now: datetime
    ) -> tuple[dict[str, int | None], list[_Asked]]:
        """Return how many days ago each entry was last asked for, and the part of the log that was looked at.

        A query asked for an entry if it brought the entry up, or is like it beyond what unrelated texts
        are by chance. An entry without a vector is absent.
        """
        known = [entry for entry in entries if entry.id in vectors]
        window = timedelta(days=self._parts.thresholds.activity_window_days)
        log = list(self._parts.ledger.activity(since=now - window)) if known else []
        asked = list(dict.fromkeys(query for _, query, _ in log))
        made = dict(zip(asked, self._parts.known_vectors(asked), strict=True))
        if not log or any(vector is None for vector in made.values()):
            return {}, []
        used = {entry.id: self._last_use(entry, vectors[entry.id], log, made, now) for entry in known}
        return used, log

    def _last_use(
        self,
        entry: Entry,
        vector: Vector,
        log: Sequence[_Asked],
        made: Mapping[str, Vector | None],
        now: datetime,
    ) -> int | None:
        """Return the days since the newest query that asked for the entry, None if none did."""
        alike = {query for query, asked in made.items() if self._alike(query, asked, entry, vector)}
        uses = (at for at, query, hits in reversed(log) if entry.id in hits or query in alike)
        last = next(uses, None)
        return None if last is None else max(0, (now - last).days)

    def _alike(self, query: str, asked: Vector | None, entry: Entry, vector: Vector) -> bool:
        if asked is None:
            return False
        likeness = float(asked @ vector)
        z = self._parts.encoder.passage_z(likeness, language(query), language(entry.text))
        return z >= self._parts.thresholds.activity_likeness

    # -- the judge

    def _rewrites(self, entries: Sequence[Entry], counsel: Counsel) -> dict[str, str]:
        """Return shorter texts by entry id, as the judge gave them: the policy checks what they leave out."""
        share = 1 - self._parts.thresholds.compress_gain
        made = {one.id: counsel.shorten(one.text, int(len(one.text) * share)) for one in entries}
        return {key: text for key, text in made.items() if text is not None}

    def _idle(self, entries: Sequence[Entry], log: Sequence[_Asked], counsel: Counsel) -> dict[str, bool]:
        """Return whether the judge calls entries dormant, of which the log shows no use."""
        newest_first = [query for _, query, _ in reversed(log)]
        told = {one.id: counsel.dormant(one.text, newest_first) for one in entries}
        return {key: dormant for key, dormant in told.items() if dormant is not None}
