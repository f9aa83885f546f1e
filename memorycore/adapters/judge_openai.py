"""A judge behind any endpoint that speaks OpenAI's chat API: Ollama, llama.cpp, vLLM, OpenAI itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from memorycore.adapters.endpoint import host_of
from memorycore.adapters.judge_prompts import (
    REVISION,
    A,
    Comparison,
    Dormancy,
    Question,
    Shortened,
    messages,
    parsed,
)
from memorycore.errors import JudgeUnavailable
from memorycore.model import Judgement
from memorycore.policy.words import language

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from memorycore.adapters.loop_thread import LoopThread

OPENAI_URL: Final = "https://api.openai.com/v1"

_ATTEMPTS: Final = 3
_FIRST_WAIT_SECONDS: Final = 0.25
_LONGEST_WAIT_SECONDS: Final = 2.0
_CLOSE_SECONDS: Final = 1.0
_REASON_CHARS: Final = 200
_ANSWER_TOKENS: Final = 300
_REFUSED_REQUEST: Final = frozenset({400, 415, 422})
_ADVICE: Final = "Check LLM_BASE_URL, LLM_MODEL and LLM_API_KEY; the rules decide meanwhile."


class OpenAICompatibleJudge:
    """Asks a chat model; connects at the first question.

    A call takes `timeout` seconds at most, retries included, however slowly the endpoint sends. Lost
    connections, 429 and 5xx are tried up to three times. After a failure nothing is sent for `retry_after`
    seconds, and `JudgeUnavailable` is raised at once. An endpoint that refuses JSON mode is asked without
    it, and one that refuses the temperature and the length of the answer without these. Thread-safe.
    """

    def __init__(
        self,
        model: str,
        *,
        url: str = OPENAI_URL,
        api_key: str = "not-needed",
        timeout: float = 20.0,
        retry_after: float = 60.0,
    ) -> None:
        advice = "Set LLM_BASE_URL to the base of the API, as in http://localhost:11434/v1."
        self._host = host_of(url, "judge's endpoint", advice=advice)
        self._url = url
        self._model = model
        self._api_key = api_key
        self._timeout = timeout
        self._retry_after = retry_after
        self._lock = threading.Lock()
        self._thread: LoopThread | None = None
        self._client: AsyncOpenAI | None = None
        self._closed = False
        self._form = 0
        self._answered = False
        self._down: tuple[float, JudgeUnavailable] | None = None

    @property
    def identity(self) -> str:
        """Model, host and the revision of the questions; asks nothing."""
        return f"{self._model}@{self._host}/{REVISION}"

    def compare(self, older: str, newer: str) -> Judgement | None:
        """Say what a newer text is to an older one; the reason is one line of at most 200 characters."""
        answer = self._ask("compare", newer, {"older": older, "newer": newer}, Comparison)
        if answer is None:
            return None
        return Judgement(verdict=answer.verdict, reason=" ".join(answer.reason.split())[:_REASON_CHARS])

    def shorten(self, text: str, max_chars: int) -> str | None:
        """Say the same in fewer words; whether it does, and is short enough, is for the caller to check."""
        answer = self._ask(
            "shorten", text, {"text": text, "max_chars": max_chars}, Shortened, _ANSWER_TOKENS + max_chars
        )
        return None if answer is None else answer.text

    def dormant(self, text: str, queries: Sequence[str]) -> bool | None:
        """Say whether a text has no part in what was asked lately."""
        answer = self._ask("dormant", text, {"text": text, "queries": list(queries)}, Dormancy)
        return None if answer is None else answer.dormant

    def close(self) -> None:
        """Close the connections and end the thread; a second call does nothing."""
        with self._lock:
            thread, client, self._closed = self._thread, self._client, True
            self._thread = self._client = None
        if thread is not None and client is not None:
            try:
                thread.run(client.close(), _CLOSE_SECONDS)
            except TimeoutError:
                pass  # a connection that can't be closed goes with the process
            finally:
                thread.close()

    def _ask(
        self,
        question: Question,
        text: str,
        data: dict[str, Any],
        shape: type[A],
        max_tokens: int = _ANSWER_TOKENS,
    ) -> A | None:
        import openai

        self._refuse_while_down()
        thread, client = self._connected()
        asked = messages(question, language(text), data)
        try:
            content = thread.run(self._content(client, asked, max_tokens), self._timeout)
        except TimeoutError as error:
            raise self._mark_down(f"no answer within {self._timeout:g} s") from error
        except openai.APIStatusError as error:
            if error.status_code in _REFUSED_REQUEST and self._answered:
                return None  # it has answered before, so the fault lies with this text
            raise self._mark_down(str(error)) from error
        except openai.OpenAIError as error:
            raise self._mark_down(str(error.__cause__ or error)) from error
        self._answered, self._down = True, None
        return None if content is None else parsed(content, shape)

    async def _content(self, client: AsyncOpenAI, asked: list[dict[str, str]], max_tokens: int) -> str | None:
        """Return what the model says, asked in the fullest form that the endpoint takes."""
        import openai

        async def complete(form: dict[str, Any]) -> Any:
            # The client is generic over what it is asked for; these are the plain forms of it.
            create: Any = client.chat.completions.create
            return await create(model=self._model, messages=asked, **form)

        forms = _forms(max_tokens)
        for number in range(self._form, len(forms)):
            try:
                answer = await _attempts()(complete, forms[number])
            except openai.APIStatusError as error:
                if error.status_code not in _REFUSED_REQUEST or number == len(forms) - 1:
                    raise
            except (ValueError, TypeError, AttributeError):
                return None  # no JSON, or nothing like a completion
            else:
                self._form = number
                return _said(answer)
        return None

    def _connected(self) -> tuple[LoopThread, AsyncOpenAI]:
        from openai import AsyncOpenAI

        from memorycore.adapters.loop_thread import LoopThread

        with self._lock:
            if self._closed:
                raise JudgeUnavailable("The judge is closed.", advice="Build a new one.")
            if self._thread is None or self._client is None:
                self._client = AsyncOpenAI(
                    base_url=self._url, api_key=self._api_key, timeout=self._timeout, max_retries=0
                )
                self._thread = LoopThread("memorycore-judge")
            return self._thread, self._client

    def _refuse_while_down(self) -> None:
        down = self._down
        if down is not None and time.monotonic() < down[0] + self._retry_after:
            raise JudgeUnavailable(down[1].message, advice=down[1].advice)

    def _mark_down(self, why: str) -> JudgeUnavailable:
        told = " ".join(why.replace(self._api_key, "[key]").split())[:_REASON_CHARS]
        unavailable = JudgeUnavailable(
            f"The judge {self._model} at {self._host} does not answer: {told}.", advice=_ADVICE
        )
        self._down = (time.monotonic(), unavailable)
        return unavailable


def _forms(max_tokens: int) -> tuple[dict[str, Any], ...]:
    """Return the options of a request, from what is asked of every endpoint to what none refuses."""
    plain: dict[str, Any] = {"temperature": 0, "max_tokens": max_tokens}
    return ({**plain, "response_format": {"type": "json_object"}}, plain, {})


def _attempts() -> Any:
    import openai
    import tenacity

    return tenacity.AsyncRetrying(
        retry=tenacity.retry_if_exception_type(
            (openai.APIConnectionError, openai.RateLimitError, openai.InternalServerError)
        ),
        stop=tenacity.stop_after_attempt(_ATTEMPTS),
        wait=tenacity.wait_exponential(_FIRST_WAIT_SECONDS, max=_LONGEST_WAIT_SECONDS),
        reraise=True,
    )


def _said(answer: Any) -> str | None:
    """Return the text of a completion; the client does not check what servers send."""
    try:
        content = answer.choices[0].message.content
    except (AttributeError, IndexError, KeyError, TypeError):
        return None
    return content if isinstance(content, str) else None
