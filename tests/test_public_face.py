"""The names that users import are promises: a change here is a change of the product."""

from __future__ import annotations

import subprocess
import sys

import memorycore

PUBLIC = [
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


def test_the_public_names_are_these_and_all_are_there():
    assert memorycore.__all__ == PUBLIC
    assert all(getattr(memorycore, name) is not None for name in PUBLIC)
    assert set(PUBLIC) <= set(dir(memorycore))


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["mcp", "numpy", "openai", "pydantic"]
    code = f"import sys, memorycore; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == "[]"
