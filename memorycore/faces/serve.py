"""The life of the MCP server: from the first byte on stdin to the process's end."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.to_thread

from memorycore.errors import MemoryCoreError, SettingsError
from memorycore.faces.about import installed_version
from memorycore.faces.log import log_to_stderr
from memorycore.faces.session import Session
from memorycore.faces.stdio import Wire, take_wire

if TYPE_CHECKING:
    from memorycore.engine.core import MemoryCore
    from memorycore.faces.sdk import Json, Progress, Reply, ServerCard

# Seconds that running calls get once the client has gone, and after which the process goes too.
GRACE = 3.0
# Seconds between the first answer and the warm-up: several servers that start together, on few cores,
# all answer before any of them loads a model.
WARM_UP_DELAY = 1.0
# Calls that work at a time; the SDK's own reading and writing has other threads.
WORKERS = 8
# Seconds between progress notifications.
PROGRESS_PAUSE = 0.2

_log = logging.getLogger(__name__)


def run(**arguments: Any) -> None:
    """Serve MCP on stdin and stdout until the client closes them or SIGTERM comes.

    The arguments are settings that go before those of the environment.
    """
    # What start-up allocates stays; looking for garbage in it takes a tenth of the time to the first answer.
    gc.disable()
    wire = take_wire()
    log_to_stderr(_log_level(arguments))
    session = Session(partial(_build, arguments))
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=_leave, args=(session,)).start())
    try:
        anyio.run(_serve, wire, session)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        _log.info("the client has closed its reading side")
    except* KeyboardInterrupt:
        _log.info("interrupted")
    _leave(session)


def _log_level(arguments: dict[str, Any]) -> str:
    from memorycore.settings import Settings

    try:
        return Settings.load(**arguments).log_level
    except SettingsError as error:
        # The tools answer with this error too, where a client's user can see it.
        print(error, file=sys.stderr)
        return "WARNING"


def _build(arguments: dict[str, Any]) -> MemoryCore:
    # The engine is imported at the first call: `initialize` does not wait for numpy.
    from memorycore.app import build
    from memorycore.settings import Settings

    return build(Settings.load(**arguments))


def _leave(session: Session) -> None:
    """Close the session and end the process, even if a thread is still blocked somewhere."""
    if not session.close(grace=GRACE):
        _log.warning("a run was cut off; the next start finishes or drops it")
    logging.shutdown()
    os._exit(0)


async def _serve(wire: Wire, session: Session) -> None:
    from memorycore.faces import sdk

    def warm_up() -> None:
        gc.enable()
        time.sleep(WARM_UP_DELAY)
        session.warm_up()

    def go() -> None:
        time.sleep(GRACE)
        _leave(session)

    await sdk.serve(
        _card(),
        _Desk(session).answer,
        stdin=wire.stdin,
        stdout=wire.stdout,
        on_answer=threading.Thread(target=warm_up, daemon=True).start,
        on_end=threading.Thread(target=go, daemon=True).start,
    )


def _card() -> ServerCard:
    from memorycore.faces.sdk import ServerCard, ToolCard
    from memorycore.faces.tools import INSTRUCTIONS, TOOLS

    cards = [
        ToolCard(
            name=spec.name,
            title=spec.title,
            description=spec.description,
            input_schema=spec.input,
            output_schema=spec.output,
            read_only=spec.read_only,
            destructive=spec.destructive,
            idempotent=spec.idempotent,
        )
        for spec in TOOLS
    ]
    return ServerCard(name="memorycore", version=installed_version(), instructions=INSTRUCTIONS, tools=cards)


class _Desk:
    """Takes calls from the event loop, has them done in threads, and turns errors into answers."""

    def __init__(self, session: Session) -> None:
        from memorycore.faces.tools import TOOLS

        self._session = session
        self._specs = {spec.name: spec for spec in TOOLS}
        self._workers = anyio.CapacityLimiter(WORKERS)

    async def answer(self, name: str, arguments: Json, progress: Progress) -> Reply:
        from memorycore.faces.sdk import Reply
        from memorycore.faces.tools import call_tool

        spec = self._specs[name]
        report = partial(_report, _Pace(), progress)
        work = partial(self._session.use, lambda core: call_tool(spec, core, arguments, report))
        try:
            wire = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._workers)
        except MemoryCoreError as error:
            _log.warning("%s failed: %s", name, error)
            return Reply(fault=str(error))
        except Exception:  # the client gets a plain sentence, the log the traceback
            _log.exception("%s failed unexpectedly", name)
            return Reply(
                fault=f"{name} failed unexpectedly; what was stored before is untouched. "
                "The server's stderr has the details, and `memorycore doctor` checks the installation."
            )
        return Reply(structured=wire)


class _Pace:
    """Lets one event through per pause, and always the last one."""

    def __init__(self) -> None:
        self._next = 0.0

    def lets_through(self, done: int, total: int) -> bool:
        now = time.monotonic()
        if done < total and now < self._next:
            return False
        self._next = now + PROGRESS_PAUSE
        return True


def _report(pace: _Pace, progress: Any, done: int, total: int) -> None:
    """Tell the client how far a run is; a client that has gone does not stop the run."""
    if not pace.lets_through(done, total):
        return
    try:
        anyio.from_thread.run(progress, done, total)
    except Exception:  # the work matters, the news of it does not
        _log.debug("progress could not be sent", exc_info=True)
