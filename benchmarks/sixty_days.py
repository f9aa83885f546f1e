"""Sixty days of an agent's memory, fifty writes a day: do the files stay in their budgets, is a text lost?

Everything is real but the calendar: files, stores, the bundled model, and a clock that is turned. After each
day every text that was ever stored is looked for. `python -m benchmarks.sixty_days` prints a table and, with
`--svg FILE`, draws the usage of both files.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.daily_life import Life, Write
from benchmarks.svg import line_plot
from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.adapters.ledger_sqlite import SqliteLedger
from memorycore.answers import StoreReceipt
from memorycore.app import build
from memorycore.engine.core import MemoryCore
from memorycore.engine.ports import Embedder
from memorycore.model import TARGETS, Entry, Target
from memorycore.plan import ReplaceEntry, ReplaceRecord
from memorycore.settings import Settings

START = datetime(2026, 1, 1, 7, tzinfo=UTC)
LIMITS: dict[Target, int] = {"memory": 2_200, "user": 1_375}
RECALLS = 4
_STAY_SOMEHOW = frozenset({"merge", "duplicate", "supersede", "compress", "split"})
"""The rungs by which a protected entry may change: it stays in the file, in other words."""


class Calendar:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Day:
    """What was found at the end of a day. Usage is in percent; `lost` holds texts, none is hoped for.

    `doubles` are texts that were not stored, since another one, the second of the pair, says the same.
    """

    number: int
    pct: dict[Target, float]
    chars: dict[Target, int]
    statuses: Counter[str]
    moved: Counter[str]
    cold: int
    trash: int
    journal: int
    lost: list[str] = field(default_factory=list)
    doubles: list[tuple[str, str]] = field(default_factory=list)
    protected_lost: list[str] = field(default_factory=list)

    @property
    def inside(self) -> bool:
        return all(self.chars[target] <= LIMITS[target] for target in TARGETS)


class Watcher:
    """Looks at the files and stores from outside and keeps account of what was stored."""

    def __init__(self, settings: Settings, calendar: Calendar) -> None:
        self._hot = MarkdownHotStore(settings.hot_dir, LIMITS, clock=calendar)
        self._cold = SqliteColdStore(settings.cold_path)
        self._ledger = SqliteLedger(settings.ledger_path)
        self._stored: set[str] = set()
        self._doubles: list[tuple[str, str]] = []
        self._red_lines: set[str] = set()
        self._guarded: dict[str, Entry] = {}
        self._last_run: str | None = None

    def note(self, write: Write, receipt: StoreReceipt) -> None:
        if receipt.duplicate_of is None:
            self._stored.add(write.text)
        elif write.text not in self._stored:
            self._doubles.append((write.text, self._text_of(receipt.duplicate_of)))
        if write.red_line:
            self._red_lines.add(write.text)

    def day(self, number: int, statuses: Counter[str]) -> Day:
        snapshots = {target: self._hot.read(target) for target in TARGETS}
        entries = [entry for snapshot in snapshots.values() for entry in snapshot.entries]
        records = self._cold.scan("local", after=None, limit=1_000_000)
        trash = {item.item.text for item in self._ledger.trash(limit=1_000_000)}
        kept = {entry.text for entry in entries} | {record.text for record in records} | trash
        runs = self._new_runs()
        missing = self._stored - kept
        journal = missing & self._in_journal() if missing else set()
        inside = {text for text in missing - journal if any(_core(text) in one for one in kept)}
        actions = [action for run in runs for action in run.plan.actions]
        return Day(
            number=number,
            pct={target: snapshot.pct for target, snapshot in snapshots.items()},
            chars={target: snapshot.chars for target, snapshot in snapshots.items()},
            statuses=statuses,
            moved=Counter(
                action.rung for run in runs if run.plan.kind == "overflow" for action in run.plan.actions
            ),
            cold=len(records),
            trash=len(trash),
            journal=len(journal),
            doubles=list(self._doubles),
            lost=sorted(missing - journal - inside),
            protected_lost=self._left_unasked(
                entries, {one: action.rung for action in actions for one in action.subjects}
            ),
        )

    def _text_of(self, id: str) -> str:
        record = self._cold.get(id)
        entries = (entry for target in TARGETS for entry in self._hot.read(target).entries)
        return record.text if record is not None else next((one.text for one in entries if one.id == id), id)

    def _left_unasked(self, entries: list[Entry], rungs: dict[str, str]) -> list[str]:
        """Return the protected texts that were in a file yesterday and left it by no rung that keeps them."""
        here = {entry.id for entry in entries}
        lost = [
            entry.text
            for key, entry in self._guarded.items()
            if key not in here and rungs.get(key) not in _STAY_SOMEHOW
        ]
        self._guarded = {
            entry.id: entry
            for entry in entries
            if (entry.importance or 0) >= 0.9 or entry.text in self._red_lines
        }
        return lost

    def _new_runs(self):
        runs = self._ledger.runs(limit=10_000 if self._last_run is None else 300)
        fresh = [run for run in runs if self._last_run is None or run.id > self._last_run]
        self._last_run = max((run.id for run in runs), default=None)
        return fresh

    def _in_journal(self) -> set[str]:
        """Texts that others were put in the place of; undo gives them back."""
        ops = [
            op
            for run in self._ledger.runs(limit=1_000_000)
            for action in run.plan.actions
            for op in (*action.cold, action.hot)
        ]
        return {op.before.text for op in ops if isinstance(op, ReplaceRecord | ReplaceEntry)}

    def close(self) -> None:
        self._cold.close()
        self._ledger.close()


def _core(text: str) -> str:
    return text.rstrip(".。")


def simulate(
    root: Path, life: Life, days: int, *, embedder: Embedder | None = None, words_only: bool = False
) -> list[Day]:
    """Live through so many days in a home below `root` and return what was found after each."""
    calendar = Calendar()
    settings = Settings(
        home=root / "home",
        memory_dir=root / "memories",
        embedder="none" if words_only else "auto",
        hot_limit_memory=LIMITS["memory"],
        hot_limit_user=LIMITS["user"],
    )
    watcher = Watcher(settings, calendar)
    found = []
    with build(settings, embedder=embedder, clock=calendar) as core:
        for number in range(1, days + 1):
            calendar.now = START + timedelta(days=number - 1)
            statuses = _live(core, life, number, calendar, watcher)
            found.append(watcher.day(number, statuses))
    watcher.close()
    return found


def _live(core: MemoryCore, life: Life, number: int, calendar: Calendar, watcher: Watcher) -> Counter[str]:
    statuses: Counter[str] = Counter()
    for write in life.day(number, calendar.now):
        receipt = core.store(write.text, importance=write.importance, target=write.target)
        statuses[receipt.status] += 1
        statuses["(superseding another)"] += bool(receipt.superseded)
        watcher.note(write, receipt)
        calendar.now += timedelta(minutes=12)
    for question in life.questions(RECALLS):
        core.recall(question)
        calendar.now += timedelta(minutes=1)
    return statuses


def table(days: list[Day]) -> str:
    """Return a line per week and the sums."""
    lines = ["day   memory   user   cold  trash  journal  fallback  moved"]
    lines += [_row(day) for day in days if day.number % 5 == 0 or day.number in (1, len(days))]
    statuses = sum((day.statuses for day in days), Counter())
    moved = sum((day.moved for day in days), Counter())
    left = sum(len(day.protected_lost) for day in days)
    lines += [
        f"days inside both budgets: {sum(day.inside for day in days)} of {len(days)}",
        f"held to be there already in other words, so not stored: {len(days[-1].doubles)}",
        *(f"  {new}\n  = {old}" for new, old in days[-1].doubles),
        f"texts lost: {len(days[-1].lost)}, protected entries that left: {left}",
        *(f"  {text}" for text in days[-1].lost),
        "statuses: " + ", ".join(f"{name} {times}" for name, times in statuses.most_common()),
        "moved by the overflow: "
        + (", ".join(f"{name} {times}" for name, times in moved.most_common()) or "-"),
    ]
    return "\n".join(lines)


def _row(day: Day) -> str:
    return (
        f"{day.number:3}  {day.pct['memory']:6.1f} % {day.pct['user']:5.1f} %  {day.cold:5}  {day.trash:5}"
        f"  {day.journal:7}  {day.statuses['cold_stored_fallback']:8}  {sum(day.moved.values()):5}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--svg", type=Path, help="draw the usage of both files there")
    arguments = parser.parse_args()
    for title, facts_only, days in (
        (f"{arguments.days} days, 50 writes a day", False, arguments.days),
        (f"{arguments.days // 2} days, 50 facts a day", True, arguments.days // 2),
    ):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as root:
            found = simulate(Path(root), Life(facts_only=facts_only, days=days), days)
        print(f"{title} ({time.perf_counter() - start:.0f} s)\n{table(found)}\n", flush=True)
        if arguments.svg is not None and not facts_only:
            arguments.svg.write_text(plot(found), encoding="utf-8")


def plot(days: list[Day]) -> str:
    """Return the picture of both files' usage."""
    return line_plot(
        "Usage of the hot files, 50 writes a day",
        {f"{target.upper()}.md": [day.pct[target] for day in days] for target in TARGETS},
        marks={"hard": 80, "soft": 60},
    )


if __name__ == "__main__":
    main()
