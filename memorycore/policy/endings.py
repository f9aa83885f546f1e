"""Whether a text says in so many words that what another one says of the same subject is over. Pure.

"Peter resigned as CTO" ends "Peter is the CTO"; "Tom fired the owner" ends nothing. Only an old text of one
statement is ended: of two, the other would go with it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memorycore.policy.comparison import keys
from memorycore.policy.holding import statements_of
from memorycore.policy.slots import read

_FIRST: Final = re.compile(r"[;,；，。]|\.(?=\s|$)|\b(?:and|but)\b|后来|并且?")
_HAS: Final = r"(?:(?:has|have|had) )?(?:just |recently |now |already )?"
_ARTICLE: Final = r"(?:the |a |an |our |her |his |their |my )?"
_RELATED: Final = r"(?:leads?|heads?|manages?|runs?|chairs?|coaches|works? (?:in|on|for|at|with)|belongs? to)"

_QUITS_POST: Final = re.compile(
    rf"(?P<who>.+?) {_HAS}(?:resigned|stepped down|retired|quit|stood down|was fired|was dismissed"
    rf"|was removed|was sacked|is out)"
    rf" (?:as|from (?:being|the (?:post|role|job|position) of)) {_ARTICLE}(?P<what>.+)"
    rf"|(?P<who2>.+?) (?:is no longer|isn't|is not) {_ARTICLE}(?P<what2>.+?)(?: any ?more)?"
    rf"|(?P<who3>.+?) {_HAS}(?:gave up|given up|handed over|relinquished) {_ARTICLE}(?:post|role|position) "
    rf"(?:as|of) {_ARTICLE}(?P<what3>.+)",
    re.IGNORECASE,
)
_POST: Final = re.compile(
    rf"(?P<who>.+?) (?:is|works as|serves as|acts as) (?:currently |now )?{_ARTICLE}(?P<what>.+)",
    re.IGNORECASE,
)
_LEAVES: Final = re.compile(
    rf"(?P<who>.+?) {_HAS}(?:left|quit|departed|departed from|resigned from|stepped down from|withdrew from"
    rf"|retired from|moved on from|was dropped from|was removed from|dropped out of) {_ARTICLE}(?P<what>.+)",
    re.IGNORECASE,
)
_GROUP: Final = (
    r"team|group|squad|band|choir|club|board|committee|council|department|crew|party|orchestra|company|firm"
    r"|project|union|guild|society|association|division|unit|office|faculty|school"
)
_IN_GROUP: Final = re.compile(
    rf"(?P<who>.+?) (?:{_RELATED}|is (?:in|on|with|part of|(?:the |a |an )?(?:\w+ )?(?:lead|head|leader"
    rf"|manager|member|chair|captain|chief|director|coach|drummer|singer|secretary|treasurer)"
    rf" (?:of|in|on|at|for))) {_ARTICLE}(?P<what>.+)",
    re.IGNORECASE,
)
_INSIDE: Final = re.compile(
    rf"(?P<who>.+?) (?:is|are|was) (?:currently |now |still )?(?:in|on|at|inside) {_ARTICLE}(?P<what>.+)",
    re.IGNORECASE,
)
_OUTSIDE: Final = re.compile(
    rf"(?P<who>.+?) (?:is|are|has come|came|got) (?:now |already )?(?:back |home )?(?:out of|back from|from"
    rf"|off|away from|outside) {_ARTICLE}(?P<what>.+)",
    re.IGNORECASE,
)

_TASK_ZH: Final = r"(?:的?(?:职务|职位|一职|工作))?了?"
_QUITS_POST_ZH: Final = re.compile(
    rf"(?P<who>.+?)(?:已经|已|刚刚)?(?:辞去了?|卸任了?|卸下了?|不再(?:担任|是|当)|不当)(?P<what>.+?){_TASK_ZH}"
)
_POST_ZH: Final = re.compile(r"(?P<who>.+?)(?:现在)?(?:是|担任|出任|当)(?P<what>.+)")
_LEAVES_ZH: Final = re.compile(
    r"(?P<who>.+?)(?:已经|已|刚刚)?(?:离开|退出)了?(?P<what>.+?)了?|(?P<who2>.+?)从(?P<what2>.+?)(?:离职|辞职|退出)了?"
)
_GROUP_ZH: Final = r"组|队|部|部门|团队|公司|乐队|社|协会|委员会|董事会|俱乐部|项目|项目组|集团|班"
_IN_GROUP_ZH: Final = re.compile(
    r"(?P<who>.+?)(?:现在)?(?:领导|带领|负责|管理|带|率领|主管|加入了|在|属于)(?P<what>.+?)(?:工作|上班|任职)?"
    r"|(?P<who2>.+?)是(?P<what2>.+?)的?(?:负责人|组长|队长|主管|经理|成员|队员|领导|主唱|鼓手|秘书)"
)
_INSIDE_ZH: Final = re.compile(
    r"(?P<who>.+?)(?:现在|正|还)?在(?P<what>.+?)(?:里面|里|中|内)?|(?P<who2>.+?)(?:正)?在(?P<what2>住院|休假|出差)"
)
_OUTSIDE_ZH: Final = re.compile(
    r"(?P<who>.+?)(?:已经|已)?从(?P<what>.+?)(?:里面|里|中|内)?(?:出来|回来|出去|归来)了?"
    r"|(?P<who2>.+?)(?P<what2>住院|休假|出差)(?:回来|结束)了?"
    r"|(?P<who3>.+?)(?:已经|已)?(?:离开了?|不在)(?P<what3>.+?)(?:里面|里|中|内)?了?"
)
_TOLD: Final = re.compile(
    r"\b(?:is|isn't|are|was|has|have|had|left|quit|departed|resigned|stepped|stood|retired|withdrew|moved|dropped"
    r"|gave|handed|relinquished|came|got)\b|[辞卸离退]|不[再当在]|[从在]|住院|休假|出差",
    re.IGNORECASE,
)
_LONG: Final = 200


def ends(new: str, old: str) -> bool:
    """Whether `new` begins by saying that what `old` says is over; never raises."""
    if max(len(new), len(old)) > _LONG or "?" in new + old or not _TOLD.search(new):
        return False
    if statements_of(old) != 1 or read(old).happened:
        return False
    later = _FIRST.split(_plain(new), maxsplit=1)[0].strip()
    earlier = _plain(old)
    return any(
        _of_one(gone.fullmatch(later), was.fullmatch(earlier), of)
        for gone, was, of in (
            (_QUITS_POST, _POST, None),
            (_LEAVES, _IN_GROUP, _IS_GROUP),
            (_OUTSIDE, _INSIDE, None),
            (_INSIDE, _OUTSIDE, None),
            (_QUITS_POST_ZH, _POST_ZH, None),
            (_LEAVES_ZH, _IN_GROUP_ZH, _IS_GROUP_ZH),
            (_OUTSIDE_ZH, _INSIDE_ZH, None),
            (_INSIDE_ZH, _OUTSIDE_ZH, None),
        )
    )


_IS_GROUP: Final = re.compile(rf"(?:.* )?(?:{_GROUP})(?: .*)?|[A-Z].*", re.DOTALL)
_IS_GROUP_ZH: Final = re.compile(rf".*(?:{_GROUP_ZH})|[A-Za-z]+")


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).replace("’", "'")
    return " ".join(folded.split()).rstrip(" .!。")


def _of_one(gone: re.Match[str] | None, was: re.Match[str] | None, of: re.Pattern[str] | None) -> bool:
    """Whether both speak of one subject, and what is over is what was."""
    if gone is None or was is None:
        return False
    left, had = _part(gone, "what"), _part(was, "what")
    if read(left).negations or (of is not None and not of.fullmatch(left)):
        return False
    who, whose = read(_part(gone, "who")), read(_part(was, "who"))
    if not who.tokens or who.negations or [t.key for t in who.tokens] != [t.key for t in whose.tokens]:
        return False
    what, thing = keys(read(left).tokens), keys(read(had).tokens)
    return bool(what) and (what <= thing if of is None else what == thing)


def _part(found: re.Match[str], name: str) -> str:
    groups = found.groupdict()
    return next((text for n in (name, f"{name}2", f"{name}3") if (text := groups.get(n))), "")
