"""A judge for tests that answers what it was told to, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memorycore.errors import JudgeUnavailable
from memorycore.model import Judgement, Verdict


class ScriptedJudge:
    """Gives the answers of its script, and None, as for an answer that can't be used, to all else.

    `verdicts` are by (older text, newer text), `shorter` by text; `idle` are the texts that it calls dormant,
    `busy` those that it does not. While `down`, each question raises `JudgeUnavailable`. `asked` lists the
    questions put to it: their kind, then their texts.
    """

    def __init__(
        self,
        *,
        verdicts: Mapping[tuple[str, str], Verdict] | None = None,
        shorter: Mapping[str, str] | None = None,
        idle: Sequence[str] = (),
        busy: Sequence[str] = (),
        reason: str = "so it is written",
        name: str = "scripted/1",
    ) -> None:
        self._verdicts = dict(verdicts or {})
        self._shorter = dict(shorter or {})
        self._idle = dict.fromkeys(idle, True) | dict.fromkeys(busy, False)
        self._reason = reason
        self._name = name
        self._closed = False
        self.down = False
        self.asked: list[tuple[str, ...]] = []

    @property
    def identity(self) -> str:
        """The name that it was given."""
        return self._name

    def compare(self, older: str, newer: str) -> Judgement | None:
        """Return the verdict that the script has for the pair."""
        self._ask("compare", older, newer)
        verdict = self._verdicts.get((older, newer))
        return None if verdict is None else Judgement(verdict=verdict, reason=self._reason)

    def shorten(self, text: str, max_chars: int) -> str | None:  # noqa: ARG002
        """Return the shorter text of the script, whatever its length."""
        self._ask("shorten", text)
        return self._shorter.get(text)

    def dormant(self, text: str, queries: Sequence[str]) -> bool | None:
        """Return what the script says of the text."""
        self._ask("dormant", text, *queries)
        return self._idle.get(text)

    def close(self) -> None:
        """Make every later question fail."""
        self._closed = True

    def _ask(self, *question: str) -> None:
        if self._closed:
            raise JudgeUnavailable("The judge is closed.", advice="Build a new one.")
        self.asked.append(question)
        if self.down:
            raise JudgeUnavailable("The judge does not answer.", advice="Start it.")
