"""Settings inside Hermes: the same stores as the MCP server, a setup that keeps what stands in the file."""

from __future__ import annotations

import tomllib

import pytest
import yaml

from memorycore.errors import SettingsError
from memorycore.faces.hermes import setup
from memorycore.settings import Settings, for_hermes


@pytest.fixture(autouse=True)
def hermes(tmp_path, monkeypatch):
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / ".hermes"))
    (tmp_path / ".hermes").mkdir()
    return tmp_path / ".hermes"


def registered(hermes, env, command="/opt/venv/bin/memorycore-mcp", **more):
    config = {"mcp_servers": {"mine": {"command": command, "args": [], "env": env} | more}}
    (hermes / "config.yaml").write_text(yaml.safe_dump(config))


def test_the_files_and_limits_are_those_of_the_host(hermes, tmp_path):
    known = for_hermes(hermes)
    assert (known.hot_dir, known.home) == (hermes / "memories", tmp_path / ".memorycore")
    assert known.hot_limits == {"memory": 2_200, "user": 1_375}
    (hermes / "config.yaml").write_text("memory: {memory_char_limit: 3000}")
    assert for_hermes(hermes).hot_limits == {"memory": 3_000, "user": 1_375}


def test_a_profile_has_stores_of_its_own_and_so_has_its_mcp_server(hermes, monkeypatch):
    profile = hermes / "profiles" / "coder"
    assert for_hermes(profile).home == profile / "memorycore"
    monkeypatch.setenv("HERMES_HOME", str(profile))
    assert Settings.load().home == profile / "memorycore"
    assert for_hermes(hermes).home != profile / "memorycore"
    monkeypatch.setenv("MEMORYCORE_HOME", "/elsewhere")
    assert (Settings.load().home, for_hermes(profile).home) == (for_hermes(hermes).home,) * 2


@pytest.mark.parametrize(
    ("command", "args"), [("/opt/venv/bin/memorycore-mcp", []), ("python", ["-m", "memorycore.server"])]
)
def test_what_the_registered_server_is_given_holds_here_too(hermes, monkeypatch, command, args):
    monkeypatch.setenv("WHERE", "/srv/memory")
    env = {
        "MEMORYCORE_HOME": "${WHERE}",
        "MEMORYCORE_EMBED_URL": "http://127.0.0.1:1/v1",
        "MEMORY_DIR": "/other",
    }
    registered(hermes, env | {"MEMORYCORE_EMBED_MODEL": "${env:UNSET}"}, command, args=args)
    known = for_hermes(hermes)
    assert (str(known.home), known.embed_url, known.embed_model) == (
        "/srv/memory",
        env["MEMORYCORE_EMBED_URL"],
        None,
    )
    assert known.hot_dir == hermes / "memories"
    monkeypatch.setenv("MEMORYCORE_HOME", "/mine")
    assert str(for_hermes(hermes).home) == "/mine"


@pytest.mark.parametrize("server", [{"command": "npx"}, {"enabled": False}])
def test_other_servers_say_nothing_of_ours(hermes, tmp_path, server):
    registered(hermes, {"MEMORYCORE_HOME": "/srv"}, **server)
    assert for_hermes(hermes).home == tmp_path / ".memorycore"


def test_values_are_kept_beside_what_stands_in_the_file(tmp_path):
    home = tmp_path / "mc"
    home.mkdir()
    (home / "config.toml").write_text("# mine\nprefetch_chars = 900  # few\ntrash_days = 9\n")
    setup.save({"prefetch_chars": "1200", "index_topics": 'tea, "设备"', "prefetch_enabled": "no"}, home)
    text = (home / "config.toml").read_text()
    assert text.startswith("# mine\n")
    assert tomllib.loads(text) == {
        "prefetch_chars": 1_200,
        "trash_days": 9,
        "index_topics": 'tea, "设备"',
        "prefetch_enabled": False,
    }


@pytest.mark.parametrize("values", [{"home": "/x"}, {"prefetch_chars": "many"}, {"prefetch_chars": "1"}])
def test_what_cannot_be_used_is_refused_and_nothing_is_written(tmp_path, values):
    with pytest.raises(SettingsError):
        setup.save(values, tmp_path / "mc")
    assert not (tmp_path / "mc").exists()


def test_a_file_that_cannot_be_edited_line_by_line_stays(tmp_path):
    home = tmp_path / "mc"
    home.mkdir()
    text = 'index_topics = """\nprefetch_chars = 3\n"""\n'
    (home / "config.toml").write_text(text)
    with pytest.raises(SettingsError, match="line by line"):
        setup.save({"prefetch_chars": "900"}, home)
    assert (home / "config.toml").read_text() == text


def test_the_setup_switches_provider_and_command_on_and_keeps_other_plugins(hermes, capsys):
    saved = []
    config = {"memory": {"memory_enabled": True}, "plugins": {"enabled": ["other"]}}
    setup.run(str(hermes), config, saved.append, "memorycore-prefetch")
    assert saved == [
        {
            "memory": {"memory_enabled": True, "provider": "memorycore-prefetch"},
            "plugins": {"enabled": ["memorycore", "other"]},
        }
    ]
    assert "hermes memorycore status" in capsys.readouterr().out


def test_every_question_is_a_setting():
    assert {question["key"] for question in setup.config_schema()} <= set(Settings.model_fields)
