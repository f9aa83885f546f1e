"""What a run asks the judge: within a budget, each question once, secrets left out."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from memorycore.engine.ports import Judge
from memorycore.engine.ports_ledger import Ledger
from memorycore.errors import JudgeUnavailable, StoreError
from memorycore.model import Judgement, text_hash
from memorycore.policy.secrets import redact

T = TypeVar("T")

CALLS: Final = 20
PATIENCE_SECONDS: Final = 30.0
"""After so long no further question is begun: somebody waits for the answer of the run."""

QUERIES_SHOWN: Final = 30
QUERY_CHARS_SHOWN: Final = 6_000


class Counsel:
    """The judge as one run knows it; without a judge every answer is None. Made anew for each run.

    Usable answers are cached in the ledger, so that another run with the same questions asks nothing. A
    run puts `calls` different questions at most, cached ones counted in: which questions are put then does
    not hang on what was asked before, and an overflow sees the answers that its audit saw. With `asks` False
    only cached answers are given; that is for decisions under the run lock. The first `JudgeUnavailable`,
    or half a minute gone, ends the asking. `faults` tells what stayed without an answer.
    """

    def __init__(
        self,
        judge: Judge | None,
        ledger: Ledger,
        *,
        calls: int = CALLS,
        asks: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._judge = judge if calls else None
        self._ledger = ledger
        self._calls = calls
        self._asks = asks
        self._clock = clock
        self._until = clock() + PATIENCE_SECONDS
        self._put: set[tuple[str, str]] = set()
        self._over_budget = 0
        self._late = 0
        self._unusable = 0
        self._down: list[str] = []
        self._unkept: list[str] = []

    @property
    def there(self) -> bool:
        """Whether there is a judge at all."""
        return self._judge is not None

    @property
    def faults(self) -> tuple[str, ...]:
        """Return a sentence for each way in which questions stayed without an answer."""
        told = list(self._down)
        if self._over_budget:
            told.append(
                f"Questions left to the rules: {self._over_budget}, the judge answers {self._calls} a run "
                "(MEMORYCORE_JUDGE_CALLS)."
            )
        if self._late:
            told.append(f"Questions left to the rules: {self._late}, the judge was too slow.")
        if self._unusable:
            told.append(f"Answers of the judge that can't be used: {self._unusable}; the rules decided.")
        return (*told, *self._unkept)

    def compare(self, older: str, newer: str) -> Judgement | None:
        """Return what the judge says that a newer text is to an older one."""
        old, new = redact(older)[0], redact(newer)[0]
        return self._answer(
            "compare", [old, new], [older, newer], lambda judge: judge.compare(old, new), _told, _judgement
        )

    def shorten(self, text: str, max_chars: int) -> str | None:
        """Return the judge's shorter text; None also for a text with a secret, which it may not see."""
        if redact(text)[1]:
            return None
        return self._answer(
            "shorten",
            [text, str(max_chars)],
            [text],
            lambda judge: judge.shorten(text, max_chars),
            lambda short: {"text": short},
            lambda kept: kept["text"],
        )

    def dormant(self, text: str, queries: Sequence[str]) -> bool | None:
        """Return whether the judge says that a text has no part in these queries, newest first.

        It is shown 30 of them at most, those that fit into 6,000 characters, each whole and once.
        """
        clean, shown = redact(text)[0], _shown(queries)
        return self._answer(
            "dormant",
            [clean, *shown],
            [text],
            lambda judge: judge.dormant(clean, shown),
            lambda idle: {"dormant": idle},
            lambda kept: kept["dormant"],
        )

    def _answer(
        self,
        question: str,
        texts: Sequence[str],
        about: Sequence[str],
        ask: Callable[[Judge], T | None],
        dump: Callable[[T], Mapping[str, Any]],
        load: Callable[[Mapping[str, Any]], T],
    ) -> T | None:
        if self._judge is None:
            return None
        key = _key(texts)
        if not self._within_budget(question, key):
            return None
        kept = self._ledger.cached_answer(self._judge.identity, question, key)
        if kept is not None:
            return load(kept)
        answer = self._ask(self._judge, ask)
        if answer is not None:
            self._keep(self._judge, question, key, dump(answer), about)
        return answer

    def _within_budget(self, question: str, key: str) -> bool:
        if (question, key) not in self._put and len(self._put) >= self._calls:
            self._over_budget += 1
            return False
        self._put.add((question, key))
        return True

    def _ask(self, judge: Judge, ask: Callable[[Judge], T | None]) -> T | None:
        if not self._asks or self._down:
            return None
        if self._clock() > self._until:
            self._late += 1
            return None
        try:
            answer = ask(judge)
        except JudgeUnavailable as error:
            self._down.append(str(error))
            return None
        self._unusable += answer is None
        return answer

    def _keep(
        self, judge: Judge, question: str, key: str, answer: Mapping[str, Any], about: Sequence[str]
    ) -> None:
        hashes = [text_hash(text) for text in about]
        try:
            self._ledger.cache_answer(judge.identity, question, key, answer, about=hashes)
        except StoreError as error:
            self._unkept = [f"An answer of the judge could not be kept: {error}"]


def _key(texts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()


def _told(judgement: Judgement) -> Mapping[str, Any]:
    return {"verdict": judgement.verdict, "reason": judgement.reason}


def _judgement(kept: Mapping[str, Any]) -> Judgement:
    return Judgement(verdict=kept["verdict"], reason=kept["reason"])


def _shown(queries: Sequence[str]) -> list[str]:
    shown: list[str] = []
    room = QUERY_CHARS_SHOWN
    for query in dict.fromkeys(redact(query)[0] for query in queries):
        if len(shown) == QUERIES_SHOWN:
            break
        if len(query) <= room:
            shown.append(query)
            room -= len(query)
    return shown
