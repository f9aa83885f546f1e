"""`memorycore hermes`: plugin, provider and server go into a home of Hermes, and come out again."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from memorycore.errors import HostConfigError
from memorycore.faces.about import installed_version
from memorycore.faces.cli import app
from memorycore.faces.hosts import launch_command
from memorycore.faces.installing import hermes_home, hermes_python
from memorycore.faces.installing.edits import BACKUP
from memorycore.faces.installing.hermes_home import PLUGIN, home_of, plugin_source
from memorycore.faces.installing.hermes_plugin import RECORD
from memorycore.settings import Settings, for_hermes, served_home

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


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
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


@pytest.fixture(autouse=True)
def source(tmp_path, monkeypatch):
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


def test_profiles_have_homes_of_their_own(home):
    for name in ("coder", "writer"):
        (home / "profiles" / name).mkdir(parents=True)
    assert home_of(None) == home
    assert home_of("coder") == home / "profiles" / "coder"
    (home / "active_profile").write_text("writer\n")
    assert home_of(None) == home / "profiles" / "writer"
    assert home_of("default") == home
    done = data("install", "--profile", "coder")
    assert done["home"] == str(home / "profiles" / "coder")
    env = config(home / "profiles" / "coder")["mcp_servers"]["memorycore"]["env"]
    assert env["HERMES_HOME"] == done["home"]
    assert "profile" in call("install", "--profile", "../x", code=2).stderr
    assert "no Hermes home" in call("install", "--profile", "nobody", code=1).stderr


def served_env(hermes):
    return config(hermes)["mcp_servers"]["memorycore"]["env"]


def test_each_profile_has_one_memory_whatever_profile_is_in_use(home, monkeypatch):
    """Its server is told the home that the plugin takes by itself; that of another profile never leaks in."""
    coder, writer = (home / "profiles" / name for name in ("coder", "writer"))
    coder.mkdir(parents=True)
    writer.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(coder))
    for name, hermes in (("coder", coder), ("writer", writer), ("default", home)):
        data("install", "--profile", name)
        env = served_env(hermes)
        assert env["MEMORY_DIR"] == str(hermes / "memories")
        assert served_home(hermes) == for_hermes(hermes).home
        assert env.get("MEMORYCORE_HOME") == (None if hermes is home else str(hermes / "memorycore"))
        assert set(states("--profile", name).values()) == {"installed"}


@pytest.mark.parametrize("where", ["/srv/memory", "${WHERE}"])
def test_the_home_and_the_variables_that_a_registration_names_stay(home, monkeypatch, where):
    monkeypatch.setenv("WHERE", "/srv/memory")
    monkeypatch.setenv("MEMORYCORE_HOME", "/srv/memory")
    data("install")
    monkeypatch.delenv("MEMORYCORE_HOME")
    path = home / "config.yaml"
    hand = f"MEMORYCORE_HOME: {where}\n      MEMORYCORE_EMBEDDER: none\n      LANG: C\n"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("MEMORYCORE_HOME: /srv/memory\n", hand), encoding="utf-8")
    before = served_env(home)
    assert data("install")["status"] == "unchanged"
    assert set(states().values()) == {"installed"}
    assert served_env(home) == before
    assert before["MEMORYCORE_EMBEDDER"] == "none"


def test_two_homes_for_one_hermes_are_said(home, monkeypatch, tmp_path):
    data("install")
    monkeypatch.setenv("MEMORYCORE_HOME", str(tmp_path / "else where"))
    found = {part["name"]: part for part in data("status", code=1)["parts"]}
    assert (found["server"]["state"], found["home"]["state"]) == ("different", "different")
    assert all(str(tmp_path / name) in found["home"]["detail"] for name in ("else where", ".memorycore"))
    data("install")
    assert set(states().values()) == {"installed"}
    monkeypatch.delenv("MEMORYCORE_HOME")
    assert set(states().values()) == {"installed"}


def test_a_profile_in_use_is_the_one_that_is_meant(home, monkeypatch):
    profile = home / "profiles" / "coder"
    profile.mkdir(parents=True)
    monkeypatch.setenv("HERMES_HOME", str(profile))
    assert home_of(None) == profile
    assert home_of("default") == home


def test_a_managed_hermes_is_left_to_its_manager(home):
    (home / ".managed").touch()
    assert "managed" in call("install", code=1).stderr


def test_a_missing_plugin_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr("memorycore.__file__", str(tmp_path / "site" / "memorycore" / "__init__.py"))
    with pytest.raises(HostConfigError, match=PLUGIN):
        plugin_source()
    place = tmp_path / "site" / "memorycore" / "hermes_plugin" / PLUGIN
    place.mkdir(parents=True)
    (place / "__init__.py").touch()
    assert plugin_source() == place


@pytest.mark.slow
def test_the_real_hermes_sees_what_was_installed(home, monkeypatch):
    python = os.environ.get("HERMES_PYTHON")
    if not python:
        pytest.skip("HERMES_PYTHON does not name an interpreter with Hermes Agent")
    (home / "config.yaml").write_text(CONFIG.replace("honcho", "''"), encoding="utf-8")
    plugin = """
from agent.memory_provider import MemoryProvider
class Toy(MemoryProvider):
    name = "memorycore-prefetch"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
def register(ctx): ctx.register_memory_provider(Toy())
"""
    (hermes_home.plugin_source() / "__init__.py").write_text(plugin)
    data("install", "--force", "--python", python)

    def said(*arguments):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "HERMES_HOME": str(home), "NO_COLOR": "1"}
        command = [python, "-m", "hermes_cli.main", *arguments]
        return subprocess.run(
            command, check=True, env=environment, capture_output=True, text=True, timeout=120
        ).stdout

    servers = said("mcp", "list")
    assert "memorycore" in servers
    assert "time" in servers
    status = said("memory", "status")
    assert PLUGIN in status
    assert "available ✓" in status
    said("config", "set", "memory.nudge_interval", "7")
    data("uninstall")
    assert "memorycore" not in said("mcp", "list")
    assert PLUGIN not in said("memory", "status")
    assert config(home)["memory"]["nudge_interval"] == 7
