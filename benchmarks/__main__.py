"""Runs every benchmark whose data is at hand: `python -m benchmarks`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.factconsolidation import DATA as FACTCONSOLIDATION

MODULES = (
    "benchmarks.routing",
    "benchmarks.verdicts",
    "benchmarks.recall_set",
    "benchmarks.speed",
    "benchmarks.overflow",
    "benchmarks.sixty_days",
    "benchmarks.maintenance",
)


def main() -> None:
    for module in MODULES:
        print(f"\n== {module}", flush=True)
        subprocess.run([sys.executable, "-m", module], check=True)
    if FACTCONSOLIDATION.is_file():
        print("\n== benchmarks.factconsolidation", flush=True)
        subprocess.run([sys.executable, "-m", "benchmarks.factconsolidation"], check=True)


if __name__ == "__main__":
    main()
