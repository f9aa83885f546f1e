"""In-memory stores for the tests of programs that build on MemoryCore.

They keep the contracts of the ports - the same contract suites run against them and against the real
adapters - and lose everything with the process. Made to be read: exact, and linear in what they hold.
"""

from memorycore.testing_cold import InMemoryColdStore
from memorycore.testing_embed import HashingEmbedder
from memorycore.testing_hot import InMemoryHotStore
from memorycore.testing_judge import ScriptedJudge
from memorycore.testing_ledger import InMemoryLedger
from memorycore.testing_pairs import ScriptedPairModel

__all__ = [
    "HashingEmbedder",
    "InMemoryColdStore",
    "InMemoryHotStore",
    "InMemoryLedger",
    "ScriptedJudge",
    "ScriptedPairModel",
]
