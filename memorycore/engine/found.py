"""What the ports answer beside records and runs: mentions of an item, what is buried near a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memorycore.engine.ports_ledger import StepState
from memorycore.model import Embedding, TrashItem
from memorycore.plan import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A journalled action that speaks of an item, the run that it belongs to, and how far it got."""

    run: str
    at: datetime
    action: Action
    state: StepState


@dataclass(frozen=True, slots=True, kw_only=True)
class Buried:
    """An item of the trash that is near a query: the vectors it was kept with, and how near."""

    item: TrashItem
    embedding: Embedding
    cosine: float
