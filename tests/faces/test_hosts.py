"""What `memorycore hosts` prints can be pasted as it is."""

import json
import shlex
from pathlib import Path

import pytest
import yaml

from memorycore.faces.hosts import hosts, launch_command
from memorycore.settings import load_with_sources


@pytest.fixture
def known(monkeypatch, tmp_path):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setenv("MEMORYCORE_HOME", str(tmp_path / "a home"))
    monkeypatch.setenv("MEMORYCORE_EMBED_API_KEY", "hush-hush")
    return {host.name: host for host in hosts(*load_with_sources())}


def test_hermes_gets_an_absolute_command_its_home_and_no_needless_tools(known, tmp_path):
    host = known["Hermes Agent"]
    assert host.where == str(tmp_path / "config.yaml")
    entry = yaml.safe_load(host.text)["mcp_servers"]["memorycore"]
    assert Path(entry["command"]).is_absolute()
    assert entry["env"] == {
        "HERMES_HOME": str(tmp_path),
        "MEMORY_DIR": str(tmp_path / "memories"),
        "MEMORYCORE_HOME": str(tmp_path / "a home"),
    }
    assert entry["tools"] == {"resources": False, "prompts": False}
    assert entry["timeout"] >= 60


def test_json_hosts_and_the_shell_get_the_same_command(known, tmp_path):
    entry = json.loads(known["Cursor"].text)["mcpServers"]["memorycore"]
    assert [entry["command"], *entry["args"]] == launch_command()
    words = shlex.split(known["Claude Code"].text)
    assert words[words.index("--") + 1 :] == launch_command()
    assert f"MEMORYCORE_HOME={tmp_path / 'a home'}" in words


def test_no_secret_is_printed(known):
    assert all("hush" not in host.text for host in known.values())
