"""Runs as people like to read them in a terminal: the history, and one run in full."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from memorycore.answers_past import ActionDetail, History, Move, RunDetail, RunLine

TEXT_CHARS = 160
"""Of a text that moved, people are shown so many characters; JSON has it whole."""

_STATE_STYLE = {
    "done": "green",
    "skipped": "yellow",
    "failed": "red",
    "open": "yellow",
    "abandoned": "yellow",
}
_PLACES = {"hot:memory": "MEMORY.md", "hot:user": "USER.md", "cold": "cold tier"}
_ID_CHARS = 28


def history(answer: History) -> RenderableType:
    """A line per run: when, what, how many actions, and the id to show or undo it by."""
    if not answer.runs:
        return Text("Nothing was done yet.")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("when (UTC)", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("about", ratio=1, overflow="fold")
    table.add_column("run", no_wrap=True, style="dim", min_width=_ID_CHARS)
    for line in answer.runs:
        table.add_row(_when(line), line.kind, Group(*_about(line)), line.run)
    more = [Text(f"more: memorycore history --before {answer.next}", style="dim")] if answer.next else []
    return Group(table, *more)


def detail(answer: RunDetail) -> RenderableType:
    """A run: its head, each action with reason and moves, and how to take it back."""
    line = answer.line
    of = f" of {line.runs} runs" if line.runs > 1 else ""
    head = Text.assemble((f"{line.kind}{of}  ", "bold"), (line.state, _STATE_STYLE[line.state]))
    head.append(f"  {_when(line)} UTC  {line.run}", style="dim")
    parts: list[RenderableType] = [head]
    if line.part_of:
        parts.append(Text(f"  part of {line.part_of}", style="dim"))
    if line.undo_of:
        parts.append(Text(f"  took back {line.undo_of}", style="dim"))
    for action in answer.actions:
        parts += _action(action)
    parts.append(Text(answer.undo, style="" if answer.undoable else "dim"))
    return Group(*parts)


def _when(line: RunLine) -> str:
    return line.started_at[:16].replace("T", " ")


def _about(line: RunLine) -> list[RenderableType]:
    counts = ", ".join(f"{count} {rung}" for rung, count in line.actions.items())
    notes = Text(counts, style="dim")
    for word, count in (("skipped", line.skipped), ("failed", line.failed)):
        if count:
            notes.append(f"  {count} {word}", style=_STATE_STYLE[word])
    if line.state != "done":
        notes.append(f"  {line.state}", style=_STATE_STYLE[line.state])
    if line.undone_by:
        notes.append(f"  undone by {line.undone_by}", style="yellow")
    if line.undo_of:
        notes.append(f"  took back {line.undo_of}", style="dim")
    return [Text(line.about), notes]


def _action(action: ActionDetail) -> list[RenderableType]:
    style = _STATE_STYLE.get(action.state, "")
    head = Text.assemble((f"{action.rung}  ", "bold"), (action.state, style), (f"  {action.subject}", "dim"))
    if action.outcome not in {"", "done"}:
        head.append(f"  {action.outcome}", style=style if action.state != "done" else "dim")
    lines = [Text(f"  {action.reason}", style="dim"), *(_moved(move) for move in _telling(action.moves))]
    changed = ((name, pair) for name, pair in action.changed.items() if not name.endswith("_at"))
    said = "; ".join(f"{name} {_said(old)} → {_said(new)}" for name, (old, new) in changed)
    return [head, *lines, *([Text(f"  {said}", style="dim")] if said else [])]


def _telling(moves: Sequence[Move]) -> list[Move]:
    return [move for move in moves if move.before or move.after]


def _moved(move: Move) -> RenderableType:
    left, reached = (
        " and ".join(_PLACES.get(place, place) for place in one) for one in (move.before, move.after)
    )
    way = f"{left or 'new'} → {reached or 'gone, it stands elsewhere'}"
    return Text.assemble(("  ", ""), (way, "cyan"), f"  {_cut(move.text)}")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_CHARS else f"{line[: TEXT_CHARS - 1]}…"


def _said(value: object) -> str:
    return "unknown" if value is None else str(value)
