"""The people that a query asks about by name. Pure.

What is known of one person is near, in meaning and in most words, to a question about another. So a
question that names somebody whom no text names is not answered by what is known of somebody else.
Only names of people are looked at, by the place where they stand: a place, a product or an abbreviation
may well be called otherwise where it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

from memorycore.policy.words import query_tokens

_LOOKS_LIKE = 75.0
_LEAST_SPELT = 3

# Behind one of these, or before 's, a capital begins somebody's name.
_BEFORE = (
    "about and ask asked call called can could did do does for give given had has have if invited is lend "
    "lent may meet met might must named or owe owes pay said saw see should than think told was when where "
    "who whom why will with would"
)
_NAME = r"(?-i:[A-Z][a-zà-öø-ÿ]+)"
_ENGLISH = re.compile(
    rf"\b(?:{'|'.join(_BEFORE.split())})\s+(?P<after>{_NAME})\b(?!\s*(?-i:[A-Z0-9]))|\b(?P<owner>{_NAME})['’]s\b",
    re.IGNORECASE,
)
_CAPITALS = (
    "what who where when why how which whose it that there here today tomorrow yesterday let one i god "
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday english chinese german french spanish "
    "japanese mum mom dad grandma grandpa"
)
_NO_NAMES = frozenset(_CAPITALS.split())

# Chinese has no capitals: a name is only sure with a surname of two characters, or with a title behind it.
_LONG_SURNAMES = (
    "欧阳|司徒|司马|诸葛|上官|夏侯|令狐|慕容|皇甫|尉迟|公孙|宇文|端木|东方|长孙|独孤|南宫|百里|西门|闻人"
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程苏魏吕丁任沈姚卢姜"
    "崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_TITLES = "老师|先生|女士|阿姨|叔叔|大夫|医生|经理|总监|教授|师傅|同学|家的|小姐|太太|伯伯|奶奶|爷爷"
_CHINESE = re.compile(
    rf"(?P<long>(?:{_LONG_SURNAMES})[\u4e00-\u9fff]??)(?=的|对|是|在|有|喜|养|住|叫|爱|最|去|买|家|{_TITLES})"
    rf"|(?:^|(?<=[^\u4e00-\u9fff]))(?P<titled>[{_SURNAMES}])(?={_TITLES})"
)


def people_asked_about(query: str) -> tuple[str, ...]:
    """Return the names of people in a query, as written; empty for most queries."""
    english = (match["after"] or match["owner"] for match in _ENGLISH.finditer(query))
    chinese = (match["long"] or match["titled"] for match in _CHINESE.finditer(query))
    names = [name for name in (*english, *chinese) if name.lower() not in _NO_NAMES]
    return tuple(dict.fromkeys(names))


def spelt_like(name: str, terms: Iterable[str]) -> bool:
    """Whether one of these terms may be that name in another spelling."""
    asked = [token for token in query_tokens(name) if len(token) >= _LEAST_SPELT]
    return any(fuzz.ratio(term, token) >= _LOOKS_LIKE for token in asked for term in terms)
