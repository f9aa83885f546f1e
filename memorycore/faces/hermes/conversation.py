"""What one conversation has been shown already."""

from __future__ import annotations

import threading
from collections.abc import Sequence

REPEAT_AFTER_TURNS = 12
"""A fact is shown again when its topic comes back after so many turns: by then it lies far behind."""


class Conversation:
    """Counts turns and remembers what was shown in which. Safe from several threads.

    `standing` are the texts that the prompt was built with; what leaves the hot files during the
    conversation stands in the prompt all the same.
    """

    def __init__(self, standing: Sequence[str] = ()) -> None:
        self._lock = threading.Lock()
        self._turn = 0
        self._shown: dict[str, int] = {}
        self._standing = tuple(standing)

    @property
    def standing(self) -> tuple[str, ...]:
        return self._standing

    def next_turn(self) -> frozenset[str]:
        """Begin a turn; return the keys of what was shown within the turns that count."""
        with self._lock:
            self._turn += 1
            since = self._turn - REPEAT_AFTER_TURNS
            self._shown = {key: turn for key, turn in self._shown.items() if turn > since}
            return frozenset(self._shown)

    def show(self, keys: Sequence[str]) -> None:
        """Remember that these were shown in this turn."""
        with self._lock:
            self._shown.update(dict.fromkeys(keys, self._turn))

    def begin_anew(self, standing: Sequence[str]) -> None:
        """Forget what was shown: the conversation was reset, cut or summarised, and its prompt built anew."""
        with self._lock:
            self._shown.clear()
            self._standing = tuple(standing)
