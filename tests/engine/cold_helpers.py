"""Cold tiers as anybody may have left them, for the tests of what keeps them in order."""

from __future__ import annotations

from datetime import timedelta

from memorycore.model import Record
from tests.engine.helpers import NOW, World, record, shared_encoder

LOVES, HATES, LOVES_AGAIN = "I love Chinese food.", "I hate Chinese food.", "I love Chinese food"
CAT, CAT_UPSTAIRS = "The cat is called Mimi.", "The cat is called Mimi and lives upstairs."
PORT, OTHER_PORT = "The admin port of relay-3 is 8443.", "The admin port of relay-3 is 8444."


def put(world: World, *records: Record) -> list[Record]:
    """Store records behind the back of the write path, as an import or an older tool would."""
    vectors = shared_encoder().passages([(one.text, one.context) for one in records])
    for one, vector in zip(records, vectors, strict=True):
        assert world.cold.put(one, vector) == one.id
    return list(records)


def day(number: int, text: str, **fields) -> Record:
    at = NOW - timedelta(days=100 - number)
    return record(text, **({"created_at": at, "updated_at": at} | fields))


def padded(world: World, count: int = 60) -> World:
    """Enough unrelated facts for a pass to retire three."""
    words = ("lamp", "boat", "fern", "drum", "kiln", "moss", "rope", "vase", "sled", "harp")
    pairs = ((words[n % 10], words[n // 10 % 10], n) for n in range(count))
    put(world, *(record(f"{one}{n} {other}{n * 7} {n * 31}q") for one, other, n in pairs))
    return world


def texts(world: World) -> set[str]:
    return {one.text for one in world.records() if one.active and "q" not in one.text}


def by_id(world: World, one: Record) -> Record:
    found = world.cold.get(one.id)
    assert found is not None
    return found
