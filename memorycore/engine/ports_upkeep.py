"""What maintenance and reindexing need of a cold store, beside what every call needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from memorycore.model import Near, Swept


class ColdUpkeep(Protocol):
    """The part of `ColdStore` that looks at the store as a whole."""

    def owners(self) -> list[str]:
        """Return the owners of records, in order of their names."""
        ...

    def size(self, owner: str) -> int:
        """Count the owner's active records; a few milliseconds at 10,000."""
        ...

    def neighbours(
        self, owner: str, *, model: str, floor: float, limit: int, only: Collection[str] | None = None
    ) -> Iterator[tuple[str, tuple[Near, ...]]]:
        """Yield, per active record with a usable vector of the model, its nearest others.

        These are the `limit` active records of the same owner and scope with the highest cosines of
        the `own` vectors, none below `floor`, nearest first, of equal ones the lower id first. Exact,
        of one snapshot of the store, by scope and id. `only` names the records to ask for, all if None.
        """
        ...

    def models(self, owner: str) -> Mapping[str, int]:
        """Return how many of the owner's active records have a usable vector, by model."""
        ...

    def sweep(self) -> Swept:
        """Drop vectors without a record and ones that can't be compared; say how many of each.

        Their records are pending then. Reads every vector.
        """
        ...

    def drop_vectors(self, *, keep: str) -> int:
        """Drop the vectors of all models but `keep`, some at a time; return how many they were.

        A call that is cut off leaves some of them, which the next one drops.
        """
        ...

    def scrub(self) -> bool:
        """Leave nothing of a deleted item's text in files, as far as that can be had without waiting.

        False if somebody who reads or writes keeps some of it for now. Single words of it may stay in an
        index until `vacuum`.
        """
        ...
