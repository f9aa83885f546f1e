"""Answers queries from both tiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from memorycore.answers import RecallAnswer, RecallHit
from memorycore.engine.encoder import Encoder
from memorycore.engine.historian import Historian
from memorycore.engine.parts import Parts, iso
from memorycore.engine.ports_ledger import Buried
from memorycore.engine.readable import readable
from memorycore.engine.reviver import Reviver
from memorycore.engine.serving import Serving
from memorycore.errors import EmbedderError, HotFileError, StoreError
from memorycore.model import Candidate, Entry, Language, Record, SearchResult, Vector
from memorycore.policy.decay import strength_left
from memorycore.policy.history import valid_from, valid_to
from memorycore.policy.leading import Candidate as Standing
from memorycore.policy.leading import newest_first
from memorycore.policy.names import people_asked_about, spelt_like
from memorycore.policy.ranking import CROWD, HIT_FLOOR, Lexis, Strength, answers, strength
from memorycore.policy.revival import stands_out
from memorycore.policy.scan import hostile, scan
from memorycore.policy.secrets import redact
from memorycore.policy.words import language, query_tokens, tokens

_SMALL = 100
"""Below this number of texts, an index's own BM25 says little; it is worked out text by text."""

_NEAR = 20
"""Among so many of the best, another spelling of a name is looked for."""

_CONTEXT_SHARE = 0.7
_REINDEX = "run `memorycore reindex`"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    query: str
    language: Language
    vector: Vector | None
    terms: tuple[str, ...]
    encoder: Encoder
    model: str | None


@dataclass(frozen=True, slots=True)
class _Ranked:
    item: Entry | Record
    strength: Strength
    buried: Buried | None = None


class Recaller:
    """Finds what answers a query. Reading takes no lock; what it notes of itself is written afterwards."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._historian = Historian(parts)
        self._reviver = Reviver(parts)
        self._serving = Serving(parts)

    def close(self) -> None:
        """Release an older model that was needed; a second call does nothing."""
        self._serving.close()

    def recall(self, query: str, top_k: int, *, include_superseded: bool, note: bool = True) -> RecallAnswer:
        """Return at most `top_k` hits, best first; none when nothing stored answers.

        With `note` False it counts as no use of what it found, so nothing comes back from the trash;
        `note_use` says later what was used.
        """
        vector, fault = self._parts.embed_query(query)
        asked = _Asked(
            query=query,
            language=language(query),
            vector=vector,
            terms=tuple(query_tokens(query)),
            encoder=self._parts.encoder,
            model=None if vector is None else self._parts.model(),
        )
        found = self._search(asked, top_k, include_superseded=include_superseded)
        asked, found, lacking = self._with_most_vectors(
            asked, found, top_k, include_superseded=include_superseded
        )
        entries, unreadable = self._entries()
        buried, unsearched = self._near_in_trash(asked) if note else ([], [])
        ranked = _led(self._rank(asked, found, entries, buried), asked)
        hits = [] if self._asks_for_a_stranger(asked, ranked) else self._welcome(ranked, top_k)
        if note:
            self._bring_back(query, hits)
            held = [hit.item.id for hit in hits if isinstance(hit.item, Record) and hit.item.active]
            self.note_use(query, [hit.item.id for hit in hits], held)
        degraded = [f"words only: {fault}"] if fault is not None else lacking
        return RecallAnswer(
            results=tuple(self._hit(hit, asked.terms) for hit in hits),
            degraded="; ".join([*degraded, *unreadable, *unsearched]) or None,
        )

    def _search(self, asked: _Asked, top_k: int, *, include_superseded: bool) -> SearchResult:
        return self._parts.cold.search(
            owner=self._parts.owner,
            vector=asked.vector,
            model=asked.model,
            terms=asked.terms,
            limit=max(CROWD, 2 * top_k),
            include_superseded=include_superseded,
        )

    def _with_most_vectors(
        self, asked: _Asked, found: SearchResult, top_k: int, *, include_superseded: bool
    ) -> tuple[_Asked, SearchResult, list[str]]:
        """Ask with the model before, where most vectors are still of that; say what is found by words."""
        other = self._serving.other_model(found)
        if other is None:
            return asked, found, _vectorless(found)
        encoder = self._serving.encoder(other)
        if encoder is None:
            return asked, found, [f"{_lacking(found)}, but of {other}: {_REINDEX}"]
        try:
            older = replace(asked, encoder=encoder, model=other, vector=encoder.query(asked.query))
        except EmbedderError as error:
            return asked, found, [f"{_lacking(found)}, but of {other}: {error} {_REINDEX}"]
        again = self._search(older, top_k, include_superseded=include_superseded)
        if again.vectorless >= found.vectorless:
            self._serving.forget()
            return asked, found, _vectorless(found)
        return older, again, [f"{_lacking(found)} and are searched with {other}; {_REINDEX}"]

    def _entries(self) -> tuple[list[Entry], list[str]]:
        files = readable(self._parts.hot)
        unread = [
            f"the hot file of {target} was not searched: {error}" for target, error in files.faults.items()
        ]
        return files.entries, unread

    def _near_in_trash(self, asked: _Asked) -> tuple[list[Buried], list[str]]:
        try:
            return self._reviver.near(asked.vector, asked.model), []
        except StoreError as error:
            return [], [f"the trash was not searched: {error}"]

    def _rank(
        self, asked: _Asked, found: SearchResult, entries: Sequence[Entry], trash: Sequence[Buried]
    ) -> list[_Ranked]:
        hot_words = [Counter(tokens(entry.text)) for entry in entries]
        lexis = _lexis(asked, found, hot_words)
        ranked = [self._rank_record(asked, candidate, lexis, found.total) for candidate in found.candidates]
        vectors = _vectors_of([entry.text for entry in entries], asked) if asked.vector is not None else []
        for place, (entry, words) in enumerate(zip(entries, hot_words, strict=True)):
            known = vectors[place] if vectors else None
            cosine = None if known is None or asked.vector is None else float(asked.vector @ known)
            score = lexis.bm25(words, words.total())
            ranked.append(
                _Ranked(entry, self._strength(asked, entry.text, cosine, lexis.coverage(score), 1.0))
            )
        ranked.sort(key=lambda one: -one.strength.total)
        return sorted(
            [*ranked, *self._buried(asked, lexis, ranked, trash)], key=lambda one: -one.strength.total
        )

    def _buried(
        self, asked: _Asked, lexis: Lexis, ranked: Sequence[_Ranked], trash: Sequence[Buried]
    ) -> list[_Ranked]:
        """Rank what in the trash would be an answer by its meaning alone."""
        others = [one.strength.total for one in ranked[:CROWD]]
        found: list[_Ranked] = []
        for buried in trash:
            record = self._reviver.record(buried)
            meaning = self._strength(asked, record.text, buried.cosine, 0.0, 1.0)
            words, length = _weighted_words(record)
            coverage = lexis.coverage(lexis.bm25(words, length))
            faded = strength_left(record, self._parts.clock(), self._parts.thresholds)
            strong = self._strength(asked, record.text, buried.cosine, coverage, faded)
            if stands_out(strong.total, meaning.total, others):
                found.append(_Ranked(record, strong, buried))
        return found

    def _welcome(self, ranked: list[_Ranked], top_k: int) -> list[_Ranked]:
        """Return the hits without what must stay in the trash; only what would be a hit is looked into."""
        while True:
            hits = _best(ranked, top_k)
            unwelcome = self._reviver.unwelcome([one.buried for one in hits if one.buried is not None])
            if not unwelcome:
                return hits
            ranked = [one for one in ranked if one.buried is None or one.item.id not in unwelcome]

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
        faded = strength_left(record, self._parts.clock(), self._parts.thresholds)
        coverage = lexis.coverage(score)
        return _Ranked(record, self._strength(asked, record.text, candidate.cosine, coverage, faded))

    def _strength(
        self, asked: _Asked, text: str, cosine: float | None, coverage: float, faded: float
    ) -> Strength:
        of = language(text)
        z = None if cosine is None else asked.encoder.z(cosine, asked.language, of)
        return strength(z=z, crosses_language=of != asked.language, coverage=coverage, decay=faded)

    def _hit(self, ranked: _Ranked, terms: Sequence[str]) -> RecallHit:
        item = ranked.item
        record = item if isinstance(item, Record) else None
        successor = None if record is None else self._successor(record)
        return RecallHit(
            id=item.id,
            content=item.text,
            score=round(ranked.strength.score, 4),
            tier="hot" if record is None else "cold",
            importance=item.importance,
            created_at=iso(item.created_at if isinstance(item, Record) else item.written_at),
            updated_at=iso(item.updated_at),
            superseded_by=None if record is None else record.superseded_by,
            why=_why(ranked, terms),
            valid_from=iso(valid_from(item)),
            valid_to=iso(valid_to(item, successor)),
        )

    def _successor(self, record: Record) -> Entry | Record | None:
        try:
            return self._historian.successor(record)
        except HotFileError:
            return None  # that the file was not read is in `degraded` already

    def _bring_back(self, query: str, hits: Sequence[_Ranked]) -> None:
        asked, _ = redact(query)
        for buried in (hit.buried for hit in hits if hit.buried is not None):
            self._parts.afterwork.add(partial(self._reviver.revive, buried, asked))

    def note_use(self, query: str, ids: Sequence[str], records: Sequence[str]) -> None:
        """Note, after the answer, that a query was answered by these ids, `records` among them."""
        now = self._parts.clock()
        recalled = list(records)
        if recalled:
            self._parts.afterwork.add(lambda: self._parts.cold.mark_recalled(recalled, now))
        asked, _ = redact(query)
        self._parts.afterwork.add(lambda: self._parts.ledger.log_activity(asked, list(ids), now))


def _vectors_of(texts: Sequence[str], asked: _Asked) -> list[Vector | None]:
    try:
        return asked.encoder.cached_passages(texts)
    except EmbedderError:
        return [None] * len(texts)


def _vectorless(found: SearchResult) -> list[str]:
    if not found.vectorless:
        return []
    return [f"{_lacking(found)} and are found by words; run `memorycore maintain`"]


def _lacking(found: SearchResult) -> str:
    records = "1 record has" if found.vectorless == 1 else f"{found.vectorless:,} records have"
    return f"{records} no vector of the present model"


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


def _led(ranked: Sequence[_Ranked], asked: _Asked) -> list[_Ranked]:
    """Return the ranked with the newest value first where several are given of one thing."""
    standing = [Standing(one.item.text, one.strength.total, one.item.updated_at) for one in ranked]
    return [
        replace(ranked[place], strength=replace(ranked[place].strength, total=total))
        for place, total in newest_first(standing, asked.terms)
    ]


def _best(ranked: Sequence[_Ranked], top_k: int) -> list[_Ranked]:
    """Return the hits: none unless the best is an answer, each text once."""
    if not answers([one.strength.total for one in ranked]):
        return []
    best: dict[str, _Ranked] = {}
    for one in ranked:
        if one.strength.total < HIT_FLOOR or len(best) == top_k:
            break
        best.setdefault(one.item.hash, one)
    return sorted(best.values(), key=_is_history)


def _is_history(ranked: _Ranked) -> bool:
    """What holds comes before what held."""
    return isinstance(ranked.item, Record) and not ranked.item.active


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
    if ranked.buried is not None:
        why["revived"] = True
    if isinstance(item, Entry):
        why["target"] = item.target
    if isinstance(item, Record) and item.event_at is not None:
        why["event_at"] = iso(item.event_at)
    untrusted = scan(item.text)
    if hostile(untrusted):
        why["untrusted"] = list(untrusted)
    return why
