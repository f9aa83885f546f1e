"""Reads the golden scenarios: a hot file, what is known of it, and what an overflow must make of it.

`full` is the usage in percent, from which the limit follows. An entry says its kind, its age in days and its
text; `twin` is an equal record of the cold tier, `used` a number of days or "never", `confirmed` what a judge
says. What is left out is unknown.
"""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memorycore import lexicon
from memorycore.model import Entry, HotSnapshot, Record
from memorycore.plan import AddEntry, AnnotateEntry, JoinEntries, PartEntries, RemoveEntry, ReplaceEntry
from memorycore.policy.evidence import Evidence, Twin, Typed
from memorycore.policy.hot_text import render
from memorycore.policy.overflow import plan_overflow
from memorycore.policy.thresholds import Thresholds

FOLDER = Path(__file__).parents[1] / "scenarios"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LEXICON = lexicon.load()
LIMITS = Thresholds()


@dataclass(frozen=True)
class Scenario:
    name: str
    told: dict
    snapshot: HotSnapshot
    typed: tuple[Typed, ...]
    evidence: Evidence

    def plan(self):
        return plan_of(self.snapshot, self.typed, self.evidence)


def scenarios():
    return [read(path) for path in sorted(FOLDER.glob("*.toml"))]


def read(path):
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    target = told.get("target", "memory")
    typed = tuple(typed_of(item, target) for item in told["entries"])
    chars = len(render([one.entry.text for one in typed]))
    return Scenario(
        name=path.stem,
        told=told,
        snapshot=snapshot_of([one.entry for one in typed], round(100 * chars / told["full"]), target),
        typed=typed,
        evidence=evidence_of(told),
    )


def snapshot_of(entries, limit, target="memory"):
    entries = tuple(entries)
    chars = len(render([entry.text for entry in entries]))
    return HotSnapshot(target=target, entries=entries, chars=chars, limit=limit)


def typed_of(item, target):
    since = NOW - timedelta(days=item["days"]) if "days" in item else None
    entry = Entry(
        id=item["id"],
        target=target,
        text=item["text"],
        kind=item.get("kind"),
        importance=item.get("importance"),
        written_at=since,
        updated_at=since,
    )
    return Typed(entry=entry, kind=item.get("kind"), since=since, by_words=False)


def evidence_of(told):
    entries = told["entries"]
    return Evidence(
        twins={
            item["id"]: Twin(
                id=item.get("twin_id", f"cold-{item['id']}"), text=item["twin"], reason="the same content"
            )
            for item in entries
            if "twin" in item
        },
        likeness={tuple(like["pair"]): like["cosine"] for like in told.get("like", ())},
        used={
            item["id"]: None if item["used"] == "never" else item["used"]
            for item in entries
            if "used" in item
        },
        log_queries=told.get("log_queries"),
        rewrites={item["id"]: item["rewrite"] for item in entries if "rewrite" in item},
        confirmed_dormant=frozenset(item["id"] for item in entries if item.get("confirmed")),
        profile=profile_of(told["profile"]) if "profile" in told else None,
    )


def profile_of(text):
    before = NOW - timedelta(days=20)
    return Record(id="profile_user", text=text, created_at=before, updated_at=before, importance=0.8)


def plan_of(snapshot, typed, evidence, now=NOW):
    return plan_overflow(snapshot, typed, evidence, now, LIMITS, owner="local", lexicon=LEXICON)


def applied(entries, plan):
    """The entries of the file once the plan has been carried out, action by action."""
    entries = list(entries)
    for action in plan.actions:
        match action.hot:
            case RemoveEntry(entry, at):
                assert entries[at] == entry
                del entries[at]
            case ReplaceEntry(before, after) | AnnotateEntry(before, after):
                entries[entries.index(before)] = after
            case JoinEntries(kept, gone, after, at):
                assert entries[at] == gone
                entries[entries.index(kept)] = after
                del entries[at]
            case PartEntries(joined, kept, gone, at):
                entries[entries.index(joined)] = kept
                entries.insert(at, gone)
            case AddEntry(entry, at):
                entries.insert(len(entries) if at is None else at, entry)
    return entries
