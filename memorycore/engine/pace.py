"""Small batches: nobody waits long for a lock that a long run takes again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from memorycore.engine.executor import Executor, RunResult
from memorycore.model import Embedding
from memorycore.plan import Action, Plan, RunKind

_AIM_SECONDS = 0.02
"""How long a batch may hold the lock. A fifth of what is promised: the next batch may be of slower steps."""

_BREATH_SECONDS = 0.005
"""How long the lock is left alone after a batch, for who waits for it."""

_FIRST, _MOST = 4, 64


class Pace:
    """Applies the actions of one pass batch by batch, as many at a time as a short hold has room for."""

    def __init__(self, executor: Executor, kind: RunKind, part_of: str) -> None:
        self._executor = executor
        self._kind = kind
        self._part_of = part_of
        self._size = _FIRST

    def apply(
        self, actions: Sequence[Action], embeddings: Mapping[str, Embedding] | None = None
    ) -> Iterator[RunResult]:
        """Apply the actions in order; yield the result of each batch. Between two, the lock is free."""
        start = 0
        while start < len(actions):
            if start:
                time.sleep(_BREATH_SECONDS)
            batch = tuple(actions[start : start + self._size])
            began = time.perf_counter()
            result = self._executor.apply(
                Plan(kind=self._kind, actions=batch), embeddings, part_of=self._part_of
            )
            self._adjust(len(batch), time.perf_counter() - began)
            start += len(batch)
            yield result

    def _adjust(self, count: int, seconds: float) -> None:
        fits = int(count * _AIM_SECONDS / max(seconds, 1e-6))
        self._size = max(1, min(_MOST, fits, 2 * self._size))
