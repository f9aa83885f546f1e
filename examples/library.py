"""MemoryCore as a library: store, recall, audit, forget, take back. Run: python examples/library.py"""

import tempfile
from pathlib import Path

from memorycore.app import build
from memorycore.settings import Settings


def main() -> None:
    """Use a memory in a directory of its own."""
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        with build(Settings(home=home, memory_dir=home / "memories")) as memory:
            stored = memory.store("The backup of the wiki runs every night at 02:30.")
            print(stored.status, "-", stored.detail)

            memory.store("Answer in British English.", target="user")

            answer = memory.recall("at what time is the wiki saved?")
            for hit in answer.results:
                print(f"{hit.score:.2f}", hit.content)

            for name, target in memory.audit().targets.items():
                for entry in target.entries:
                    print(name, "-", entry.verdict, "-", entry.text)

            forgotten = memory.forget(stored.id or "")
            print(forgotten.status, "- and", memory.undo(forgotten.undo or "").status)


if __name__ == "__main__":
    main()
