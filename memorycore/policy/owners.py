"""Whether two texts speak of different people's things: Paula's and Paul's, 奶奶 and 外婆. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from memorycore.policy.slots import read

# One person a line; the words of a line are that person's names.
_KIN_ZH: Final = """
妈妈 母亲 老妈 妈 娘
爸爸 父亲 老爸 爸 爹
奶奶 祖母
外婆 姥姥
爷爷 祖父
外公 姥爷
老婆 妻子 太太 媳妇 爱人
老公 丈夫 先生 爱人
儿子
女儿 闺女
哥哥 哥
弟弟 弟
姐姐 姐
妹妹 妹
婆婆
公公
岳母 丈母娘
岳父 老丈人
舅舅 舅
姑姑 姑
姨妈 阿姨 姨
叔叔 叔
"""
_KIN_EN: Final = """
mother mum mom mummy mama
father dad daddy papa
grandmother grandma gran granny nana
grandfather grandpa granddad grandad gramps
wife
husband
son
daughter
brother
sister
mother-in-law
father-in-law
uncle
aunt auntie
nephew
niece
"""


class _Kin(NamedTuple):
    """How the kin of one language are told at the head of a text and anywhere in it."""

    head: re.Pattern[str]
    anywhere: re.Pattern[str]
    lines: Mapping[str, tuple[int, ...]]


def owned_by_others(new: str, old: str) -> bool:
    """Whether what the two texts tell of belongs to two people, neither of whom the other text names.

    Told by a name with 's in both, or by a relative at the head of both. What is handed over names both
    (舅舅把外婆接到成都 is about 外婆), and the head of a chain (姐姐的儿子) names nobody by itself.
    """
    lower, old_lower = new.lower(), old.lower()
    return _other_names(new, old) or any(
        _other_kin(kin, lower, old_lower) for kin in (_chinese(), _english())
    )


def _other_names(new: str, old: str) -> bool:
    (own, named), (others, also_named) = _names(new), _names(old)
    return bool(own and others) and own.isdisjoint(also_named) and others.isdisjoint(named)


def _names(text: str) -> tuple[set[str], set[str]]:
    """Return the names that own something, and all names."""
    names = [token for token in read(text).tokens if token.kind == "name"]
    return {token.key for token in names if token.owner}, {token.key for token in names}


def _other_kin(kin: _Kin, new: str, old: str) -> bool:
    first, second = kin.head.match(new), kin.head.match(old)
    if first is None or second is None:
        return False
    one, other = (set(kin.lines[found[1]]) for found in (first, second))
    return one.isdisjoint(other) and not _mentions(kin, one, old) and not _mentions(kin, other, new)


def _mentions(kin: _Kin, lines: set[int], text: str) -> bool:
    return any(not lines.isdisjoint(kin.lines[found[0]]) for found in kin.anywhere.finditer(text))


@cache
def _chinese() -> _Kin:
    lines = _lines(_KIN_ZH)
    words = _either(lines)
    head = rf"(?:用户的?|我们?的?|他的?|她的?|咱)?({words})(?!的?(?:{words})|[家们])"
    return _Kin(re.compile(head), re.compile(words), lines)


@cache
def _english() -> _Kin:
    lines = _lines(_KIN_EN)
    word = rf"({_either(lines)})(?![\w-])"
    whose = r"(?:(?:the )?users?(?:'s|’s|')?|my|his|her|our|their) "
    age = r"(?:older|younger|elder|little|big) "
    head = rf"(?:{whose})?(?:{age})?{word}(?!['’]s? (?:\w+ )?{word})"
    return _Kin(re.compile(head), re.compile(rf"(?<![\w-]){word}"), lines)


def _lines(table: str) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for at, line in enumerate(table.strip().splitlines()):
        for word in line.split():
            found[word] = (*found.get(word, ()), at)
    return found


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
