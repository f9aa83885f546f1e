"""The composition root: what the settings name is what runs, and nothing runs before it is used."""

from __future__ import annotations

import pytest

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.adapters.embed_openai import OpenAICompatibleEmbedder
from memorycore.adapters.judge_openai import OpenAICompatibleJudge
from memorycore.app import build, choose_embedder, choose_judge, utc_now
from memorycore.errors import EmbedderUnavailable, JudgeUnavailable, SettingsError
from memorycore.testing import ScriptedJudge
from tests.engine.helpers import FACT, RULE, settings


def test_the_embedder_is_the_one_that_the_settings_name(tmp_path):
    def chosen(**changes):
        embedder = choose_embedder(settings(tmp_path, **changes))
        embedder.close()
        return embedder

    assert isinstance(chosen(embedder="none"), NoEmbedder)
    assert isinstance(chosen(embedder="bundled"), BundledEmbedder)
    assert isinstance(chosen(embedder="auto"), BundledEmbedder)
    assert isinstance(chosen(embedder="ollama"), OpenAICompatibleEmbedder)
    endpoint = {"embed_url": "http://localhost:9/v1", "embed_model": "m"}
    assert isinstance(chosen(embedder="openai", **endpoint), OpenAICompatibleEmbedder)
    assert isinstance(chosen(embedder="auto", **endpoint), OpenAICompatibleEmbedder)


@pytest.mark.parametrize(
    "changes",
    [
        {"embedder": "openai"},
        {"embedder": "openai", "embed_url": "http://localhost:9/v1"},
        {"embedder": "openai", "embed_model": "m"},
        {"embedder": "auto", "embed_url": "http://localhost:9/v1"},
    ],
    ids=str,
)
def test_an_endpoint_that_is_half_named_is_refused(tmp_path, changes):
    with pytest.raises(SettingsError) as caught:
        choose_embedder(settings(tmp_path, **changes))
    assert caught.value.advice


def test_a_platform_without_the_bundled_model_goes_on_without_one(tmp_path, monkeypatch):
    def missing():
        raise EmbedderUnavailable("No wheel for this platform.", advice="Use Ollama.")

    monkeypatch.setattr("memorycore.app.BundledEmbedder", missing)
    assert isinstance(choose_embedder(settings(tmp_path, embedder="auto")), NoEmbedder)


@pytest.mark.parametrize("backend", ["remote", "mnemosyne"])
def test_a_backend_that_is_not_there_is_refused(tmp_path, backend):
    with pytest.raises(SettingsError) as caught:
        build(settings(tmp_path, cold_backend=backend))
    assert backend in str(caught.value)


def test_building_opens_nothing(tmp_path):
    build(settings(tmp_path, home=tmp_path / "home")).close()
    assert list(tmp_path.iterdir()) == []


def test_the_files_are_where_the_settings_say(tmp_path):
    with build(settings(tmp_path)) as core:
        core.store(RULE)
        core.store(FACT)
        assert core.usage().degraded == ("words only: no embedder", *core.usage().degraded[1:])
    assert (tmp_path / "memories" / "MEMORY.md").read_text(encoding="utf-8") == RULE
    assert {path.name for path in (tmp_path / "home").iterdir()} >= {"cold.sqlite3", "ledger.sqlite3"}
    assert not any(path.stat().st_mode & 0o077 for path in (tmp_path / "home").glob("*.sqlite3"))


def test_the_clock_is_in_utc():
    assert utc_now().utcoffset().total_seconds() == 0


@pytest.mark.parametrize(
    ("changes", "identity"),
    [
        ({"llm_model": "m", "llm_base_url": "http://localhost:11434/v1"}, "m@localhost:11434/1"),
        ({"llm_model": "m", "llm_api_key": "sk-1"}, "m@api.openai.com/1"),
        ({"llm_model": "m", "llm_api_key": "sk-1", "llm_base_url": "https://llm.test/v1"}, "m@llm.test/1"),
    ],
    ids=str,
)
def test_a_model_with_an_endpoint_or_a_key_is_a_judge(tmp_path, changes, identity):
    judge = choose_judge(settings(tmp_path, **changes))
    assert isinstance(judge, OpenAICompatibleJudge)
    assert judge.identity == identity
    with build(settings(tmp_path, **changes)) as core:
        assert core.usage().judge == {"model": identity}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"llm_model": "m"},
        {"llm_api_key": "sk-1"},
        {"llm_base_url": "http://localhost:11434/v1"},
        {"llm_api_key": "sk-1", "llm_base_url": "http://localhost:11434/v1"},
        {"llm_model": "m", "llm_api_key": "sk-1", "judge_calls": 0},
    ],
    ids=str,
)
def test_anything_less_is_no_judge(tmp_path, changes):
    assert choose_judge(settings(tmp_path, **changes)) is None
    with build(settings(tmp_path, **changes)) as core:
        assert core.usage().judge is None


def test_a_judge_at_no_address_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="LLM_BASE_URL"):
        build(settings(tmp_path, llm_model="m", llm_base_url="localhost"))


def test_a_judge_can_be_handed_in_and_is_closed_with_the_core(tmp_path):
    judge = ScriptedJudge(name="mine")
    with build(settings(tmp_path), judge=judge) as core:
        assert core.usage().judge == {"model": "mine"}
    with pytest.raises(JudgeUnavailable):
        judge.dormant(RULE, [])
