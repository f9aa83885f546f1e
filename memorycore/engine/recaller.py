"""Answers queries from both tiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memorycore.answers import RecallAnswer, RecallHit
from memorycore.engine.parts import Parts, iso
from memorycore.errors import HotFileError
from memorycore.model import TARGETS, Candidate, Entry, Language, Record, SearchResult, Vector
from memorycore.policy.decay import decay
from memorycore.policy.names import people_asked_about, spelt_like
from memorycore.policy.ranking import CROWD, HIT_FLOOR, Lexis, Strength, answers, strength
from memorycore.policy.scan import hostile, scan
from memorycore.policy.secrets import redact
from memorycore.policy.words import language, query_tokens, tokens

_SMALL = 100
"""Below this number of texts, an index's own BM25 says little; it is worked out text by text."""

_NEAR = 20
"""Among so many of the best, another spelling of a name is looked for."""

_CONTEXT_SHARE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    query: str
    language: Language
    vector: Vector | None
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    item: Entry | Record
    strength: Strength


class Recaller:
    """Finds what answers a query. Reading takes no lock; what it notes of itself is written afterwards."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def recall(self, query: str, top_k: int, *, include_superseded: bool, note: bool = True) -> RecallAnswer:
        """Return at most `top_k` hits, best first; none when nothing stored answers.

        With `note` False it counts as no use of what it found; `note_use` says later what was used.
        """
        vector, fault = self._parts.embed_query(query)
        asked = _Asked(query=query, language=language(query), vector=vector, terms=tuple(query_tokens(query)))
        found = self._parts.cold.search(
            owner=self._parts.owner,
            vector=vector,
            model=None if vector is None else self._parts.model(),
            terms=asked.terms,
            limit=max(CROWD, 2 * top_k),
            include_superseded=include_superseded,
        )
        entries, unreadable = self._entries()
        ranked = self._rank(asked, found, entries)
        hits = [] if self._asks_for_a_stranger(asked, ranked) else _best(ranked, top_k)
        if note:
            cold = [hit.item.id for hit in hits if isinstance(hit.item, Record)]
            self.note_use(query, [hit.item.id for hit in hits], cold)
        degraded = [f"words only: {fault}"] if fault is not None else _vectorless(found)
        return RecallAnswer(
            results=tuple(_hit(hit, asked.terms) for hit in hits),
            degraded="; ".join([*degraded, *unreadable]) or None,
        )

    def _entries(self) -> tuple[list[Entry], list[str]]:
        entries: list[Entry] = []
        faults: list[str] = []
        for target in TARGETS:
            try:
                entries += self._parts.hot.read(target).entries
            except HotFileError as error:
                faults.append(f"the hot file of {target} was not searched: {error}")
        return entries, faults

    def _rank(self, asked: _Asked, found: SearchResult, entries: Sequence[Entry]) -> list[_Ranked]:
        hot_words = [Counter(tokens(entry.text)) for entry in entries]
        lexis = _lexis(asked, found, hot_words)
        ranked = [self._rank_record(asked, candidate, lexis, found.total) for candidate in found.candidates]
        vectors = (
            self._parts.known_vectors([entry.text for entry in entries]) if asked.vector is not None else []
        )
        for place, (entry, words) in enumerate(zip(entries, hot_words, strict=True)):
            known = vectors[place] if vectors else None
            cosine = None if known is None or asked.vector is None else float(asked.vector @ known)
            score = lexis.bm25(words, words.total())
            ranked.append(
                _Ranked(entry, self._strength(asked, entry.text, cosine, lexis.coverage(score), 1.0))
            )
        ranked.sort(key=lambda one: -one.strength.total)
        return ranked

    def _asks_for_a_stranger(self, asked: _Asked, ranked: Sequence[_Ranked]) -> bool:
        """Whether the query names somebody whom no text names; across languages names can't be compared."""
        names = people_asked_about(asked.query)
        if not names or not ranked or language(ranked[0].item.text) != asked.language:
            return False
        near = {term for one in ranked[:_NEAR] for term in tokens(one.item.text)}
        strangers = (name for name in names if not near.intersection(query_tokens(name)))
        return any(not self._named_anywhere(name) and not spelt_like(name, near) for name in strangers)

    def _named_anywhere(self, name: str) -> bool:
        """Whether a record holds the name's words; hot entries are all among the ranked."""
        terms = query_tokens(name)
        found = self._parts.cold.search(
            owner=self._parts.owner, vector=None, model=None, terms=terms, limit=1, include_superseded=True
        )
        return all(found.document_frequency.get(term, 0) for term in terms)

    def _rank_record(self, asked: _Asked, candidate: Candidate, lexis: Lexis, total: int) -> _Ranked:
        record = candidate.record
        score = candidate.words
        if total < _SMALL and score:
            words, length = _weighted_words(record)
            score = lexis.bm25(words, length)
        last_used = max(record.updated_at, record.recalled_at or record.updated_at)
        faded = decay(record.importance, last_used, self._parts.clock(), self._parts.thresholds)
        coverage = lexis.coverage(score)
        return _Ranked(record, self._strength(asked, record.text, candidate.cosine, coverage, faded))

    def _strength(
        self, asked: _Asked, text: str, cosine: float | None, coverage: float, faded: float
    ) -> Strength:
        of = language(text)
        z = None if cosine is None else self._parts.encoder.z(cosine, asked.language, of)
        return strength(z=z, crosses_language=of != asked.language, coverage=coverage, decay=faded)

    def note_use(self, query: str, ids: Sequence[str], records: Sequence[str]) -> None:
        """Note, after the answer, that a query was answered by these ids, `records` among them."""
        now = self._parts.clock()
        recalled = list(records)
        if recalled:
            self._parts.afterwork.add(lambda: self._parts.cold.mark_recalled(recalled, now))
        asked, _ = redact(query)
        self._parts.afterwork.add(lambda: self._parts.ledger.log_activity(asked, list(ids), now))


def _vectorless(found: SearchResult) -> list[str]:
    if not found.vectorless:
        return []
    records = "1 record has" if found.vectorless == 1 else f"{found.vectorless:,} records have"
    return [f"{records} no vector of the present model and are found by words; run `memorycore maintain`"]


def _lexis(asked: _Asked, found: SearchResult, hot_words: Sequence[Counter[str]]) -> Lexis:
    documents = {
        term: found.document_frequency.get(term, 0) + sum(term in words for words in hot_words)
        for term in asked.terms
    }
    lengths = [words.total() for words in hot_words]
    if found.total < _SMALL:
        lengths += [_weighted_words(candidate.record)[1] for candidate in found.candidates]
    return Lexis(
        terms=asked.terms,
        documents=documents,
        total=found.total + len(hot_words),
        mean_length=max(1.0, sum(lengths) / len(lengths)) if lengths else 1.0,
    )


def _weighted_words(record: Record) -> tuple[dict[str, float], int]:
    own = Counter(tokens(record.text))
    around = Counter(tokens(record.context)) if record.context else Counter[str]()
    words = {term: own[term] + _CONTEXT_SHARE * around[term] for term in own.keys() | around.keys()}
    return words, own.total() + around.total()


def _best(ranked: Sequence[_Ranked], top_k: int) -> list[_Ranked]:
    """Return the hits: none unless the best is an answer, each text once."""
    if not answers([one.strength.total for one in ranked]):
        return []
    best: dict[str, _Ranked] = {}
    for one in ranked:
        if one.strength.total < HIT_FLOOR or len(best) == top_k:
            break
        best.setdefault(one.item.hash, one)
    return list(best.values())


def _hit(ranked: _Ranked, terms: Sequence[str]) -> RecallHit:
    item = ranked.item
    record = item if isinstance(item, Record) else None
    created = item.created_at if isinstance(item, Record) else item.written_at
    return RecallHit(
        id=item.id,
        content=item.text,
        score=round(ranked.strength.score, 4),
        tier="hot" if record is None else "cold",
        importance=item.importance,
        created_at=iso(created),
        updated_at=iso(item.updated_at),
        superseded_by=None if record is None else record.superseded_by,
        why=_why(ranked, terms),
    )


def _why(ranked: _Ranked, terms: Sequence[str]) -> dict[str, Any]:
    """Return what made the hit: meaning in deviations, the share of the words, which words, how faded."""
    item = ranked.item
    text_terms = set(tokens(item.text))
    why: dict[str, Any] = {
        "meaning": None if ranked.strength.z is None else round(ranked.strength.z, 2),
        "words": round(ranked.strength.coverage, 3),
        "matched": [term for term in terms if term in text_terms],
        "decay": round(ranked.strength.decay, 3),
    }
    if isinstance(item, Entry):
        why["target"] = item.target
    if isinstance(item, Record) and item.event_at is not None:
        why["event_at"] = iso(item.event_at)
    untrusted = scan(item.text)
    if hostile(untrusted):
        why["untrusted"] = list(untrusted)
    return why
