"""The package as users get it: from a wheel, in an environment of its own, put by it into that of Hermes."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.hermes.host import NAME, hermes_python

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
OURS = ("memorycore", "_memorycore", "__pycache__")


def run(*command, code=0, **variables):
    done = subprocess.run(
        [str(part) for part in command],
        cwd=os.sep,  # not the repository, which would be imported from there
        env=variables or {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stdout[-2_000:] + done.stderr[-2_000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this repository; the build may need a package index."""
    directory = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", directory, REPOSITORY)
    (built,) = directory.glob("*.whl")
    return built


@pytest.fixture
def environment(tmp_path):
    """Make environments that have what that of HERMES_PYTHON has, but for MemoryCore."""
    python = hermes_python("run_agent, pip")
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    links = tmp_path / "packages"
    links.mkdir()
    for path in packages.iterdir():
        if not path.name.startswith(OURS) and path.suffix != ".pth":
            (links / path.name).symlink_to(path)

    def make(name):
        run(python, "-m", "venv", "--without-pip", tmp_path / name)
        bin_ = tmp_path / name / "bin"
        own = run(bin_ / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        (Path(own) / "links.pth").write_text(f"{links}\n")
        (bin_ / "hermes").write_text(f"#!{bin_}/python\nfrom hermes_cli.main import main\nmain()\n")
        (bin_ / "hermes").chmod(0o755)
        return bin_

    return make


def test_a_wheel_brings_the_plugin_and_puts_itself_beside_hermes(environment, wheel, tmp_path):
    ours, theirs = environment("our own"), environment("theirs")
    run(ours / "python", "-m", "pip", "install", "--quiet", "--no-deps", wheel)
    home = tmp_path / "hermes"
    home.mkdir()
    config = home / "config.yaml"
    config.write_text("# mine\nmodel: {default: fake}\n")
    before = config.read_bytes()
    variables = {
        "PATH": f"{theirs}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "HERMES_HOME": str(home),
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
    }

    def memorycore(*command, code=0):
        return json.loads(run(ours / "memorycore", "hermes", *command, code=code, **variables))

    assert "pip install" in memorycore("status", code=1)["parts"][0]["detail"]
    assert shlex.quote(str(wheel)) in memorycore("status", code=1)["parts"][0]["detail"]
    assert memorycore("install", "--pip")["status"] == "installed"
    found = memorycore("status")
    assert {one["state"] for one in found["parts"]} == {"installed"}
    server = yaml.safe_load(config.read_text())["mcp_servers"]["memorycore"]
    assert server["command"] == str(ours / "memorycore-mcp")
    assert "available ✓" in run(theirs / "hermes", "memory", "status", **variables)
    assert "recall" in run(theirs / "hermes", "mcp", "test", "memorycore", **variables)
    assert str(tmp_path / ".memorycore") in run(theirs / "hermes", "memorycore", "status", **variables)
    where = run(theirs / "python", "-c", "import memorycore; print(memorycore.__file__)")
    assert where.startswith(str(theirs.parent))
    assert memorycore("uninstall")["files"] == [str(home / "plugins" / NAME)]
    assert config.read_bytes() == before
