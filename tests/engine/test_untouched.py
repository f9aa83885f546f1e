"""What is as it should be is not written again: same bytes, same inode, same time of change."""

from __future__ import annotations

import json

import pytest

from memorycore.model import text_hash
from memorycore.policy.hot_text import DELIMITER
from tests.engine.helpers import FACT, on_disk, record

ENTRIES = ["Never deploy on Fridays.", "The staging server is called Otter."]
KNOWN = {
    text_hash(text): {"type": "rule", "written_at": "2026-05-01T00:00:00+00:00", "id": f"m_{n}"}
    for n, text in enumerate(ENTRIES)
}


def stamps(folder):
    files = (path for path in folder.iterdir() if path.suffix in {".md", ".json"})
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.fixture
def folder(tmp_path):
    """Hot files written by hand, in a form of sidecar that is not ours."""
    made = tmp_path / "memories"
    made.mkdir()
    for name in ("MEMORY", "USER"):
        (made / f"{name}.md").write_text(DELIMITER.join(ENTRIES), encoding="utf-8")
        (made / f"{name}.meta.json").write_text(json.dumps(KNOWN, indent=7), encoding="utf-8")
    return made


def undo_of_vectors(core):
    core._parts.cold.put(record(FACT), None)
    return core.undo(core.maintain().run)


@pytest.mark.parametrize(
    "call",
    [
        lambda core: core.audit(),
        lambda core: core.overflow(),
        lambda core: core.usage(),
        lambda core: core.history(),
        lambda core: core.store(ENTRIES[0], importance=0.9),
        lambda core: core.forget("m_none"),
        lambda core: core.restore("m_0"),
        lambda core: core.undo("r_none"),
        undo_of_vectors,
        lambda core: core._parts.hot.reconcile("memory", core._parts.hot.read("memory").entries),
    ],
)
def test_a_call_with_nothing_to_do_writes_no_hot_file_and_no_sidecar(call, folder, tmp_path):
    before = stamps(folder)
    with on_disk(tmp_path) as core:
        call(core)
    assert stamps(folder) == before


def test_an_undo_of_what_was_undone_writes_nothing(folder, tmp_path):
    with on_disk(tmp_path) as core:
        run = core.forget("m_1").undo
        core.undo(run)
        before = stamps(folder)
        core.undo(run)
        assert stamps(folder) == before


def test_an_overflow_of_nothing_makes_no_file(tmp_path):
    with on_disk(tmp_path) as core:
        assert {report.run for report in core.overflow().values()} == {None}
    assert not (tmp_path / "memories").exists()


def test_what_the_sidecar_says_of_texts_that_are_gone_goes_also_from_an_empty_file(folder, tmp_path):
    (folder / "MEMORY.md").write_bytes(b"")
    with on_disk(tmp_path) as core:
        core.overflow("memory")
    assert json.loads((folder / "MEMORY.meta.json").read_bytes()) == {}
    assert (folder / "MEMORY.md").read_bytes() == b""
