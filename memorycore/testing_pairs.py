"""A pair model for tests that says what it was told to, without weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from memorycore.errors import PairModelUnavailable
from memorycore.model import Likelihoods

Relation = Literal["different", "same", "adds", "held", "supersedes"]

_SURE: Final = 0.996
_REST: Final = 0.001
_TURNED: Final[dict[str, Relation]] = {"same": "same", "adds": "held", "held": "adds"}
_RELATIONS: Final[tuple[Relation, ...]] = ("different", "same", "adds", "held", "supersedes")


class ScriptedPairModel:
    """Nearly sure of what its script says of (new, old), and that all other pairs are different.

    What it says holds the other way round, too: what is the same, adds or is held.

    Texts longer than `most_chars` are not read. While `down`, each question raises `PairModelUnavailable`.
    `asked` lists the pairs put to it.
    """

    def __init__(
        self, relations: Mapping[tuple[str, str], Relation] | None = None, *, most_chars: int = 600
    ) -> None:
        self._relations = dict(relations or {})
        self._most_chars = most_chars
        self.down = False
        self.asked: list[tuple[str, str]] = []

    @property
    def identity(self) -> str:
        """The name of all scripts."""
        return "scripted-pairs"

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Likelihoods | None]:
        """Return what the script says of each pair."""
        if self.down:
            raise PairModelUnavailable("The script is down.", advice="Set `down` to False.")
        self.asked += pairs
        return [self._told(pair) for pair in pairs]

    def _told(self, pair: tuple[str, str]) -> Likelihoods | None:
        if max(map(len, pair)) > self._most_chars:
            return None
        new, old = pair
        said = self._relations.get(pair) or _TURNED.get(self._relations.get((old, new), ""), "different")
        return Likelihoods(**{one: _SURE if one == said else _REST for one in _RELATIONS})
