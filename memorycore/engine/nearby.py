"""What of the cold tier is worth holding a text against. The one place that says how far is looked."""

from __future__ import annotations

from collections.abc import Sequence

from memorycore.engine.parts import Parts
from memorycore.model import Candidate, Record, Vector
from memorycore.policy.words import query_tokens

_NEIGHBOURS = 20
_TERMS = 64


def nearby(
    parts: Parts,
    text: str,
    vector: Vector | None,
    *,
    model: str | None = None,
    also: Sequence[str] = (),
    include_superseded: bool = False,
) -> tuple[Candidate, ...]:
    """Return the owner's twenty records nearest to a text, and the twenty best by its words.

    `model` is the one that the vector is of, the present one unless it is said; `also` are further words.
    """
    return parts.cold.search(
        owner=parts.owner,
        vector=vector,
        model=None if vector is None else model or parts.model(),
        terms=list(dict.fromkeys((*query_tokens(text)[:_TERMS], *also))),
        limit=_NEIGHBOURS,
        include_superseded=include_superseded,
    ).candidates


def own_vector(parts: Parts, record: Record, model: str | None) -> Vector | None:
    """Return the vector of the record's text alone, without what its context adds; None if it has none."""
    stored = None if model is None else parts.cold.embedding(record.id, model)
    return None if stored is None else stored.own


def cosine(one: Vector | None, other: Vector | None) -> float | None:
    """Return how like two texts are, None where one has no vector."""
    return None if one is None or other is None else float(one @ other)
