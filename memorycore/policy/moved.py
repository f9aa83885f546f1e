"""Whether a text says that a value of something moved on to another: was moved to, 改成了. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memorycore.policy.comparison import keys
from memorycore.policy.holding import statements_of
from memorycore.policy.slots import EXCLUSIVE, Token, read

_VERBS: Final = (
    r"moved|switched|upgraded|downgraded|changed|migrated|relocated|rescheduled|shifted|updated|transferred"
)
_MOVED: Final = re.compile(
    rf"(?P<what>.*?)\b ?(?:(?:was|were|has|have|has been|have been|is|got|just|now) )*\b(?:{_VERBS})"
    r"(?: over)?(?: from (?P<was>.+?))? to (?P<to>.+)",
    re.IGNORECASE,
)
_MOVED_ZH: Final = re.compile(
    r"(?P<what>.+?)(?:已经|已|现在|从(?P<was>.+?))?(?:改成|改为|改到|换成|换到|搬到|搬去|挪到|移到|迁到|迁移到|升级到|升级成"
    r"|调到|调整到|调整为|切换到|切到)了?(?P<to>.+?)了?"
)
_STANDS: Final = re.compile(
    r"(?:(?:the|our|my) )?(?P<what>.*?) ?\b(?:is|are|runs?|listens?|starts?|uses?|takes? place|happens?"
    r"|lives?|sits?|begins?|stays?|opens?)\b(?P<value>.+)",
    re.IGNORECASE,
)
_STANDS_ZH: Final = re.compile(
    r"(?P<what>.+?)(?:是|在|用|使用|监听|运行在|跑在|开始于|定在|设在|位于|:)(?P<value>.+)"
)
_AT_ZH: Final = re.compile(
    r"(?P<what>.+?)(?P<value>(?:凌晨|早上|上午|中午|下午|晚上)?[\d零一二两三四五六七八九十]+(?:点|:)\S*?)"
    r"(?:运行|开始|执行|启动|进行|举行|开)?"
)
_OWN: Final = frozenset({"we", "i", "they", "the", "our", "my", "我们", "我"})
_VALUES: Final = EXCLUSIVE | {"id"}
_TOLD: Final = re.compile(rf"\b(?:{_VERBS})\b|[到成为去]", re.IGNORECASE)
_LONG: Final = 160


def moves_on(new: str, old: str) -> tuple[str, str] | None:
    """Return the old and the new value where `new` tells of the move and `old` of where it was, else None."""
    if (
        max(len(new), len(old)) > _LONG
        or "?" in new + old
        or statements_of(old) != 1
        or statements_of(new) != 1
    ):
        return None
    later, earlier = _plain(new), _plain(old)
    chinese = read(new).chinese
    if chinese != read(old).chinese or read(new).negations or read(old).negations:
        return None
    moved = (_MOVED_ZH if chinese else _MOVED).fullmatch(later)
    stands = (_STANDS_ZH if chinese else _STANDS).fullmatch(earlier) or _AT_ZH.fullmatch(earlier)
    if moved is None or stands is None:
        return None
    return _one_value(moved, stands)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).rstrip(" .!。")


def _one_value(moved: re.Match[str], stands: re.Match[str]) -> tuple[str, str] | None:
    about, whose = _bag(moved["what"]), _bag(stands["what"])
    there, was = read(f"at {moved['to']}").tokens, read(stands["value"].strip()).tokens
    if not there or not was or any(token.kind in _NOT_PLAIN for token in there + was):
        return None
    if moved["was"] is not None:
        gone = keys(read(moved["was"]).tokens)
        rest = [token for token in was if token.key not in gone and token.lead != "for"]
        named = gone and gone <= keys(was) and not rest and about == whose
        return (moved["was"], moved["to"]) if named else None
    common = keys(there) & keys(was)
    if moved["to"][-1] == stands["value"][-1] and not moved["to"][-1].isascii():
        common.add(moved["to"][-1])  # the third floor, the fifth floor
    old, new = ([t for t in side if t.key not in common] for side in (was, there))
    traits = about - whose
    if whose - about or not traits <= (keys(was) | _TRAITS):
        return None
    old = [token for token in old if token.key not in traits]
    if not _one_kind(old, new, common | traits, whose):
        return None
    return _written(old), _written(new)


_TRAITS: Final = frozenset({"port", "version", "address", "date", "host"})
_NOT_PLAIN: Final = frozenset({"condition", "hedge", "scope", "contrast", "person", "negation", "relation"})
_ALONE: Final = frozenset({"time", "date", "weekday", "month", "version", "path", "address", "id"})


def _one_kind(old: list[Token], new: list[Token], common: set[str], whose: set[str]) -> bool:
    """Whether both are one value of one kind: two hours, two ports, two streets with their numbers."""
    kinds = sorted(token.kind for token in old), sorted(token.kind for token in new)
    if not old or kinds[0] != kinds[1] or not any(kind in _VALUES for kind in kinds[0]):
        return False
    if whose and all(kind in _ALONE for kind in kinds[0]):
        return True
    return bool(common) and all(kind in _VALUES or kind == "name" for kind in kinds[0]) and len(old) <= 2


def _bag(text: str) -> set[str]:
    return {t.key for t in read(text).tokens if t.text.casefold() not in _OWN}


def _written(tokens: list[Token]) -> str:
    return " ".join(token.text for token in tokens)
