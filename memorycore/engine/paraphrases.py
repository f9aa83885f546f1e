"""Finds what says the same as facts that are about to be superseded, in both tiers."""

from __future__ import annotations

from collections.abc import Sequence

from memorycore.engine.nearby import cosine, nearby, own_vector
from memorycore.engine.parts import Parts
from memorycore.engine.readable import readable
from memorycore.model import Entry, Record, Vector
from memorycore.policy.paraphrase import Paraphrase, says_the_same
from memorycore.policy.profile import PROFILE_ID

_MOST = 10
"""A fact that was told in more ways than these loses the rest the next time that it is contradicted."""


def paraphrases(parts: Parts, outdated: Sequence[Entry | Record], *, scope: str) -> list[Paraphrase]:
    """Return what says the same as one of the outdated items, or as one that says the same, at most ten.

    Entries count whatever the scope, records only where they are active and of this scope.
    """
    found: list[Paraphrase] = []
    known = {item.id for item in outdated}
    waiting: list[Entry | Record] = list(outdated)
    while waiting and len(found) < _MOST:
        of = waiting.pop(0)
        for item, reason in _same_as(parts, of, scope):
            if item.id not in known and len(found) < _MOST:
                known.add(item.id)
                found.append(Paraphrase(item, of.id, reason))
                waiting.append(item)
    return found


def _same_as(parts: Parts, of: Entry | Record, scope: str) -> list[tuple[Entry | Record, str]]:
    vector = _vector(parts, of)
    pairs = [pair for pair in (*_hot(parts, vector), *_cold(parts, of, vector, scope)) if pair[0].id != of.id]
    told = parts.verdicts.judge(of.text, [(item.text, likeness) for item, likeness in pairs])
    return [
        (item, reason)
        for (item, likeness), forth in zip(pairs, told, strict=True)
        if forth is not None
        and forth.verdict == "same"
        and (reason := says_the_same(forth, *parts.verdicts.judge(item.text, [(of.text, likeness)])))
    ]


def _hot(parts: Parts, vector: Vector | None) -> list[tuple[Entry | Record, float | None]]:
    entries = readable(parts.hot).entries
    return [
        (entry, cosine(vector, known))
        for entry, known in zip(entries, parts.known_vectors([entry.text for entry in entries]), strict=True)
    ]


def _cold(
    parts: Parts, of: Entry | Record, vector: Vector | None, scope: str
) -> list[tuple[Entry | Record, float | None]]:
    records = (candidate.record for candidate in nearby(parts, of.text, vector))
    return [
        (record, cosine(vector, own_vector(parts, record, parts.model())))
        for record in records
        if record.scope == scope and record.id != PROFILE_ID
    ]


def _vector(parts: Parts, item: Entry | Record) -> Vector | None:
    if isinstance(item, Entry):
        return parts.known_vectors([item.text])[0]
    return own_vector(parts, item, parts.model())
