"""SQLite files: opened late, migrated once, explicit transactions, readers that never wait for a writer."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from memorycore.errors import InvalidInput, StoreCorrupt, StoreError, StoreTooNew, StoreUnavailable

Migration = str | Callable[[sqlite3.Connection], None]
"""One step of a schema: a script of SQL statements, or a function that runs inside the same transaction."""

# Closing a file of our own would drop the locks that SQLite holds on it anywhere in this process, so
# the file is made (and closed) only while no one here is opening one.
_opening = threading.Lock()
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_ASK_AGAIN_MS = 20  # within it SQLite asks after 1, 2, 5 and 10 ms
_CONTENDED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class Database:
    """A SQLite file with a schema of ours, one connection per thread.

    The constructor opens nothing; the first use makes the directory (mode 0700) and the file (0600)
    and brings the schema up to date, once however many processes start together. Journal mode is WAL
    with full sync, deleted content is overwritten. After a fork the child opens connections of its
    own; those of the parent are never touched there.

    `connected` is called with every new connection, outside any transaction.
    """

    def __init__(
        self,
        path: Path,
        *,
        application_id: int,
        migrations: Sequence[Migration],
        busy_timeout: float = 10.0,
        connected: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        self.path = path
        self._application_id = application_id
        self._migrations = tuple(migrations)
        self._busy_timeout = busy_timeout
        self._connected = connected
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}
        self._lock = threading.Lock()
        self._closed = False

    @property
    def schema_version(self) -> int:
        """The schema version that this code writes."""
        return len(self._migrations)

    @contextmanager
    def atomic(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one write transaction: all of it or, if it raises, nothing."""
        with self._errors():
            connection = self._connection()
            self._wait_for_turn(connection)
            with committed(connection):
                yield connection

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Run the block's reads on one snapshot; takes no write lock and waits for no writer."""
        with self._errors():
            connection = self._connection()
            connection.execute("BEGIN")
            with committed(connection):
                yield connection

    def scrub(self) -> bool:
        """Bring the file up to date and empty the WAL, which still holds pages from before a deletion.

        Does not wait: False if another connection needs the WAL just now.
        """
        with self._errors():
            connection = self._connection()
            connection.execute("PRAGMA busy_timeout = 0")
            try:
                return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                connection.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout * 1000)}")

    def vacuum(self) -> None:
        """Rewrite the file and empty the WAL, so that nothing deleted can be read from either.

        Raises `StoreUnavailable` when other connections keep the WAL in use for too long.
        """
        with self._errors():
            connection = self._connection()
            connection.execute("VACUUM")
            deadline = time.monotonic() + self._busy_timeout
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise StoreUnavailable(
                        f"{self.path.name}-wal is in use by another process and may still hold deleted text.",
                        advice="Close other programs that use this store and run the purge again.",
                    )
                time.sleep(0.05)

    def close(self) -> None:
        """Close the connections of all threads; later use raises `StoreUnavailable`."""
        with self._lock:
            self._closed = True
            for key in [key for key in self._connections if key[0] == os.getpid()]:
                self._connections.pop(key).close()

    def _wait_for_turn(self, connection: sqlite3.Connection) -> None:
        # Left alone, SQLite asks ever more rarely for the lock, and a busy store starves who waits longest.
        deadline = time.monotonic() + self._busy_timeout
        connection.execute(f"PRAGMA busy_timeout = {_ASK_AGAIN_MS}")
        try:
            while True:
                try:
                    connection.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if _code(error) not in _CONTENDED or time.monotonic() > deadline:
                        raise
                else:
                    return
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout * 1000)}")

    def _connection(self) -> sqlite3.Connection:
        key = (os.getpid(), threading.get_ident())
        connection = self._connections.get(key)
        if connection is not None:
            return connection
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self.path} was closed.", advice="Open a new store.")
            self._close_connections_of_ended_threads()
            self._connections[key] = connection = self._open()
        return connection

    def _close_connections_of_ended_threads(self) -> None:
        threading.current_thread()  # makes threads that Python did not start known to `enumerate`
        alive = {thread.ident for thread in threading.enumerate()}
        for pid, ident in list(self._connections):
            if pid == os.getpid() and ident not in alive:
                self._connections.pop((pid, ident)).close()

    def _open(self) -> sqlite3.Connection:
        with _opening:
            self._make_file()
            # Each connection serves one thread; others only ever close it.
            connection = sqlite3.connect(
                self.path, timeout=self._busy_timeout, isolation_level=None, check_same_thread=False
            )
        try:
            self._check_identity(connection)
            self._use_wal(connection)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            self._migrate(connection)
            if self._connected is not None:
                self._connected(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _make_file(self) -> None:
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError as error:
            if not self.path.is_file():
                raise self._no_place(error) from error
        except OSError as error:
            raise self._no_place(error) from error

    def _no_place(self, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(
            f"The directory {self.path.parent} can't hold {self.path.name}: {error.strerror}.",
            advice="Make it writable, or point MEMORYCORE_HOME at a directory that is.",
        )

    def _check_identity(self, connection: sqlite3.Connection) -> None:
        application_id, version, tables = connection.execute(
            "SELECT (SELECT application_id FROM pragma_application_id),"
            " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
        ).fetchone()
        if application_id != self._application_id and tables:
            raise StoreTooNew(
                f"{self.path} belongs to another application.",
                advice="Move it away, or point MEMORYCORE_HOME at another directory.",
            )
        if version > self.schema_version:
            raise StoreTooNew(
                f"{self.path} has schema {version}; this version knows schemas up to {self.schema_version}.",
                advice="Upgrade MemoryCore.",
            )

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        # Changing the mode asks for an exclusive lock without the usual wait, so we do the waiting.
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if _code(error) not in _CONTENDED or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if self._version(connection) == self.schema_version:
            return
        connection.execute("BEGIN IMMEDIATE")
        with committed(connection):
            self._check_identity(connection)
            for migration in self._migrations[self._version(connection) :]:
                _run_migration(connection, migration)
            connection.execute(f"PRAGMA application_id = {self._application_id}")
            connection.execute(f"PRAGMA user_version = {self.schema_version}")

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        return version

    def _errors(self) -> AbstractContextManager[None]:
        return _Translated(self.path)


def _run_migration(connection: sqlite3.Connection, migration: Migration) -> None:
    if callable(migration):
        migration(connection)
        return
    statement = ""
    for piece in migration.rstrip(" \n;").split(";"):  # `executescript` would commit first
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def stamp(at: datetime | None) -> str | None:
    """Return a time as the stores keep it: ISO 8601 in UTC, which sorts as text. Raises `InvalidInput`."""
    if at is None:
        return None
    if at.tzinfo is None:
        raise InvalidInput(f"The time {at} has no zone.", advice="Give an aware time, best in UTC.")
    try:
        return at.astimezone(UTC).isoformat()
    except OverflowError as error:
        raise InvalidInput(f"The time {at} has no place in UTC.", advice="Give a time of our era.") from error


def moment(text: str | None) -> datetime | None:
    """Return the time that `stamp` wrote."""
    return None if text is None else datetime.fromisoformat(text)


@contextmanager
def committed(connection: sqlite3.Connection) -> Iterator[None]:
    """End the transaction that was begun: COMMIT after the block, ROLLBACK if it raises."""
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            with suppress(sqlite3.Error):  # the first error is the one to report
                connection.execute("ROLLBACK")
        raise


class _Translated:
    """Turns the errors of SQLite into ours."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise _translation(self._path, error) from error
        if isinstance(error, UnicodeEncodeError):
            raise broken_character() from error


def _translation(path: Path, error: sqlite3.Error) -> StoreError:
    code = _code(error)
    if code in _CORRUPT:
        return _corrupt(path, str(error))
    if code in _CONTENDED:
        return StoreUnavailable(
            f"{path} is being written by another process for too long.",
            advice="Try again; if it lasts, look for a program that hangs with this file open.",
        )
    if code == sqlite3.SQLITE_FULL:
        return StoreUnavailable(f"There is no room left for {path}.", advice="Free space on this disk.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StoreUnavailable(
            f"{path} can't be written: {error}.", advice=f"Make {path.parent} and the files in it writable."
        )
    return StoreUnavailable(f"{path} can't be used: {error}.", advice="Run `memorycore doctor` for details.")


def broken_character() -> InvalidInput:
    """Return the error about a text that UTF-8 has no bytes for."""
    return InvalidInput(
        "The text holds half of a surrogate pair, which no file can hold.",
        advice="Replace or remove the broken character.",
    )


def _corrupt(path: Path, what: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"{path} is damaged or no database ({what}); it was left as it is.",
        advice="Restore it from a copy, or move it away to start with an empty one.",
    )


def _code(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF  # the primary code, without its extension
