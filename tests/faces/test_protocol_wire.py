"""The server's bytes and its life, seen without an SDK in between."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.faces.servers import FACTS, ROOT, interpreters, raw_server

NOISE = """
import atexit, os, sys, threading, warnings
warnings.simplefilter("always")

def shout():
    for _ in range(300):
        print("noise on sys.stdout", flush=True)
        os.write(1, b"noise on descriptor 1\\n")
        warnings.warn("a warning")
        threading.Event().wait(0.01)

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "memorycore.faces.sdk":
            threading.Thread(target=shout, daemon=True).start()

sys.meta_path.insert(0, Watch())
"""


@pytest.fixture(params=interpreters(), ids=lambda python: python.split("/bin/")[0].rsplit("/", 1)[-1])
def python(request):
    return request.param


def test_each_line_on_stdout_is_json_rpc_whatever_else_the_process_prints(python, tmp_path):
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "sitecustomize.py").write_text(NOISE)
    noisy = {"PYTHONWARNINGS": "always", "MEMORYCORE_LOG_LEVEL": "DEBUG"}
    path = os.pathsep.join([str(tmp_path / "noise"), str(ROOT)])
    with raw_server(python, tmp_path, PYTHONPATH=path, **noisy) as server:
        server.initialize()
        for fact in FACTS[:5]:
            server.call("store_fact", content=fact)
        server.call("recall", query="spare key")
        assert server.end() == 0
        assert len(server.lines) >= 7
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)
        assert b"noise on sys.stdout" in server.stderr
        assert b"noise on descriptor 1" in server.stderr


def test_the_cli_serves_too_with_the_home_that_it_was_given(tmp_path):
    given = ("-m", "memorycore", "--home", str(tmp_path / "given"), "serve")
    with raw_server(interpreters()[0], tmp_path, args=given) as server:
        server.initialize()
        assert server.call("store_fact", content=FACTS[0])["structuredContent"]["id"]
        assert server.end() == 0
    assert (tmp_path / "given").is_dir()
    assert not (tmp_path / "memorycore").exists()


def test_null_stays_in_the_answer(python, tmp_path):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        answer = server.call("store_fact", content="")
        assert answer["structuredContent"]["id"] is None
        assert "undo" in answer["structuredContent"]


def test_the_server_leaves_when_its_client_closes_stdin(python, tmp_path):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        server.call("store_fact", content="The ladder is in the shed.")
        started = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - started < 15


def test_the_server_leaves_when_its_client_dies_in_the_middle_of_a_line(python, tmp_path):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        server.write('{"jsonrpc": "2.0", "id": 9, "meth')
        assert server.end() == 0


def test_a_fact_sent_just_before_stdin_closes_is_kept(python, tmp_path):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        server.send("tools/call", {"name": "store_fact", "arguments": {"content": "The last words count."}})
        assert server.end() == 0
    with raw_server(python, tmp_path) as server:
        server.initialize()
        found = server.call("recall", query="last words")["structuredContent"]["results"]
        assert [hit["content"] for hit in found] == ["The last words count."]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_the_server_leaves_on_sigterm_with_its_embedder(python, tmp_path):
    with raw_server(python, tmp_path, MEMORYCORE_EMBEDDER="auto") as server:
        server.initialize()
        server.call("store_fact", content="The ladder is in the shed.")
        children = child_ids(server.process.pid)
        server.process.send_signal(signal.SIGTERM)
        assert server.wait() == 0
        deadline = time.monotonic() + 15
        while any(alive(child) for child in children):
            assert time.monotonic() < deadline, "the embedder's process outlives the server"
            time.sleep(0.05)


def child_ids(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        pytest.skip("children can only be listed where /proc is")
    return [int(child) for child in listed.read_text().split()]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("half", ['"\\ud83d"', '"cut \\uDE00 off"', '"\\\\\\ud83d"', b'"\xff\xfe"'], ids=str)
def test_half_a_character_is_refused_and_never_left_without_an_answer(python, tmp_path, half):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        raw = half if isinstance(half, bytes) else half.encode()
        server.write(
            b'{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"store_fact","arguments":{"content":'
            + raw
            + b"}}}\n"
        )
        answer = server.receive(77)["result"]
        assert answer["structuredContent"]["status"] == "error"
        assert "surrogate" in answer["structuredContent"]["detail"]


def test_whole_characters_come_back_as_they_were(python, tmp_path):
    text = 'The sticker says \\ud83d and shows \U0001f600, "quoted", 全角, a\u200cb.'
    with raw_server(python, tmp_path) as server:
        server.initialize()
        stored = server.call("store_fact", content=text)["structuredContent"]
        found = server.call("recall", query="what does the sticker say")["structuredContent"]["results"]
        assert [(hit["id"], hit["content"]) for hit in found] == [(stored["id"], text)]


def test_five_servers_on_one_home_all_say_hello_and_share_their_facts(python, tmp_path):
    with (
        raw_server(python, tmp_path) as one,
        raw_server(python, tmp_path) as two,
        raw_server(python, tmp_path) as three,
        raw_server(python, tmp_path) as four,
        raw_server(python, tmp_path) as five,
    ):
        servers = [one, two, three, four, five]
        started = time.monotonic()
        for server in servers:
            server.initialize()
        assert time.monotonic() - started < 30
        for n, server in enumerate(servers):
            receipt = server.call("store_fact", content=FACTS[n])
            assert receipt["structuredContent"]["id"]
        for fact in FACTS[:5]:
            found = one.call("recall", query=fact)["structuredContent"]["results"]
            assert found[0]["content"] == fact


def test_hello_and_the_list_of_tools_touch_nothing(python, tmp_path):
    with raw_server(python, tmp_path) as server:
        server.initialize()
        server.send("tools/list")
        assert server.end() == 0
    assert list(tmp_path.iterdir()) == []
