"""Rules that stand beside each other, and settings of which there is one at a time. Pure.

"Never restart port 80" and "never restart port 443" are two rules. "Answer in English" and "answer in German"
are one setting, and the newer counts.
"""

from __future__ import annotations

import re
from typing import Final

from memorycore.policy.comparison import Hunk, Pair

_CARE: Final = re.compile(
    r"\b(?:ask|check with|confirm|get approval|tell me|warn me|be careful|take care)\b.*"
    r"\b(?:before|first|when|with)\b|\bwithout (?:asking|approval|permission)\b|\bbefore touching\b"
    r"|\b(?:forbidden|prohibited|not allowed|off limits|must never)\b"
    r"|禁止|严禁|不准|不许|不得|(?:之?前|先)(?:要|得|必须|请|都要)?(?:问|询问|请示|确认|征求|告诉|通知)|小心",
    re.IGNORECASE,
)
_DEED: Final = re.compile(
    r"(?:(?:please|always|only|first|then|remind me to|remember to|every \w+|on \w+days?),? )*"
    r"(?:restart|reboot|open|close|check|call|phone|ring|ask|tell|delete|remove|deploy|touch|run|start|stop"
    r"|back up|send|notify|ping|test|clean|archive|watch|review|update|upgrade|buy|visit|read|pay|move|copy"
    r"|push|merge|rotate|water|feed|charge|lock|unlock|clear|drop|flush|mute|block|email|mail|invite|add|book"
    r"|order|empty|monitor|scan|patch|wipe|reset|rebuild|reload|inspect|sync|export|import|print|wash|sweep"
    r"|paint|fix|keep|avoid|skip|ignore|follow|meet|thank|pick up|bring|take|give|show|hide|disable|enable"
    r"|turn o(?:n|ff)|switch o(?:n|ff)|greet|sign|rename|replace|install|pull|fetch|load|save|post|share)\b"
    r"(?! me\b)"
    r"|(?:请|总是|必须|先|记得|要|提醒我|每次|每[周天月年日晚早]|定期|[早晚]上|下午|中午|睡前|周[一二三四五六日末]|给我)*"
    r"(?:重启|检查|打开|关闭|关掉|联系|备份|清理|清空|删除|删掉|更新|升级|测试|通知|提醒|打电话给|给|重置|监控|扫描"
    r"|同步|导出|导入|打印|邀请|锁定|锁上|解锁|浇|喂|换|动|碰|修|擦|带|找|叫上|看|读|关注|安装|保存|分享)",
    re.IGNORECASE,
)

_DECLARED: Final = re.compile(
    r"^(?:the |our |my )?\w+(?: \w+){0,2} "
    r"(?:is|are|was|were|has|have|runs|listens|costs|starts|uses|goes|takes)\b"
    r"|[是为在]|写到|存到|保存到",
    re.IGNORECASE,
)
"""A sentence whose first words only look like an order: the print server is at, 打印机的地址是."""

_LANGUAGE: Final = (
    r"english|german|french|spanish|italian|portuguese|dutch|polish|russian|chinese|mandarin|cantonese|japanese"
    r"|korean|swedish|norwegian|danish|finnish|greek|turkish|arabic|hebrew|hindi|czech|hungarian|ukrainian"
    r"|vietnamese|thai|[英德法俄日韩汉]语|[英中德法日俄韩]文|西班牙语|意大利语|葡萄牙语|粤语|普通话|荷兰语|阿拉伯语"
)
_SETTINGS: Final = (
    re.compile(
        r"(?:please |always |from now on,? )*(?:answer|reply|respond|write|speak|talk|translate)"
        rf"(?: (?:to )?(?:me|us))? (?P<rest>in) (?P<value>{_LANGUAGE})(?: from now on| now| please)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:请|以后|今后|从现在起|总是|一律|都|统一|始终|,)*用(?P<value>{_LANGUAGE})(?:来|跟我|和我|给我|对我)?"
        r"(?P<rest>回答|回复|答复|交流|说话)(?:我|我的问题|吧|问题)*"
    ),
    re.compile(
        r"(?:please |always )*(?:use|prefer|indent with) (?P<value>tabs|(?:\w+ )?spaces)"
        r"(?: for (?:indentation|indenting))?(?P<rest>(?: (?:in|for) .+)?)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<rest>(?:.*代码)?)(?:请|一律|统一|都|以后)*(?:缩进)?(?:请|一律|统一)*用"
        r"(?P<value>制表符|\S{0,2}个?空格|tab|tabs)(?:来)?(?:缩进)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?:请|以后|今后|,)*(?P<rest>叫我|称呼我为?|喊我)(?P<value>[^,，;；。\s]{1,8})"),
    re.compile(
        r"(?P<rest>(?:the |our |my )?default \w+) (?:is|should be|:) ?(?P<value>[\w.+-]+)", re.IGNORECASE
    ),
)
_END: Final = " .!。！"


def two_rules(pair: Pair, swaps: list[Hunk], new: str, old: str) -> bool:
    """Whether both are rules or denials, of which one of another object leaves the first as it was."""
    if pair.news or not swaps:
        return False
    if pair.new.negations and pair.old.negations:
        return True
    if _CARE.search(new) and _CARE.search(old):
        return True
    return all(_DEED.match(text.strip()) and not _DECLARED.search(text.strip()) for text in (new, old))


def resettles(new: str, old: str) -> tuple[str, str] | None:
    """Return the old and the new value where both set the one thing that a setting can be, else None."""
    for form in _SETTINGS:
        later, earlier = form.fullmatch(new.strip(_END)), form.fullmatch(old.strip(_END))
        if later and earlier:
            same_case = _case(later["rest"]) == _case(earlier["rest"])
            values = earlier["value"], later["value"]
            return values if same_case and values[0].casefold() != values[1].casefold() else None
    return None


def _case(rest: str) -> str:
    """In which case a setting holds; how one asks for an answer is no case."""
    return "" if rest.startswith(("回", "答", "叫", "称", "喊")) else rest.casefold().strip()
