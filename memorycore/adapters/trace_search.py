"""The child process that searches files for bytes.

Run by path; imports nothing of this package. It is a process of its own because closing a file drops
every lock that this process holds on it, those of SQLite too. Reads `{"files": [path], "forms": {name:
hex}}` from stdin; writes `{"files": n, "bytes": n, "found": [[path, name, count]], "unread": [path]}`.
"""

from __future__ import annotations

import json
import sys

_BLOCK = 1 << 22


def main() -> None:
    """Search each file for each form."""
    asked = json.load(sys.stdin)
    forms = {name: bytes.fromhex(digits) for name, digits in asked["forms"].items()}
    total, read, found, unread = 0, 0, [], []
    for path in asked["files"]:
        try:
            size, counts = _count(path, forms)
        except FileNotFoundError:
            continue  # a lock or a temporary file that its owner has taken away
        except OSError:
            unread.append(path)
            continue
        total, read = total + size, read + 1
        found += [[path, name, count] for name, count in counts.items() if count]
    json.dump({"files": read, "bytes": total, "found": found, "unread": unread}, sys.stdout)


def _count(path: str, forms: dict[str, bytes]) -> tuple[int, dict[str, int]]:
    overlap = max(map(len, forms.values())) - 1
    counts = dict.fromkeys(forms, 0)
    size, tail = 0, b""
    with open(path, "rb") as file:  # noqa: PTH123  a path as it came, and the least to import
        while block := file.read(_BLOCK):
            size += len(block)
            window = tail + block
            for name, form in forms.items():
                # What lies wholly in the tail was counted with the block before.
                counts[name] += window.count(form) - tail.count(form)
            tail = window[-overlap:] if overlap else b""
    return size, counts


if __name__ == "__main__":
    main()
