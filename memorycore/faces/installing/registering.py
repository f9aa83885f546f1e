"""Putting the server into a client's configuration file, and taking it out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memorycore.adapters.files import read_whole
from memorycore.errors import HostConfigError
from memorycore.faces.hosts import is_secret
from memorycore.faces.installing import documents
from memorycore.faces.installing.changes import Put, text_before
from memorycore.faces.installing.clients import SERVER, Client, Places, Scope
from memorycore.faces.installing.edits import Edit, about, backups, encoded, on_disk, text_of
from memorycore.settings import Settings

_START = ("type", "command", "args")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was done to a file, or would be: `status` is installed, updated, unchanged, removed or absent."""

    client: str
    path: str
    status: str
    dry_run: bool
    backup: str | None
    diff: str
    notes: tuple[str, ...]


def installation(
    client: Client, scope: Scope, places: Places, server: dict[str, Any], *, force: bool = False
) -> Edit:
    """Return the edit that registers `server`, a command with args and env, in the client's file.

    An entry of ours is brought up to date: members and variables that are not ours stay. Raises
    `HostConfigError` if the client is not there, the file is malformed or the name is taken by a server
    of another kind; `force` overrides the first and the last.
    """
    path = client.file(scope, places)
    if not force and scope == "user" and not client.is_used(places):
        raise HostConfigError(
            f"{client.title} has not been used here: there is no {client.marks(places)[-1]}.",
            advice="Start it once, or add --force to write the file all the same.",
        )
    _refuse_expansion(client, server)
    before = read_whole(path)
    text, mark = text_of(path, before)
    place = (client.section, SERVER)
    with about(path):
        found = documents.value_at(client.form, text, place)
        if found is not None and not is_ours(found) and not force:
            raise _taken()
        entry = merged(found, {**client.first, **server}, client.usual)
        if documents.same(found, entry):
            return Edit(path, before, before)
        return Edit(path, before, mark + encoded(documents.put(client.form, text, place, entry)))


def removal(client: Client, scope: Scope, places: Places, *, force: bool = False) -> Edit:
    """Return the edit that takes the server out again.

    A file that nobody else has changed since gets back the very text that it had.
    """
    path = client.file(scope, places)
    before = read_whole(path)
    text, mark = text_of(path, before)
    place = (client.section, SERVER)
    with about(path):
        found = documents.value_at(client.form, text, place)
        if before is None or found is None:
            return Edit(path, before, before)
        if not is_ours(found) and not force:
            raise _taken()
        ours = Put(client.form, place, found)
        old = text_before(path, text, [ours])
        if old is None:
            old = ours.taken_back(text)
        return Edit(path, before, mark + encoded(old) if old or list(backups(path)) else None)


def merged(found: Any, server: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    """Return the entry that starts the server as it is now, and keeps what a user set or added besides.

    `usual` and what `server` has beyond the start itself are no more than first values.
    """
    kept = found if is_ours(found) else {}
    entry = {**usual, **server, **kept, **{name: server[name] for name in _START if name in server}}
    old = kept.get("env")
    foreign = {
        name: value for name, value in (old if isinstance(old, dict) else {}).items() if not _is_known(name)
    }
    entry["env"] = {**foreign, **server["env"]}
    if not entry["env"]:
        del entry["env"]
    return {name: entry[name] for name in (*server, *entry) if name in entry}


def is_ours(entry: Any) -> bool:
    """Whether an entry starts a program, as ours does, and is no address of a server elsewhere."""
    return isinstance(entry, dict) and isinstance(entry.get("command"), str)


def carry_out(client: Client, edit: Edit, now: datetime, *, dry_run: bool, notes: tuple[str, ...]) -> Outcome:
    """Write the edit, or only say what it would do."""
    backup = None
    if edit.changes and not dry_run:
        if edit.before is None:
            make_directory(edit.path.parent)
        backup = edit.write(now)
    return Outcome(
        client=client.name,
        path=str(edit.path),
        status=_status(client, edit),
        dry_run=dry_run,
        backup=str(backup) if backup else None,
        diff=edit.diff(),
        notes=notes if edit.changes else (),
    )


def make_directory(path: Path) -> None:
    """Make a directory and those above it. Raises `HostConfigError`."""
    with on_disk(path):
        path.mkdir(parents=True, exist_ok=True)


def _status(client: Client, edit: Edit) -> str:
    def has(data: bytes | None) -> bool:
        text, _ = text_of(edit.path, data)
        return documents.value_at(client.form, text, (client.section, SERVER)) is not None

    had, has_now = has(edit.before), has(edit.after)
    if not edit.changes:
        return "unchanged" if had else "absent"
    return ("updated" if had else "installed") if has_now else "removed"


def _is_known(variable: str) -> bool:
    """Whether a variable is one that we write, so that an old value must not stay."""
    ours = {"HERMES_HOME", *(str(one.alias) for one in Settings.model_fields.values())}
    return variable in ours and not is_secret(variable)


def _refuse_expansion(client: Client, server: dict[str, Any]) -> None:
    for text in (server["command"], *server["args"], *server["env"].values()):
        if client.expands.search(text):
            raise HostConfigError(
                f"{client.title} would replace a variable in {text!r}.",
                advice="Use a path without a dollar sign.",
            )


def _taken() -> HostConfigError:
    return HostConfigError(
        f"It has a {SERVER!r} that is not started as a command, so it is not this one.",
        advice="Rename that one, or add --force.",
    )
