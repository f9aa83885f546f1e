"""The provider as its host calls it, on real files, without the host."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from memorycore.faces.hermes import house as house_module
from memorycore.faces.hermes.conversation import REPEAT_AFTER_TURNS
from memorycore.faces.hermes.house import HOUSES
from memorycore.faces.hermes.provider import NAME, Provider
from memorycore.settings import Settings
from tests.engine.helpers import FACT, RULE

STATE = "Done: on 2026-03-02 the database was migrated to version 16, finished."
QUESTION = "Where does the garden shed key hang?"


@pytest.fixture
def hermes(tmp_path, monkeypatch):
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    home = tmp_path / ".hermes"
    (home / "memories").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.setenv("MEMORYCORE_HOME", str(tmp_path / "store"))
    monkeypatch.setenv("MEMORYCORE_EMBEDDER", "none")
    return home


@pytest.fixture
def begin(hermes):
    open_ones: list[Provider] = []

    def begun(**known) -> Provider:
        provider = Provider()
        open_ones.append(provider)
        provider.initialize(
            "s1", **{"hermes_home": str(hermes), "agent_context": "primary", "platform": "cli"} | known
        )
        return provider

    yield begun
    for provider in open_ones:
        provider.shutdown()
    assert HOUSES._open == {}


def call(provider: Provider, tool: str, **arguments):
    return json.loads(provider.handle_tool_call(tool, arguments))


def write(hermes: Path, *texts: str, name: str = "MEMORY.md") -> None:
    (hermes / "memories" / name).write_text("\n§\n".join(texts), encoding="utf-8")


def entries(hermes: Path, name: str = "MEMORY.md") -> list[str]:
    return (hermes / "memories" / name).read_text(encoding="utf-8").split("\n§\n")


def settled(provider: Provider) -> None:
    provider._house.drain()


def test_its_name_is_that_of_its_directory(hermes):
    assert Provider().name == NAME == (Path(__file__).parents[2] / "hermes-plugin" / NAME).name
    assert Provider().is_available()


def test_a_setting_that_cannot_be_used_makes_it_unavailable(hermes, monkeypatch):
    monkeypatch.setenv("MEMORYCORE_PREFETCH_CHARS", "many")
    provider = Provider()
    assert not provider.is_available()
    provider.initialize("s1", hermes_home=str(hermes))
    assert (provider.system_prompt_block(), provider.prefetch(QUESTION)) == ("", "")
    assert "PREFETCH_CHARS" in call(provider, "memorycore_recall", query="x")["error"]


def test_a_message_is_answered_itself_and_each_fact_once(begin):
    provider = begin()
    assert call(provider, "memorycore_store_fact", content=FACT)["status"] == "cold_stored"
    assert FACT in provider.prefetch(QUESTION)
    assert provider.prefetch(QUESTION) == ""
    assert provider.prefetch("thanks!") == ""


def test_a_fact_comes_back_with_its_topic_after_some_turns(begin):
    provider = begin()
    call(provider, "memorycore_store_fact", content=FACT)
    assert provider.prefetch(QUESTION)
    shown = [bool(provider.prefetch(QUESTION)) for _ in range(REPEAT_AFTER_TURNS)]
    assert shown == [False] * (REPEAT_AFTER_TURNS - 1) + [True]


@pytest.mark.parametrize("how", [{"reset": True}, {"reason": "compression"}, {"rewound": True}])
def test_after_a_switch_facts_may_be_shown_again(begin, how):
    provider = begin()
    call(provider, "memorycore_store_fact", content=FACT)
    assert provider.prefetch(QUESTION)
    provider.on_session_switch("s2", **how)
    assert FACT in provider.prefetch(QUESTION)


def test_what_left_the_hot_files_during_the_session_stands_in_its_prompt_still(begin, hermes):
    write(hermes, FACT)
    provider = begin()
    found = call(provider, "memorycore_audit")["targets"]["memory"]["entries"]
    write(hermes, RULE)
    provider.on_memory_write("replace", "memory", RULE)
    settled(provider)
    assert call(provider, "memorycore_store_fact", content=FACT)["status"] == "cold_stored"
    assert found
    assert provider.prefetch(QUESTION) == ""
    provider.on_session_switch("s2", reset=True)
    assert FACT in provider.prefetch(QUESTION)


def test_prefetch_can_be_switched_off(begin, monkeypatch):
    monkeypatch.setenv("MEMORYCORE_PREFETCH_ENABLED", "0")
    provider = begin()
    call(provider, "memorycore_store_fact", content=FACT)
    assert provider.prefetch(QUESTION) == ""
    assert "quoted below" not in provider.system_prompt_block()


def test_the_system_block_keeps_its_bytes_and_names_topics(begin, monkeypatch):
    provider = begin()
    first = provider.system_prompt_block()
    for n in range(3):
        call(
            provider,
            "memorycore_store_fact",
            content=f"The greenhouse holds {n + 4} kinds of pepper, row {n}.",
        )
    provider.on_session_switch("s1", reason="compression")
    assert provider.system_prompt_block() == first
    assert "memorycore_recall" in first
    provider.on_session_switch("s2", reset=True)
    assert "greenhouse" in provider.system_prompt_block()
    monkeypatch.setenv("MEMORYCORE_INDEX_TOPICS", "tea, 设备")
    assert "about: tea, 设备." in begin().system_prompt_block()


def test_a_slow_or_broken_recall_costs_the_turn_nothing(begin, monkeypatch):
    provider = begin()
    monkeypatch.setattr("memorycore.faces.hermes.provider.PREFETCH_SECONDS", 0.05)
    waiting = threading.Event()

    def stuck(call):
        waiting.wait(10)

    monkeypatch.setattr(provider._house, "use", stuck)
    assert provider.prefetch(QUESTION) == ""
    assert provider.prefetch(QUESTION) == ""
    waiting.set()

    def broken(call):
        raise RuntimeError("the disk is gone")

    provider._looking.result(5)
    monkeypatch.setattr(provider._house, "use", broken)
    assert provider.prefetch(QUESTION) == ""


def test_writes_of_the_hosts_tool_are_followed_in_the_background(begin, hermes):
    provider = begin()
    write(hermes, RULE, STATE)
    provider.on_memory_write("add", "memory", STATE, metadata={"tool_name": "memory"})
    settled(provider)
    assert entries(hermes) == [RULE]
    sidecar = json.loads((hermes / "memories" / "MEMORY.meta.json").read_text())
    assert [item["type"] for item in sidecar.values()] == ["rule"]
    assert call(provider, "memorycore_recall", query="database migrated")["results"][0]["content"] == STATE


def test_what_no_hook_told_of_is_seen_at_the_end(begin, hermes):
    provider = begin()
    write(hermes, STATE)
    provider.on_session_end([])
    provider.shutdown()
    assert entries(hermes) == [""]


@pytest.mark.parametrize(
    "known",
    [
        {"agent_context": "cron"},
        {"agent_context": "subagent"},
        {"agent_context": "flush"},
        {"platform": "cron"},
    ],
)
def test_nothing_is_read_or_written_outside_the_users_own_sessions(begin, hermes, tmp_path, known):
    write(hermes, STATE)
    provider = begin(**known)
    provider.on_turn_start(1, "hello")
    assert (provider.system_prompt_block(), provider.prefetch(QUESTION)) == ("", "")
    write(hermes, STATE, RULE)
    provider.on_memory_write("add", "memory", RULE)
    provider.sync_turn("a", "b")
    provider.on_session_end([])
    assert "error" in call(provider, "memorycore_store_fact", content=FACT)
    provider.shutdown()
    assert entries(hermes) == [STATE, RULE]
    assert not (tmp_path / "store").exists()
    assert sorted(path.name for path in (hermes / "memories").iterdir()) == ["MEMORY.md"]


def test_providers_of_one_home_share_it_and_the_last_one_closes(begin, hermes):
    first, second = begin(), begin()
    assert first._house is second._house
    first.shutdown()
    assert call(second, "memorycore_store_fact", content=FACT)["status"] == "cold_stored"
    second.shutdown()
    assert "error" in call(second, "memorycore_recall", query="x")


def test_another_profile_has_another_memory(begin, hermes, monkeypatch, tmp_path):
    monkeypatch.delenv("MEMORYCORE_HOME")
    profile = hermes / "profiles" / "coder"
    one, other = begin(), begin(hermes_home=str(profile))
    call(other, "memorycore_store_fact", content=FACT)
    assert one.prefetch(QUESTION) == ""
    assert FACT in other.prefetch(QUESTION)
    assert other._house.settings.home == profile / "memorycore"
    assert one.backup_paths() == [str(tmp_path / ".memorycore")]


def test_a_hint_returns_at_once_while_the_home_is_busy(begin, hermes):
    provider = begin()
    settled(provider)
    entered, leave = threading.Event(), threading.Event()

    def hold():
        with provider._house.use(lambda core: core._parts.lock)():
            entered.set()
            leave.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(5)
    write(hermes, RULE)
    for _ in range(1_000):
        provider.on_memory_write("add", "memory", RULE)
    assert not (hermes / "memories" / "MEMORY.meta.json").exists()
    leave.set()
    holder.join()
    settled(provider)
    assert (hermes / "memories" / "MEMORY.meta.json").exists()


def test_a_shutdown_that_can_not_finish_gives_up_in_time(begin, hermes, monkeypatch):
    assert house_module.DRAIN_SECONDS < 5
    provider = begin()
    settled(provider)
    leave = threading.Event()
    monkeypatch.setattr(provider._house._worker, "_finish", lambda: leave.wait(20))
    assert not provider._house.close(0.1)
    leave.set()


def test_a_fault_in_a_tool_is_an_error_of_the_host(begin, monkeypatch):
    provider = begin()

    def broken(call):
        raise RuntimeError("not for the model")

    monkeypatch.setattr(provider._house, "use", broken)
    assert call(provider, "memorycore_audit") == {
        "error": "memorycore_audit failed: RuntimeError. The log of Hermes says more."
    }


def test_errors_of_tools_are_the_hosts_and_unknown_tools_are_named(begin):
    provider = begin()
    assert "query" in call(provider, "memorycore_recall")["error"]
    assert "memorycore_recall" in call(provider, "nonsense")["error"]
    forgotten = call(provider, "memorycore_forget", id="m_1")
    assert forgotten["status"] == "not_found"
    names = {schema["name"] for schema in provider.get_tool_schemas()}
    assert names == {f"memorycore_{verb}" for verb in ("recall", "store_fact", "forget", "audit")}
