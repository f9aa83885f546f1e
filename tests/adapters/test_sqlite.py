"""The file under every store: opened late, migrated once, never overwritten when it is not ours."""

import multiprocessing
import sqlite3
import stat
import threading

import pytest

from memorycore.adapters.sqlite import Database
from memorycore.errors import InvalidInput, StoreCorrupt, StoreTooNew, StoreUnavailable

APPLICATION = 77
FIRST = "CREATE TABLE notes (text TEXT UNIQUE); INSERT INTO notes VALUES ('a; b');"
SECOND = "CREATE TABLE more (n INTEGER); CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM more; END;"


def database(path, *migrations, **options):
    return Database(path, application_id=APPLICATION, migrations=migrations or (FIRST,), **options)


def texts(db):
    with db.read() as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def add(db, text):
    with db.atomic() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (text,))


def test_nothing_is_made_before_the_first_use(tmp_path):
    db = database(tmp_path / "new" / "a.db")
    db.close()
    assert list(tmp_path.iterdir()) == []


def test_files_are_for_their_owner_only(tmp_path):
    path = tmp_path / "home" / "a.db"
    db = database(path)
    add(db, "x")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    db.close()


def test_migrations_run_in_order_and_once(tmp_path):
    path = tmp_path / "a.db"
    old = database(path)
    assert texts(old) == ["a; b"]
    old.close()
    new = database(path, FIRST, SECOND, lambda c: c.execute("INSERT INTO notes VALUES ('third')"))
    assert texts(new) == texts(new) == ["a; b", "third"]
    assert new.schema_version == 3
    new.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "a.db"
    old = database(path)
    texts(old)
    old.close()
    broken = database(path, FIRST, "CREATE TABLE half (n); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(StoreUnavailable):
        texts(broken)
    broken.close()
    again = database(path)
    with again.read() as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    again.close()


def _open_and_add(path, number):
    db = database(path, FIRST, SECOND)
    add(db, f"from {number}")
    db.close()


def test_processes_that_start_together_migrate_once(tmp_path):
    path = tmp_path / "home" / "a.db"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_open_and_add, args=(path, number)) for number in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    db = database(path, FIRST, SECOND)
    assert sorted(texts(db)) == ["a; b", "from 0", "from 1", "from 2", "from 3"]
    db.close()


def test_a_block_that_raises_writes_nothing(tmp_path):
    db = database(tmp_path / "a.db")
    with pytest.raises(StoreUnavailable), db.atomic() as connection:
        connection.executemany("INSERT INTO notes VALUES (?)", [("lost",), ("a; b",)])
    assert texts(db) == ["a; b"]
    add(db, "kept")
    assert texts(db) == ["a; b", "kept"]
    db.close()


def test_a_read_sees_one_snapshot_and_waits_for_no_writer(tmp_path):
    db = database(tmp_path / "a.db", busy_timeout=0.1)
    writer = database(tmp_path / "a.db")
    with writer.atomic() as held:
        held.execute("INSERT INTO notes VALUES ('new')")
        assert texts(db) == ["a; b"]
    with db.read() as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (2,)
        add(writer, "newer")
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (2,)
    assert len(texts(db)) == 3
    db.close()
    writer.close()


def test_a_writer_that_waits_too_long_is_told_so(tmp_path):
    db = database(tmp_path / "a.db", busy_timeout=0.05)
    writer = database(tmp_path / "a.db")
    texts(db)
    with writer.atomic(), pytest.raises(StoreUnavailable, match="another process"):
        add(db, "x")
    add(db, "x")
    db.close()
    writer.close()


@pytest.mark.parametrize("content", [b"hello", b"x" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_what_is_no_database_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "a.db"
    path.write_bytes(content)
    db = database(path)
    with pytest.raises(StoreCorrupt, match=r"a\.db"):
        texts(db)
    db.close()
    assert path.read_bytes() == content


def test_a_damaged_page_is_told_as_damage(tmp_path):
    path = tmp_path / "a.db"
    db = database(path)
    with db.atomic() as connection:
        connection.executemany("INSERT INTO notes VALUES (?)", ((f"{n} {'x' * 100}",) for n in range(500)))
    db.vacuum()
    db.close()
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt):
        texts(db := database(path))
    db.close()


def test_a_newer_schema_is_refused(tmp_path):
    newer = database(tmp_path / "a.db", FIRST, SECOND)
    texts(newer)
    newer.close()
    with pytest.raises(StoreTooNew, match="schema 2"):
        texts(db := database(tmp_path / "a.db"))
    db.close()


def test_the_database_of_another_application_is_refused(tmp_path):
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("CREATE TABLE theirs (n)")
    connection.close()
    with pytest.raises(StoreTooNew, match="another application"):
        texts(db := database(tmp_path / "a.db"))
    db.close()


def test_an_unusable_directory_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "a.db", tmp_path):
        with pytest.raises(StoreUnavailable, match=str(path.parent)):
            texts(db := database(path))
        db.close()


def test_a_broken_character_is_refused(tmp_path):
    db = database(tmp_path / "a.db")
    with pytest.raises(InvalidInput):
        add(db, "\ud800")
    assert texts(db) == ["a; b"]
    db.close()


def test_threads_have_connections_of_their_own_and_close_ends_all(tmp_path):
    db = database(tmp_path / "a.db")
    barrier = threading.Barrier(4)

    def work(number):
        barrier.wait()
        for count in range(10):
            add(db, f"{number}-{count}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts(db)) == 41
    db.close()
    db.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        texts(db)


def test_connections_of_ended_threads_do_not_pile_up(tmp_path):
    db = database(tmp_path / "a.db")
    for number in range(20):
        thread = threading.Thread(target=add, args=(db, f"{number}"))
        thread.start()
        thread.join()
    assert len(db._connections) <= 2
    db.close()


def test_what_was_deleted_is_in_no_file_after_a_vacuum(tmp_path):
    db = database(tmp_path / "a.db")
    add(db, "a very secret sentence")
    with db.atomic() as connection:
        connection.execute("DELETE FROM notes WHERE text LIKE '%secret%'")
    db.vacuum()
    assert b"secret" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    db.close()


def test_a_vacuum_that_a_reader_blocks_says_so(tmp_path):
    db, reader = database(tmp_path / "a.db", busy_timeout=0.05), database(tmp_path / "a.db")
    with reader.read() as connection:
        connection.execute("SELECT * FROM notes").fetchall()
        with pytest.raises(StoreUnavailable):
            db.vacuum()
    db.vacuum()
    db.close()
    reader.close()


def test_scrubbing_leaves_nothing_of_what_was_deleted_and_waits_for_nobody(tmp_path):
    path = tmp_path / "a.db"
    db, other = database(path), database(path)
    for number in range(200):
        add(db, f"lighthouse {number}, red and white")
    with db.atomic() as connection:
        connection.execute("DELETE FROM notes WHERE text LIKE 'lighthouse %'")
    with other.read() as connection:
        connection.execute("SELECT count(*) FROM notes").fetchone()
        add(db, "written while the other reads")
        assert not db.scrub()
    assert db.scrub()
    assert not any(b"lighthouse" in file.read_bytes() for file in tmp_path.iterdir())
    add(db, "and on")
    assert texts(other)[-1] == "and on"
    for one in (db, other):
        one.close()
