"""Finds what a turn of a conversation should be told of, and what a store is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memorycore.engine.parts import Parts
from memorycore.engine.readable import readable
from memorycore.engine.recaller import Recaller
from memorycore.model import text_hash
from memorycore.policy.prefetch import CANDIDATES, Injection, choose, cleaned, trivial
from memorycore.policy.topics import topics

_READ = 2_000
"""Topics are read off so many records; ids are drawn by lot, so the first ones are a fair sample."""

_PAGE = 500


class Prefetcher:
    """Answers a turn before the model sees it. Only what is shown counts as used."""

    def __init__(self, parts: Parts, recaller: Recaller) -> None:
        self._parts = parts
        self._recaller = recaller

    def prefetch(
        self, message: str, *, standing: Sequence[str], shown: Collection[str], budget: int
    ) -> Injection:
        """Return what to show with the message; nothing for one that names no topic.

        `standing` are texts that the prompt holds beside those of the hot files, `shown` hashes of texts
        that the conversation was shown before, `budget` is in characters.
        """
        if trivial(message):
            return Injection()
        query = cleaned(message)
        answer = self._recaller.recall(query, CANDIDATES, include_superseded=False, note=False)
        injection = choose(answer.results, standing=[*self.standing(), *standing], shown=shown, budget=budget)
        records = [hit.id for hit in answer.results if text_hash(hit.content) in injection.shown]
        entries = [hit.id for hit in answer.results if hit.tier == "hot"]
        self._recaller.note_use(query, [*records, *entries], records)
        return Injection(injection.text, injection.shown, answer.degraded)

    def standing(self) -> tuple[str, ...]:
        """Return the texts of the hot files; a file that can't be read has none."""
        return tuple(entry.text for entry in readable(self._parts.hot).entries)

    def topics(self, limit: int) -> tuple[str, ...]:
        """Return at most `limit` terms that most of the active records speak of."""
        texts: list[str] = []
        after: str | None = None
        while len(texts) < _READ:
            page = self._parts.cold.scan(self._parts.owner, after=after, limit=_PAGE)
            texts += [record.text for record in page if record.active]
            if len(page) < _PAGE:
                break
            after = page[-1].id
        return topics(texts, limit)
