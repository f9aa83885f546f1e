"""Answers as people like to read them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorycore.answers import (
    Audit,
    AuditTarget,
    AuditVerdict,
    HotUsage,
    MaintenancePreview,
    MaintenanceReport,
    MoveAnswer,
    OverflowReport,
    RecallAnswer,
    ReindexReport,
    StoreReceipt,
    Usage,
)
from memorycore.policy.thresholds import Thresholds

BAR_WIDTH = 24
_NARROW = {"score", "tier", "changed", "age", "kind", "from", "to", "expires"}
_STATUS_STYLE = {
    "stored": "green",
    "cold_stored": "green",
    "cold_updated": "green",
    "cold_duplicate": "yellow",
    "cold_stored_fallback": "yellow",
    "stale": "yellow",
    "forgotten": "green",
    "restored": "green",
    "undone": "green",
    "error": "red",
    "not_found": "red",
}
_VERDICT_STYLE: dict[AuditVerdict, str] = {
    "keep": "green",
    "sink": "yellow",
    "drop": "red",
    "merge": "cyan",
    "split": "cyan",
    "shorten": "cyan",
    "stub": "magenta",
    "retype": "blue",
}


def status(word: str) -> Text:
    """A status, coloured by how good the news is."""
    return Text(word, style=f"bold {_STATUS_STYLE[word]}")


def receipt(answer: StoreReceipt) -> RenderableType:
    """A receipt: what happened on the first line, what followed from it below."""
    head = Text.assemble(status(answer.status), "  ", answer.detail)
    facts = [f"id {answer.id}"] if answer.id else []
    if answer.tier:
        facts.append(f"{answer.tier} tier" + (f", {answer.target}" if answer.tier == "hot" else ""))
    if answer.usage.before != answer.usage.after:
        facts.append(f"usage {answer.usage.before:g} % to {answer.usage.after:g} %")
    if answer.embedded is False:
        facts.append("found by its words for now; its vector follows")
    if answer.superseded:
        facts.append(f"now history: {', '.join(answer.superseded)}")
    if answer.overflow:
        facts.append(f"made room: {answer.overflow.moved} moved in run {answer.overflow.run}")
    if answer.undo:
        facts.append(f"undo with: memorycore undo {answer.undo}")
    return Group(head, *_dim(facts), *_warnings(answer.warnings))


def recalled(answer: RecallAnswer) -> RenderableType:
    """Hits, best first, with score, tier, age of the last change and id."""
    degraded = _warnings([answer.degraded] if answer.degraded else [])
    if not answer.results:
        return Group(Text("Nothing stored answers that."), *degraded)
    rows = table("score", "tier", "fact", "changed", "id")
    for hit in answer.results:
        content = Text(hit.content)
        if hit.superseded_by:
            content.append(f"\nhistory, replaced by {hit.superseded_by}", style="dim")
        if hit.why.get("untrusted"):
            content.append("\nuntrusted: it reads like an order to the agent", style="red")
        rows.add_row(f"{hit.score:.2f}", hit.tier, content, day(hit.updated_at), Text(hit.id, style="dim"))
    return Group(rows, *degraded)


def moved(answer: MoveAnswer) -> RenderableType:
    """What a forget, restore or undo did."""
    head = Text.assemble(status(answer.status), "  ", answer.detail or answer.id)
    facts = [f"undo with: memorycore undo {answer.undo}"] if answer.undo else []
    return Group(head, *_dim(facts))


def audited(answer: Audit) -> RenderableType:
    """Each hot file: how full, and per entry what the next overflow does and why."""
    ahead = f"What an overflow would do at {answer.at}, if nothing changes until then.\n"
    parts: list[RenderableType] = [Text(ahead, style="bold")] if answer.at else []
    for name, target in answer.targets.items():
        parts += [*_audit_head(name, target), *([_audit_table(target)] if target.entries else []), Text()]
    parts.append(Text(f"cold tier: {_counts(answer.cold)}", style="dim"))
    if answer.next:
        shown = "" if len(answer.targets) > 1 else f" --target {next(iter(answer.targets))}"
        then = f" --at {answer.at}" if answer.at else ""
        parts.append(Text(f"more: memorycore audit{shown}{then} --cursor {answer.next}", style="dim"))
    return Group(*parts)


def _audit_head(name: str, target: AuditTarget) -> list[RenderableType]:
    head = Text.assemble((f"{_file(name)}  ", "bold"), _bar(target.pct))
    head.append(f"  {target.chars:,} of {target.limit:,} characters")
    count, size = target.sink_candidates, target.sink_chars
    after = (
        f"an overflow would move or change {count} (-{size:,} characters) and leave {target.pct_after:g} %"
    )
    nothing = target.why_nothing or "an overflow would change nothing"
    note = Text(after if count else nothing, style="dim")
    also = (f"also: {one.rung} {one.id}: {one.reason}" for one in target.also)
    return [head, note, *_dim(also), *_warnings(target.warnings)]


def _audit_table(target: AuditTarget) -> RenderableType:
    rows = table("verdict", "kind", "entry", "age", "why")
    for entry in target.entries:
        verdict = Text(entry.verdict, style=_VERDICT_STYLE[entry.verdict])
        if entry.protected:
            verdict.append(" (protected)", style="dim")
        age = "" if entry.age_days is None else f"{entry.age_days} d"
        rows.add_row(verdict, entry.kind or "", Text(entry.text), age, Text(entry.reason, style="dim"))
    return rows


def overflowed(reports: Mapping[Any, OverflowReport]) -> RenderableType:
    """What an overflow did to each hot file."""
    parts: list[RenderableType] = []
    for name, report in reports.items():
        change = f"{report.pct_before:g} % to {report.pct_after:g} %" if report.run else "nothing to do"
        parts.append(Text.assemble((f"{_file(name)}  ", "bold"), change))
        if report.actions:
            rows = table("rung", "outcome", "id", "why")
            for action in report.actions:
                rows.add_row(action.rung, action.outcome, Text(action.id, style="dim"), Text(action.reason))
            parts.append(rows)
        parts += _dim([f"undo with: memorycore undo {report.run}"] if report.run else [])
        parts += _dim([report.note] if report.note else [])
        parts += _warnings(report.errors)
    return Group(*parts)


def maintained(report: MaintenanceReport) -> RenderableType:
    """What a maintenance pass did."""
    did = {
        "merged": report.merged,
        "cleaned": report.cleaned,
        "superseded": report.superseded,
        "forgotten": report.forgotten,
        "revived": report.revived,
        "expired": report.expired,
        "embedded": report.embedded,
    }
    words = ", ".join(f"{count} {word}" for word, count in did.items() if count) or "nothing to do"
    vectors = f"{report.integrity.embedded:,} of {report.integrity.total:,} have a vector"
    return Group(
        Text(f"{report.scanned:,} records looked at: {words}; {vectors}."),
        *_warnings(report.errors),
    )


def previewed(preview: MaintenancePreview) -> RenderableType:
    """What a maintenance pass would retire, and why."""
    pending = preview.integrity.pending
    vectors = f" It would first make {pending:,} vectors, which may show more." if pending else ""
    head = Text(
        f"{preview.scanned:,} records looked at; a pass would retire {len(preview.actions):,} now.{vectors}"
    )
    if not preview.actions:
        return Group(head, *_warnings(preview.errors))
    rows = table("rung", "id", "why")
    for action in preview.actions:
        rows.add_row(action.rung, Text(action.id, style="dim"), Text(action.reason))
    return Group(head, rows, *_warnings(preview.errors))


def reindexed(report: ReindexReport) -> RenderableType:
    """How far a reindex is."""
    state = "All vectors are of" if report.done else "Not through yet with"
    text = f"{state} {report.model or 'no model'}: {report.embedded:,} of {report.total:,} records"
    failed = [f"{report.failed:,} texts can't be embedded; they are found by words."] if report.failed else []
    return Group(
        Text(f"{text}; {report.made:,} vectors were made and {report.dropped:,} old ones dropped."),
        *_warnings([*failed, *report.errors]),
    )


def used(usage: Usage) -> RenderableType:
    """How full everything is."""
    rows = table("", "used", "")
    for name, hot in usage.hot.items():
        if isinstance(hot, HotUsage):
            rows.add_row(_file(name), _bar(hot.pct), f"{hot.chars:,} of {hot.limit:,} characters")
        else:
            rows.add_row(_file(name), Text("unreadable", style="red"), hot["error"])
    rows.add_row("cold tier", "", _counts(usage.cold))
    rows.add_row("trash", "", f"{usage.trash.get('count', 0):,}")
    model = usage.embedder.get("model") or "none; facts are found by their words"
    rows.add_row("embedder", "", str(model))
    pairs = (usage.pair_model or {}).get("model", "none; the rules alone tell what repeats or outdates what")
    rows.add_row("pair model", "", pairs)
    rows.add_row("judge", "", (usage.judge or {}).get("model", "none; the rules decide alone"))
    return Group(rows, *_warnings(usage.degraded))


def _counts(cold: Mapping[str, Any]) -> str:
    if "error" in cold:
        return str(cold["error"])
    text = f"{cold.get('total', 0):,} records"
    return f"{text}, {cold['pending']:,} without a vector" if cold.get("pending") else text


def _bar(pct: float) -> Text:
    limits = Thresholds()
    soft, hard = 100 * limits.soft, 100 * limits.hard
    style = "green" if pct < soft else "yellow" if pct < hard else "red"
    full = min(BAR_WIDTH, ceil(BAR_WIDTH * pct / 100))  # a little is not nothing
    return Text.assemble(("█" * full, style), ("░" * (BAR_WIDTH - full), "dim"), f" {pct:5.1f} %")


def table(*columns: str) -> Table:
    """An empty table; the columns that hold short words or dates are never broken."""
    made = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(column, overflow="fold", no_wrap=column in _NARROW)
    return made


def day(stamp: str | None) -> str:
    """The date of a stamp."""
    return (stamp or "")[:10]


def _file(target: str) -> str:
    return f"{target.upper()}.md"


def _dim(lines: Iterable[str]) -> list[RenderableType]:
    return [Text(f"  {line}", style="dim") for line in lines]


def _warnings(lines: Iterable[str]) -> list[RenderableType]:
    return [Text(f"! {line}", style="yellow") for line in lines]
