"""MemoryCore, the facade: one method per thing that a caller can want."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Literal, Self, overload

from memorycore.answers import (
    Audit,
    MaintenancePreview,
    MaintenanceReport,
    MoveAnswer,
    OverflowReport,
    RecallAnswer,
    ReindexReport,
    StoreReceipt,
    Usage,
)
from memorycore.answers_past import FactHistory, History, PurgeAnswer, RunDetail, TrashPage
from memorycore.engine import checks
from memorycore.engine.auditor import Auditor
from memorycore.engine.chronicle import Chronicler
from memorycore.engine.evidence import Assessor
from memorycore.engine.follower import Follower, FollowReport
from memorycore.engine.gate import Gate
from memorycore.engine.governor import Governor
from memorycore.engine.historian import Historian
from memorycore.engine.maintainer import Maintainer
from memorycore.engine.mover import Mover
from memorycore.engine.parts import Parts
from memorycore.engine.prefetcher import Prefetcher
from memorycore.engine.purger import Purger
from memorycore.engine.recaller import Recaller
from memorycore.engine.reindexer import Reindexer
from memorycore.engine.watch import Progress, Watch
from memorycore.engine.writer import Submission, Writer
from memorycore.model import HotSnapshot, Route, Target
from memorycore.policy.prefetch import Injection

_log = logging.getLogger(__name__)


class MemoryCore:
    """The memory of one home. Safe to use from several threads, beside other processes on the home.

    Use it as a context manager or call `close`. What an earlier process left half done is finished
    before the first write.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        assessor = Assessor(parts)
        self._governor = Governor(parts, assessor)
        self._auditor = Auditor(parts, assessor)
        self._maintainer = Maintainer(parts)
        self._gate = Gate(parts, self._maintainer)
        self._writer = Writer(parts, self._governor.make_room, self._governor.consult, self._gate.check)
        self._recaller = Recaller(parts)
        self._mover = Mover(parts)
        self._chronicler = Chronicler(parts.ledger)
        self._historian = Historian(parts)
        self._purger = Purger(parts)
        self._prefetcher = Prefetcher(parts, self._recaller)
        self._follower = Follower(parts, assessor, self._governor.make_room)
        self._recovered = False

    def store(
        self,
        content: str,
        *,
        importance: float = 0.5,
        scope: str = "global",
        target: Target = "memory",
        context: str | None = None,
        route: Route | None = None,
        origin: str = "store_fact",
    ) -> StoreReceipt:
        """Store a fact where it belongs and return the receipt.

        `content` is kept without white space at its ends, at most 20,000 characters; secrets in it are
        left out. `importance` is 0..1; at 0.5 the content decides. `context` is what was said just
        before: it helps to find the fact and is never shown. `route` overrules the classifier.
        Raises `InvalidInput`, `HotFileError` or `StoreError`, with nothing written.
        """
        submission = Submission(
            text=checks.content(content),
            importance=checks.importance(importance),
            scope=checks.scope(scope),
            target=checks.target(target),
            origin=origin,
            context=checks.context(context),
            route=checks.route(route),
        )
        self._recover()
        return self._writer.store(submission)

    def recall(self, query: str, *, top_k: int = 5, include_superseded: bool = False) -> RecallAnswer:
        """Return at most `top_k` (1..50) facts that answer the query, best first.

        Nothing comes back when nothing stored answers it. Raises `InvalidInput` or `StoreError`.
        """
        return self._recaller.recall(
            checks.query(query), checks.top_k(top_k), include_superseded=include_superseded
        )

    def audit(
        self,
        target: str = "both",
        *,
        cursor: str | None = None,
        page_size: int | None = None,
        at: datetime | None = None,
    ) -> Audit:
        """Return what the hot entries are and what the next overflow does with each. Writes nothing.

        `at` looks ahead: what an overflow would do then, if nothing changes. A judge, where there is one,
        is asked what the overflow will want to know of it, but not for a look ahead. A page holds
        `page_size` entries or, without one, as many as take 2,000 tokens of a model's context; `cursor` is
        the `next` of the page before. Raises `InvalidInput`, `HotFileError`, `StoreError`.
        """
        return self._auditor.audit(
            checks.targets(target),
            cursor=cursor,
            page_size=None if page_size is None else checks.page_size(page_size),
            at=None if at is None else checks.later(at, self._parts.clock()),
        )

    def overflow(self, target: str = "both") -> dict[Target, OverflowReport]:
        """Do to the hot files what the audit shows. Raises as `audit` does."""
        targets = checks.targets(target)
        self._recover()
        return {one: self._governor.overflow(one) for one in targets}

    def maintain(self, *, progress: Progress | None = None) -> MaintenanceReport:
        """Bring the cold tier in order; `progress(done, total)` is called now and then.

        Doubles go up in one record, what is outdated becomes history, what is finished, faded or expired
        leaves, and missing vectors are made. Raises `StoreError`; what was done until then stands.
        """
        self._recover()
        return self._maintainer.run(Watch(progress))

    def preview_maintenance(self, *, progress: Progress | None = None) -> MaintenancePreview:
        """Return what `maintain` would retire now, each with its reason. Writes nothing."""
        return self._maintainer.preview(Watch(progress))

    def reindex(self, *, progress: Progress | None = None) -> ReindexReport:
        """Give every record a vector of the present model, then drop those of others.

        To be run after a change of model; may be cut off and run again at any time. Recall goes by the
        old vectors, or by words, until it is through. Raises `StoreError`.
        """
        self._recover()
        return Reindexer(self._parts).run(Watch(progress))

    def usage(self) -> Usage:
        """Return how full everything is and what runs degraded."""
        return self._governor.usage()

    @overload
    def forget(self, id: str, *, purge: Literal[False] = False) -> MoveAnswer: ...
    @overload
    def forget(self, id: str, *, purge: Literal[True]) -> PurgeAnswer: ...
    def forget(self, id: str, *, purge: bool = False) -> MoveAnswer | PurgeAnswer:
        """Move an entry or record into the trash. Raises `InvalidInput`, `HotFileError`, `StoreError`.

        With `purge` every trace of it is removed instead, from the trash and the journal too, and every
        file is searched for what might be left. That can't be undone and may take seconds.
        """
        known = checks.known_id(id)
        self._recover()
        return self._purger.purge(known) if purge else self._mover.forget(known)

    def restore(self, id: str) -> MoveAnswer:
        """Bring back what is in the trash, or was superseded, under the same id. Raises as `forget` does."""
        known = checks.known_id(id)
        self._recover()
        return self._mover.restore(known)

    def undo(self, run: str) -> MoveAnswer:
        """Take back a run by the id that a receipt gave as `undo`. Raises as `forget` does."""
        known = checks.known_id(run)
        self._recover()
        return self._mover.undo(known)

    def history(self, *, limit: int = 20, before: str | None = None) -> History:
        """Return at most `limit` (1..1,000) runs, newest first; a pass of several runs is one of them.

        `before` is the `next` of the page before, or any run or pass. Raises `InvalidInput`, `UnknownId`,
        `StoreError`.
        """
        known = None if before is None else checks.known_id(before)
        return self._chronicler.history(checks.history_limit(limit), known)

    def show(self, run: str) -> RunDetail:
        """Return all that a run or pass did, and whether it can be undone. Raises as `history` does."""
        return self._chronicler.show(checks.known_id(run))

    def fact_history(self, id: str) -> FactHistory:
        """Return what a fact replaced and what replaced it, oldest first. Raises as `forget` does."""
        return self._historian.fact_history(checks.known_id(id))

    def trash(self, *, limit: int = 50, after: str | None = None) -> TrashPage:
        """Return a page of the trash behind the id `after`. Raises `InvalidInput` and `StoreError`."""
        return self._historian.trash(limit=checks.page_size(limit), after=after)

    def prefetch(
        self, message: str, *, standing: Sequence[str] = (), shown: Collection[str] = (), budget: int = 1_500
    ) -> Injection:
        """Return what to show a model with a user's message; nothing where nothing stored bears on it.

        Facts come whole, quoted and dated, at most five and within `budget` characters. Left out is what
        the hot files or `standing` (texts) say already, and what was `shown` (hashes of texts) before.
        Raises `StoreError`.
        """
        return self._prefetcher.prefetch(message, standing=standing, shown=shown, budget=budget)

    def topics(self, limit: int = 12) -> tuple[str, ...]:
        """Return what the cold tier is about: its most frequent terms. Raises `StoreError`."""
        return self._prefetcher.topics(limit)

    def watch(self, known: Mapping[Target, HotSnapshot] | None = None) -> None:
        """Take the hot files as they stand, or as `known` shows them, for seen: `follow` compares with it."""
        self._follower.watch(known)

    def follow(self, target: Target, *, tidy: bool = False) -> FollowReport:
        """Follow what others wrote into a hot file since the last look, and make room where it is full.

        Room is made from the hard threshold on, with `tidy` from the soft one. Raises as `forget` does.
        """
        self._recover()
        return self._follower.follow(target, tidy=tidy)

    def warm_up(self) -> None:
        """Load now what the first call would wait for."""
        self._recover()
        self._parts.known_vectors([example.text for example in self._parts.lexicon.examples()])

    def close(self) -> None:
        """Finish what is waiting and release everything; a second call does nothing."""
        self._gate.close()
        self._recaller.close()
        self._parts.afterwork.close()
        self._parts.encoder.close()
        if self._parts.judge is not None:
            self._parts.judge.close()
        self._parts.cold.close()
        self._parts.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _recover(self) -> None:
        if not self._recovered:
            for sentence in self._parts.executor.recover():
                _log.warning(sentence)
            self._recovered = True
