"""What the facade answers: frozen values whose fields are the wire format, name by name.

`to_wire` makes the JSON object that every face shows. Times are ISO 8601 in UTC with offset.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from memorycore.answers_past import FactHistory, History, PurgeAnswer, RunDetail, TrashPage
from memorycore.model import Kind, Target, Tier

StoreStatus = Literal[
    "stored", "cold_stored", "cold_updated", "cold_duplicate", "cold_stored_fallback", "stale", "error"
]
AuditVerdict = Literal["keep", "sink", "drop", "merge", "split", "shorten", "stub", "retype"]
"""What becomes of a hot entry: it stays, its text moves to the cold tier, it goes since its text is kept
elsewhere or was a finished status, or it changes: one with another, without its long tail, in fewer words,
down to a pointer, as a finished thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageChange:
    """Usage of a hot file in percent, before and after a call.

    0 where the file can't be read, which a warning of the receipt says.
    """

    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowNote:
    """The overflow that a write caused: how many entries it moved or changed, and what to undo.

    `run` is the pass of all its rounds: to undo it takes them all back.
    """

    run: str
    moved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReceipt:
    """What became of a fact. `status` "error" comes with `id` None, and then nothing was written."""

    status: StoreStatus
    id: str | None
    tier: Tier | None
    target: Target
    detail: str
    embedded: bool | None
    duplicate_of: str | None = None
    superseded: tuple[str, ...] = ()
    usage: UsageChange
    overflow: OverflowNote | None = None
    undo: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallHit:
    """One hit: the full text, a score in 0..1 that means the same under every model, and why."""

    id: str
    content: str
    score: float
    tier: Tier
    importance: float | None
    created_at: str | None
    updated_at: str | None
    superseded_by: str | None
    why: dict[str, Any]
    valid_from: str | None = None
    valid_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAnswer:
    """Hits, best first; none means that nothing stored answers the query.

    `degraded` says what did not run, None when all did.
    """

    results: tuple[RecallHit, ...]
    degraded: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveAnswer:
    """What a forget, restore or undo did; `undo` is the run to undo in order to take it back."""

    status: Literal["forgotten", "restored", "undone", "not_found"]
    id: str
    undo: str | None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One hot entry and what the next overflow does with it. `text` is cut to 80 characters."""

    id: str
    text: str
    chars: int
    kind: Kind | None
    importance: float | None
    written_at: str | None
    updated_at: str | None
    age_days: int | None
    protected: bool
    verdict: AuditVerdict
    rung: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAlso:
    """What an overflow also writes, beside what it does with the entries: the profile summary."""

    rung: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTarget:
    """One hot file: what is in it and what it would hold after an overflow.

    `sink_candidates` counts the entries that leave or change, `sink_chars` the characters by which the file
    becomes shorter. `why_nothing` says why no entry does, None if one does.
    """

    limit: int
    chars: int
    pct: float
    entries: tuple[AuditEntry, ...]
    sink_candidates: int
    sink_chars: int
    pct_after: float
    also: tuple[AuditAlso, ...] = ()
    why_nothing: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The audit, or one page of it; `next` is the cursor of the following page.

    `at` is the later time that it is made for, None for now.
    """

    targets: dict[str, AuditTarget]
    cold: dict[str, Any]
    next: str | None
    at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowAction:
    """One action of an overflow and its outcome: done, skipped or failed, and why."""

    rung: str
    id: str
    reason: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowReport:
    """What an overflow did to one hot file; `run` is None when there was nothing to do, `note` says why."""

    run: str | None
    pct_before: float
    pct_after: float
    actions: tuple[OverflowAction, ...] = ()
    errors: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """How many active records have a vector of the present model."""

    total: int
    embedded: int
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    """What a maintenance pass did; `run` is None when there was nothing to do."""

    run: str | None
    scanned: int
    merged: int = 0
    cleaned: int = 0
    superseded: int = 0
    forgotten: int = 0
    revived: int = 0
    expired: int = 0
    embedded: int = 0
    integrity: Integrity
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenancePreview:
    """What a maintenance pass would retire now, each with its reason; outcomes are "planned".

    What hangs on vectors that are still missing can't be told before they are made.
    """

    scanned: int
    actions: tuple[OverflowAction, ...]
    integrity: Integrity
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexReport:
    """How far a reindex is: records with a vector of the present model, and what it made and dropped.

    `done` means that every record was tried and the vectors of other models are gone. `failed` are
    records whose text the model can't embed; they are found by their words.
    """

    done: bool
    model: str | None
    total: int
    embedded: int
    made: int = 0
    dropped: int = 0
    failed: int = 0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HotUsage:
    """How full a hot file is."""

    chars: int
    limit: int
    pct: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How full everything is and what runs degraded. A hot file or store that fails holds {error}.

    `judge` and `pair_model` are {model}, None where none is set up.
    """

    hot: dict[str, HotUsage | dict[str, str]]
    cold: dict[str, Any]
    trash: dict[str, int]
    embedder: dict[str, Any]
    thresholds: dict[str, float]
    degraded: tuple[str, ...] = field(default=())
    judge: dict[str, str] | None = None
    pair_model: dict[str, str] | None = None


Answer = (
    StoreReceipt
    | RecallAnswer
    | MoveAnswer
    | PurgeAnswer
    | FactHistory
    | TrashPage
    | Audit
    | OverflowReport
    | MaintenanceReport
    | MaintenancePreview
    | ReindexReport
    | Usage
    | History
    | RunDetail
)


def to_wire(answer: Answer) -> dict[str, Any]:
    """Return the answer as a JSON object: dataclasses become objects, tuples become lists."""
    wire: dict[str, Any] = _listed(asdict(answer))
    return wire


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return value
