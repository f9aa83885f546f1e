"""What the tests of the hot tier share: a clock, entries, and texts of every awkward kind."""

from datetime import UTC, datetime

from hypothesis import strategies as st

from memorycore.model import Entry, new_id

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
LIMITS = {"memory": 2_200, "user": 1_375}


def clock() -> datetime:
    return NOW


def entry(text, target="memory", **fields) -> Entry:
    given = {"kind": "rule", "importance": 0.8, "origin": "store_fact", "written_at": NOW, "updated_at": NOW}
    return Entry(**{"id": new_id(), "target": target, "text": text, **given, **fields})


def texts(store, target="memory"):
    return [found.text for found in store.read(target).entries]


_PIECES = [
    "§",
    "\n",
    "\r",
    "\r\n",
    "\n§\n",
    " ",
    "\u00a0",
    "\u2028",
    "\x1c",
    "\x85",
    "\ufeff",
    "\0",
    "a",
    "b",
]
_PIECES += ["## heading", "```", "记住", "😀", "\u200c", "\ud800", "| a | b |", "[BLOCKED: x]", "{", '"']

awkward_text = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join) | st.text(max_size=20)
file_text = awkward_text.filter(lambda text: "\ud800" not in text).filter(
    lambda text: not any("\ud800" <= char <= "\udfff" for char in text)
)


def drift_by_the_book(raw: str) -> bool:
    """Hermes' own condition, put down anew: what it would write is not what it read."""
    parts = [part.strip() for part in raw.split("\n§\n") if part.strip()]
    return raw.strip() != "\n§\n".join(parts)
