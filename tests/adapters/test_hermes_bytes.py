"""Against the real Hermes Agent: its memory tool and ours edit the same files in turn and at once.

Set HERMES_PYTHON to an interpreter that can import Hermes' `tools.memory_tool`; without it, skipped.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memorycore.adapters.hot_markdown import MarkdownHotStore
from memorycore.errors import HotFileFull, InvalidInput
from memorycore.policy import hot_text
from memorycore.policy.scan import scan
from tests.adapters.hot_fixtures import LIMITS, awkward_text, clock, entry, texts

pytestmark = pytest.mark.slow

ALPHABET = st.characters(codec="ascii") | st.sampled_from("\u00a0\u2028é记ｉ")

# Reads one JSON call a line, {"op", "target", ...}, and answers it in one line.
HERMES = """
import json, sys
from tools.memory_tool import MemoryStore
from tools import threat_patterns
store = MemoryStore(2200, 1375)
for line in sys.stdin:
    call = json.loads(line)
    op, target = call["op"], call.get("target", "memory")
    if op == "entries":
        store.load_from_disk()
        answer = store._entries_for(target)
    elif op == "drift":
        answer = store._detect_external_drift(target)
    elif op == "patterns":
        answer = [row[0] for row in threat_patterns._PATTERNS]
    elif op == "blocked":
        answer = threat_patterns.scan_for_threats(call["text"], scope="strict")
    else:
        answer = getattr(store, op)(target, *call["args"])
    print(json.dumps(answer), flush=True)
"""


class Hermes:
    def __init__(self, python, home):
        self.directory = Path(home) / "memories"
        self.directory.mkdir()
        self.process = subprocess.Popen(
            [python, "-c", HERMES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={"HERMES_HOME": str(home), "HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
        )

    def ask(self, op, **call):
        self.process.stdin.write(json.dumps({"op": op, **call}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


@pytest.fixture(scope="module")
def hermes(tmp_path_factory):
    python = os.environ.get("HERMES_PYTHON")
    if not python:
        pytest.skip("HERMES_PYTHON does not name an interpreter with Hermes Agent")
    if subprocess.run(
        [python, "-c", "import tools.memory_tool"], capture_output=True, check=False
    ).returncode:
        pytest.skip(f"{python} can't import Hermes Agent's tools.memory_tool")
    hermes = Hermes(python, tmp_path_factory.mktemp("hermes"))
    yield hermes
    hermes.close()


@pytest.fixture
def store(hermes):
    for path in hermes.directory.iterdir():
        if path.suffix != ".lock":
            path.unlink()
    return MarkdownHotStore(hermes.directory, LIMITS, clock=clock)


def add_all(store, candidates):
    for text in candidates:
        try:
            store.add(entry(text))
        except (InvalidInput, HotFileFull):
            continue


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(awkward_text, max_size=5))
def test_hermes_reads_what_we_write_and_finds_no_drift(hermes, store, candidates):
    for found in store.read("memory").entries:
        store.remove(found)
    add_all(store, candidates)
    assert hermes.ask("entries") == texts(store)
    assert hermes.ask("drift") is None


def test_both_write_the_same_bytes(hermes, store):
    for text in ("one", "two\nlines", "三 §"):
        store.add(entry(text))
    ours = (hermes.directory / "MEMORY.md").read_bytes()
    for text in ("one", "two\nlines", "三 §"):
        assert hermes.ask("add", target="user", args=[text])["success"]
    assert (hermes.directory / "USER.md").read_bytes() == ours


def test_edits_in_turn_see_each_other(hermes, store):
    mine = entry("mine")
    store.add(mine)
    assert hermes.ask("add", args=["theirs"])["success"]
    store.replace(mine, entry("mine, revised"))
    assert hermes.ask("replace", args=["theirs", "theirs, revised"])["success"]
    assert texts(store) == ["mine, revised", "theirs, revised"]
    assert hermes.ask("remove", args=["mine, revised"])["success"]
    assert texts(store) == ["theirs, revised"]


def test_a_drifted_file_is_open_to_hermes_again_after_our_write(hermes, store):
    (hermes.directory / "MEMORY.md").write_text("a\n§\n\n§\n b \n§\n", encoding="utf-8")
    assert not hermes.ask("remove", args=["b"])["success"]
    store.add(entry("c"))
    assert hermes.ask("remove", args=["b"])["success"]
    assert texts(store) == ["a", "c"]


def test_our_drift_warning_is_theirs(hermes, store):
    path = hermes.directory / "MEMORY.md"
    for raw in (
        "a",
        "a\n§\nb\n",
        "a\n§\n",
        "\n§\na",
        "a \n§\nb",
        "a\r\n§\r\nb",
        "\ufeffa",
        "a\n§\na",
        "a § b",
    ):
        path.write_bytes(raw.encode())
        assert hot_text.drifted(raw) == (hermes.ask("drift") is not None), raw


def test_edits_at_once_lose_nothing(hermes, store):
    for n in range(25):
        hermes.process.stdin.write(json.dumps({"op": "add", "args": [f"theirs {n}"]}) + "\n")
    hermes.process.stdin.flush()
    for n in range(25):
        store.add(entry(f"ours {n}"))
    for _ in range(25):
        assert json.loads(hermes.process.stdout.readline())["success"]
    assert set(texts(store)) == {f"{side} {n}" for side in ("ours", "theirs") for n in range(25)}
    assert hermes.ask("drift") is None


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_hermes_blocks_our_scan_names(hermes, data):
    patterns = hermes.ask("patterns")
    pattern = data.draw(st.sampled_from(patterns))
    text = data.draw(st.from_regex(re.compile(pattern, re.IGNORECASE), alphabet=ALPHABET))
    if hermes.ask("blocked", text=text):
        assert scan(text), (pattern, text)
