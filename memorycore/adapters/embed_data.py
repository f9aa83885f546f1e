"""What comes with the package for calibration: background sentences, and vectors made beforehand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import cast

import numpy as np

from memorycore.engine.ports import EmbedRole
from memorycore.model import Vector
from memorycore.policy.calibration import LANGUAGES, Background


@lru_cache(maxsize=1)
def background() -> Background:
    """Return the background sentences of data/background.json."""
    content = json.loads((resources.files("memorycore") / "data" / "background.json").read_text("utf-8"))
    return Background(
        passages={lang: tuple(content[lang]) for lang in LANGUAGES},
        queries={lang: tuple(content[f"queries_{lang}"]) for lang in LANGUAGES},
    )


@lru_cache(maxsize=2)
def prebuilt(identity: str) -> Mapping[tuple[EmbedRole, str], Vector]:
    """Return the shipped raw vectors of a model by role and text hash; empty for other models."""
    file = resources.files("memorycore") / "data" / prebuilt_name(identity)
    if not file.is_file():
        return {}
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        roles, hashes, vectors = stored["roles"], stored["hashes"], stored["vectors"]
    return {
        (cast("EmbedRole", str(role)), str(key)): vector
        for role, key, vector in zip(roles, hashes, vectors.astype(np.float32), strict=True)
    }


def prebuilt_name(identity: str) -> str:
    """Return the name of the file that holds a model's vectors."""
    return re.sub(r"[^\w.-]+", "_", identity) + ".npz"
