"""`memorycore doctor`: looks at everything a MemoryCore stands on, changes nothing, says how to mend it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from memorycore.errors import MemoryCoreError, PairModelUnavailable, SettingsError
from memorycore.settings import Settings, hermes_home, served_home

Health = Literal["ok", "warn", "problem"]
MIN_SQLITE = (3, 37, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at; `mend` is the step that puts it right, empty if nothing is wrong."""

    what: str
    health: Health
    detail: str
    mend: str = ""


Check = Callable[[Settings], Iterator[Finding]]


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield the findings, one by one as they are made; the slow ones come last."""
    for check in (
        _runtime,
        _home,
        _hot_files,
        _sidecars,
        _databases,
        _vector_search,
        _pair_model,
        _judge,
        _host,
        _core,
    ):
        yield from check(settings)


def _ok(what: str, detail: str) -> Finding:
    return Finding(what=what, health="ok", detail=detail)


def _problem(what: str, detail: str, mend: str) -> Finding:
    return Finding(what=what, health="problem", detail=detail, mend=mend)


def _warn(what: str, detail: str, mend: str) -> Finding:
    return Finding(what=what, health="warn", detail=detail, mend=mend)


def _runtime(_: Settings) -> Iterator[Finding]:
    yield _ok("python", f"{sys.version.split()[0]} at {sys.executable}")
    if sqlite3.sqlite_version_info >= MIN_SQLITE:
        yield _ok("sqlite", sqlite3.sqlite_version)
    else:
        needed = ".".join(map(str, MIN_SQLITE))
        yield _problem(
            "sqlite", f"{sqlite3.sqlite_version} is too old", f"Use a Python with SQLite {needed}."
        )
    yield _ok("mcp sdk", version("mcp"))


def _home(settings: Settings) -> Iterator[Finding]:
    for what, directory in (("home", settings.home), ("hot directory", settings.hot_dir)):
        there = next(place for place in (directory, *directory.parents) if place.exists())
        if not there.is_dir():
            yield _problem(what, f"{there} is a file", "Move it away or point the setting elsewhere.")
        elif not os.access(there, os.W_OK | os.X_OK):
            yield _problem(what, f"{there} is not writable", f"chmod u+rwx '{there}'")
        elif there == directory:
            yield _ok(what, str(directory))
        else:
            yield _ok(what, f"{directory}, made at the first use")


def _hot_files(settings: Settings) -> Iterator[Finding]:
    try:
        limits = settings.hot_limits
    except SettingsError as error:
        yield _problem("hot limits", error.message, error.advice)
        return
    for name, limit in limits.items():
        path = settings.hot_dir / f"{name.upper()}.md"
        yield _hot_file(path, limit)


def _hot_file(path: Path, limit: int) -> Finding:
    what = path.name
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except FileNotFoundError:
        return _ok(what, "not there yet")
    except UnicodeDecodeError as error:
        at = f"byte 0x{error.object[error.start]:02x} at offset {error.start} is not UTF-8"
        line = error.object.count(b"\n", 0, error.start) + 1
        return _problem(what, f"{at}, in line {line}", f"Open '{path}' in an editor and save it as UTF-8.")
    except OSError as error:
        return _problem(what, f"{path}: {error.strerror}", f"chmod u+rw '{path}'")
    if len(text) > limit:
        mend = "memorycore overflow"
        return _warn(what, f"{len(text):,} characters, {limit:,} is the limit", mend)
    return _ok(what, f"{len(text):,} of {limit:,} characters")


def _sidecars(settings: Settings) -> Iterator[Finding]:
    for name in settings.hot_limits:
        path = settings.hot_dir / f"{name.upper()}.meta.json"
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(known, dict):
                raise TypeError("not an object")
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError) as error:
            mend = f"Move '{path}' away; it is made anew, and ages start over."
            yield _warn(path.name, f"can't be read: {error}", mend)
        else:
            yield _ok(path.name, f"{len(known):,} entries")


def _databases(settings: Settings) -> Iterator[Finding]:
    for what, path in (("cold store", settings.cold_path), ("ledger", settings.ledger_path)):
        yield _database(what, path) if path.exists() else _ok(what, "not there yet")


def _database(what: str, path: Path) -> Finding:
    keep = f"Move '{path}' and its -wal file away, keep them, and restore a backup."
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            schema = connection.execute("PRAGMA user_version").fetchone()[0]
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        return _problem(what, f"{path}: {error}", keep)
    if verdict != "ok":
        return _problem(what, f"{path}: {verdict}", keep)
    size = path.stat().st_size / 1e6
    return _ok(what, f"{path}, schema {schema}, {size:.1f} MB")


def _vector_search(settings: Settings) -> Iterator[Finding]:
    what = "vector search"
    if settings.vector_search == "matrix":
        yield _ok(what, "numpy, as set")
        return
    try:
        _load_sqlite_vec()
    except (ImportError, AttributeError, sqlite3.Error) as error:
        if settings.vector_search == "auto":
            yield _ok(what, f"numpy; sqlite-vec does not load ({error}), which costs nothing but speed")
        else:
            mend = "Set MEMORYCORE_VECTOR_SEARCH=auto, or use a Python whose SQLite loads extensions."
            yield _problem(what, f"sqlite-vec does not load: {error}", mend)
    else:
        yield _ok(what, "sqlite-vec loads")


def _load_sqlite_vec() -> None:
    import sqlite_vec

    connection = sqlite3.connect(":memory:")
    try:
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
    finally:
        connection.close()


def _pair_model(settings: Settings) -> Iterator[Finding]:
    """Have it read one pair."""
    from memorycore.app import choose_pair_model

    what = "pair model"
    model = choose_pair_model(settings)
    if model is None:
        yield _ok(what, "none, as set; the rules alone tell what repeats or outdates what")
        return
    started = time.monotonic()
    try:
        model.compare([("Ben's office is in Ghent.", "Ben works from an office in Ghent.")])
    except PairModelUnavailable as error:
        yield _problem(what, error.message, error.advice)
        return
    yield _ok(what, f"{model.identity}, loaded in {time.monotonic() - started:.1f} s")


def _judge(settings: Settings) -> Iterator[Finding]:
    """Say what is set up; nothing is sent."""
    from memorycore.app import choose_judge

    what = "judge"
    try:
        judge = choose_judge(settings)
    except SettingsError as error:
        yield _problem(what, error.message, error.advice)
        return
    if judge is not None:
        yield _ok(what, f"{judge.identity}, {settings.judge_calls} questions a run at most; not asked here")
    elif settings.llm_model and settings.judge_calls:
        mend = "Set LLM_BASE_URL or LLM_API_KEY, or unset LLM_MODEL."
        yield _warn(what, "a model is named, and neither an endpoint nor a key: the rules decide alone", mend)
    else:
        yield _ok(what, "none; the rules decide alone")


def _host(settings: Settings) -> Iterator[Finding]:
    hermes = hermes_home()
    if hermes is None:
        yield _ok("hermes", "not installed here; hot files are ours alone")
        return
    yield from _served(settings, hermes)
    if settings.hot_dir == hermes / "memories":
        yield _ok("hermes", f"{hermes}; its memory files are the hot tier")
    else:
        mend = f"Unset MEMORY_DIR, or set it to '{hermes / 'memories'}', if Hermes is to share them."
        yield _warn("hermes", f"{hermes} has memory files of its own", mend)


def _served(settings: Settings, hermes: Path) -> Iterator[Finding]:
    """Yield a finding if the server that Hermes starts works on another home."""
    try:
        served = served_home(hermes)
    except SettingsError as error:
        yield _problem("hermes server", error.message, error.advice)
        return
    if served not in {None, settings.home}:
        mend = f"Set MEMORYCORE_HOME alike in the environment and in '{hermes / 'config.yaml'}'."
        yield _warn("hermes server", f"Hermes keeps its facts in {served}, not in {settings.home}", mend)


def _core(settings: Settings) -> Iterator[Finding]:
    from memorycore.app import build

    started = time.monotonic()
    try:
        core = build(settings)
    except MemoryCoreError as error:
        yield _problem("memorycore", error.message, error.advice)
        return
    try:
        core.warm_up()
        usage = core.usage()
    except MemoryCoreError as error:
        yield _problem("memorycore", error.message, error.advice)
        return
    finally:
        core.close()
    yield _embedder(settings, usage.embedder, time.monotonic() - started)
    yield _pending(usage.cold, usage.degraded)
    for reason in usage.degraded:
        yield _warn("degraded", reason, "See the other findings.")


def _embedder(settings: Settings, embedder: dict[str, Any], seconds: float) -> Finding:
    if embedder.get("model"):
        return _ok("embedder", f"{embedder['model']}, ready after {seconds:.1f} s")
    if settings.embedder == "none":
        return _ok("embedder", "none, as set; facts are found by their words")
    return _problem(
        "embedder",
        "no model answers; facts are found by words only",
        "`memorycore config` shows which embedder is set; the log says why it failed.",
    )


def _pending(cold: dict[str, Any], degraded: tuple[str, ...]) -> Finding:
    if "error" in cold:
        return _problem("vectors", str(cold["error"]), "See the cold store above.")
    if cold.get("pending"):
        mend = (
            "memorycore reindex"
            if any("memorycore reindex" in one for one in degraded)
            else "memorycore maintain"
        )
        return _warn("vectors", f"{cold['pending']:,} of {cold['total']:,} missing", mend)
    return _ok("vectors", f"all {cold.get('total', 0):,} records are embedded")
