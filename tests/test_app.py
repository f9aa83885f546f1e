"""The composition root: what the settings name is what runs, and nothing runs before it is used."""

from __future__ import annotations

import pytest

from memorycore.adapters.embed_bundled import BundledEmbedder
from memorycore.adapters.embed_none import NoEmbedder
from memorycore.adapters.embed_openai import OpenAICompatibleEmbedder
from memorycore.app import build, choose_embedder, utc_now
from memorycore.errors import EmbedderUnavailable, SettingsError
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
