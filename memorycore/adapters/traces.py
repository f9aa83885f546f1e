"""Searches all files of a home and a hot directory for what should be gone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from memorycore.adapters.files import TEMP_PREFIX, TEMP_SUFFIX
from memorycore.adapters.hot_markdown import FILE_NAMES, SIDECAR_NAMES
from memorycore.engine.traces import Trace, TraceReport
from memorycore.errors import StoreUnavailable

_SEARCH = Path(__file__).with_name("trace_search.py")
_TIMEOUT_SECONDS = 600
_WASTE = (f"{TEMP_PREFIX}*{TEMP_SUFFIX}", "*.meta.json.broken*")
_OURS = (
    *FILE_NAMES.values(),
    *SIDECAR_NAMES.values(),
    *(f"{name}.lock" for name in FILE_NAMES.values()),
    *_WASTE,
)
_THE_USERS = ("config.toml", "lexicons/*")


class FileTraces:
    """All files below the home, and those that lie in the hot directory itself."""

    def __init__(self, home: Path, hot_dir: Path) -> None:
        self._home = home
        self._hot_dir = hot_dir

    def search(self, forms: Mapping[str, bytes]) -> TraceReport:
        """Count each form in each file; temporary files of ours that hold one are removed first.

        Raises `StoreUnavailable` when the search can't run.
        """
        report = self._search(forms)
        waste = {trace.file for trace in report.found if _matches(Path(trace.file).name, _WASTE)}
        for file in waste:
            Path(file).unlink(missing_ok=True)
        return self._search(forms) if waste else report

    def _search(self, forms: Mapping[str, bytes]) -> TraceReport:
        files = {str(path): ours for path, ours in self._files()}
        asked = {"files": list(files), "forms": {name: form.hex() for name, form in forms.items()}}
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(_SEARCH)],
                input=json.dumps(asked),
                capture_output=True,
                text=True,
                check=True,
                timeout=_TIMEOUT_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise StoreUnavailable(
                f"The files could not be searched: {type(error).__name__}.",
                advice="What was purged is purged; run the purge again for its proof.",
            ) from error
        told = json.loads(done.stdout)
        return TraceReport(
            files=told["files"],
            bytes=told["bytes"],
            forms=dict.fromkeys(forms, 0) | _sums(told["found"]),
            found=tuple(
                Trace(file=file, form=form, count=count, ours=files[file])
                for file, form, count in told["found"]
            ),
            unread=tuple(told["unread"]),
        )

    def _files(self) -> Iterator[tuple[Path, bool]]:
        """Yield each file once, and whether it is ours to clean."""
        seen: set[Path] = set()
        for root, paths in ((self._hot_dir, self._hot_dir.glob("*")), (self._home, self._home.rglob("*"))):
            for path in sorted(paths):
                if path.is_file() and path not in seen:
                    seen.add(path)
                    yield path, self._is_ours(path, root)

    def _is_ours(self, path: Path, root: Path) -> bool:
        if root == self._hot_dir:
            return _matches(path.name, _OURS)
        return not _matches(path.relative_to(root).as_posix(), _THE_USERS)


def _sums(found: list[tuple[str, str, int]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for _, form, count in found:
        sums[form] += count
    return sums


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)
