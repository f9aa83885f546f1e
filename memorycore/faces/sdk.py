"""The only module that imports the MCP SDK: one code base for 1.26 and 2.x.

A tool here is a schema and a coroutine; the SDK's own reading of signatures, its validation and its
conversion of results, which differ between the two, are not used.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TextIO, cast

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools.base import Tool
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
except ImportError:  # 1.26
    from mcp.server.fastmcp import FastMCP as MCPServer  # type: ignore[attr-defined,no-redef]
    from mcp.server.fastmcp.tools.base import Tool  # type: ignore[import-not-found,no-redef]
    from mcp.server.fastmcp.utilities.func_metadata import (  # type: ignore[import-not-found,no-redef]
        ArgModelBase,
        FuncMetadata,
    )

from memorycore.faces.stdio import mark_half_pairs

Json = dict[str, Any]
Progress = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a tool answers: a JSON object, or the text of a fault."""

    structured: Json | None = None
    fault: str | None = None


Handler = Callable[[str, Json, Progress], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard:
    """A tool as clients see it; the schemas go over the wire as they are."""

    name: str
    title: str
    description: str
    input_schema: Json
    output_schema: Json
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCard:
    """A server as clients see it."""

    name: str
    version: str
    instructions: str
    tools: Sequence[ToolCard]


class _WireTool(Tool):
    """A tool whose arguments and result are JSON on both sides."""

    handler: Handler = Field(exclude=True)

    async def run(self, arguments: Json, context: Any = None, convert_result: bool = False) -> Any:  # noqa: ARG002
        async def progress(done: int, total: int) -> None:
            await context.report_progress(done, total)

        reply = await self.handler(self.name, arguments, progress)
        if reply.structured is None:
            return _result(reply.fault or "", None, is_error=True)
        return _result(_compact(reply.structured), reply.structured, is_error=False)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _result(text: str, structured: Json | None, *, is_error: bool) -> CallToolResult:
    return CallToolResult.model_validate(
        {
            "content": [{"type": "text", "text": text}],
            "structuredContent": structured,
            "isError": is_error,
        }
    )


async def serve(
    card: ServerCard,
    handler: Handler,
    *,
    stdin: TextIO,
    stdout: TextIO,
    on_answer: Callable[[], None],
    on_end: Callable[[], None],
) -> None:
    """Serve MCP over the given streams until `stdin` ends.

    `on_answer` is called once, after the first message to the client; `on_end` when the client has
    closed its side. What it asked before is still answered, for as long as the caller lets it.
    """
    server = MCPServer(
        card.name,
        instructions=card.instructions,
        tools=[_wire_tool(tool, handler) for tool in card.tools],
        log_level="WARNING",
    )
    # Neither SDK has a public way to run on given streams; the attribute's name is what differs.
    low_level: Any = getattr(server, "_lowlevel_server", None) or getattr(server, "_mcp_server")  # noqa: B009
    low_level.version = card.version
    requests = _Requests()
    lines = cast("anyio.AsyncFile[str]", _Lines(stdin, requests, on_end))
    sink = cast("anyio.AsyncFile[str]", _Sink(stdout, requests, on_answer))
    async with stdio_server(lines, sink) as streams:
        await low_level.run(streams[0], streams[1], low_level.create_initialization_options())


def _wire_tool(card: ToolCard, handler: Handler) -> Tool:
    return _WireTool(
        fn=handler,
        handler=handler,
        name=card.name,
        description=card.description,
        parameters=card.input_schema,
        fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=card.output_schema),
        is_async=True,
        title=card.title,
        context_kwarg=None,
        annotations=ToolAnnotations.model_validate(
            {
                "title": card.title,
                "readOnlyHint": card.read_only,
                "destructiveHint": card.destructive,
                "idempotentHint": card.idempotent,
                "openWorldHint": False,
            }
        ),
    )


class _Requests:
    """The client's requests that are still without an answer."""

    def __init__(self) -> None:
        self._open: set[str] = set()

    def came(self, line: str) -> None:
        message = _message(line)
        if "method" in message and "id" in message:
            self._open.add(str(message["id"]))

    def went(self, line: str) -> None:
        message = _message(line)
        if "method" not in message:
            self._open.discard(str(message.get("id")))

    async def all_answered(self) -> None:
        while self._open:
            await anyio.sleep(0.02)


def _message(line: str) -> Json:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):  # the SDK answers these
        return {}
    return message if isinstance(message, dict) else {}


class _Lines:
    """The client's messages, line by line, always valid Unicode.

    The SDK drops what it has not answered when the lines end, so they end only after the last answer.
    """

    def __init__(self, stream: TextIO, requests: _Requests, on_end: Callable[[], None]) -> None:
        self._file = anyio.wrap_file(stream)
        self._requests = requests
        self._on_end = on_end

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            marked = mark_half_pairs(line)
            self._requests.came(marked)
            yield marked
        self._on_end()
        await self._requests.all_answered()


class _Sink:
    """The way to the client."""

    def __init__(self, stream: TextIO, requests: _Requests, on_answer: Callable[[], None]) -> None:
        self._file = anyio.wrap_file(stream)
        self._requests = requests
        self._on_answer: Callable[[], None] | None = on_answer

    async def write(self, text: str) -> None:
        self._requests.went(text)
        await self._file.write(text)

    async def flush(self) -> None:
        await self._file.flush()
        if self._on_answer is not None:
            self._on_answer()
            self._on_answer = None


class ClientProgress(Protocol):
    """Takes what a server says of how far a call is."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...


class Client:
    """A connected MCP client that speaks in plain JSON."""

    def __init__(self, session: ClientSession, hello: Json) -> None:
        self._session = session
        self.hello = hello

    async def tools(self) -> list[Json]:
        """Return the tools as they came over the wire."""
        listed = await self._session.list_tools()
        return [_dump(tool) for tool in listed.tools]

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        progress: ClientProgress | None = None,
    ) -> Json:
        """Call a tool and return its whole result: content, structuredContent, isError."""
        result = await self._session.call_tool(name, dict(arguments or {}), progress_callback=progress)
        return _dump(result)


def _dump(value: Any) -> Json:
    dumped: Json = value.model_dump(by_alias=True, mode="json", exclude_unset=True)
    return dumped


@asynccontextmanager
async def connect(
    command: str, args: Sequence[str], *, env: Mapping[str, str], errlog: TextIO
) -> AsyncIterator[Client]:
    """Start a server as a child process and yield a client that has shaken hands with it."""
    parameters = StdioServerParameters(command=command, args=list(args), env=dict(env))
    async with (
        stdio_client(parameters, errlog=errlog) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        hello = await session.initialize()
        yield Client(session, _dump(hello))
