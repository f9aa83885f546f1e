"""`memorycore hermes` and the homes: of each profile, of the server and the plugin, which share one."""

import shutil

import pytest

from memorycore.errors import HostConfigError
from memorycore.faces.installing.hermes_home import PLUGIN, home_of, plugin_source
from memorycore.settings import for_hermes, served_home
from tests.faces.test_install_hermes import (
    call,
    config,
    data,
    hermes_in_use,  # noqa: F401
    plugin_of_two_files,  # noqa: F401
    states,
)


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


def test_a_copied_profile_gets_a_memory_of_its_own(home):
    coder, writer = (home / "profiles" / name for name in ("coder", "writer"))
    coder.mkdir(parents=True)
    data("install", "--profile", "coder")
    shutil.copytree(coder, writer)
    assert states("--profile", "writer", code=1)["server"] == "different"
    data("install", "--profile", "writer")
    assert set(states("--profile", "writer").values()) == {"installed"}
    assert served_home(writer) == for_hermes(writer).home == writer / "memorycore"


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
