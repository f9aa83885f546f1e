"""`memorycore hermes`: plugin, provider and server go into a home of Hermes, and come out again."""

import json
import shlex
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from memorycore.faces.about import installed_version
from memorycore.faces.cli import app
from memorycore.faces.hosts import launch_command
from memorycore.faces.installing import hermes_home
from memorycore.faces.installing.edits import BACKUP
from memorycore.faces.installing.hermes_home import PLUGIN
from memorycore.faces.installing.hermes_plugin import RECORD
from memorycore.settings import Settings

CONFIG = """\
# my Hermes
model:
  default: fake-model  # fast
memory:
  memory_enabled: true
  provider: honcho   # for now
mcp_servers:
  # the time
  time:
    command: uvx
    args: [mcp-server-time]
"""


def python_that_says(path, **answer):
    answer = {"hermes": True, "pip": True, "mcp": True, **answer}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {shlex.quote(json.dumps(answer))}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True, name="home")
def hermes_in_use(tmp_path, monkeypatch):
    """A home of Hermes with a provider and a server, and a `hermes` whose Python has this MemoryCore."""
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    home = tmp_path / "h 记"
    home.mkdir()
    (home / "config.yaml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("HOME", str(tmp_path))
    python_that_says(tmp_path / "v/bin/python", version=installed_version())
    (tmp_path / "v/bin/hermes").write_text(f"#!{tmp_path}/v/bin/python\nimport hermes_cli\n")
    (tmp_path / "v/bin/hermes").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/v/bin:/usr/bin:/bin")
    return home


@pytest.fixture(autouse=True, name="source")
def plugin_of_two_files(tmp_path, monkeypatch):
    """A plugin of two files in two directories."""
    source = tmp_path / "repo" / PLUGIN
    (source / "inner").mkdir(parents=True)
    (source / "__init__.py").write_text("# register_memory_provider\n")
    (source / "inner" / "words.txt").write_text("a\n")
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "x.pyc").write_bytes(b"x")
    monkeypatch.setattr(hermes_home, "plugin_source", lambda: source)
    return source


def call(*arguments, code=0):
    result = CliRunner().invoke(app, ("hermes", *arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def data(*arguments, code=0):
    return json.loads(call(*arguments, code=code).stdout)


def states(*arguments, code=0):
    return {part["name"]: part["state"] for part in data("status", *arguments, code=code)["parts"]}


def config(home):
    return yaml.safe_load((home / "config.yaml").read_text(encoding="utf-8"))


def tree(directory):
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and BACKUP not in path.name
    }


def test_the_life_of_an_installation(home):
    assert states(code=1) == {
        "package": "installed",
        "plugin": "absent",
        "provider": "different",
        "command": "absent",
        "server": "absent",
    }
    before = tree(home)
    done = data("install")
    assert done["status"] == "installed"
    assert any("honcho" in note for note in done["notes"])
    assert set(states().values()) == {"installed"}
    plugin = tree(home / "plugins" / PLUGIN)
    assert plugin.keys() == {"__init__.py", "inner/words.txt", RECORD}
    again = data("install")
    assert (again["status"], again["files"], again["backups"]) == ("unchanged", [], [])
    assert data("uninstall")["status"] == "removed"
    assert tree(home) == before
    assert not (home / "plugins" / PLUGIN).exists()
    assert data("uninstall")["status"] == "absent"


def test_the_config_says_what_hermes_needs_and_keeps_the_rest(home):
    data("install")
    known = config(home)
    assert known["memory"] == {"memory_enabled": True, "provider": PLUGIN}
    server = known["mcp_servers"]["memorycore"]
    assert [server["command"], *server["args"]] == launch_command()
    assert server["env"] == {"MEMORY_DIR": str(home / "memories"), "HERMES_HOME": str(home)}
    assert server["tools"] == {"resources": False, "prompts": False}
    assert server["timeout"] >= 300
    assert known["mcp_servers"]["time"] == yaml.safe_load(CONFIG)["mcp_servers"]["time"]
    text = (home / "config.yaml").read_text(encoding="utf-8")
    assert all(comment in text for comment in ("# my Hermes", "# fast", "# for now", "# the time"))


def test_a_dry_run_lists_files_and_diff_and_writes_nothing(home):
    before = tree(home)
    for arguments in (("install", "--dry-run"), ("install", "--dry-run", "--text")):
        assert f"provider: {PLUGIN}" in call(*arguments).stdout
    assert len(data("install", "--dry-run")["files"]) == 2
    assert tree(home) == before
    data("install")
    after = tree(home)
    assert "provider: honcho" in data("uninstall", "--dry-run")["diff"]
    assert tree(home) == after


@pytest.mark.parametrize(
    ("flag", "parts"),
    [("--no-provider", {"server"}), ("--no-mcp", {"package", "plugin", "provider", "command"})],
)
def test_half_an_installation(home, flag, parts):
    before = tree(home)
    data("install", flag)
    assert states(flag) == dict.fromkeys(parts, "installed")
    assert "absent" in states(code=1).values()
    data("uninstall", flag)
    assert tree(home) == before


def test_the_former_provider_comes_back_though_hermes_wrote_the_file_anew(home):
    data("install")
    known = config(home)
    (home / "config.yaml").write_text(yaml.safe_dump({**known, "new": 1}), encoding="utf-8")
    data("uninstall")
    assert config(home) == {**yaml.safe_load(CONFIG), "new": 1, "plugins": {"enabled": []}}


def test_the_command_is_listed_beside_other_plugins_and_alone_taken_out(home):
    path = home / "config.yaml"
    listing = "plugins:\n  # mine\n  enabled:\n    - notes # n\n  disabled: [old]\n"
    path.write_text(CONFIG + listing, encoding="utf-8")
    before = tree(home)
    data("install")
    assert config(home)["plugins"] == {"enabled": ["memorycore", "notes"], "disabled": ["old"]}
    assert states()["command"] == "installed"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "new: 1\n", encoding="utf-8")
    data("uninstall")
    assert path.read_text(encoding="utf-8").endswith(listing + "new: 1\n")
    path.write_text(text, encoding="utf-8")
    data("uninstall")
    assert tree(home) == before


def test_a_command_that_was_switched_off_stays_so_and_is_said(home):
    data("install")
    path = home / "config.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("plugins:\n", "plugins:\n  disabled: [memorycore]\n"), encoding="utf-8")
    assert "hermes plugins enable memorycore" in call("status", "--text", code=1).stdout
    assert data("install")["status"] == "unchanged"
    assert states(code=1)["command"] == "different"


def test_another_provider_chosen_since_is_left_alone(home):
    data("install")
    path = home / "config.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(PLUGIN, "mem0"), encoding="utf-8")
    assert states(code=1)["provider"] == "different"
    data("uninstall")
    assert config(home)["memory"]["provider"] == "mem0"


def test_an_older_plugin_is_brought_up_to_date(home, source):
    data("install")
    (source / "__init__.py").write_text("# register_memory_provider, better\n")
    (source / "inner" / "words.txt").unlink()
    (source / "more.py").write_text("")
    assert states(code=1)["plugin"] == "outdated"
    assert data("install")["backups"] == []
    assert states()["plugin"] == "installed"
    assert tree(home / "plugins" / PLUGIN).keys() == {"__init__.py", "more.py", RECORD}
    data("uninstall")
    assert config(home)["memory"]["provider"] == "honcho"


def test_a_plugin_that_other_hands_changed_is_kept_beside(home, source):
    data("install")
    path = home / "plugins" / PLUGIN / "__init__.py"
    path.write_text("# mine\n")
    assert states(code=1)["plugin"] == "different"
    (kept,) = data("install")["backups"]
    assert Path(kept).read_text() == "# mine\n"
    assert not kept.endswith(".py")
    path.write_text("# mine\n")
    assert any("__init__.py" in note for note in data("uninstall")["notes"])
    assert path.read_text() == "# mine\n"


def test_a_linked_plugin_is_used_and_unlinked(home, source):
    (home / "plugins").mkdir()
    (home / "plugins" / PLUGIN).symlink_to(source)
    before = tree(source)
    assert data("install")["files"] == []
    assert set(states().values()) == {"installed"}
    data("uninstall")
    assert not (home / "plugins" / PLUGIN).exists()
    assert tree(source) == before


def test_a_server_that_is_switched_off_or_gone_is_not_installed(home):
    data("install")
    path = home / "config.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("    timeout:", "    enabled: false\n    timeout:"), encoding="utf-8")
    assert states(code=1)["server"] == "different"
    path.write_text(text.replace(launch_command()[0], "/gone/python"), encoding="utf-8")
    assert states(code=1)["server"] == "outdated"
    data("install")
    assert states()["server"] == "installed"


def test_a_home_without_a_config_gets_one_and_loses_it(home):
    (home / "config.yaml").unlink()
    data("install")
    assert config(home).keys() == {"memory", "plugins", "mcp_servers"}
    data("uninstall")
    assert not (home / "config.yaml").exists()


@pytest.mark.parametrize("text", ["memory: [\n", "- a\n", "memory: text\n", "a: &m {}\nmemory: *m\n"])
def test_a_config_that_cant_be_edited_is_left_alone(home, text):
    (home / "config.yaml").write_text(text)
    before = tree(home)
    assert "config.yaml" in call("install", code=1).stderr
    assert tree(home) == before
