"""`memorycore hermes` and the interpreter of Hermes: found, asked what it has, filled when told to."""

import json
import shlex

import pytest

from memorycore.faces.about import installed_version
from memorycore.faces.installing import hermes_python
from tests.faces.test_install_hermes import (
    call,
    data,
    hermes_in_use,  # noqa: F401
    plugin_of_two_files,  # noqa: F401
    python_that_says,
    states,
    tree,
)


def test_nothing_is_installed_that_hermes_could_not_load(home, tmp_path):
    python_that_says(tmp_path / "v/bin/python", version=None)
    before = tree(home)
    stderr = call("install", code=1).stderr
    assert f"{tmp_path}/v/bin/python -m pip install" in stderr
    assert tree(home) == before
    assert states(code=1)["package"] == "absent"
    assert data("install", "--no-provider")["status"] == "installed"
    assert any("pip install" in note for note in data("install", "--force")["notes"])


def test_pip_runs_only_when_asked_and_its_failure_stops_all(home, tmp_path):
    python = tmp_path / "v/bin/python"
    log = tmp_path / "pip.log"
    answer = shlex.quote(json.dumps({"hermes": True, "version": "0.0.1", "pip": True, "mcp": True}))
    script = f'#!/bin/sh\nif [ "$2" = pip ]; then echo "$@" > {log}; exit 1; fi\necho {answer}\n'
    python.write_text(script)
    before = tree(home)
    assert "pip" in call("install", "--pip", code=1).stderr
    assert log.read_text().split()[:3] == ["-m", "pip", "install"]
    assert tree(home) == before
    log.unlink()
    assert any("0.0.1" in note for note in data("install")["notes"])
    assert not log.exists()
    assert states(code=1)["package"] == "outdated"


def test_pip_that_succeeds_is_told_and_leaves_nothing_to_do(home, tmp_path):
    python = tmp_path / "v/bin/python"
    there = {"hermes": True, "version": installed_version(), "pip": True, "mcp": True}
    before, after = (shlex.quote(json.dumps(there | one)) for one in ({"version": None, "mcp": False}, {}))
    mark = tmp_path / "there"
    python.write_text(
        f'#!/bin/sh\nif [ "$2" = pip ]; then touch {mark}; exit; fi\n'
        f"if [ -e {mark} ]; then echo {after}; else echo {before}; fi\n"
    )
    shown = data("install", "--pip", "--dry-run")
    assert not mark.exists()
    done = data("install", "--pip")
    assert done["notes"] == shown["notes"]
    assert sum("pip install" in note for note in done["notes"]) == 1
    assert set(states().values()) == {"installed"}
    assert data("install", "--pip")["status"] == "unchanged"


def test_an_environment_without_pip_is_filled_by_uv(home, tmp_path):
    python = python_that_says(tmp_path / "v/bin/python", version=None, pip=False)
    assert f"uv pip install --python {python}" in call("install", code=1).stderr


def test_a_hermes_that_cant_use_servers_is_told_how(tmp_path):
    python_that_says(tmp_path / "v/bin/python", version=installed_version(), mcp=False)
    assert any("hermes-agent[mcp]" in note for note in data("install")["notes"])
    assert states(code=1)["mcp"] == "absent"
    command = f"{tmp_path}/v/bin/python -m pip install 'hermes-agent[mcp]'"
    assert command in call("status", "--text", code=1).stdout


def test_without_a_hermes_the_check_is_said_to_be_missing(home, tmp_path):
    (tmp_path / "v/bin/hermes").unlink()
    assert any("nobody has checked" in note for note in data("install")["notes"])
    assert states(code=1)["package"] == "unknown"
    python = str(tmp_path / "v/bin/python")
    assert states("--python", python)["package"] == "installed"
    assert "no Python that has Hermes" in call("status", "--python", "/bin/false", code=1).stderr


WRAPPERS = {
    "blanks": "#!/bin/sh\n'''exec' \"{real}/python3\" \"$0\" \"$@\"\n' '''\nimport sys\n",
    "installer": '#!/usr/bin/env bash\nunset PYTHONPATH\nexec "{real}/hermes" "$@"\n',
    "env": "#!/usr/bin/env python3\n",
}


@pytest.mark.parametrize("kind", WRAPPERS)
def test_the_interpreter_is_found_behind_wrappers(tmp_path, monkeypatch, kind):
    real = tmp_path / "deep venv" / "bin"
    python = python_that_says(real / "python3", version="1")
    target = real if kind == "env" else tmp_path / "bin"
    target.mkdir(exist_ok=True)
    for script, text in ((real / "hermes", f"#!{real}/python3\n"), (target / "hermes", WRAPPERS[kind])):
        script.write_text(text.format(real=real))
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{target}:/usr/bin:/bin")
    assert hermes_python.find(None).path == python


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        (None, f"memorycore-mcp=={installed_version()}"),
        ({"url": "file:///a%20b/memorycore", "dir_info": {"editable": True}}, "/a b/memorycore"),
        ({"url": "file:///a/b.whl", "archive_info": {}}, "/a/b.whl"),
        ({"url": "https://x/b.whl", "archive_info": {}}, "memorycore-mcp @ https://x/b.whl"),
        (
            {"url": "https://x/r", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "memorycore-mcp @ git+https://x/r@c0ffee",
        ),
    ],
)
def test_hermes_gets_memorycore_from_where_this_one_came(monkeypatch, origin, wanted):
    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return json.dumps(origin) if origin else None

    monkeypatch.setattr(hermes_python, "distribution", lambda _: Installed())
    assert hermes_python.requirement() == wanted
