"""`memorycore hermes install` into the real Hermes Agent: what it sees, what it can do, what is left."""

from __future__ import annotations

import shutil

import pytest

from tests.hermes.host import NAME, Host

pytestmark = pytest.mark.slow

KEY = "The garden shed key hangs behind the blue door."
SCRIPT = {"ASK": [("mcp__memorycore__recall", {"query": "garden shed key"}), "ok"]}
QUESTION = "[[ASK]] Where is the key to the garden shed?"
COMMENTED = """\
# my Hermes 记
model:  # on the loopback
  default: fake
  provider: custom
  base_url: "{url}"
  api_key: sk-fake
  context_length: 131072
mcp_discovery_timeout: 20
model_catalog: {{enabled: false}}
skills: {{creation_nudge_interval: 0}}
compression: {{enabled: false}}
security: {{tirith_enabled: false}}

memory:
  memory_enabled: true   # yes
  # how often
  nudge_interval: 0

plugins:
  enabled:
    # none of mine yet
    - notes   # gone long ago
"""


@pytest.fixture
def hermes(tmp_path):
    """A fresh Hermes: no plugin, a config.yaml with comments, nothing said of a home by the environment."""
    host = Host(tmp_path, SCRIPT)
    shutil.rmtree(host.home / "plugins")
    host.environment["MEMORYCORE_HOME"] = ""
    (host.home / "config.yaml").write_text(COMMENTED.format(url=host.model.url), encoding="utf-8")
    yield host
    host.close()


def said(hermes, *command):
    done = hermes.run(*command)
    assert done.returncode == 0, done.stdout + done.stderr + hermes.log()
    return done.stdout


def states(hermes, *options):
    return {one["name"]: one["state"] for one in hermes.memorycore("hermes", "status", *options)["parts"]}


def sees_everything(hermes, *profile):
    """Hold what Hermes itself says of the provider, the server and the command, and one turn of its model."""
    status = said(hermes, *profile, "memory", "status")
    assert NAME in status
    assert "available ✓" in status
    assert "memorycore" in said(hermes, *profile, "mcp", "list")
    assert "recall" in said(hermes, *profile, "mcp", "test", "memorycore")
    assert "blue door" in said(hermes, *profile, "memorycore", "search", "garden shed key")
    said(hermes, *profile, "chat", "-Q", "-q", QUESTION)
    (asked,) = hermes.model.asked()
    assert KEY in asked.partition("<memory-context>")[2]
    assert any(KEY in text for text in hermes.model.tool_results())


def test_what_is_installed_works_and_goes_without_a_trace(hermes):
    path = hermes.home / "config.yaml"
    before = path.read_bytes()
    assert hermes.memorycore("hermes", "install")["status"] == "installed"
    assert set(states(hermes).values()) == {"installed"}
    hermes.memorycore("store", KEY)
    sees_everything(hermes)
    assert str(hermes.root / ".memorycore") in said(hermes, "memorycore", "status")
    assert hermes.memorycore("hermes", "uninstall")["status"] == "removed"
    assert path.read_bytes() == before
    assert not (hermes.home / "plugins" / NAME).exists()
    assert NAME not in said(hermes, "memory", "status")
    assert "memorycore" not in said(hermes, "mcp", "list")


def test_a_profile_has_plugin_server_and_memory_of_its_own(hermes):
    said(hermes, "profile", "create", "coder", "--clone")
    home = hermes.home / "profiles" / "coder"
    before = (home / "config.yaml").read_bytes()
    untouched = (hermes.home / "config.yaml").read_bytes()
    hermes.memorycore("hermes", "install", "--profile", "coder")
    assert set(states(hermes, "--profile", "coder").values()) == {"installed"}
    hermes.environment |= {"MEMORYCORE_HOME": str(home / "memorycore"), "MEMORY_DIR": str(home / "memories")}
    hermes.memorycore("store", KEY)
    hermes.environment = {"MEMORYCORE_HOME": "", "MEMORY_DIR": ""}
    sees_everything(hermes, "-p", "coder")
    assert not (hermes.root / ".memorycore").exists()
    assert (hermes.home / "config.yaml").read_bytes() == untouched
    hermes.memorycore("hermes", "uninstall", "--profile", "coder")
    assert (home / "config.yaml").read_bytes() == before


def test_a_config_that_hermes_wrote_anew_keeps_what_it_wrote(hermes):
    hermes.memorycore("hermes", "install")
    said(hermes, "config", "set", "memory.nudge_interval", "7")
    assert set(states(hermes).values()) == {"installed"}
    hermes.memorycore("hermes", "uninstall")
    text = (hermes.home / "config.yaml").read_text(encoding="utf-8")
    assert "nudge_interval: 7" in text
    assert "notes" in text
    assert "memorycore" not in text
