"""`memorycore demo`: a real server in a home of its own, a real MCP client, and what they say."""

from __future__ import annotations

import re
import sys
import tempfile
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TextIO, TypeVar

import anyio
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memorycore.answers import Audit, MoveAnswer, RecallAnswer, StoreReceipt, Usage
from memorycore.errors import InvalidInput, MemoryCoreError
from memorycore.faces import render, render_runs
from memorycore.faces.about import installed_version
from memorycore.faces.hosts import hosts, launch_command
from memorycore.faces.listing import host_text
from memorycore.faces.sdk import Client, connect
from memorycore.policy.hot_text import DELIMITER
from memorycore.settings import Settings, environment, load_with_sources

T = TypeVar("T")

_LIMIT = 1_000
"""Characters of the demo's MEMORY.md: few, so that a few entries fill it."""


class DemoFailedError(MemoryCoreError):
    """Raised when the server answers a call with a fault."""


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: str
    target: str = "memory"
    importance: float = 0.5


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid")

    query: str
    nothing: bool = False


class _Script(BaseModel):
    model_config = ConfigDict(extra="forbid")

    facts: list[_Fact] = Field(min_length=1)
    questions: list[_Question] = []
    by_hand: list[str] = []
    one_more: str = ""


def run_demo(*, keep: Path | None = None, facts: Path | None = None) -> bool:
    """Show a server at work; True if every question found what the script says it should.

    The home is `keep`, which must not exist or be empty, or a temporary directory that is removed.
    Raises `InvalidInput` for a `facts` file that can't be read and a `keep` that is in use.
    """
    script = _read_script(facts)
    console = Console(highlight=False)
    if keep is not None:
        return anyio.run(_show, _fresh(keep.absolute()), script, console, True)
    with tempfile.TemporaryDirectory(prefix="memorycore-demo-", ignore_cleanup_errors=True) as home:
        return anyio.run(_show, Path(home), script, console, False)


def _read_script(path: Path | None) -> _Script:
    try:
        source = path or files("memorycore.faces").joinpath("demo_facts.toml")
        return _Script.model_validate(tomllib.loads(source.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise InvalidInput(
            f"{path} is no demo script: {error}.", advice="examples/facts.toml shows the form."
        ) from None


def _fresh(directory: Path) -> Path:
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InvalidInput(
            f"{directory} is in use.", advice="The demo starts empty; name a directory that does not exist."
        )
    return directory


async def _show(home: Path, script: _Script, console: Console, kept: bool) -> bool:
    console.print(Text.assemble(("MemoryCore ", "bold"), (installed_version(), "dim")))
    async with _server(home, sys.stderr) as client:
        tools = await client.tools()
        console.print(Text(f"a server with {len(tools)} tools, in {home}", style="dim"))
        ids = await _store(client, script, console)
        found = await _ask(client, script, console)
        await _change_of_mind(client, ids[-1], script.facts[-1].content, console)
        run = await _overflow(client, home, script, console) if script.by_hand and script.one_more else None
        await _audit(client, console)
    if run is not None:
        _undo(home, run, console)
    _farewell(home, console, kept=kept)
    return found


@asynccontextmanager
async def _server(home: Path, errlog: TextIO) -> AsyncIterator[Client]:
    command, *args = launch_command()
    # A home of its own; everything else, the embedder above all, as the user has set it.
    env = environment(*load_with_sources()) | {
        "MEMORYCORE_HOME": str(home),
        "MEMORY_DIR": str(_hot(home)),
        "MEMORYCORE_HOT_LIMIT_MEMORY": str(_LIMIT),
    }
    async with connect(command, args, env=env, errlog=errlog) as client:
        yield client


def _hot(home: Path) -> Path:
    return home / "memories"


async def _call(client: Client, answer: type[T], name: str, **arguments: Any) -> T:
    result = await client.call(name, arguments)
    if result.get("isError"):
        raise DemoFailedError(result["content"][0]["text"], advice="`memorycore doctor` looks for the cause.")
    return TypeAdapter(answer).validate_python(result["structuredContent"])


async def _store(client: Client, script: _Script, console: Console) -> list[str]:
    _title(console, "Storing", "one fact per call; MemoryCore decides where it lives, and says why")
    table = _grid()
    ids = []
    told: dict[str, str] = {}
    for fact in script.facts:
        receipt = await _call(client, StoreReceipt, "store_fact", **fact.model_dump())
        why = [re.split(r"(?<=[.。]) ", receipt.detail)[0].rstrip(".。")]  # the first sentence will do
        why += [f"it replaces “{told[old]}”" for old in receipt.superseded if old in told]
        table.add_row(
            render.status(receipt.status), Text.assemble(fact.content, "\n", ("; ".join(why), "dim"))
        )
        ids.append(receipt.id or "")
        told.setdefault(ids[-1], fact.content)
    console.print(table)
    return ids


async def _ask(client: Client, script: _Script, console: Console) -> bool:
    _title(console, "Recalling", "in other words, across languages, and nothing where nothing is known")
    as_told = True
    for question in script.questions:
        answer = await _call(client, RecallAnswer, "recall", query=question.query, top_k=2)
        as_told = as_told and bool(answer.results) != question.nothing
        table = _grid()
        for hit in answer.results:
            table.add_row(Text(f"  {hit.score:.2f}", style="green"), hit.content)
        if not answer.results:
            table.add_row("", Text("nothing stored answers that", style="dim"))
        console.print(Text(question.query, style="bold"), table)
    return as_told


async def _change_of_mind(client: Client, id: str, content: str, console: Console) -> None:
    _title(console, "Forgetting", "and bringing back; nothing is ever lost")
    for tool in ("forget", "restore"):
        answer = await _call(client, MoveAnswer, tool, id=id)
        console.print(Text.assemble(render.status(answer.status), "  ", content))


async def _overflow(client: Client, home: Path, script: _Script, console: Console) -> str | None:
    """Fill the file as hands do over the months, store one more rule, and show what made room for it."""
    _title(console, "Overflowing", f"a MEMORY.md kept by hand over the months, {_LIMIT:,} characters at most")
    path = _hot(home) / "MEMORY.md"
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write("".join(f"{DELIMITER}{entry}" for entry in script.by_hand))
    console.print(render.audited(await _call(client, Audit, "memory_audit", target="memory")))
    console.print(Text("one more rule is told:", style="dim"))
    receipt = await _call(client, StoreReceipt, "store_fact", content=script.one_more)
    console.print(render.receipt(receipt))
    return None if receipt.overflow is None else receipt.overflow.run


def _undo(home: Path, run: str, console: Console) -> None:
    """Take the overflow back, as `memorycore undo` does."""
    from memorycore.app import build

    _title(console, "Undoing", "what was done is on record, and can be taken back")
    limits = {"hot_limit_memory": _LIMIT}
    with build(Settings.load(home=home, memory_dir=_hot(home), **limits)) as core:
        console.print(render_runs.detail(core.show(run)))
        console.print(render.moved(core.undo(run)))
        console.print(render_runs.history(core.history(limit=3)))


async def _audit(client: Client, console: Console) -> None:
    _title(console, "Auditing", "what is in every prompt, and what would leave it next, and why")
    console.print(render.audited(await _call(client, Audit, "memory_audit")))
    console.print(render.used(await _call(client, Usage, "get_memory_usage")))


def _farewell(home: Path, console: Console, *, kept: bool) -> None:
    _title(console, "Yours", "register the server with the host that your agent runs in")
    console.print(host_text(hosts(*load_with_sources())), soft_wrap=True)
    console.print(Text("`memorycore hosts` prints this again, `memorycore doctor` checks.", style="dim"))
    if kept:
        console.print(Text(f"The demo's home stays in {home}.", style="dim"))


def _grid() -> Table:
    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))


def _title(console: Console, word: str, rest: str) -> None:
    console.print()
    console.print(Text.assemble((word, "bold cyan"), (f"  {rest}", "dim")))
