"""The provider's tools, made of the MCP tools: their arguments and answers in the form of the host."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from memorycore.errors import MemoryCoreError
from memorycore.faces.hermes.house import House
from memorycore.faces.tools import TOOLS, ToolSpec, call_tool

_log = logging.getLogger(__name__)

_SPECS: Mapping[str, ToolSpec] = {spec.name: spec for spec in TOOLS}
_OFFERED: Mapping[str, ToolSpec] = {
    "memorycore_recall": _SPECS["recall"],
    "memorycore_store_fact": _SPECS["store_fact"],
    "memorycore_forget": _SPECS["forget"],
    "memorycore_audit": _SPECS["memory_audit"],
}
_RENAMED = {
    "memory_audit": "memorycore_audit",
    "from which restore brings it back": "and its answer's `undo` is what the user can undo it by",
}
_MORE = {
    "memorycore_recall": " Facts that bear on a message come with it by themselves; call this when "
    "they don't suffice, or with a query of your own.",
    "memorycore_store_fact": " For lasting facts rather than the memory tool, which takes up room in every "
    "prompt.",
}


def tool_schemas() -> list[dict[str, Any]]:
    """Return the tools in the form of function calling."""
    return [
        {"name": name, "description": _description(name, spec), "parameters": spec.input}
        for name, spec in _OFFERED.items()
    ]


def call(house: House, name: str, arguments: Mapping[str, Any]) -> str:
    """Return the tool's answer as JSON; bad input and faults as the host's tool errors. Never raises."""
    spec = _OFFERED.get(name)
    if spec is None:
        return error(f"There is no tool {name!r} here. Known are: {', '.join(_OFFERED)}.")
    try:
        answer = house.use(lambda core: call_tool(spec, core, arguments, lambda _done, _total: None))
    except MemoryCoreError as fault:
        return error(str(fault))
    except Exception as fault:  # the host's turn goes on
        _log.exception("%s failed", name)
        return error(f"{name} failed: {type(fault).__name__}. The log of Hermes says more.")
    if answer.get("status") == "error":
        return error(str(answer["detail"]))
    return json.dumps(answer, ensure_ascii=False)


def error(message: str) -> str:
    """Return an error the way the host's own tools do; outside the host, in the same form."""
    try:
        make: Callable[[str], str] = import_module("tools.registry").tool_error
    except ImportError:
        return json.dumps({"error": message}, ensure_ascii=False)
    return make(message)


def _description(name: str, spec: ToolSpec) -> str:
    text = spec.description + _MORE.get(name, "")
    for old, new in _RENAMED.items():
        text = text.replace(old, new)
    return text
