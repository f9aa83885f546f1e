"""What the engine's parts share: the ports, the policy's numbers, the clock, and vectors that may fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memorycore.engine.afterwork import Afterwork
from memorycore.engine.counsel import CALLS, Counsel
from memorycore.engine.encoder import Encoder
from memorycore.engine.executor import Clock, Executor, RunLock
from memorycore.engine.ports import ColdStore, HotStore, Judge
from memorycore.engine.ports_ledger import Ledger
from memorycore.engine.traces import NoFiles, Traces
from memorycore.engine.verdicts import Verdicts
from memorycore.errors import EmbedderError
from memorycore.lexicon import Lexicon
from memorycore.model import LOCAL_OWNER, TARGETS, Embedding, Entry, Likeness, Record, Vector
from memorycore.plan import BuryEntry, Plan, PutRecord, ReplaceRecord
from memorycore.policy.revival import REVIVABLE
from memorycore.policy.thresholds import Thresholds
from memorycore.policy.words import language


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The ports and values that a MemoryCore is put together from."""

    hot: HotStore
    cold: ColdStore
    ledger: Ledger
    encoder: Encoder
    lexicon: Lexicon
    thresholds: Thresholds
    executor: Executor
    lock: RunLock
    clock: Clock
    owner: str = LOCAL_OWNER
    afterwork: Afterwork = field(default_factory=Afterwork)
    judge: Judge | None = None
    judge_calls: int = CALLS
    traces: Traces = field(default_factory=NoFiles)
    verdicts: Verdicts = field(default_factory=Verdicts)
    older: Callable[[str], Encoder | None] = field(default=lambda _identity: None)
    """Makes the encoder of an earlier model by the identity of its vectors, where it still runs here."""

    def counsel(self, *, asks: bool = True, calls: int | None = None) -> Counsel:
        """Return the judge for one run: `calls` questions at most, else as many as the settings allow.

        With `asks` False it only repeats cached answers. Where the settings allow none there is no judge.
        """
        most = self.judge_calls if calls is None else min(calls, self.judge_calls)
        return Counsel(self.judge, self.ledger, calls=most, asks=asks)

    def model(self) -> str | None:
        """Return the identity of the present vectors, None where there is no embedder."""
        return self.encoder.identity if self.encoder.available else None

    def entries(self) -> list[Entry]:
        """Return the entries of both hot files. Raises `HotFileError`."""
        return [entry for target in TARGETS for entry in self.hot.read(target).entries]

    def embed(self, text: str, context: str | None = None) -> tuple[Embedding | None, str | None]:
        """Return the embedding of a text, or None and the reason why there is none."""
        try:
            (embedding,) = self.encoder.passages([(text, context)])
        except EmbedderError as error:
            return None, str(error)
        return embedding, None if embedding is not None else "The embedder could not embed this text."

    def embed_query(self, text: str) -> tuple[Vector | None, str | None]:
        """Return the vector of a query, or None and the reason why there is none."""
        try:
            return self.encoder.query(text), None
        except EmbedderError as error:
            return None, str(error)

    def known_vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return vectors of texts that are asked about again and again; None each without an embedder."""
        try:
            return self.encoder.cached_passages(texts)
        except EmbedderError:
            return [None] * len(texts)

    def known_embeddings(self, items: Sequence[Entry | Record]) -> dict[str, Embedding]:
        """Return embeddings, by id, for texts that stand alone; most are known already."""
        model = self.model() if items else None
        if model is None:
            return {}
        vectors = self.known_vectors([item.text for item in items])
        return {
            item.id: Embedding(model, vector, vector)
            for item, vector in zip(items, vectors, strict=True)
            if vector is not None
        }

    def likeness(self, text: str, vector: Vector) -> list[Likeness]:
        """Return how like a text is to each lexicon example of its language that has a vector."""
        examples = self.lexicon.examples(language(text))
        vectors = self.known_vectors([example.text for example in examples])
        return [
            Likeness(example=example.text, category=example.category, cosine=float(vector @ known))
            for example, known in zip(examples, vectors, strict=True)
            if known is not None
        ]

    def plan_embeddings(self, plan: Plan) -> dict[str, Embedding]:
        """Return embeddings, by id, for the records that the plan puts or rewrites; others stay pending.

        Beside them, by text hash, those of the entries that go into the trash and may be revived.
        """
        ops = [op for action in plan.actions for op in action.cold]
        put = [op.record for op in ops if isinstance(op, PutRecord)]
        put += [op.after for op in ops if isinstance(op, ReplaceRecord) and op.before.text != op.after.text]
        made = {record.id: self.embed(record.text, record.context)[0] for record in put if record.context}
        told = {key: embedding for key, embedding in made.items() if embedding is not None}
        told |= self.known_embeddings([record for record in put if not record.context])
        return told | self._trash_embeddings(plan)

    def _trash_embeddings(self, plan: Plan) -> dict[str, Embedding]:
        going = [
            op.entry
            for action in plan.actions
            if action.rung in REVIVABLE
            for op in action.cold
            if isinstance(op, BuryEntry)
        ]
        known = self.known_embeddings(going)
        return {entry.hash: known[entry.id] for entry in going if entry.id in known}


def iso(time: datetime | None) -> str | None:
    """Return a time as the wire shows it."""
    return None if time is None else time.isoformat(timespec="seconds")
