"""history, show, undo: what was done and how it is taken back, as text and as JSON."""

import pytest

from memorycore.policy.hot_text import DELIMITER
from tests.faces.test_cli import call, data, home  # noqa: F401

FACT = "The wiki's backup runs at half past two."
LONG = "The archive of the choir is kept in the loft above the chapel, " * 6


def test_a_run_is_listed_shown_and_undone():
    stored = data("store", FACT)
    (line,) = data("history")["runs"]
    assert (line["run"], line["kind"], line["about"]) == (stored["undo"], "store", FACT)
    shown = data("show", line["run"])
    assert shown["actions"][0]["moves"] == [{"text": FACT, "before": [], "after": ["cold"]}]
    assert shown["undoable"]
    undone = data("undo", line["run"])
    assert data("undo", line["run"])["undo"] == undone["undo"]
    newest, oldest = data("history")["runs"]
    assert (newest["undo_of"], oldest["undone_by"]) == (line["run"], newest["run"])


def test_people_see_what_moved_why_and_how_to_take_it_back():
    stored = data("store", LONG.strip())
    text = call("show", stored["undo"], "--text").stdout
    joined = " ".join(text.split())
    for part in ("store", "done", "new → cold tier", "The archive of the choir", f"undo {stored['undo']}"):
        assert part in joined
    assert LONG.strip() not in joined
    assert data("show", stored["undo"])["actions"][0]["after"] == LONG.strip()
    listed = call("history", "--text").stdout
    assert stored["undo"] in listed
    assert "…" in listed


def test_a_history_has_pages():
    for number in range(3):
        data("store", f"Drawer {number} holds spoons.")
    page = data("history", "--limit", "2")
    rest = data("history", "--before", page["next"])
    assert [one["about"] for one in page["runs"] + rest["runs"]] == [
        f"Drawer {number} holds spoons." for number in (2, 1, 0)
    ]
    assert f"--before {page['next']}" in call("history", "--limit", "2", "--text").stdout
    assert rest["next"] is None


def test_nothing_done_is_said():
    assert "Nothing was done" in call("history", "--text").stdout
    assert data("history") == {"runs": [], "next": None}


@pytest.mark.parametrize("arguments", [("show", "r_none"), ("history", "--before", "r_none")], ids=" ".join)
def test_an_unknown_run_exits_with_1_and_says_where_to_look(arguments):
    result = call(*arguments, code=1)
    assert result.stdout == ""
    assert "r_none" in result.stderr
    assert "memorycore history" in result.stderr


def test_a_history_of_no_length_is_wrong_use():
    assert call("history", "--limit", "0", code=2).stderr


def test_an_overflow_is_told_as_one_run_with_its_reasons(home):  # noqa: F811
    entries = ["The bins go out on Monday.", "The bins go out on Monday", "Always answer in English."]
    (home / "memories").mkdir()
    (home / "memories" / "MEMORY.md").write_text(DELIMITER.join(entries), encoding="utf-8")
    run = data("overflow", "--target", "memory")["memory"]["run"]
    text = " ".join(call("show", run, "--text").stdout.split())
    for part in ("duplicate", "MEMORY.md", "trash", "doubles"):
        assert part in text
    data("undo", run)
    assert (home / "memories" / "MEMORY.md").read_text(encoding="utf-8") == DELIMITER.join(entries)
    assert "undone by" in " ".join(call("history", "--text").stdout.split())
