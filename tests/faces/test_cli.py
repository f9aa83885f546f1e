"""The command line: data on stdout, messages on stderr, exit codes that scripts can trust."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from memorycore.adapters.cold_sqlite import SqliteColdStore
from memorycore.faces.cli import app
from memorycore.model import Record
from memorycore.settings import Settings
from tests.faces.servers import server_env


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith(("MEMORYCORE_", "MEMORY_DIR", "HERMES_", "LLM_")):
            monkeypatch.delenv(name)
    for name, value in server_env(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def call(*arguments, code=0, input=None):
    result = CliRunner().invoke(app, arguments, input=input, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def data(*arguments, code=0, input=None):
    return json.loads(call(*arguments, code=code, input=input).stdout)


def test_the_life_of_a_fact():
    stored = data("store", "The wiki's backup runs at half past two.")
    assert stored["status"] == "cold_stored"
    assert data("recall", "backup of the wiki")["results"][0]["id"] == stored["id"]
    assert data("forget", stored["id"])["status"] == "forgotten"
    assert data("recall", "backup of the wiki")["results"] == []
    restored = data("restore", stored["id"])
    assert restored["status"] == "restored"
    assert data("undo", restored["undo"])["status"] == "undone"
    assert data("recall", "backup of the wiki")["results"] == []


def test_stdout_is_json_when_piped_and_text_when_asked_for():
    data("store", "Never deploy on a Friday.", "--importance", "0.9", "--target", "user")
    assert data("audit")["targets"]["user"]["entries"][0]["text"] == "Never deploy on a Friday."
    text = call("audit", "--text").stdout
    assert "USER.md" in text
    assert "Never deploy on a Friday." in text
    assert "protected" in text


@pytest.mark.parametrize(
    "command",
    [
        ("usage",),
        ("overflow",),
        ("overflow", "--dry-run"),
        ("audit", "--target", "memory"),
        ("recall", "anything at all"),
        ("config",),
        ("hosts",),
    ],
    ids=" ".join,
)
def test_every_view_has_both_forms(command):
    data("store", "Answer in British English.", "--target", "user")
    assert data(*command, "--json")
    if command != ("hosts",):
        assert call(*command, "--text").stdout.strip()


def test_registrations_are_never_cut_to_the_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    shown = call("hosts").stdout
    for host in data("hosts", "--json"):
        assert host["text"] in shown


def test_content_comes_from_stdin():
    text = "The recipe\nhas two lines; 中文也行。"
    stored = data("store", "-", input=text)
    assert (
        data("recall", "recipe with two lines")["results"][0] | {}
        == (data("recall", "recipe with two lines")["results"][0])
    )
    found = data("recall", "recipe")["results"][0]
    assert (found["id"], found["content"]) == (stored["id"], text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("store", ""),
        ("store", "a fact", "--importance", "2"),
        ("store", "a fact", "--target", "world"),
        ("recall", "x", "--top-k", "0"),
        ("audit", "--target", "world"),
        ("audit", "--cursor", "nonsense"),
        ("store",),
        ("store", "a fact", "--colour", "red"),
        ("fly",),
    ],
    ids=" ".join,
)
def test_wrong_use_exits_with_2_and_says_so_on_stderr(arguments):
    result = call(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr


def test_what_is_not_there_exits_with_1():
    for command in ("forget", "restore", "undo"):
        assert data(command, "m_none", code=1)["status"] == "not_found"


def test_a_fault_is_told_with_advice_and_no_traceback(home):
    (home / "memories").mkdir()
    (home / "memories" / "MEMORY.md").write_bytes(b"\xff")
    result = call("audit", code=1)
    assert result.stdout == ""
    assert "MEMORY.md" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_setting_that_cannot_be_used_is_named(monkeypatch):
    monkeypatch.setenv("MEMORYCORE_TRASH_DAYS", "soon")
    for command in (("usage",), ("config",), ("doctor",), ("hosts",)):
        assert "MEMORYCORE_TRASH_DAYS" in call(*command, code=1).stderr


def test_config_names_every_setting_its_source_and_no_secret(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORYCORE_EMBED_API_KEY", "hush-hush")
    monkeypatch.setenv("LLM_API_KEY", "hush-too")
    monkeypatch.setenv("MEMORYCORE_TRASH_DAYS", "40")
    rows = {row["name"]: row for row in data("--home", str(tmp_path / "other"), "config")}
    assert rows.keys() == Settings.model_fields.keys()
    assert (rows["trash_days"]["value"], rows["trash_days"]["source"]) == (
        40,
        "environment MEMORYCORE_TRASH_DAYS",
    )
    assert (rows["home"]["value"], rows["home"]["source"]) == (str(tmp_path / "other"), "argument")
    assert "hush" not in call("config").stdout + call("config", "--text").stdout


def test_home_and_memory_dir_go_before_the_environment(tmp_path):
    data(
        "--memory-dir",
        str(tmp_path / "elsewhere"),
        "store",
        "Answer in verse, always.",
        "--importance",
        "0.9",
    )
    assert (tmp_path / "elsewhere" / "MEMORY.md").read_text() == "Answer in verse, always."


def test_maintenance_without_an_embedder_says_what_it_could_not_do():
    report = data("maintain", code=1)
    assert report["errors"]
    assert "embedder" in call("maintain", "--text", code=1).stdout


def test_a_dry_run_of_maintenance_shows_the_plan_and_changes_nothing(home):
    put_doubles(home)
    preview = data("maintain", "--dry-run")
    assert [(one["rung"], one["id"], one["outcome"]) for one in preview["actions"]] == [
        ("duplicate", "m_2", "planned")
    ]
    assert "m_1 holds all of it" in call("maintain", "--dry-run", "--text").stdout.replace("\n", " ")
    assert data("usage")["cold"]["total"] == 2
    assert data("maintain", code=1)["merged"] == 1
    assert data("maintain", "--dry-run")["actions"] == []


def put_doubles(home):
    settings = Settings.load()
    store = SqliteColdStore(settings.cold_path)
    now = datetime.now(UTC)
    for number, text in ((1, "The cat is called Mimi."), (2, "The cat is called Mimi")):
        at = now - timedelta(days=9 - number)
        store.put(Record(id=f"m_{number}", text=text, created_at=at, updated_at=at), None)
    store.close()


def test_a_reindex_without_an_embedder_says_that_it_could_not():
    report = data("reindex", code=1)
    assert (report["done"], report["made"], len(report["errors"])) == (False, 0, 1)
    assert "embedder" in call("reindex", "--text", code=1).stdout


def test_the_version_is_told():
    assert call("--version").stdout.startswith("memorycore ")


def test_a_pipe_that_closes_early_is_no_crash(home):
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(
        [sys.executable, "-m", "memorycore", "usage"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    assert child.wait(60) in {0, 1}
    assert b"Traceback" not in said
