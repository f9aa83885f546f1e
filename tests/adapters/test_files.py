"""Whole files: replaced at once, with their mode and links, without leftovers; one writer at a time."""

import errno
import os
import stat
import threading
import time

import pytest

from memorycore.adapters import files
from memorycore.adapters.files import TEMP_PREFIX, locked, read_whole, write_whole
from memorycore.errors import HotFileBusy, HotFileUnreadable, HotFileUnwritable


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def refuse(monkeypatch):
    """Let the rename fail a number of times with an errno, without the pauses between."""

    def install(times, number):
        real, calls = os.replace, []

        def replace(source, target):
            calls.append(target)
            if len(calls) <= times:
                raise OSError(number, os.strerror(number))
            real(source, target)

        monkeypatch.setattr(os, "replace", replace)
        monkeypatch.setattr(files, "_RETRY_PAUSES", (0.0,) * 5)
        return calls

    return install


def test_no_file_is_none_and_a_written_one_comes_back(tmp_path):
    path = tmp_path / "MEMORY.md"
    assert read_whole(path) is None
    write_whole(path, b"a\xc2\xa7")
    assert read_whole(path) == b"a\xc2\xa7"
    assert [item.name for item in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_new_file_is_for_its_owner_and_an_old_one_keeps_its_mode(tmp_path):
    path = tmp_path / "MEMORY.md"
    write_whole(path, b"a")
    assert mode(path) == 0o600
    path.chmod(0o640)
    write_whole(path, b"b")
    assert mode(path) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "notes.md", tmp_path / "MEMORY.md"
    real.write_bytes(b"a")
    link.symlink_to(real)
    write_whole(link, b"b")
    assert link.is_symlink()
    assert real.read_bytes() == b"b"


@pytest.mark.parametrize("number", [errno.EBUSY, errno.EACCES, errno.EXDEV])
def test_a_rename_that_is_refused_twice_is_tried_again(tmp_path, refuse, number):
    path = tmp_path / "MEMORY.md"
    calls = refuse(2, number)
    write_whole(path, b"a")
    assert path.read_bytes() == b"a"
    assert len(calls) == 3


def test_a_rename_that_stays_refused_leaves_the_file_and_no_temporary_one(tmp_path, refuse):
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"old")
    refuse(99, errno.EBUSY)
    with pytest.raises(HotFileBusy, match="can't be replaced"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_full_disk_is_no_matter_of_waiting(tmp_path, refuse):
    path = tmp_path / "MEMORY.md"
    calls = refuse(99, errno.ENOSPC)
    with pytest.raises(HotFileUnwritable, match="No space left"):
        write_whole(path, b"new")
    assert len(calls) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_write_into_nowhere_is_told(tmp_path):
    link = tmp_path / "MEMORY.md"
    link.symlink_to(tmp_path / "missing" / "notes.md")
    with pytest.raises(HotFileUnwritable):
        write_whole(link, b"a")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HotFileUnwritable), locked(tmp_path / "file" / "MEMORY.md", 1):
        pass


def test_what_is_no_readable_file_is_told(tmp_path):
    (tmp_path / "MEMORY.md").mkdir()
    with pytest.raises(HotFileUnreadable, match=r"MEMORY\.md can't be read"):
        read_whole(tmp_path / "MEMORY.md")


def test_only_old_temporary_files_of_ours_are_swept(tmp_path):
    old, fresh, foreign = (
        tmp_path / name for name in (f"{TEMP_PREFIX}old.tmp", f"{TEMP_PREFIX}new.tmp", ".mem_abc.tmp")
    )
    for path in (old, fresh, foreign):
        path.write_bytes(b"left by a killed writer")
    for path in (old, foreign):
        os.utime(path, (time.time() - 3_600,) * 2)
    write_whole(tmp_path / "MEMORY.md", b"a")
    assert not old.exists()
    assert fresh.exists()
    assert foreign.exists()


def test_the_lock_excludes_threads_and_its_file_stays_the_same(tmp_path):
    path = tmp_path / "home" / "MEMORY.md"
    with locked(path, 1):
        lock = tmp_path / "home" / "MEMORY.md.lock"
        inode = lock.stat().st_ino
        seen = []

        def other():
            try:
                with locked(path, 0.05):
                    seen.append("in")
            except HotFileBusy as error:
                seen.append(error.message)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert "locked by another program" in seen[0]
    with locked(path, 1):
        assert lock.stat().st_ino == inode
    assert lock.stat().st_ino == inode


def test_the_lock_is_the_flock_that_hermes_waits_for(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "MEMORY.md"
    with (tmp_path / "MEMORY.md.lock").open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(HotFileBusy), locked(path, 0.05):
            pass
        fcntl.flock(held, fcntl.LOCK_UN)
        with locked(path, 1), pytest.raises(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_lock_is_given_back_when_the_edit_fails(tmp_path):
    path = tmp_path / "MEMORY.md"
    with pytest.raises(KeyError), locked(path, 1):
        raise KeyError
    with locked(path, 0.05):
        pass
