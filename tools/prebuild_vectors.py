"""Make the vectors that ship with the package: `python tools/prebuild_vectors.py [MODEL...]`.

Embeds the background sentences and the examples of the lexicons with each bundled model and writes
one file per model into memorycore/data. To be run after a change of either, or of a model's version.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memorycore import lexicon  # noqa: E402
from memorycore.adapters.embed_bundled import BundledEmbedder, BundledModel  # noqa: E402
from memorycore.adapters.embed_data import background, prebuilt_name  # noqa: E402
from memorycore.engine.ports import Embedder, EmbedRole  # noqa: E402
from memorycore.model import text_hash  # noqa: E402

DATA = ROOT / "memorycore" / "data"


def texts() -> Iterator[tuple[EmbedRole, str]]:
    """Yield what is embedded beforehand, each once, in a stable order."""
    sentences = background()
    for passages in sentences.passages.values():
        yield from (("passage", text) for text in passages)
    for queries in sentences.queries.values():
        yield from (("query", text) for text in queries)
    yield from dict.fromkeys(("passage", example.text) for example in lexicon.load().examples())


def build(embedder: Embedder) -> Path:
    """Write the file of one model and return its path."""
    wanted = list(dict.fromkeys(texts()))
    made: dict[tuple[EmbedRole, str], np.ndarray] = {}
    for role in get_args(EmbedRole):
        of_role = [text for its_role, text in wanted if its_role == role]
        for text, vector in zip(of_role, embedder.embed(of_role, role), strict=True):
            if vector is None:
                raise SystemExit(f"{embedder.identity} has no vector for {text!r}")
            made[role, text] = vector
    path = DATA / prebuilt_name(embedder.identity)
    np.savez_compressed(
        path,
        roles=np.array([role for role, _ in wanted]),
        hashes=np.array([text_hash(text) for _, text in wanted]),
        # Half precision moves a cosine by less than 0.001.
        vectors=np.stack([made[key] for key in wanted]).astype(np.float16),
    )
    return path


def main(models: Sequence[str]) -> None:
    """Build the files of the named models, of all by default."""
    known: tuple[BundledModel, ...] = get_args(BundledModel)
    for model in known:
        if models and model not in models:
            continue
        embedder = BundledEmbedder(model)
        try:
            path = build(embedder)
        finally:
            embedder.close()
        sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
