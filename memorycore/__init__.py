"""MemoryCore: a memory governance layer for LLM agents.

    from memorycore import Settings, build

    with build(Settings.load()) as memory:
        memory.store("Ask before deleting files.")
        memory.recall("may I delete this?")

Everything public is here; the names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memorycore.answers import (
        Audit,
        MaintenancePreview,
        MaintenanceReport,
        MoveAnswer,
        OverflowReport,
        RecallAnswer,
        RecallHit,
        ReindexReport,
        StoreReceipt,
        Usage,
        to_wire,
    )
    from memorycore.answers_past import FactHistory, History, PurgeAnswer, RunDetail, TrashPage
    from memorycore.app import build
    from memorycore.engine.core import MemoryCore
    from memorycore.errors import (
        EmbedderError,
        HotFileError,
        InvalidInput,
        LexiconError,
        MemoryCoreError,
        SettingsError,
        StoreError,
        UnknownId,
    )
    from memorycore.settings import Settings

_HOMES = {
    "memorycore.answers": (
        "Audit",
        "MaintenancePreview",
        "MaintenanceReport",
        "MoveAnswer",
        "OverflowReport",
        "RecallAnswer",
        "RecallHit",
        "ReindexReport",
        "StoreReceipt",
        "Usage",
        "to_wire",
    ),
    "memorycore.answers_past": ("FactHistory", "History", "PurgeAnswer", "RunDetail", "TrashPage"),
    "memorycore.app": ("build",),
    "memorycore.engine.core": ("MemoryCore",),
    "memorycore.errors": (
        "EmbedderError",
        "HotFileError",
        "InvalidInput",
        "LexiconError",
        "MemoryCoreError",
        "SettingsError",
        "StoreError",
        "UnknownId",
    ),
    "memorycore.settings": ("Settings",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Audit",
    "EmbedderError",
    "FactHistory",
    "History",
    "HotFileError",
    "InvalidInput",
    "LexiconError",
    "MaintenancePreview",
    "MaintenanceReport",
    "MemoryCore",
    "MemoryCoreError",
    "MoveAnswer",
    "OverflowReport",
    "PurgeAnswer",
    "RecallAnswer",
    "RecallHit",
    "ReindexReport",
    "RunDetail",
    "Settings",
    "SettingsError",
    "StoreError",
    "StoreReceipt",
    "TrashPage",
    "UnknownId",
    "Usage",
    "build",
    "to_wire",
]


def __getattr__(name: str) -> Any:
    # Importing a submodule must stay light: the server answers `initialize` before numpy is loaded.
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
