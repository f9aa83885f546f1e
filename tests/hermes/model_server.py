"""A model on the loopback: an OpenAI-compatible endpoint that plays a script and keeps what it was asked.

A script is a list of steps per marker; the marker is a word in capitals in the last user message. A step is
(tool, arguments), or a text, which ends the turn. Without a marker the answer is plain.
"""

from __future__ import annotations

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MARKER = re.compile(r"\[\[([A-Z-]+)\]\]")


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content)


class ModelServer:
    def __init__(self, script: dict[str, list[Any]] | None = None) -> None:
        self.script = script or {}
        self.requests: list[dict[str, Any]] = []
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def asked(self) -> list[str]:
        """The last user message of each request that begins a turn, as the model saw it."""
        return [
            text_of(body["messages"][-1]) for body in self.requests if body["messages"][-1]["role"] == "user"
        ]

    def system(self) -> list[str]:
        return [text_of(body["messages"][0]) for body in self.requests]

    def tools(self) -> set[str]:
        return {tool["function"]["name"] for body in self.requests for tool in body.get("tools") or []}

    def tool_results(self) -> list[str]:
        """What the tools answered, in order, each call once."""
        answers = {
            message["tool_call_id"]: text_of(message)
            for body in self.requests
            for message in body["messages"]
            if message["role"] == "tool"
        }
        return list(answers.values())

    def step(self, body: dict[str, Any]) -> Any:
        messages = body["messages"]
        last = max(at for at, message in enumerate(messages) if message["role"] == "user")
        marker = MARKER.search(text_of(messages[last]))
        steps = self.script.get(marker[1], []) if marker else []
        done = sum(message["role"] == "tool" for message in messages[last + 1 :])
        return steps[done] if done < len(steps) else "That is all."


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_owner: ModelServer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "fake", "object": "model", "context_length": 131_072}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if "messages" not in body:
            self._json({})
            return
        self.server_owner.requests.append(body)
        step = self.server_owner.step(body)
        message: dict[str, Any] = {"role": "assistant", "content": step if isinstance(step, str) else None}
        finish = "stop"
        if not isinstance(step, str):
            name, arguments = step
            call = {"name": name, "arguments": json.dumps(arguments)}
            message["tool_calls"] = [{"id": f"call_{time.time_ns()}", "type": "function", "function": call}]
            finish = "tool_calls"
        base = {"id": "one", "created": int(time.time()), "model": "fake"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        self._stream(base, message, finish, usage)

    def _stream(self, base: dict[str, Any], message: dict[str, Any], finish: str, usage: Any) -> None:
        for place, call in enumerate(message.get("tool_calls", ())):
            call["index"] = place
        chunks = [
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
            {"choices": [], "usage": usage},
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for chunk in chunks:
            data = json.dumps({**base, "object": "chat.completion.chunk", **chunk})
            self.wfile.write(b"data: " + data.encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _json(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
