"""The history of a fact and the trash, as people like to read them in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from memorycore.answers_past import FactHistory, FactVersion, PurgeAnswer, TrashPage
from memorycore.faces.render import day, table

_TIER_STYLE = {"hot": "green", "cold": "cyan", "trash": "red"}


def history(answer: FactHistory) -> RenderableType:
    """Each version of a fact, the oldest first: for how long it held, what it said, why it went."""
    if not answer.versions:
        return Text(f"No entry, no record and nothing in the trash bears the id {answer.id}.")
    rows = table("from", "to", "tier", "fact", "id")
    for version in answer.versions:
        holds = version.valid_to is None and version.tier != "trash"
        rows.add_row(
            day(version.valid_from),
            Text("now", style="green") if holds else day(version.valid_to),
            Text(version.tier, style=_TIER_STYLE[version.tier]),
            _what_and_why(version),
            Text(version.id, style="bold" if version.id == answer.id else "dim"),
        )
    return rows


def _what_and_why(version: FactVersion) -> Text:
    told = Text(version.text)
    if version.why:
        run = f"  (run {version.run})" if version.run else ""
        told.append(f"\n{version.why}{run}", style="dim")
    return told


def trash(answer: TrashPage) -> RenderableType:
    """What lies in the trash, why, and until when it can be restored."""
    if not answer.items:
        return Text("The trash is empty." if not answer.total else "Nothing lies behind that id.")
    rows = table("expires", "fact", "why", "id")
    for item in answer.items:
        rows.add_row(
            day(item.expires_at), Text(item.text), Text(item.reason, style="dim"), Text(item.id, style="dim")
        )
    notes = [f"{answer.total:,} in the trash; bring one back with: memorycore restore ID"]
    if answer.next:
        notes.append(f"more: memorycore trash --after {answer.next}")
    return Group(rows, *(Text(f"  {note}", style="dim") for note in notes))


def purged(answer: PurgeAnswer) -> RenderableType:
    """What a purge removed, and what the search of all files found of it."""
    style = "bold green" if answer.status == "purged" else "bold red"
    lines = [Text.assemble((answer.status, style), "  ", answer.detail)]
    counts = ", ".join(f"{count} {name}" for name, count in answer.removed.items() if count)
    if counts:
        lines.append(Text(f"  removed: {counts}", style="dim"))
    if answer.proof is not None:
        proof = answer.proof
        lines.append(Text(f"  searched: {proof.files:,} files, {proof.bytes:,} bytes", style="dim"))
        hits = sum(proof.forms.values())
        lines.append(Text(f"  found: {hits} times, in {len(proof.forms)} forms of the text", style="dim"))
        lines += [Text(f"  {form}: {count}", style="red") for form, count in proof.forms.items() if count]
        lines += [Text(f"! {one.file}: {one.form}, {one.count} times", style="red") for one in proof.left]
        lines += [Text(f"! not readable: {file}", style="red") for file in proof.unread]
    return Group(*lines)
