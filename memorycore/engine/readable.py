"""What of the hot files can be read now: a write into another place goes on without the rest, and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memorycore.engine.ports import HotStore
from memorycore.errors import HotFileError
from memorycore.model import TARGETS, Entry, HotSnapshot, Target


@dataclass(frozen=True, slots=True)
class HotFiles:
    """The hot files as they stand: those that could be read, and why the others could not."""

    snapshots: Mapping[Target, HotSnapshot]
    faults: Mapping[Target, HotFileError]

    @property
    def entries(self) -> list[Entry]:
        return [entry for snapshot in self.snapshots.values() for entry in snapshot.entries]

    def pct(self, target: Target) -> float:
        """Return the usage of a file in percent, 0 where it can't be read."""
        return self.snapshots[target].pct if target in self.snapshots else 0.0

    def warnings(self, target: Target, before: HotFiles) -> tuple[str, ...]:
        """Return what is to be said of a file after a run, and which of all files were not looked at.

        `before` is what was there before the run: what was set aside long ago is not told again.
        """
        files = [files.snapshots[target] for files in (before, self) if target in files.snapshots]
        said = [sentence for file in files for sentence in file.warnings]
        said += (
            [sentence for sentence in files[-1].degraded if sentence not in files[0].degraded]
            if files
            else []
        )
        unread = {**before.faults, **self.faults}
        said += [f"The {one} file was not looked at: {fault}" for one, fault in unread.items()]
        return tuple(dict.fromkeys(said))


def readable(hot: HotStore) -> HotFiles:
    """Read both hot files, as far as they can be read."""
    snapshots: dict[Target, HotSnapshot] = {}
    faults: dict[Target, HotFileError] = {}
    for target in TARGETS:
        try:
            snapshots[target] = hot.read(target)
        except HotFileError as error:
            faults[target] = error
    return HotFiles(snapshots, faults)
