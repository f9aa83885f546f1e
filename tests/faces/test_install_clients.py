"""`memorycore install` and `uninstall` on files as they are found: edited, backed up, or left alone."""

import json
import os
import stat
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from memorycore.errors import HostConfigError, InvalidInput
from memorycore.faces.cli import app
from memorycore.faces.hosts import launch_command
from memorycore.faces.installing.clients import CLIENTS, Places, client_named
from memorycore.faces.installing.edits import BACKUP, Edit
from memorycore.faces.installing.registering import installation, removal
from memorycore.settings import HOST_VARIABLES, Settings
from tests.faces.servers import server_env

MARKS = (".claude", ".config/Claude", ".cursor", ".config/Code/User", ".codex", ".gemini")
LINUX_FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
SERVER = {"command": "/opt/m", "args": [], "env": {}}


@pytest.fixture(autouse=True)
def user(tmp_path, monkeypatch):
    """A user who has all clients and a home with a blank and Chinese letters; the project is empty."""
    home = tmp_path / "用户 home"
    for mark in MARKS:
        (home / mark).mkdir(parents=True)
    project = tmp_path / "project"
    project.mkdir()
    for name in (*HOST_VARIABLES, "HERMES_HOME", *(str(one.alias) for one in Settings.model_fields.values())):
        monkeypatch.delenv(name, raising=False)
    for name, value in server_env(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HERMES_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMORYCORE_HOME", str(home / "记忆"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(project)
    return home


def call(*arguments, code=0):
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def data(*arguments, code=0):
    return json.loads(call(*arguments, code=code).stdout)


def backups(path):
    return sorted(path.parent.glob(f"{path.name}{BACKUP}*"))


def entry_in(path, client):
    text = path.read_text(encoding="utf-8-sig")
    parsed = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return parsed[CLIENTS[client].section]["memorycore"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_gets_the_server_and_loses_it_again(user, client):
    path = user / LINUX_FILES[client]
    done = data("install", client)
    assert (done["status"], done["path"], done["backup"]) == ("installed", str(path), None)
    entry = entry_in(path, client)
    assert [entry["command"], *entry.get("args", [])] == launch_command()
    assert entry["env"]["MEMORYCORE_HOME"] == str(user / "记忆")
    assert Path(entry["command"]).is_absolute()
    again = data("install", client)
    assert (again["status"], again["diff"], again["notes"]) == ("unchanged", "", [])
    assert backups(path) == []
    assert data("uninstall", client)["status"] == "removed"
    assert not path.exists()
    assert data("uninstall", client)["status"] == "absent"


@pytest.mark.parametrize("client", [name for name, client in CLIENTS.items() if client.project_file])
def test_a_project_has_a_file_of_its_own(client):
    path = Path.cwd() / CLIENTS[client].project_file
    done = data("install", client, "--scope", "project")
    assert done["path"] == str(path)
    assert any("commit" in note for note in done["notes"])
    assert entry_in(path, client)["command"] == launch_command()[0]
    assert data("uninstall", client, "--scope", "project")["status"] == "removed"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_shows_the_diff_and_writes_nothing(user, client):
    path = user / LINUX_FILES[client]
    done = data("install", client, "--dry-run")
    assert (done["status"], done["dry_run"]) == ("installed", True)
    assert "+" in done["diff"]
    assert launch_command()[0] in done["diff"]
    assert not path.exists()
    shown = call("install", client, "--dry-run", "--text").stdout
    assert "would be installed" in shown


@pytest.mark.parametrize(
    ("platform", "client", "where"),
    [
        ("darwin", "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("win32", "vscode", "AppData/Roaming/Code/User/mcp.json"),
        ("win32", "codex", ".codex/config.toml"),
    ],
)
def test_each_system_has_its_places(tmp_path, platform, client, where):
    places = Places(home=tmp_path, project=tmp_path, variables={}, platform=platform)
    assert CLIENTS[client].file("user", places) == tmp_path / where


@pytest.mark.parametrize(
    ("variable", "client", "where", "platform"),
    [
        ("APPDATA", "vscode", "Code/User/mcp.json", "win32"),
        ("CLAUDE_CONFIG_DIR", "claude-code", ".claude.json", "linux"),
        ("CODEX_HOME", "codex", "config.toml", "linux"),
        ("GEMINI_CLI_HOME", "gemini", ".gemini/settings.json", "linux"),
        ("XDG_CONFIG_HOME", "claude-desktop", "Claude/claude_desktop_config.json", "linux"),
    ],
)
def test_variables_of_the_clients_are_honoured(tmp_path, monkeypatch, variable, client, where, platform):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path / "else where"))
    assert CLIENTS[client].file("user", Places.here()) == tmp_path / "else where" / where
    monkeypatch.setenv(variable, "some/where")
    with pytest.raises(HostConfigError, match=variable):
        CLIENTS[client].file("user", Places.here())


FOUND = [
    ("cursor", b'{\n\t// mine\n\t"mcpServers": {\n\t\t"a": {"url": "http://x"}, // why\n\t},\n}\n'),
    ("vscode", b'{\r\n  "inputs": [],\r\n  "servers": {\r\n  }\r\n}\r\n'),
    ("claude-code", b'{"numStartups": 3, "projects": {"/a": {"mcpServers": {}}}, "mcpServers": {}}'),
    ("claude-desktop", b"\xef\xbb\xbf{}"),
    ("gemini", b""),
    ("gemini", b"{}\n"),
    ("codex", b"# mine\nmodel = 'o'\n\n[mcp_servers.a]\ncommand = 'x' # c\n\n# the end"),
]


@pytest.mark.parametrize(("client", "content"), FOUND)
def test_a_file_is_backed_up_and_comes_back_to_the_byte(user, client, content):
    path = user / LINUX_FILES[client]
    path.write_bytes(content)
    path.chmod(0o640)
    done = data("install", client)
    assert Path(done["backup"]).read_bytes() == content
    assert [stat.S_IMODE(one.stat().st_mode) for one in (path, *backups(path))] == [0o640, 0o640]
    assert path.read_bytes().startswith(content[:1])
    assert data("install", client)["status"] == "unchanged"
    data("uninstall", client)
    assert path.read_bytes() == content


def test_what_others_wrote_meanwhile_survives_the_removal(user):
    path = user / ".cursor/mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    data("install", "cursor")
    path.write_text(path.read_text().replace('"x"', '"y"'))
    data("uninstall", "cursor")
    assert path.read_text() == '{"mcpServers": {"a": {"command": "y"}}}'


def test_an_entry_is_brought_up_to_date_and_keeps_what_is_not_ours(user):
    path = user / ".cursor/mcp.json"
    env = {"MEMORY_DIR": "/old", "LANG": "C", "MEMORYCORE_EMBED_API_KEY": "kept"}
    old = {"command": "/gone", "args": ["x"], "disabled": True, "env": env}
    path.write_text(json.dumps({"mcpServers": {"memorycore": old}}, indent=2))
    assert data("install", "cursor")["status"] == "updated"
    entry = entry_in(path, "cursor")
    assert [entry["command"], *entry["args"]] == launch_command()
    assert entry["disabled"] is True
    assert {name: entry["env"].get(name) for name in env} == {
        **env,
        "MEMORY_DIR": os.environ.get("MEMORY_DIR"),
    }


def test_a_time_limit_that_the_user_chose_stays(user):
    path = user / ".codex/config.toml"
    path.write_text("[mcp_servers.memorycore]\ncommand = 'x'\ntool_timeout_sec = 5\n")
    data("install", "codex")
    assert entry_in(path, "codex")["tool_timeout_sec"] == 5
    assert entry_in(path, "codex")["startup_timeout_sec"] > 10


@pytest.mark.parametrize("entry", [{"url": "http://x"}, "text", []])
def test_a_server_of_another_kind_is_not_replaced_unasked(user, entry):
    path = user / ".cursor/mcp.json"
    path.write_text(json.dumps({"mcpServers": {"memorycore": entry}}))
    for command in ("install", "uninstall"):
        assert "--force" in call(command, "cursor", code=1).stderr
    assert json.loads(path.read_text())["mcpServers"]["memorycore"] == entry
    data("install", "cursor", "--force")
    assert "url" not in entry_in(path, "cursor")


@pytest.mark.parametrize(
    ("client", "content", "said"),
    [
        ("claude-code", b'{\n  "a": 1,\n}', "line 3"),
        ("cursor", b'{\n  "a": 1\n  "b": 2\n}', "line 3"),
        ("codex", b"a = 1\nb =\n", "line 2"),
        ("gemini", b'{"a": "\xff"}', "line 1"),
        ("gemini", b"[]", "object"),
    ],
)
def test_a_malformed_file_is_named_by_line_and_left_alone(user, client, content, said):
    path = user / LINUX_FILES[client]
    path.write_bytes(content)
    for command in ("install", "uninstall"):
        stderr = call(command, client, code=1).stderr
        assert said in stderr
        assert str(path) in stderr
    assert path.read_bytes() == content
    assert backups(path) == []


def test_a_link_stays_a_link(user, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    path = user / ".cursor/mcp.json"
    path.symlink_to(real)
    data("install", "cursor")
    assert path.is_symlink()
    assert entry_in(real, "cursor")
    assert [one.read_text() for one in backups(path)] == ["{}"]


def test_a_read_only_file_is_left_alone(user):
    path = user / ".cursor/mcp.json"
    path.write_text("{}")
    path.chmod(0o444)
    assert "read-only" in call("install", "cursor", code=1).stderr
    assert (path.read_text(), backups(path)) == ("{}", [])


def test_a_place_that_is_no_directory_is_said(user):
    (user / ".gemini").rmdir()
    (user / ".gemini").write_text("")
    assert ".gemini" in call("install", "gemini", code=1).stderr


def test_a_huge_file_is_edited_in_its_place(user):
    path = user / ".claude.json"
    document = {"history": [{"display": f"x{number} // no"} for number in range(20_000)], "mcpServers": {}}
    path.write_text(json.dumps(document, indent=2))
    before = path.read_text()
    data("install", "claude-code")
    assert entry_in(path, "claude-code")
    data("uninstall", "claude-code")
    assert path.read_text() == before


def test_a_client_that_was_never_used_is_not_invented(user):
    (user / ".gemini").rmdir()
    assert "Gemini CLI has not been used" in call("install", "gemini", code=1).stderr
    assert not (user / ".gemini").exists()
    assert data("install", "gemini", "--force")["status"] == "installed"


def test_a_file_that_changes_under_our_hands_is_left_to_the_other(user):
    path = user / ".cursor/mcp.json"
    path.write_text("{}")
    edit = installation(CLIENTS["cursor"], "user", Places.here(), SERVER)
    path.write_text('{"a": 1}')
    with pytest.raises(HostConfigError, match="changed"):
        edit.write(datetime.now(UTC))
    assert (path.read_text(), backups(path)) == ('{"a": 1}', [])


NAMES = st.sampled_from(["mcpServers", "memorycore", "a", "é//", ""]) | st.text(max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
DOCUMENTS = st.dictionaries(
    NAMES, LEAVES | st.dictionaries(NAMES.filter(lambda name: name != "memorycore"), LEAVES), max_size=4
)


def holds_for_any_document(tmp_path_factory, document, indent, touched):
    """Unless another program writes the file meanwhile; then it is the same document."""
    home = tmp_path_factory.mktemp("any")
    places = Places(home=home, project=home, variables={}, platform="linux")
    client, path, now = CLIENTS["cursor"], home / ".cursor/mcp.json", datetime(2026, 1, 1, tzinfo=UTC)
    path.parent.mkdir()
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    before = path.read_bytes()
    if not isinstance(document.get("mcpServers", {}), dict | None):
        with pytest.raises(HostConfigError):
            installation(client, "user", places, SERVER)
        return
    installation(client, "user", places, SERVER).write(now)
    assert not installation(client, "user", places, SERVER).changes
    if touched:
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=3), encoding="utf-8")
    removal(client, "user", places).write(now)
    left = json.loads(path.read_bytes())
    assert {**left, "mcpServers": left.get("mcpServers") or None} == {
        **document,
        "mcpServers": document.get("mcpServers") or None,
    }
    assert touched or path.read_bytes() == before


CASES = given(DOCUMENTS, st.sampled_from([None, 2, "\t"]), st.booleans())
test_any_document_comes_back_to_the_byte = settings(max_examples=8)(CASES(holds_for_any_document))
test_many_documents_come_back_to_the_byte = pytest.mark.slow(
    settings(max_examples=200)(CASES(holds_for_any_document))
)


def test_two_backups_of_one_second_are_two_files(user):
    path, now = user / "x.json", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    for before, after in ((None, b"1"), (b"1", b"2"), (b"2", b"3")):
        Edit(path, before, after).write(now)
    assert [one.name for one in backups(path)] == [
        f"x.json{BACKUP}20260102T030405Z",
        f"x.json{BACKUP}20260102T030405Z-02",
    ]
    assert [one.read_bytes() for one in backups(path)] == [b"1", b"2"]


@pytest.mark.parametrize(("client", "path"), [("cursor", "/a/${HOME}/b"), ("gemini", "/a/$x/b")])
def test_a_path_that_the_client_would_rewrite_is_refused(client, path):
    with pytest.raises(HostConfigError, match="variable"):
        installation(CLIENTS[client], "user", Places.here(), {**SERVER, "command": path})


def test_no_secret_is_written(user, monkeypatch):
    monkeypatch.setenv("MEMORYCORE_EMBED_API_KEY", "hush-hush")
    done = call("install", "cursor").stdout
    assert "hush" not in done + (user / ".cursor/mcp.json").read_text()
    assert "config.toml" in done


def test_a_hermes_home_of_its_own_goes_along(user, monkeypatch, tmp_path):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "h"))
    data("install", "cursor")
    assert entry_in(user / ".cursor/mcp.json", "cursor")["env"]["HERMES_HOME"] == str(tmp_path / "h")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("emacs",), "claude-code, claude-desktop"),
        (("hermes",), "memorycore hermes install"),
        (("claude-desktop", "--scope", "project"), "--scope"),
        (("cursor", "--scope", "world"), "user or project"),
    ],
)
def test_wrong_use_is_answered_with_what_is_right(arguments, said):
    assert said in call("install", *arguments, code=2).stderr


def test_hosts_says_that_it_can_be_written():
    assert "memorycore install" in call("hosts").stderr


def test_unknown_clients_are_refused():
    with pytest.raises(InvalidInput):
        client_named("")
