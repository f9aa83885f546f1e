"""Commands about a fact's past and its end: history, trash, forget --purge."""

import json

import pytest
from rich.console import Console

from memorycore import answers_past
from memorycore.faces import render_history
from tests.faces import test_cli
from tests.faces.test_cli import call, data

home = test_cli.home

OLD, NEW = "The wiki runs on port 48090.", "The wiki runs on port 48095."


def text(renderable):
    console = Console(width=100, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(renderable)
    return captured.get()


@pytest.fixture
def ids():
    return data("store", OLD)["id"], data("store", NEW)["id"]


def test_a_history_is_json_when_piped_and_a_table_when_asked_for(ids):
    old, new = ids
    told = data("history", new)
    assert [version["id"] for version in told["versions"]] == [old, new]
    assert told["versions"][0]["superseded_by"] == new
    table = call("history", old, "--text").stdout
    for part in (OLD, NEW, "now", "supersedes"):
        assert part in table
    assert data("history", "m_none", code=1)["status"] == "not_found"
    assert "m_none" in call("history", "m_none", "--text", code=1).stdout


def test_what_was_replaced_is_recalled_only_when_asked_for(ids):
    old, new = ids
    assert [hit["id"] for hit in data("recall", "wiki port")["results"]] == [new]
    hits = data("recall", "wiki port", "--history")["results"]
    assert [hit["id"] for hit in hits] == [new, old]
    assert hits[1]["valid_to"] is not None


def test_the_trash_is_listed_page_by_page(ids):
    assert data("trash") == {"items": [], "total": 0, "next": None}
    assert "empty" in call("trash", "--text").stdout
    for one in ids:
        data("forget", one)
    page = data("trash", "--limit", "1")
    assert (len(page["items"]), page["total"], page["next"]) == (1, 2, min(ids))
    rest = data("trash", "--limit", "1", "--after", page["next"])
    assert (rest["items"][0]["id"], rest["next"]) == (max(ids), None)
    assert set(rest["items"][0]) == {"id", "text", "kind", "reason", "run", "trashed_at", "expires_at"}
    table = call("trash", "--text", "--limit", "1").stdout
    assert "asked for by id" in table
    assert f"--after {min(ids)}" in table
    call("trash", "--limit", "0", code=2)


def test_a_purge_is_asked_about_and_refused_where_nobody_can_answer(ids):
    refused = call("forget", ids[0], "--purge", code=2)
    assert "--yes" in refused.stderr
    assert data("recall", "wiki port", "--history")["results"]


def test_a_purge_prints_its_proof_and_leaves_nothing(ids, tmp_path):
    old, new = ids
    told = data("forget", old, "--purge", "--yes")
    assert told["status"] == "purged"
    assert set(told["proof"]["forms"].values()) == {0}
    assert told["proof"]["files"] > 2
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"48090" in path.read_bytes()]
    assert data("recall", "wiki port", "--history")["results"][0]["id"] == new
    assert data("forget", old, "--purge", "--yes", code=1)["status"] == "not_found"


def test_the_proof_as_text_counts_every_form_and_names_what_is_left():
    left = answers_past.TraceLeft(file="/x/MEMORY.md.bak", form="utf-8", count=2, ours=False)
    proof = answers_past.PurgeProof(
        files=7, bytes=12_345, forms={"utf-8": 2, "hash": 0}, left=(left,), unread=("/x/locked",)
    )
    answer = answers_past.PurgeAnswer(
        status="left", id="m_1", detail="Traces.", removed={"records": 1}, proof=proof
    )
    told = text(render_history.purged(answer))
    for part in (
        "left",
        "7 files, 12,345 bytes",
        "2 times, in 2 forms",
        "/x/MEMORY.md.bak",
        "/x/locked",
        "1 records",
    ):
        assert part in told


def test_answers_are_json():
    assert json.loads(call("trash").stdout)["total"] == 0
