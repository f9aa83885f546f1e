"""Copies written groups into data/: `python -m tools.pair_model.collect SOURCE`.

SOURCE has one directory per author, each with files *.jsonl. They are joined to one file per author; what is
no group is left out and named, and so is a group whose base stands in an earlier one, or one that holds a
text of the sets that the product is measured with.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from tools.pair_model.groups import DATA, BadGroup, Group, parse

BENCHMARKS: Final = Path(__file__).parents[2] / "benchmarks" / "data"


def fingerprint(text: str) -> str:
    """Return a hash of a text without what two writings of it may differ by: all but letters and digits."""
    plain = "".join(char for char in text.casefold() if char.isalnum())
    return hashlib.sha256(plain.encode()).hexdigest()


def known_to_benchmarks() -> set[str]:
    """Return the fingerprints of the texts of the benchmark pairs."""
    rows = (
        json.loads(line)
        for path in BENCHMARKS.glob("pairs_unseen*.jsonl")
        for line in path.read_text("utf-8").splitlines()
        if line.strip()
    )
    return {fingerprint(row[side]) for row in rows for side in ("new", "old")}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files of data/ anew, and say what was left out."""
    parser = argparse.ArgumentParser(description="Copy written groups into the data of the pair model.")
    parser.add_argument("source", type=Path, help="a directory with one directory of *.jsonl per author")
    source: Path = parser.parse_args(arguments).source
    unseen, bases = known_to_benchmarks(), set[str]()
    for author in sorted(path for path in source.iterdir() if path.is_dir()):
        lines = [line for line, group in _groups(author) if _is_new(group, bases, unseen)]
        if lines:
            (DATA / f"{author.name}.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        print(f"{author.name}: {len(lines)} groups")


def _groups(author: Path) -> Iterator[tuple[str, Group]]:
    for path in sorted(author.glob("*.jsonl")):
        if path.is_symlink():  # of another author, who has it too
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                group = parse(line)
            except BadGroup as error:
                print(f"left out: {author.name}/{path.name}, line {number}: {error}")
                continue
            yield json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":")), group


def _is_new(group: Group, bases: set[str], unseen: AbstractSet[str]) -> bool:
    base = fingerprint(group.base)
    if base in bases:
        print("left out: a base that an earlier group has")
        return False
    if not unseen.isdisjoint(map(fingerprint, group.texts())):
        print("left out: a text that the benchmarks have")
        return False
    bases.add(base)
    return True


if __name__ == "__main__":
    main()
