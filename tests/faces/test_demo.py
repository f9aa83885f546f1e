"""The demo runs by itself, from the installed package and from a script of one's own."""

import subprocess
import sys

import pytest

from tests.faces.servers import ROOT, server_env


@pytest.fixture
def demo(tmp_path):
    def run(*arguments, code=0):
        result = subprocess.run(
            [sys.executable, "-m", "memorycore", "demo", *arguments],
            env=server_env(tmp_path, MEMORYCORE_EMBEDDER="auto"),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result.stdout

    return run


@pytest.mark.slow
def test_the_demo_finds_what_it_stored_and_leaves_nothing_behind(demo, tmp_path):
    told = demo()
    words = (
        "Storing",
        "Recalling",
        "Forgetting",
        "Overflowing",
        "made room",
        "Auditing",
        "Undoing",
        "undone",
        "stale",
    )
    for word in words:
        assert word in told
    assert not (tmp_path / "memorycore").exists()


@pytest.mark.slow
def test_a_script_of_ones_own_runs_and_its_home_can_be_kept(demo, tmp_path):
    demo("--facts", str(ROOT / "examples" / "facts.toml"), "--keep", str(tmp_path / "kept"))
    assert (tmp_path / "kept" / "memories" / "USER.md").exists()


def test_a_home_in_use_and_a_script_that_is_none_are_refused(demo, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    demo("--keep", str(tmp_path / "full"), code=2)
    (tmp_path / "odd.toml").write_text("[[facts]]\ncontents = 'x'")
    demo("--facts", str(tmp_path / "odd.toml"), code=2)
    demo("--facts", str(tmp_path / "missing.toml"), code=2)
