"""What an overflow decides by, and what it decides: frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memorycore.answers import AuditVerdict
from memorycore.model import Entry, Kind, Record
from memorycore.plan import Plan, Rung


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What an entry is and since when, from its metadata or, failing that, from its words.

    `by_words` tells the two apart; `since` is None where nobody knows.
    """

    entry: Entry
    kind: Kind | None
    since: datetime | None
    by_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """An active record of the cold tier that says all that an entry says, and why it is held to."""

    id: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Answers to `Needs`, by entry id. What is absent is unknown, and the unknown never moves anything.

    `likeness` holds cosines of centred vectors by (earlier entry, later entry). `used` says how many days ago
    the activity log last shows a query like the entry; None means that the log was looked through and shows
    none. `log_queries` counts the queries in the log's window, None without a log. `rewrites` are a judge's
    shorter texts; of `confirmed_dormant` a judge says that they no longer matter day by day, of
    `denied_dormant` that they do. What `copies` say stands word for word in the cold tier already, so it
    can't be put there a second time.
    """

    twins: Mapping[str, Twin] = field(default_factory=dict)
    copies: frozenset[str] = frozenset()
    likeness: Mapping[tuple[str, str], float] = field(default_factory=dict)
    used: Mapping[str, int | None] = field(default_factory=dict)
    log_queries: int | None = None
    rewrites: Mapping[str, str] = field(default_factory=dict)
    confirmed_dormant: frozenset[str] = frozenset()
    denied_dormant: frozenset[str] = frozenset()
    profile: Record | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a run wants to know, as ids of entries; nothing else is used if it is told.

    `twins` are looked for in the cold tier, `likeness` is wanted of pairs in file order, `dormant` are held
    against the activity log and, where it shows no use, shown to the judge; `rewrites` want a shorter text.
    `copies` may be merged: is their very text in the cold tier? `profile` asks for the profile record.
    """

    twins: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    likeness: tuple[tuple[str, str], ...] = ()
    dormant: tuple[str, ...] = ()
    rewrites: tuple[str, ...] = ()
    profile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVerdict:
    """What a run does with one entry, by which rung and why; of one that stays, what keeps it."""

    typed: Typed
    verdict: AuditVerdict
    rung: Rung | None
    reason: str
    protected: bool
    age_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverflowPlan:
    """A verdict per entry in the order of the file, the plan of them all, and the length after it.

    `note` says why there is nothing to do, empty if there is something.
    """

    verdicts: tuple[EntryVerdict, ...]
    plan: Plan
    chars_after: int
    note: str = ""
