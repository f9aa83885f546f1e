"""Frozen values that every layer speaks in.

Times are aware `datetime`s in UTC. Ids are opaque, stable and say nothing of the content.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
else:
    # Only annotations speak of vectors here, and a server that has yet to say hello need not wait for numpy.
    Vector = Any

Target = Literal["memory", "user"]
Tier = Literal["hot", "cold"]
Route = Literal["hot", "cold", "stale"]
Kind = Literal["rule", "state", "stub"]
Language = Literal["en", "zh"]
Verdict = Literal["same", "supersede", "merge", "different"]

TARGETS: tuple[Target, ...] = ("memory", "user")
LOCAL_OWNER = "local"


def text_hash(text: str) -> str:
    """Return the SHA-256, in hex, of the stripped text: the key of sidecars and of exact duplicates."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def new_id() -> str:
    """Return a fresh id of 20 hex digits behind `m_`."""
    return f"m_{secrets.token_hex(10)}"


def new_run_id(now: datetime) -> str:
    """Return a fresh run id that sorts by time."""
    return f"r_{now:%Y%m%d%H%M%S}_{secrets.token_hex(4)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a hot file with what the sidecar knows of it.

    `kind`, the times, `importance` and `origin` are None where the sidecar has no word on the entry. `noted`
    is the sidecar's item as JSON where it says more than that, or says it in another form than ours: what
    takes the entry away and brings it back gives it back as it was.
    """

    id: str
    target: Target
    text: str
    kind: Kind | None = None
    importance: float | None = None
    origin: str | None = None
    written_at: datetime | None = None
    updated_at: datetime | None = None
    noted: str | None = field(default=None, compare=False, repr=False)

    @property
    def hash(self) -> str:
        return text_hash(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of the cold tier.

    `context` is what preceded the text where it was said; it helps to find the record and is never
    shown as content. A record whose `superseded_by` is set is history: hidden unless asked for.
    `recalls` counts the hours in which it answered a recall, up to a bound.
    """

    id: str
    text: str
    created_at: datetime
    updated_at: datetime
    owner: str = LOCAL_OWNER
    importance: float = 0.5
    scope: str = "global"
    origin: str = "store_fact"
    context: str | None = None
    event_at: datetime | None = None
    recalled_at: datetime | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    recalls: int = 0

    @property
    def hash(self) -> str:
        return text_hash(self.text)

    @property
    def valid_from(self) -> datetime:
        """Since when the fact holds: the date that it speaks of, else when it was stored."""
        return self.event_at or self.created_at

    @property
    def valid_to(self) -> datetime | None:
        """Until when it held as far as it knows itself: when it was superseded, None while it is active."""
        return self.superseded_at

    @property
    def active(self) -> bool:
        return self.superseded_by is None


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a record is found by: its own vector, and the one blended with its context.

    Both are float32; `own` has unit length, `find` has at most unit length. `model` is the
    identity that both were made under; vectors of different identities are never compared.
    """

    model: str
    own: Vector
    find: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class HotSnapshot:
    """A hot file as it was read: its entries in order, its length and limit in characters.

    `degraded` says what of its metadata is lost or set aside.
    """

    target: Target
    entries: tuple[Entry, ...]
    chars: int
    limit: int
    warnings: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def pct(self) -> float:
        """Usage in percent of the limit, one decimal."""
        return usage_pct(self.chars, self.limit)


def usage_pct(chars: int, limit: int) -> float:
    """Return `chars` in percent of `limit`, to one decimal."""
    return round(100 * chars / limit, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A record that a search brought up, with the raw signals that brought it.

    `cosine` is the inner product of the query's vector and the record's `find` vector, None where
    either is missing; `words` is BM25 (>= 0, unbounded), 0 where no term matched.
    """

    record: Record
    cosine: float | None
    words: float
    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Candidates in no promised order, and how common each of the asked terms is in the store.

    `vectorless` counts the records that were looked through by their words only, though the query has
    a vector: they have none of its model.
    """

    candidates: tuple[Candidate, ...]
    document_frequency: dict[str, int] = field(default_factory=dict)
    total: int = 0
    vectorless: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ColdCounts:
    """How many records the cold tier holds.

    `total` counts active records; `embedded` + `pending` = `total`; `superseded` are beside it.
    """

    total: int
    embedded: int
    pending: int
    superseded: int


@dataclass(frozen=True, slots=True)
class Near:
    """A record and how like it is: the cosine of the `own` vectors."""

    id: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """Vectors that were dropped: of records that are no more, and ones that can't be compared."""

    orphans: int
    broken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How like a piece of content is to a lexicon example: a centred cosine."""

    example: str
    category: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Where new content goes and what decided it.

    `terms` are the words of the content that spoke, `examples` the lexicon examples it was like;
    `reason` is a sentence for people.
    """

    route: Route
    category: str
    kind: Kind | None
    reason: str
    terms: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict on a new text against one that is already there, with its reason.

    `likelihood` is how sure the pair model is, None where rules or a judge say so. Beside *different* it is
    how likely the text is outdated all the same.
    """

    verdict: Verdict
    reason: str
    likelihood: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihoods:
    """How likely a model holds what a new text may be to an old one; each 0..1, together 1.

    `same`: neither says more. `adds`: the new text says all of the old and more. `held`: the old text says
    all of the new and more. `supersedes`: the old text is no longer so. `different`: none of these.
    """

    different: float
    same: float
    adds: float
    held: float
    supersedes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashItem:
    """A whole entry or record that was retired; `restore` puts it back as it was."""

    item: Entry | Record
    reason: str
    run: str
    trashed_at: datetime
    expires_at: datetime

    @property
    def id(self) -> str:
        return self.item.id
