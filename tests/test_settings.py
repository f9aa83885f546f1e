"""Settings: one documented answer to every way of giving one, and reading them makes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from memorycore.errors import SettingsError
from memorycore.settings import Settings, hermes_home, load_with_sources


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    """A user without settings, whose home directory is empty."""
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    monkeypatch.delenv("HERMES_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("MEMORYCORE_HOME", str(tmp_path / "mc"))


def config(tmp_path: Path, text: str) -> None:
    (tmp_path / "mc").mkdir(exist_ok=True)
    (tmp_path / "mc" / "config.toml").write_text(text, encoding="utf-8")


def hermes(tmp_path: Path, text: str | None) -> Path:
    home = tmp_path / "user" / ".hermes"
    home.mkdir(parents=True)
    if text is not None:
        (home / "config.yaml").write_text(text, encoding="utf-8")
    return home


def refused(**arguments) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.load(**arguments)
    assert caught.value.advice
    return caught.value.message


def test_argument_beats_environment_beats_file_beats_default(tmp_path, monkeypatch):
    def source_and_value(**arguments):
        settings, sources = load_with_sources(**arguments)
        return settings.state_ttl_days, sources["state_ttl_days"]

    assert source_and_value() == (7, "default")
    config(tmp_path, "state_ttl_days = 8")
    assert source_and_value() == (8, "config.toml")
    monkeypatch.setenv("MEMORYCORE_STATE_TTL_DAYS", "9")
    assert source_and_value() == (9, "environment MEMORYCORE_STATE_TTL_DAYS")
    assert source_and_value(state_ttl_days=10) == (10, "argument")


def test_every_setting_has_a_source():
    _, sources = load_with_sources()
    assert sources.keys() == Settings.model_fields.keys()
    assert sources.pop("home") == "environment MEMORYCORE_HOME"
    assert set(sources.values()) == {"default"}


def test_every_setting_is_read_from_its_variable(monkeypatch):
    named = {str(field.alias) for field in Settings.model_fields.values()}
    assert {name for name in named if not name.startswith("MEMORYCORE_")} == {
        "MEMORY_DIR",
        "ACTIVITY_LOG_ENABLED",
        "LLM_API_KEY",
        "LLM_BASE_URL",
        "LLM_MODEL",
    }
    monkeypatch.setenv("ACTIVITY_LOG_ENABLED", "false")
    monkeypatch.setenv("MEMORYCORE_HALF_LIFE_DAYS", "45.5")
    settings = Settings.load()
    assert (settings.activity_log, settings.half_life_days) == (False, 45.5)
    assert settings.thresholds.half_life_days == 45.5


def test_a_relative_path_is_refused(monkeypatch):
    assert "relative" in refused(home="memories")
    assert "relative" in refused(memory_dir=Path("x/y"))
    monkeypatch.setenv("MEMORYCORE_HOME", "./here")
    assert "MEMORYCORE_HOME" in refused()


def test_a_relative_path_in_the_file_is_refused(tmp_path):
    config(tmp_path, 'memory_dir = "memories"')
    assert "relative" in refused()


def test_the_tilde_is_the_users_home(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYCORE_HOME", "~/deep/mc")
    assert Settings.load().home == tmp_path / "user" / "deep" / "mc"
    assert Settings.load(memory_dir="~").hot_dir == tmp_path / "user"


def test_the_tilde_of_nobody_is_refused():
    assert "home" in refused(home="~no-such-user-here/mc")


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_variable_counts_as_not_set(monkeypatch, value):
    monkeypatch.setenv("MEMORYCORE_STATE_TTL_DAYS", value)
    settings, sources = load_with_sources()
    assert (settings.state_ttl_days, sources["state_ttl_days"]) == (7, "default")


def test_a_parent_that_does_not_exist_is_fine_and_is_not_made(tmp_path):
    settings = Settings.load(home=tmp_path / "a" / "b" / "c")
    assert settings.cold_path == tmp_path / "a" / "b" / "c" / "cold.sqlite3"
    _ = settings.hot_dir, settings.hot_limits, settings.lexicon_dirs, settings.ledger_path
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_key_in_the_file_is_named(tmp_path):
    config(tmp_path, "half_live_days = 3")
    assert "'half_live_days'" in refused()


def test_an_unknown_argument_is_named():
    assert "'colour'" in refused(colour="red")


def test_the_file_can_not_move_its_own_home(tmp_path):
    config(tmp_path, f'home = "{tmp_path}"')
    assert "home" in refused()


@pytest.mark.parametrize("text", ["state_ttl_days = ", "\udcff", "[x"], ids=["half", "bytes", "bracket"])
def test_a_file_that_cannot_be_read_is_named_and_left(tmp_path, text):
    (tmp_path / "mc").mkdir()
    path = tmp_path / "mc" / "config.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    before = path.read_bytes()
    assert "config.toml" in refused()
    assert path.read_bytes() == before


def test_a_home_that_is_a_file_is_told(tmp_path):
    (tmp_path / "mc").write_text("", encoding="utf-8")
    assert "not a directory" in refused()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORYCORE_HOT_LIMIT_MEMORY", "many"),
        ("MEMORYCORE_HOT_LIMIT_MEMORY", "199"),
        ("MEMORYCORE_HOT_LIMIT_USER", "200001"),
        ("MEMORYCORE_STATE_TTL_DAYS", "0"),
        ("MEMORYCORE_EMBED_TIMEOUT", "nan"),
        ("MEMORYCORE_HALF_LIFE_DAYS", "inf"),
        ("MEMORYCORE_EMBEDDER", "best"),
        ("MEMORYCORE_COLD_BACKEND", "cloud"),
        ("ACTIVITY_LOG_ENABLED", "perhaps"),
        ("MEMORYCORE_LOG_LEVEL", "LOUD"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_the_name_of_its_variable(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    message = refused()
    assert name in message
    assert value in message


def test_settings_are_immutable_and_the_constructor_reads_nothing(monkeypatch):
    monkeypatch.setenv("MEMORYCORE_STATE_TTL_DAYS", "9")
    settings = Settings()
    assert settings.state_ttl_days == 7
    with pytest.raises(ValidationError):
        settings.state_ttl_days = 8


def test_secrets_are_in_no_text_about_the_settings(tmp_path):
    settings = Settings.load(embed_api_key="sk-very-secret", llm_api_key="sk-very-secret")
    assert "sk-very-secret" not in f"{settings!r} {settings}"
    config(tmp_path, "embed_api_key = 987654321")
    assert "987654321" not in refused()
    config(tmp_path, "llm_api_key = 987654321")
    assert "987654321" not in refused()


def test_without_hermes_the_hot_files_lie_in_the_home_with_room_for_5000():
    settings = Settings.load()
    assert hermes_home() is None
    assert settings.hot_dir == settings.home / "memories"
    assert settings.hot_limits == {"memory": 5_000, "user": 5_000}


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (None, {"memory": 2_200, "user": 1_375}),
        ("", {"memory": 2_200, "user": 1_375}),
        ("model: x\n", {"memory": 2_200, "user": 1_375}),
        ("memory:\n  memory_char_limit: 3000\n", {"memory": 3_000, "user": 1_375}),
        (
            "memory:\n  memory_char_limit: 3000\n  user_char_limit: 900\n",
            {"memory": 3_000, "user": 900},
        ),
        ("memory:\n  memory_char_limit: lots\n  user_char_limit: true\n", {"memory": 2_200, "user": 1_375}),
        ("memory: on\n", {"memory": 2_200, "user": 1_375}),
        ("- a\n- list\n", {"memory": 2_200, "user": 1_375}),
    ],
    ids=["no config", "empty", "other", "one", "both", "nonsense", "no section", "list"],
)
def test_hermes_limits_hold_where_its_files_are_used(tmp_path, text, limits):
    home = hermes(tmp_path, text)
    settings = Settings.load()
    assert settings.hot_dir == home / "memories"
    assert settings.hot_limits == limits


def test_our_own_limits_overrule_those_of_hermes(tmp_path):
    hermes(tmp_path, "memory:\n  memory_char_limit: 3000\n")
    assert Settings.load(hot_limit_user=700).hot_limits == {"memory": 3_000, "user": 700}


def test_hermes_lies_where_its_variable_says(tmp_path, monkeypatch):
    home = tmp_path / "profile"
    home.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    assert Settings.load().hot_dir == home / "memories"
    assert Settings.load().hot_limits == {"memory": 2_200, "user": 1_375}


def test_a_memory_dir_elsewhere_has_nothing_to_do_with_hermes(tmp_path):
    hermes(tmp_path, "memory:\n  memory_char_limit: 3000\n")
    settings = Settings.load(memory_dir=tmp_path / "own" / "memories")
    assert settings.hot_limits == {"memory": 5_000, "user": 5_000}


def test_a_memory_dir_inside_a_hermes_profile_has_its_limits(tmp_path):
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "config.yaml").write_text("memory:\n  user_char_limit: 800\n", encoding="utf-8")
    settings = Settings.load(memory_dir=profile / "memories")
    assert settings.hot_limits == {"memory": 2_200, "user": 800}


def test_a_hermes_config_that_cannot_be_read_is_told(tmp_path):
    hermes(tmp_path, "memory: [unclosed\n")
    with pytest.raises(SettingsError) as caught:
        _ = Settings.load().hot_limits
    assert "config.yaml" in caught.value.message
    assert "MEMORYCORE_HOT_LIMIT" in caught.value.advice


def test_own_lexicons_are_found_in_the_home(tmp_path):
    assert Settings.load().lexicon_dirs == ()
    (tmp_path / "mc" / "lexicons").mkdir(parents=True)
    assert Settings.load().lexicon_dirs == (tmp_path / "mc" / "lexicons",)
    assert Settings.load(lexicon_dir=tmp_path).lexicon_dirs == (tmp_path,)


def test_a_config_file_that_is_not_of_hermes_sets_no_limits(tmp_path, monkeypatch):
    monkeypatch.delenv("HERMES_HOME", raising=False)
    for content in ("name: my web app\n", "a: [1\n"):
        (tmp_path / "config.yaml").write_text(content)
        assert Settings(memory_dir=tmp_path / "memories").hot_limits == {"memory": 5_000, "user": 5_000}


def test_limits_that_are_set_do_not_ask_a_broken_hermes(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    (tmp_path / "config.yaml").write_text("a: [1\n")
    own = Settings(hot_limit_memory=900, hot_limit_user=800)
    assert own.hot_limits == {"memory": 900, "user": 800}
    with pytest.raises(SettingsError, match="MEMORYCORE_HOT_LIMIT_MEMORY"):
        _ = Settings(hot_limit_memory=900).hot_limits


def test_hermes_home_is_absolute_and_need_not_be_there_yet(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "later"))
    assert Settings().hot_dir == tmp_path / "later" / "memories"
    monkeypatch.setenv("HERMES_HOME", "relative")
    with pytest.raises(SettingsError, match="HERMES_HOME"):
        _ = Settings().hot_dir


def test_the_limits_of_the_cold_tier_reach_the_policy_and_must_be_in_order():
    limits = Settings(cold_soft=50, cold_hard=70).thresholds
    assert (limits.cold_soft, limits.cold_hard) == (50, 70)
    with pytest.raises(ValueError, match="MEMORYCORE_COLD_SOFT"):
        Settings(cold_soft=70, cold_hard=50)
