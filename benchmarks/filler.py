"""Filler memories: distinct, varied sentences, half English, half Chinese.

The templates and slot lists are in data/filler.json.
"""

import json
import random
import re
from pathlib import Path
from typing import TypedDict


class Grammar(TypedDict):
    """The sentence templates of one language and what fills their slots."""

    templates: list[str]
    slots: dict[str, list[str]]


_SLOT = re.compile(r"\{(\w+)(?::(\d+)-(\d+))?\}")
_DATA = Path(__file__).with_name("data") / "filler.json"
_MAX_MISSES = 10_000
_REPEAT = frozenset({"letter", "min", "sur", "hostbase"})


def _load() -> dict[str, Grammar]:
    data: dict[str, Grammar] = json.loads(_DATA.read_text(encoding="utf-8"))
    return data


def _fill(text: str, slots: dict[str, list[str]], rng: random.Random) -> str:
    """Fill a template; one slot never takes the same value twice."""
    used: dict[str, set[str]] = {}

    def value(match: re.Match[str]) -> str:
        key, low, high = match.group(1, 2, 3)
        if low is not None:
            return str(rng.randint(int(low), int(high)))
        seen = used.setdefault(key, set())
        while True:
            got = _SLOT.sub(value, rng.choice(slots[key]))
            if key not in _REPEAT and got in seen:
                continue
            seen.add(got)
            return got

    return _SLOT.sub(value, text)


def filler(n: int, seed: int = 7) -> list[str]:
    """Return n distinct sentences, English and Chinese in turn.

    The same seed gives the same list, and a shorter list is the
    beginning of a longer one.
    """
    grammars = _load()
    langs = ("en", "zh")
    rngs = {lang: random.Random(f"{seed}-{lang}") for lang in langs}
    order: dict[str, list[int]] = {lang: [] for lang in langs}
    out: list[str] = []
    seen: set[str] = set()
    misses = 0
    while len(out) < n:
        lang = langs[len(out) % 2]
        rng, todo = rngs[lang], order[lang]
        if not todo:
            todo.extend(range(len(grammars[lang]["templates"])))
            rng.shuffle(todo)
        template = grammars[lang]["templates"][todo.pop()]
        text = _fill(template, grammars[lang]["slots"], rng)
        if text in seen:
            misses += 1
            if misses > _MAX_MISSES:
                raise ValueError(f"only {len(out)} distinct sentences")
            continue
        misses = 0
        seen.add(text)
        out.append(text)
    return out
