"""Numbers, dates, times, versions and addresses, written one way whatever the language. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

ValueKind = Literal["number", "date", "weekday", "month", "time", "version", "address"]
VALUE_KINDS: Final = frozenset({"number", "date", "weekday", "month", "time", "version", "address"})

_MONTH_NAMES: Final = "january february march april may june july august september october november december"
MONTHS: Final = _MONTH_NAMES.split()
_WEEKDAY_NAMES: Final = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS: Final = _WEEKDAY_NAMES.split()
NAMES_TO_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS: Final = {word: number for number, word in enumerate(NAMES_TO_TWENTY.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "half": 0.5,
}
_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
QUARTERS: Final = {"半": 30, "一刻": 15, "三刻": 45}
"""The minutes that a Chinese time of day tells in a word behind 点."""
_TENS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}

_CN: Final = "零〇一二两三四五六七八九十百千万亿"
_N: Final = rf"(?:\d{{1,9}}|[{_CN}]{{1,12}})"
_MONTH: Final = rf"(?:{'|'.join(f'{m}|{m[:3]}' for m in MONTHS)}|sept)"
MEASURES: Final = "个名位只条台辆份次种家间层楼套张片件本"
_AFTER_CHINESE_NUMBER: Final = MEASURES + "岁元块天秒分小周年公斤米里倍章页人行点期轮届美欧号"

_START: Final = r"(?<![A-Za-z0-9_])"  # not \b: a Chinese character is a letter to it
_END: Final = r"(?![A-Za-z0-9_])"

# Order matters: the first alternative that matches wins.
VALUE: Final = rf"""
    (?P<address>https?://[^\s,;，。；]+
        | {_START}[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+
        | (?<![A-Za-z0-9_.])(?:~|\.{{1,2}})?/[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]*)*
        | {_START}[A-Za-z]:\\[^\s,;]+
        | {_START}(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+|/\d+)?{_END}
        | {_START}[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*:\d{{2,5}}{_END})
    | (?P<isodate>{_START}\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}{_END})
    | (?P<cndate>(?:\d{{4}}年)?{_N}月{_N}[日号])
    | (?P<endate>{_START}(?i:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}{_END}(?:,?\s+\d{{4}}{_END})?
        | {_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?{_END}(?!:)(?:,?\s+\d{{4}}{_END})?))
    | (?P<entime>{_START}\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?(?i:am|pm))?{_END}
        | {_START}\d{{1,2}}\s?(?i:am|pm){_END})
    | (?P<cntime>(?:上午|早上|凌晨|中午|下午|晚上)?{_N}点(?!钟头)(?:半|一刻|三刻|{_N}分)?钟?)
    | (?P<phone>(?<![A-Za-z0-9_-])(?:\+?\d+(?:[ -]\d{{2,}}){{1,5}}|\+\d{{7,15}})(?![A-Za-z0-9_-]))
    | (?P<version>(?:{_START}-)?{_START}[vV]?\d+(?:\.\d+)+(?:-?(?:alpha|beta|rc|dev)\d*)?%?{_END})
    | (?P<cnweekday>(?:周|星期|礼拜)[一二三四五六日天])
    | (?P<cnmonth>{_N}月(?!天)份?)
    | (?P<number>(?:{_START}-)?[$€£]?\d+(?:,\d{{3}})*(?:\.\d+)?(?:(?:st|nd|rd|th){_END})?%?)
    | (?P<cnnumber>第?[{_CN}]{{1,12}}(?=[{_AFTER_CHINESE_NUMBER}]))
"""


def value_of(group: str, text: str) -> tuple[ValueKind, str]:
    """Return kind and one spelling of what a group of `VALUE` matched."""
    kind, spell = _SPELLINGS[group]
    return kind, spell(text)


def value_word(word: str, *, capital: bool) -> tuple[ValueKind, str] | None:
    """Return what an English word is worth: a number word, a weekday, a capitalised month."""
    word = word.casefold()
    if word in _NUMBER_WORDS:
        return "number", f"{_NUMBER_WORDS[word]:g}"
    day = word.removesuffix("s")
    if day in _WEEKDAYS:
        return "weekday", f"weekday {_WEEKDAYS.index(day) + 1}"
    if capital and word in MONTHS:
        return "month", f"month {MONTHS.index(word) + 1}"
    return None


def count(text: str) -> int:
    """Return the whole number that digits or Chinese numerals spell; raises `KeyError` for other text."""
    if text.isdigit():
        return int(text)
    if not any(c in _TENS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = section = digit = 0
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif _TENS[c] >= 10_000:
            total, section, digit = (total + section + digit) * _TENS[c], 0, 0
        else:
            section, digit = section + (digit or 1) * _TENS[c], 0
    return total + section + digit


def _date(year: str, month: int, day: int) -> str:
    return f"{year or '-'}-{month:02}-{day:02}"


def _iso_date(text: str) -> str:
    year, month, day = re.split(r"[-/.]", text)
    return _date(year, int(month), int(day))


def _chinese_date(text: str) -> str:
    year, rest = text.split("年") if "年" in text else ("", text)
    month, day = rest[:-1].split("月")
    return _date(year, count(month), count(day))


def _english_date(text: str) -> str:
    text = text.casefold()
    month = next(n for n, name in enumerate(MONTHS, 1) if re.search(rf"(?<![a-z]){name[:3]}", text))
    day, *year = re.findall(r"\d+", text)
    return _date(year[0] if year else "", month, int(day))


def _english_time(text: str) -> str:
    hour, minute, *_ = (*(int(n) for n in re.findall(r"\d+", text)), 0)
    return _time(hour, minute, late="pm" in text.casefold(), midnight="am" in text.casefold())


def _chinese_time(text: str) -> str:
    hour, rest = re.sub(rf"[^\d{_CN}点半刻分]", "", text).split("点")
    minute = QUARTERS.get(rest, 0) or (count(rest.rstrip("分")) if rest else 0)
    return _time(count(hour), minute, late=text[:2] in ("下午", "晚上"), midnight=text[:2] == "凌晨")


def _time(hour: int, minute: int, *, late: bool, midnight: bool) -> str:
    if late and hour < 12:
        hour += 12
    if midnight and hour == 12:
        hour = 0
    return f"{hour:02}:{minute:02}"


def _plain_number(text: str) -> str:
    return re.sub(r"(?<=\d)(?:,(?=\d)|(?:st|nd|rd|th)$)", "", text.casefold()).removesuffix(".")


def _chinese_number(text: str) -> str:
    return f"#{count(text[1:])}" if text[0] == "第" else str(count(text))


_SPELLINGS: Final[dict[str, tuple[ValueKind, Callable[[str], str]]]] = {
    "address": ("address", lambda text: text.rstrip(".,:")),
    "isodate": ("date", _iso_date),
    "cndate": ("date", _chinese_date),
    "endate": ("date", _english_date),
    "entime": ("time", _english_time),
    "cntime": ("time", _chinese_time),
    "phone": ("number", lambda text: re.sub(r"[ -]", "", text)),
    "version": ("version", lambda text: text.casefold().removeprefix("v")),
    "cnweekday": ("weekday", lambda text: f"weekday {'一二三四五六日天'.index(text[-1]) % 7 + 1}"),
    "cnmonth": ("month", lambda text: f"month {count(text.rstrip('份')[:-1])}"),
    "number": ("number", _plain_number),
    "cnnumber": ("number", _chinese_number),
}
