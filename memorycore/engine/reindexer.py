"""Reindexing: after a change of model, every record gets a vector of the present one.

Vectors of different models are never compared, so until then records are found by the old model, where it
still runs here, or by their words. The old vectors stay until the new ones are whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memorycore.answers import ReindexReport, to_wire
from memorycore.engine.maintainer import FILL_BATCH, embeddings_of, integrity
from memorycore.engine.pace import Pace
from memorycore.engine.parts import Parts
from memorycore.engine.watch import Watch
from memorycore.errors import EmbedderError
from memorycore.model import Record, new_run_id
from memorycore.policy.maintenance import fill_plan


class Reindexer:
    """Embeds what has no vector of the present model, history too, then drops the vectors of all others.

    It may be cut off at any moment: what is made is kept, and the next run goes on from there.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def run(self, watch: Watch) -> ReindexReport:
        """Reindex the records of every owner. Raises `StoreError`; what was made until then stands."""
        parts = self._parts
        model = parts.model()
        if model is None:
            return self._report(None, errors=("No embedder is there; nothing was changed.",))
        for owner in parts.cold.owners():
            counts = parts.cold.counts(owner, model)
            watch.expect(counts.total + counts.superseded)
        pace = Pace(parts.executor, "maintenance", run := new_run_id(parts.clock()))
        made = failed = 0
        try:
            for batch in self._missing(model, watch):
                vectors = embeddings_of(parts, batch)
                plan = fill_plan([record for record in batch if record.id in vectors])
                made += sum(len(result.done) for result in pace.apply(plan.actions, vectors))
                failed += len(batch) - len(vectors)
        except EmbedderError as error:
            return self._receipted(run, self._report(model, made=made, errors=(str(error),)))
        dropped = parts.cold.drop_vectors(keep=model)
        watch.finish()
        return self._receipted(run, self._report(model, done=True, made=made, dropped=dropped, failed=failed))

    def _missing(self, model: str, watch: Watch) -> Iterator[Sequence[Record]]:
        """Yield, in batches, the records without a vector of the model; each record is looked at once."""
        for owner in self._parts.cold.owners():
            after: str | None = None
            while page := self._parts.cold.scan(owner, after=after, limit=FILL_BATCH):
                after = page[-1].id
                missing = [one for one in page if self._parts.cold.embedding(one.id, model) is None]
                if missing:
                    yield missing
                watch.step(len(page))

    def _report(
        self,
        model: str | None,
        *,
        done: bool = False,
        made: int = 0,
        dropped: int = 0,
        failed: int = 0,
        errors: tuple[str, ...] = (),
    ) -> ReindexReport:
        whole = integrity(self._parts)
        return ReindexReport(
            done=done,
            model=model,
            total=whole.total,
            embedded=whole.embedded,
            made=made,
            dropped=dropped,
            failed=failed,
            errors=errors,
        )

    def _receipted(self, run: str, report: ReindexReport) -> ReindexReport:
        if report.made or report.dropped:
            parts = self._parts
            parts.ledger.add_receipt(run if report.made else None, "reindex", to_wire(report), parts.clock())
        return report
