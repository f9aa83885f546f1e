"""Amounts and times of day, in whatever way they are written: 36 months are three years. Pure.

For holding two texts against each other, not for reckoning: a month is 30.4 days, and 45 days are as good as
a month and a half.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memorycore.policy.values import NAMES_TO_TWENTY, QUARTERS, count

_SLACK: Final = 0.015
_MONTH: Final = 365 / 12

_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS: Final = {word: float(at) for at, word in enumerate(NAMES_TO_TWENTY.split())} | {
    word: 10.0 * at for at, word in enumerate(_TENS.split(), 2)
}
_SCALES: Final = {"hundred": 100.0, "thousand": 1e3, "million": 1e6}

_SIZES: Final[dict[str, dict[str, float]]] = {
    "days": {
        "day days 天": 1,
        "week weeks 周 个星期 个礼拜": 7,
        "fortnight": 14,
        "month months 个月": _MONTH,
        "year years 年": 365,
    },
    "seconds": {
        "second seconds sec s 秒 秒钟": 1,
        "minute minutes min 分钟": 60,
        "hour hours hr h 小时 个小时 钟头 个钟头": 3_600,
    },
    "grams": {"g grams 克": 1, "kg kilos kilograms 公斤 千克": 1_000, "斤": 500},
    "metres": {
        "m metres meters 米": 1,
        "cm 厘米": 0.01,
        "km kilometres kilometers 公里 千米": 1_000,
        "里地 里": 500,
    },
    "share": {"% percent": 0.01},
}
_UNITS: Final = {
    name: (kind, size)
    for kind, sizes in _SIZES.items()
    for names, size in sizes.items()
    for name in names.split()
}

_NAMES: Final = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_UNIT: Final = rf"[\s-]*(?:{_NAMES})(?![A-Za-z])"
_WORD: Final = "|".join(sorted((*_WORDS, *_SCALES), key=len, reverse=True))
_ZH: Final = "[零〇一二两三四五六七八九十百千万]+"
_N: Final = rf"(?:\d{{1,2}}|{_ZH})"

_CLOCK: Final = re.compile(
    rf"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里)?"
    rf"(?:(?P<h>\d{{1,2}}):(?P<m>\d\d)(?!\d)"
    rf"|(?P<zh>{_N})[点點](?!钟头)(?:(?P<zq>半|一刻|三刻)|(?P<zm>{_N})分?)?(?:整|钟)?)"
    rf"(?:\s*(?P<ap>[ap])\.?m\b)?|(?<![\w.:])(?P<eh>\d{{1,2}})\s*(?P<eap>[ap])\.?m\b"
    rf"|\b(?P<rel>quarter past|quarter to|half past)\s+(?P<rh>{_WORD}|\d{{1,2}})\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"\s*(?:in the (morning|afternoon|evening)|at (night))\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    rf"(?<![\w.:/-])(?P<digits>\d[\d,]*(?:\.\d+)?)(?P<k>k\b|万)?(?P<unit>{_UNIT})?(?![\w.:/-]*\d)"
    rf"|(?P<zhalf>半)(?P<zhu>个?小时|个?钟头|个?月|年|天)"
    rf"|(?P<zh>{_ZH})(?P<zmore>个半)?(?P<zunit>{_NAMES})?"
    rf"|\b(?P<words>(?:{_WORD})(?:[\s-]+(?:and\s+)?(?:{_WORD}))*)\b(?P<wunit>{_UNIT})?"
    rf"|\b(?P<one>half an?|an?)\s+(?P<ounit>hour|minute|week|fortnight|month|year)\b(?P<omore> and a half)?",
    re.IGNORECASE,
)
_LATE: Final = frozenset({"下午", "傍晚", "晚上", "afternoon", "evening", "night", "p"})


@dataclass(frozen=True, slots=True)
class Amount:
    """A value: of kind "time" in minutes of the day, of a dimension in its base unit, of "" a bare number."""

    kind: str
    value: float
    start: int
    end: int

    def like(self, other: Amount) -> bool:
        """Whether both are as good as equal; times of day and bare numbers have to be equal."""
        slack = 0.0 if self.kind in ("", "time") else _SLACK
        return self.kind == other.kind and abs(self.value - other.value) <= slack * max(
            self.value, other.value
        )


def amounts(text: str) -> list[Amount]:
    """Return the amounts of a text, NFKC already, in their order."""
    times = list(_times(text))
    found = [
        one for one in _counts(text) if not any(one.start < at.end and at.start < one.end for at in times)
    ]
    return sorted((*times, *found), key=lambda one: one.start)


def respelled(new: str, old: str) -> str:
    """Return the new text with what equals an amount of the old one written as it is written there."""
    new, old = (unicodedata.normalize("NFKC", text) for text in (new, old))
    left, known = new, amounts(old)
    for one in reversed(amounts(new)):
        spellings = [old[other.start : other.end] for other in known if one.like(other)]
        if spellings and new[one.start : one.end] not in spellings:
            left = left[: one.start] + spellings[0] + left[one.end :]
    return left


def at_odds(new: str, old: str) -> bool:
    """Whether each text has an amount that the other lacks, both of one kind."""
    own, others = (amounts(unicodedata.normalize("NFKC", text)) for text in (new, old))
    mine, theirs = _unmatched(own, others), _unmatched(others, own)
    return bool({one.kind for one in mine} & {one.kind for one in theirs})


def _unmatched(these: Sequence[Amount], those: Sequence[Amount]) -> list[Amount]:
    return [one for one in these if not any(one.like(other) for other in those)]


def _times(text: str) -> Iterator[Amount]:
    for match in _CLOCK.finditer(text):
        told = match.groupdict()
        after = _PART.match(text, match.end())
        end = after.end() if after else match.end()
        hour, minute = _hour_and_minute(told)
        words = {
            told["part"] or "",
            (told["ap"] or told["eap"] or "").lower(),
            *(after.groups() if after else ()),
        }
        if hour < 12 and (words & _LATE or (told["part"] == "中午" and hour < 3)):
            hour += 12
        elif hour == 12 and ("a" in words or told["part"] == "凌晨"):
            hour = 0
        if hour < 25 and minute < 60:
            yield Amount("time", 60 * hour + minute, match.start(), end)


def _hour_and_minute(told: dict[str, str | None]) -> tuple[float, float]:
    if told["h"]:
        return float(told["h"]), float(told["m"] or 0)
    if told["zh"]:
        quarter = QUARTERS.get(told["zq"] or "", 0)
        return _number(told["zh"]), quarter or (_number(told["zm"]) if told["zm"] else 0)
    if told["eh"]:
        return float(told["eh"]), 0
    hour = _number((told["rh"] or "").lower())
    return {"quarter past": (hour, 15.0), "half past": (hour, 30.0)}.get(
        (told["rel"] or "").lower(), (hour - 1, 45.0)
    )


def _counts(text: str) -> Iterator[Amount]:
    for match in _COUNT.finditer(text):
        told = match.groupdict()
        unit = told["unit"] or told["wunit"] or told["zunit"] or told["zhu"] or told["ounit"] or ""
        name = unit.strip(" -\t").lower()
        kind, size = _UNITS.get(name) or _UNITS.get(f"个{name}") or ("", 1.0)
        value = _value(told)
        if told["zh"] and not kind and len(told["zh"]) < 2 and value < 2:
            continue  # 一 is an article more often than a number
        yield Amount(kind, value * size, match.start(), match.end())


def _value(told: dict[str, str | None]) -> float:
    if told["digits"]:
        scale = {"k": 1e3, "K": 1e3, "万": 1e4}.get(told["k"] or "", 1.0)
        return float(told["digits"].rstrip(",").replace(",", "")) * scale
    if told["zhalf"]:
        return 0.5
    if told["one"]:
        return (0.5 if "half" in told["one"].lower() else 1.0) + (0.5 if told["omore"] else 0.0)
    if told["zh"]:
        return _number(told["zh"]) + (0.5 if told["zmore"] else 0.0)
    return _number((told["words"] or "").lower())


def _number(text: str) -> float:
    """Return what digits, Chinese numerals or English number words are worth."""
    if text.isdigit() or not text.isascii():
        return float(count(f"一{text}" if text[0] == "万" else text))
    total = part = 0.0
    for word in re.findall(r"[a-z]+", text):
        if word in _SCALES:
            part = (part or 1) * _SCALES[word]
            if word != "hundred":
                total, part = total + part, 0.0
        else:
            part += _WORDS.get(word, 0.0)
    return total + part
