"""Chinese names of people, as far as their form shows them. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from memorycore.policy.slots import read

_SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈"
    "姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_TITLES: Final = "总|工|哥|姐|叔|姨|医生|老师|先生|女士|经理|教授|主任|律师|师傅|博士"
_BEFORE: Final = (
    "同事|朋友|老板|经理|老师|医生|妻子|丈夫|老婆|老公|儿子|女儿|哥哥|姐姐|弟弟|妹妹|客户|室友|邻居|负责人"
    "|主管|名叫|叫"
)
# These begin common words as well, so a run of unknown characters that begins with one tells nothing.
_WORDS_TOO: Final = "方高白金向于何任万江程叶毛史龙雷石田黄钱严孔武余"
_ADDRESSED = re.compile(rf"[老小阿][{_SURNAMES}]|[{_SURNAMES}](?:{_TITLES})")
_INTRODUCED = re.compile(rf"(?:{_BEFORE})([{_SURNAMES}][一-鿿])")
_WHOLE = re.compile(rf"(?![{_WORDS_TOO}])[{_SURNAMES}][一-鿿]{{1,2}}")


def han_names(text: str) -> frozenset[str]:
    """Return the names in a text: 老周, 陈医生, 张伟 in 同事张伟, 李娜 where known words stand around it.

    Of a longer given name the beginning is enough. What merely looks like a name is returned too: callers
    keep texts apart for the sake of a name, so a false one costs nothing but a merge.
    """
    runs: defaultdict[int, str] = defaultdict(str)
    for token in read(text).tokens:
        if token.run >= 0:
            runs[token.run] += token.text
    found = {match.group() for match in _ADDRESSED.finditer(text)}
    found |= {match.group(1) for match in _INTRODUCED.finditer(text)}
    return frozenset(found | {run for run in runs.values() if _WHOLE.fullmatch(run)})
