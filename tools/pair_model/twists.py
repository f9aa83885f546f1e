"""Twists: two texts that say the same, one shared number or name of them changed in one of the two.

They teach that a single slot decides, which no written group can show for every number and name.
"""

from __future__ import annotations

import random
import re
from typing import Final

_NUMBER: Final = re.compile(r"\d+(?:[.:]\d+)*")
_NAME_INSIDE: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_NAME: Final = re.compile(r"\b[A-Z][a-z]{2,}")

_LISTED: Final = """
Ben Anna Maya Tomasz Ingrid Rashid Lena Oskar Priya Diego Yuki Fatima Olaf Nina Omar Greta Paolo Wei Chen
Lucia Sven Aisha Hugo Mina Carl Dora Ivan Ruth Kofi Elif Leipzig Porto Osaka Lima Dublin Ghent Turin
Kyoto Cairo Bergen atlas borealis orion falcon mercury Acme Globex Initech
"""
_NAMES: Final = tuple(_LISTED.split())


def twisted(chance: random.Random, new: str, old: str) -> tuple[str, str] | None:
    """Return the pair with one of the two texts changed, None where they share neither number nor name."""
    numbers = {*_NUMBER.findall(new)} & {*_NUMBER.findall(old)}
    names = {*_NAME_INSIDE.findall(new)} & {*_NAME.findall(old)}
    shared = sorted([(number, True) for number in numbers] + [(name, False) for name in names])
    if not shared:
        return None
    token, is_number = chance.choice(shared)
    other = _other_number(chance, token) if is_number else _other_name(chance, token)
    if chance.random() < 0.5:
        return new.replace(token, other), old
    return new, old.replace(token, other)


def _other_number(chance: random.Random, number: str) -> str:
    """Change one digit; never to 0, which may vanish at the front."""
    at = chance.choice([place for place, char in enumerate(number) if char.isdigit()])
    digit = chance.choice([digit for digit in "123456789" if digit != number[at]])
    return number[:at] + digit + number[at + 1 :]


def _other_name(chance: random.Random, name: str) -> str:
    return chance.choice([other for other in _NAMES if other != name])
