"""A chat endpoint in a process of its own that answers as the first part of the path asks: well or badly.

`python -m tests.adapters.judge_server PORT` serves `/<way>/<anything>/chat/completions`, and at
`GET /<way>/<anything>` tells the bodies that were sent there.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RIGHT: dict[str, Any] = {
    "compare": {"verdict": "same", "reason": "They say the same."},
    "shorten": {"text": "Shorter."},
    "dormant": {"dormant": True},
}
WRONG_TYPES: dict[str, Any] = {
    "compare": {"verdict": 1, "reason": ["why"]},
    "shorten": {"text": 12},
    "dormant": {"dormant": "true"},
}
SENT: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)


def question(body: dict[str, Any]) -> str:
    """Tell the question by the fields of its data."""
    data = json.loads(body["messages"][1]["content"])
    return "compare" if "older" in data else "dormant" if "queries" in data else "shorten"


def content(way: str, asked: str) -> str:
    right = json.dumps(RIGHT[asked])
    return {
        "prose": "They are the same, I should say: true.",
        "chatty": f"Here you are:\n```json\n{right}\n```",
        "fenced": f"```json\n{right}\n```",
        "half": right[: len(right) // 2],
        "list": f"[{right}]",
        "shape": '{"answer": 42}',
        "empty": "",
        "blank": '{"verdict": "same", "reason": "  ", "text": " ", "dormant": null}',
        "surrogate": '{"verdict": "same", "reason": "\\ud800", "text": "\\ud800", "dormant": true}',
        "unknown-verdict": '{"verdict": "identical", "reason": "r", "text": null, "dormant": 1}',
        "types": json.dumps(WRONG_TYPES[asked]),
        "lines": json.dumps({"verdict": "same", "reason": "One.\n\n" + "Two. " * 90}),
    }.get(way, right)


BODIES: dict[str, tuple[str, ...]] = {
    "html": ("<html>Welcome</html>", "text/html"),
    "no-choices": ('{"choices": []}',),
    "odd": ('{"choices": {"message": 1}}',),
}


def refusal(way: str, body: dict[str, Any], times: int) -> int:
    """The status that the request is refused with, 0 if it is not."""
    if way == "flaky" and times < 3:
        return 500
    refused = {
        "no-json-mode": "response_format" in body,
        "bare": bool(body.keys() - {"model", "messages"}),
        "picky": "forbidden" in body["messages"][1]["content"],
    }
    return 400 if refused.get(way) else int(way) if way.isdecimal() else 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send(200, json.dumps(SENT[self.path]))

    def do_POST(self) -> None:
        place = self.path.removesuffix("/chat/completions")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        SENT[place].append(body)
        way = place.split("/")[1]
        with suppress(BrokenPipeError, ConnectionResetError):  # the client may have lost patience
            self.answer(way, body, len(SENT[place]))

    def answer(self, way: str, body: dict[str, Any], times: int) -> None:
        choices = [{"index": 0, "message": {"role": "assistant", "content": content(way, question(body))}}]
        whole = json.dumps({"id": "c", "object": "chat.completion", "model": "m", "choices": choices})
        if status := refusal(way, body, times):
            self.send(status, json.dumps({"error": {"message": f"refused with {status}"}}))
        elif way in BODIES:
            self.send(200, *BODIES[way])
        elif way == "cut":
            self.head(200, len(whole))
            self.wfile.write(whole.encode()[:20])
        elif way == "trickle":
            self.head(200, 10_000_000)
            self.trickle()
        elif way == "trickle-head":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            self.trickle()
        else:
            time.sleep({"late": 0.3, "hang": 3}.get(way, 0))
            self.send(200, whole)

    def trickle(self) -> None:
        for _ in range(200):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def head(self, status: int, length: int, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def send(self, status: int, text: str, kind: str = "application/json") -> None:
        self.head(status, len(text.encode()), kind)
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def main(port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
