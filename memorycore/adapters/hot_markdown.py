"""MEMORY.md and USER.md on disk, byte for byte as Hermes Agent reads and writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from memorycore.adapters.files import locked, read_whole, write_whole
from memorycore.adapters.sidecar import Sidecar, SidecarFile
from memorycore.engine.ports import EditOutcome
from memorycore.errors import HotFileUnreadable
from memorycore.model import Entry, HotSnapshot, Target
from memorycore.policy import hot_text

FILE_NAMES: Mapping[Target, str] = {"memory": "MEMORY.md", "user": "USER.md"}
SIDECAR_NAMES: Mapping[Target, str] = {"memory": "MEMORY.meta.json", "user": "USER.meta.json"}

# A reader takes no lock; it reads again when a writer came between the file and its sidecar.
_READ_TRIES = 5


class MarkdownHotStore:
    """The hot files of one directory, with their sidecars.

    `limits` are in characters of the whole file, `lock_timeout` is in seconds. An entry keeps the id
    that it was added with; one that others wrote has an id made from its text. The sidecar is written
    before a text comes and after it goes, so a crash leaves at most an item without an entry. A sidecar
    that can't be read or written stops no edit: the next `read` warns.
    """

    def __init__(
        self,
        directory: Path,
        limits: Mapping[Target, int],
        *,
        lock_timeout: float = 10.0,
        clock: Callable[[], datetime],
    ) -> None:
        self._directory = directory
        self._limits = dict(limits)
        self._lock_timeout = lock_timeout
        self._clock = clock
        self._sidecars = {target: SidecarFile(directory / name) for target, name in SIDECAR_NAMES.items()}

    def read(self, target: Target) -> HotSnapshot:
        """Return the file as it stands; no file is no entries. Takes no lock, writes nothing.

        Raises `HotFileUnreadable`, which names the first byte that is not UTF-8.
        """
        raw, known = self._read_both(target)
        texts = hot_text.parse(raw)
        limit = self._limits[target]
        found = [known.entry(target, text) for text in texts]
        sidecar = self._sidecars[target]
        warnings = (
            *_form_warnings(FILE_NAMES[target], raw, texts, limit),
            *known.warnings,
            *(f"{SIDECAR_NAMES[target]}, {doubt}" for _, doubts in found for doubt in doubts),
            *((sidecar.fault,) if sidecar.fault else ()),
        )
        return HotSnapshot(
            target=target,
            entries=tuple(entry for entry, _ in found),
            chars=len(hot_text.render(texts)),
            limit=limit,
            warnings=warnings,
            degraded=(*known.warnings, *sidecar.set_aside()),
        )

    def add(self, entry: Entry, at: int | None = None) -> EditOutcome:
        """Put the entry at place `at` or, without one, at the end; `present` if the same text is there.

        Raises `HotFileFull`, `InvalidInput`.
        """
        text = hot_text.accepted(entry.text)
        with self._editing(entry.target) as edit:
            if text in edit.texts:
                return "present"
            texts = hot_text.inserted(edit.texts, text, at)
            hot_text.check_room(edit.texts, texts, edit.limit)
            edit.note(replace(entry, text=text))
            edit.write(texts)
        return "done"

    def remove(self, entry: Entry) -> EditOutcome:
        """Take the entry of this text out; `present` if it was not there any more."""
        text = hot_text.normalised(entry.text)
        with self._editing(entry.target) as edit:
            if text not in edit.texts:
                return "present"
            edit.write(tuple(other for other in edit.texts if other != text))
            edit.forget(text)
        return "done"

    def replace(self, before: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `before`, wherever it stands now; `changed` if `before` is gone.

        With the same text in both, only the sidecar changes. Where `after` stands already beside
        `before`, `before` goes. Raises `HotFileFull`, `InvalidInput`.
        """
        hot_text.check_one_file(before, after)
        old, new = hot_text.normalised(before.text), hot_text.accepted(after.text)
        if old == new:
            return self.annotate(after)
        with self._editing(before.target) as edit:
            if old not in edit.texts:
                return "present" if new in edit.texts else "changed"
            texts = tuple(dict.fromkeys(new if text == old else text for text in edit.texts))
            hot_text.check_room(edit.texts, texts, edit.limit)
            edit.note(replace(after, text=new))
            edit.write(texts)
            edit.forget(old)
        return "done"

    def join(self, kept: Entry, gone: Entry, after: Entry) -> EditOutcome:
        """Put `after` in the place of `kept` and take `gone` out, in one write of the file.

        `present` if `after` stands and not both others do, `changed` if one of them is gone without it.
        Raises `HotFileFull`, `InvalidInput`.
        """
        hot_text.check_one_file(kept, gone, after)
        old, other = hot_text.normalised(kept.text), hot_text.normalised(gone.text)
        new = hot_text.accepted(after.text)
        with self._editing(kept.target) as edit:
            if not {old, other} <= set(edit.texts):
                return "present" if new in edit.texts else "changed"
            texts = hot_text.joined(edit.texts, old, other, new)
            hot_text.check_room(edit.texts, texts, edit.limit)
            edit.note(replace(after, text=new))
            edit.write(texts)
            edit.forget(*{old, other} - {new})
        return "done"

    def part(self, joined: Entry, kept: Entry, gone: Entry, at: int | None = None) -> EditOutcome:
        """Put `kept` in the place of `joined` and `gone` at place `at`, in one write of the file.

        `present` if both stand already and `joined` does not, `changed` if `joined` is gone without them.
        Raises `HotFileFull`, `InvalidInput`.
        """
        hot_text.check_one_file(joined, kept, gone)
        whole = hot_text.normalised(joined.text)
        old, other = hot_text.accepted(kept.text), hot_text.accepted(gone.text)
        with self._editing(joined.target) as edit:
            if whole not in edit.texts:
                return "present" if {old, other} <= set(edit.texts) else "changed"
            texts = hot_text.parted(edit.texts, whole, old, other, at)
            hot_text.check_room(edit.texts, texts, edit.limit)
            edit.note(replace(kept, text=old), replace(gone, text=other))
            edit.write(texts)
            edit.forget(*{whole} - {old, other})
        return "done"

    def annotate(self, entry: Entry) -> EditOutcome:
        """Make the sidecar say of this text what `entry` says; `changed` if the text is not in the file."""
        text = hot_text.normalised(entry.text)
        with self._editing(entry.target) as edit:
            if text not in edit.texts:
                return "changed"
            return "done" if edit.note(replace(entry, text=text)) else "present"

    def reconcile(self, target: Target, typed: Sequence[Entry]) -> int:
        """Bring the sidecar in line with the file; return how many of its items changed.

        Items of texts that are gone are dropped; an item without a kind takes it, and what else it lacks,
        from `typed`. Times that nobody knows become now.
        """
        now = self._clock()
        if not typed and not self._orphans(target):
            return 0
        with self._editing(target) as edit:
            named = [replace(entry, text=hot_text.normalised(entry.text)) for entry in typed]
            here = [entry for entry in named if entry.text in edit.texts]
            changed = edit.known.drop_orphans(edit.texts) + sum(edit.known.fill(entry, now) for entry in here)
            if changed:
                edit.sidecar.save(edit.known)
        return changed

    def _orphans(self, target: Target) -> int:
        """Count what the sidecar says of texts that are gone; takes no lock and makes no directory."""
        raw, known = self._read_both(target)
        return known.drop_orphans(hot_text.parse(raw))

    @contextmanager
    def _editing(self, target: Target) -> Iterator[_Edit]:
        path, beside = self._directory / FILE_NAMES[target], self._sidecars[target]
        with locked(path, self._lock_timeout):
            texts = hot_text.parse(_decoded(path, read_whole(path)))
            yield _Edit(path, texts, self._limits[target], beside, beside.load())

    def _read_both(self, target: Target) -> tuple[str, Sidecar]:
        path = self._directory / FILE_NAMES[target]
        data = read_whole(path)
        known = self._sidecars[target].load()
        for _ in range(_READ_TRIES):
            again = read_whole(path)
            if again == data:
                break
            data, known = again, self._sidecars[target].load()
        return _decoded(path, data), known


@dataclass(frozen=True, slots=True)
class _Edit:
    """What an edit works on while it holds the lock: the entries as they stand and what is known of them."""

    path: Path
    texts: tuple[str, ...]
    limit: int
    sidecar: SidecarFile
    known: Sidecar

    def write(self, texts: Sequence[str]) -> None:
        write_whole(self.path, hot_text.render(texts).encode())

    def note(self, *entries: Entry) -> bool:
        changed = sum(self.known.put(entry) for entry in entries) > 0
        if changed:
            self.sidecar.save(self.known)
        return changed

    def forget(self, *texts: str) -> None:
        if sum(self.known.drop(text) for text in texts):
            self.sidecar.save(self.known)


def _decoded(path: Path, data: bytes | None) -> str:
    try:
        return (data or b"").decode()
    except UnicodeDecodeError as error:
        raise HotFileUnreadable(
            f"{path} is not UTF-8: byte 0x{error.object[error.start]:02X} at offset {error.start}.",
            advice="Save the file as UTF-8; it was left as it is, and nothing was written.",
        ) from error


def _form_warnings(name: str, raw: str, texts: Sequence[str], limit: int) -> Iterator[str]:
    if raw.startswith("\ufeff"):
        yield f"{name} begins with a byte order mark; the next write drops it."
    if hot_text.drifted(raw):
        yield f"{name} has empty entries or loose white space; Hermes won't edit it until our next write."
    if any(len(text) > limit for text in texts):
        yield f"{name} has an entry longer than the file's limit of {limit}; Hermes won't edit it."
