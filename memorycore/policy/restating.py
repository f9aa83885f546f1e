"""Phrases of one meaning, so that a fact told in other words is known for the same. Pure.

Only phrases that may stand for each other wherever they stand: what is merely near in meaning is not here.
They serve to find out that two texts say the same, never to change or to replace one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memorycore.policy.values import MONTHS

_ENGLISH: Final = {
    "is from": "comes from|hails from|originates from|originally comes from",
    "are from": "come from|originate from",
    "uses": "makes use of|communicates via|communicates over|communicates through|relies on|is built with"
    "|is written in|utilises|utilizes|employs",
    "use": "make use of|communicate via|communicate over|communicate through|rely on|are built with"
    "|are written in|utilise|utilize",
    "is": "lies|sits|stands|hangs|is located|is situated|is placed|is kept|is stored|is found|can be found"
    "|amounts to|takes place|is held|happens",
    "are": "lie|sit|stand|hang|are located|are situated|are placed|are kept|are stored|can be found|amount to"
    "|take place|are held|happen",
    "leads": "heads|heads up|is in charge of|is the head of|is the lead of|is the leader of|manages",
    "maintains": "looks after|takes care of",
    "owns": "is responsible for|is the owner of",
    "works at": "is employed at|is employed by|works for|has a job at",
    "lives in": "resides in|is based in|is living in",
    "ends": "expires|runs out|finishes",
    "end": "expire|run out|finish",
    "starts": "begins|kicks off|commences",
    "start": "begin|kick off|commence",
    "requires": "needs|calls for",
    "require": "need|call for",
    "kept": "retained",
    "straight": "directly",
    "commit": "push commits|push a commit",
    "is wearing": "wears",
    "has": "comes with|is equipped with|possesses",
    "have": "come with|are equipped with|possess",
    "are sent to": "go to|get sent to",
    "is sent to": "goes to|gets sent to",
    "is called": "is named|goes by the name of|goes by",
    "answer": "reply|respond",
    "answers": "replies|responses|responds",
    "delete": "remove|erase",
    "every day": "daily|each day",
    "every week": "weekly|each week",
    "every month": "monthly|each month",
    "every year": "yearly|annually|each year",
    "every": "each",
    "": "please|kindly",
}
_CHINESE: Final = {
    "在": "位于|处于|放在|摆在|设在|定在|安排在|坐落在|坐落于|存放在",
    "住在": "现居|居住在|定居在|家住",
    "运行": "执行",
    "用": "使用|采用|通过",
    "负责": "主管|分管|掌管",
    "喜欢": "喜爱|偏爱|钟爱",
    "每天": "每日|天天",
    "每周": "每星期|每个星期",
    "每月": "每个月",
    "结束": "到期|截止|终止",
    "保留": "保存|留存",
    "发给": "发送给|寄给|发送到|发到",
    "叫": "名叫|叫做|名为|名字是|名字叫",
    "不要": "请勿|切勿|不得|禁止|不许|不准",
    "必须": "务必|一定要",
    "": "请",
}


_TURNED: Final = (
    (re.compile(r"\bha(?:s|ve) an? ([\w-]+) allergy\b", re.IGNORECASE), r"is allergic to \1"),
    (re.compile(r"\bworks? (?:at|for) (.+?) as (an?|the) ([^,;.]+)", re.IGNORECASE), r"is \2 \3 at \1"),
    (re.compile(r"\b(tabs|spaces|[\w-]+), not ([\w-]+),?(?= |$)", re.IGNORECASE), r"\1 instead of \2"),
    (re.compile(r"\buse (.+?) for indentation\b", re.IGNORECASE), r"indent with \1"),
    (re.compile(r"吃(\w{1,6}?)会?过敏"), r"对\1过敏"),
    (re.compile(r"在(\w{1,8}?)(?:当|做|担任|任)(\w{2,10})"), r"是\1的\2"),
    (re.compile(r"直接[往向]"), "直接"),
)
"""The same in another order of words."""

_CHANGES: Final = re.compile(
    r"\b(?:moved|switched|upgraded|downgraded|changed|joined|relocated|migrated|renamed|became)\b"
    r"|[改换搬迁]|升级|跳槽|加入",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r",?\s+(?:(?:last|this|earlier this) "
    r"(?:week|month|year|night|spring|summer|autumn|fall|winter|weekend|\w+day)"
    rf"|yesterday|today|recently|in (?:{'|'.join(MONTHS)})(?: \d{{4}})?"
    r"|(?:a|two|three|\d+) (?:days?|weeks?|months?|years?) ago)(?=[.!]?$)"
    r"|上个?[月周]|上星期|昨天|今天|前天|最近|刚刚|去年|今年",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def restated(text: str) -> str:
    """Return the text with each known phrase in its one form; the text itself where it holds none."""
    for pattern, form in _TURNED:
        text = pattern.sub(form, text)
    return _PHRASES.sub(lambda found: _FORMS[" ".join(found[0].casefold().split())], text)


def undated(text: str) -> str:
    """Return a text that tells of a change without the words that say when it came about."""
    return _WHEN.sub("", text) if _CHANGES.search(text) else text


def _forms() -> dict[str, str]:
    return {
        phrase: form
        for table in (_ENGLISH, _CHINESE)
        for form, phrases in table.items()
        for phrase in phrases.split("|")
    }


def _pattern(forms: dict[str, str]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)
    english = "|".join(phrase.replace(" ", r"\s+") for phrase in longest_first if phrase.isascii())
    chinese = "|".join(phrase for phrase in longest_first if not phrase.isascii())
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)


_FORMS: Final = _forms()
_PHRASES: Final = _pattern(_FORMS)
