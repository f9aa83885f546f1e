"""The doctor finds what is wrong, names it, and says how to mend it."""

import json

import pytest

from memorycore.app import build
from memorycore.faces.doctor import examine
from memorycore.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(home=tmp_path / "home", memory_dir=tmp_path / "memories", embedder="none")


def findings(settings):
    return {finding.what: finding for finding in examine(settings)}


def test_a_fresh_installation_has_no_problem(settings):
    found = findings(settings)
    assert {finding.health for finding in found.values()} <= {"ok", "warn"}
    assert {
        "python",
        "sqlite",
        "mcp sdk",
        "home",
        "MEMORY.md",
        "USER.md",
        "ledger",
        "embedder",
    } <= found.keys()


def test_looking_changes_no_fact_and_what_is_wrong_has_a_remedy(settings):
    with build(settings) as core:
        core.store("Answer in British English.", target="user")
        core.store("The ferry leaves from pier nine.")
    before = (settings.hot_dir / "USER.md").read_bytes()
    found = findings(settings)
    assert found["USER.md"].health == found["cold store"].health == found["ledger"].health == "ok"
    assert (settings.hot_dir / "USER.md").read_bytes() == before
    assert all(bool(finding.mend) == (finding.health != "ok") for finding in found.values())


def test_an_undecodable_byte_is_named_with_its_place(settings):
    settings.hot_dir.mkdir()
    (settings.hot_dir / "MEMORY.md").write_bytes(b"fine\nnot \xfe")
    found = findings(settings)["MEMORY.md"]
    assert found.health == "problem"
    assert "0xfe" in found.detail
    assert "offset 9" in found.detail
    assert "line 2" in found.detail


def test_a_file_over_its_limit_and_a_broken_sidecar_are_warnings(settings):
    settings.hot_dir.mkdir()
    (settings.hot_dir / "MEMORY.md").write_text("x" * 6_000)
    (settings.hot_dir / "MEMORY.meta.json").write_text(json.dumps({"a": {}})[:-1])
    found = findings(settings)
    assert found["MEMORY.md"].health == found["MEMORY.meta.json"].health == "warn"


def test_a_damaged_database_is_a_problem_and_is_left_as_it_is(settings):
    settings.home.mkdir()
    settings.cold_path.write_bytes(b"this is no database, and never was" * 100)
    before = settings.cold_path.read_bytes()
    found = findings(settings)
    assert found["cold store"].health == "problem"
    assert settings.cold_path.read_bytes() == before


def test_a_home_that_is_a_file_is_a_problem(settings):
    settings.home.write_text("")
    assert findings(settings)["home"].health == "problem"


def test_the_pair_model_is_loaded_to_see_whether_it_answers(settings, monkeypatch):
    found = findings(settings)["pair model"]
    assert (found.health, "loaded in" in found.detail) == ("ok", True)
    without = findings(settings.model_copy(update={"pair_model": "none"}))["pair model"]
    assert (without.health, "as set" in without.detail) == ("ok", True)
    monkeypatch.setattr("memorycore.adapters.pair_model._FILE", "no-such-file.npz")
    broken = findings(settings)["pair model"]
    assert broken.health == "problem"
    assert "MEMORYCORE_PAIR_MODEL=none" in broken.mend


def test_a_judge_is_told_as_it_is_set_up_and_never_asked(settings):
    unset = findings(settings)["judge"]
    assert (unset.health, "none" in unset.detail) == ("ok", True)
    given = {"llm_model": "m", "llm_base_url": "http://localhost:9/v1", "llm_api_key": "sk-hidden"}
    known = findings(settings.model_copy(update=given))["judge"]
    assert known.health == "ok"
    assert "m@localhost:9" in known.detail
    assert "sk-hidden" not in known.detail


@pytest.mark.parametrize(
    ("given", "health"),
    [({"llm_model": "m"}, "warn"), ({"llm_model": "m", "llm_base_url": "localhost"}, "problem")],
)
def test_a_judge_that_is_half_set_up_has_a_remedy(settings, given, health):
    found = findings(settings.model_copy(update=given))["judge"]
    assert found.health == health
    assert "LLM_BASE_URL" in found.mend


def test_a_hermes_whose_server_keeps_its_facts_elsewhere_is_a_warning(settings, monkeypatch, tmp_path):
    hermes = tmp_path / "hermes"
    hermes.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(hermes))
    for home, said in ((tmp_path / "elsewhere", True), (settings.home, False)):
        server = {"command": "/opt/memorycore-mcp", "env": {"MEMORYCORE_HOME": str(home)}}
        (hermes / "config.yaml").write_text(json.dumps({"mcp_servers": {"memorycore": server}}))
        found = findings(settings).get("hermes server")
        assert (found is not None) is said
        assert found is None or (found.health, str(home) in found.detail) == ("warn", True)
