"""Whether a deed breaks with a habit: vegetarian in January, had steak in March. Pure.

Both texts are read whole and strictly: one has to say of somebody what that person is or does not take, the
other that the very same person took it. What is denied, planned, wished for, long past, done for others or by
mistake breaks with nothing; nor does what "she" did, for that may be anybody.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final, NamedTuple

from memorycore.policy.habit_words import CHINESE, ENGLISH, Doing, Habit
from memorycore.policy.values import MONTHS

MAX_CHARS: Final = 300
_USER: Final = "user"
_ANYBODY: Final = (
    "he|she|they|we|it|you|who|someone|somebody|everyone|nobody|this|that|there|and|but|so|"
    "他|她|他们|她们|我们|咱们|大家|有人|你|您|谁|它|没人|别人"
)
_NOBODY_KNOWN: Final = frozenset(_ANYBODY.split("|"))
_USERS: Final = frozenset({"", "i", "user", "the user", "用户", "我", "本人"})

_WHO: Final = r"(?P<who>(?:[\w'.-]+ ){0,4}?)"
_MONTHS: Final = "|".join(MONTHS)
_DAYS: Final = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_DATE: Final = (
    rf"(?:\d{{4}}-\d\d-\d\d|(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{_MONTHS})(?: \d{{1,2}}(?:st|nd|rd|th)?)?"
    r"(?:,? \d{4})?|\d{4})"
)
_WHEN: Final = (
    rf"(?:(?:(?:since|as of|in|on) (?:{_DATE}|{_DAYS})|(?:last|this|yesterday) (?:night|evening|morning|"
    rf"week|weekend|month|afternoon|{_MONTHS}|{_DAYS})|yesterday|today|tonight|at (?:lunch|dinner|"
    rf"breakfast)),? )?"
)
_SINCE: Final = rf"(?:(?:since|as of|from|in) {_DATE},? )?"
_WITHIN: Final = re.compile(rf"\bin {_DATE}\b")  # vegetarian in January: who knows about March?
_ONSET: Final = re.compile(
    r"(?:(?:has |have )?(?:became|become|turned|went|gone|quit|stopped|given up|gave up|cut out|swore off|"
    r"sworn off|switched to|adopted))\b"
)
_HABITUAL: Final = (
    r"(?:is|am|are|'m|'s|be|has been|have been|'s been|'ve been|became|has become|have become|turned|"
    r"has turned|have turned|went|has gone|have gone|identifies as|lives as) "
)
_DEGREE: Final = (
    r"(?:(?:a|an|now|strictly|strict|committed|lifelong|ethical|proud|fully|practising|practicing|already|"
    r"still) )*"
)
_KEEPING: Final = (
    r"(?:follows|follow|keeps|keeps to|keep to|is on|am on|eats|eat|switched to|adopted|went on)"
)
_SHUNNING: Final[dict[Doing, str]] = {
    "eat": r"eats?|touch(?:es)?",
    "drink": r"drinks?|touch(?:es)?",
    "smoke": r"smokes?|touch(?:es)?",
}
_GIVING_UP: Final[dict[Doing, str]] = {"eat": "eating", "drink": "drinking", "smoke": "smoking"}
_NEVER: Final = (
    r"(?:(?:do|does) not|don't|doesn't|never|no longer|has never|have never|do(?:es)? not ever|won't)"
)
_GAVE_UP: Final = (
    r"(?:quit|quits|stopped|gave up|has quit|have quit|has given up|have given up|has stopped|have stopped|"
    r"avoids|avoid|abstains from|abstain from|swore off|has sworn off|cut out|has cut out)"
)
_LASTS: Final = (
    rf"(?= ?(?:$|[.,;:!(]|(?:since|for|because|as|and|by|from|in {_DATE}|now|these days|anymore|any more|"
    r"at all|who|whatsoever|altogether|completely|in general)\b))"
)
_MEAL: Final = (
    "dinner|lunch|breakfast|brunch|supper|snack|first|birthday|starter|main|dessert|christmas|easter"
)
_ENDS: Final = (
    rf"(?= ?(?:$|[.,;:!(]|(?:for (?:(?:my|his|her|our|a|the) )?(?:{_MEAL})|and|now|this|on|in|at|with|today|"
    r"tonight|yesterday|last|again|every|after|because|once|twice|daily)\b))"
)

_DOING: Final[dict[Doing, str]] = {
    "eat": (
        r"(?:ate|eats|eat|is eating|am eating|had|has had|have had|has eaten|have eaten|devoured|tried|"
        r"enjoyed|finished|(?:has |have )?(?:started|began|resumed|begun) eating|is back to eating|"
        r"went back to eating)"
    ),
    "drink": (
        r"(?:drank|drinks|drink|is drinking|am drinking|had|has had|have had|enjoyed|tried|downed|"
        r"ordered and drank|has drunk|have drunk|(?:has |have )?(?:started|began|resumed|begun) drinking|"
        r"is back to drinking|went back to drinking)"
    ),
    "smoke": (
        r"(?:smoked|smokes|smoke|is smoking|am smoking|had|has had|have had|has smoked|have smoked|(?:has |"
        r"have )?(?:started|began|resumed|begun) smoking|is back to smoking|went back to smoking)"
    ),
}
_SMOKES: Final = r"smokes?|(?:started|began|resumed) smoking|is back to smoking|is a (?:heavy |light )?smoker"
_OFTEN: Final = (
    r"(?:(?:now|again|often|usually|sometimes|regularly|occasionally|recently|just|also|happily|only|"
    r"already) )*"
)
_AMOUNT: Final = (
    r"(?:(?:a|the|some|his|her|my|their|one|two|three|\d+|few|more|big|huge|small|whole|good|nice|large|"
    r"little|cold|hot|rare|medium|medium-rare|well-done|grilled|roast|roasted|fried|baked|smoked|raw|fresh|"
    r"juicy|delicious|great|first|double|craft|local|dry|an|lot of|lots of|glass of|glasses of|bottle of|"
    r"pint of|pints of|cup of|cups of|can of|piece of|pieces of|slice of|slices of|bite of|bit of|plate of|"
    r"bowl of|half|pack of|couple of|sip of|shot of|beef|pork|chicken|turkey|salmon|italian|german|french|"
    r"japanese|belgian|kobe|wagyu) )*"
)
_UNDONE: Final = re.compile(
    r"\b(?:if|when|unless|before|until|used to|would|might|may (?:have|eat|drink|smoke|try)|child|childhood|"
    r"kid|teenager|student|years? ago|mistake|accident|accidentally|unknowingly|dream|dreamt|dreamed|fridge|"
    r"freezer|cellar|pantry|cupboard|shelf|stock|sale|menu|basket|cart|bag|delivered|a beef with|sent|"
    r"left over|formerly|once|could|almost|nearly|not|no|never|without|instead of|supposedly|allegedly|"
    r"jokes?|joked|former|decaf|non-alcoholic|alcohol-free|vegan|veggie|vegetarian|plant-based|meatless|"
    r"meat-free|soy|tofu|fake|mock|except|but)\b|n't\b|\?|\bin (?:19|20)\d\d\b"
)
_UNDONE_ZH: Final = re.compile(
    r"不|没|别|未|无|如果|要是|假如|以前|小时候|曾|梦|误|想|打算|计划|准备|假装|差点|素|人造|植物|豆|去年|年前|本来|吗|\?|给|陪"
)
_CLIPPED: Final = re.compile(r"^'(?:m|s|ve|s been|ve been) ")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_STILL: Final = re.compile(
    r"\b(?:used to|former|formerly|was|were|might|maybe|perhaps|if|when|unless|except|only when|considers?|"
    r"wants|plans|until|except|mostly|almost|usually|sometimes|on weekdays|but)\b|\?"
)

_WHO_ZH: Final = r"(?P<who>[^,。;:!?、]{0,6}?)"
_TIME_ZH: Final = (
    r"(?:从?今年|(?:从|自)?(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|\d{1,2}[日号]|初|底)?|\d{4}年|\d{4}-\d{1,2}-\d{1,2}|昨天|"
    r"今天|昨晚|今晚|前天|早上|中午|晚上|晚饭|午饭|早饭|刚才|刚刚|刚|上周末|上周[一二三四五六日]?|上个?月|这周末?|周末|最近|现在|如今|已经|又|开始|重新|经常|常常|常|每天|每周|"
    r"时|起|以来|一直|都|也|,|在(?:家|餐厅|饭店|公司|聚会上|酒吧|婚礼上|朋友家|烧烤店|外面)(?:里)?|从来|坚持|就|和朋友|跟朋友|和同事|跟同事)*+"
)
_SINCE_ZH: Final = (
    r"(?:从?今年|(?:从|自)(?:\d{4}年)?(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份|\d{1,2}[日号]|初|底)?|(?:\d{1,2}|"
    r"[一二三四五六七八九十]{1,2})月(?:份|初|底)?(?=开始|起|成为|成了|变成|戒|我|用户)|现在|如今|已经|开始|坚持|起|以来|一直|从来|都|也|就|,)*+"
)
_CALLED_ZH: Final = r"(?:是|成为|成了|变成|当|改)?(?:了|一个|一名|一位|个|名|位)?(?:严格的?|坚定的?|长期)?"
_SHUN_ZH: Final[dict[Doing, str]] = {"eat": "吃|碰|沾", "drink": "喝|碰|沾", "smoke": "抽|吸|碰"}
_NEVER_ZH: Final = r"(?:从不|不再|再也不|从来不|不会|不|戒掉了?|戒了?)"
_DO_ZH: Final[dict[Doing, str]] = {
    "eat": "吃了|吃过|在吃|吃着|吃的是|吃",
    "drink": "喝了|喝过|在喝|喝着|喝的是|喝",
    "smoke": "抽了|抽过|在抽|抽着|抽上|抽起|吸了|抽|吸",
}
_AMOUNT_ZH: Final = (
    r"(?:[一二两三四五几半\d]?(?:块|份|顿|个|碗|盘|片|只|串|点|些|口|杯|瓶|罐|支|根|包|听|盒|大)|很多|好多|不少)?(?:烤|煎|炸|红烧|清蒸|水煮|冰|新鲜|美味的?|"
    r"好吃的?|日式|法式|德式|精酿)?"
)
_ENDS_ZH: Final = r"(?:了|的|啦)?(?:$|[,。;!、]|和|当|作为|配|庆祝|之后)"


_Patterns = tuple[tuple[Habit, re.Pattern[str]], ...]


class _Kept(NamedTuple):
    who: str
    habit: Habit
    words: str


class _Deed(NamedTuple):
    who: str
    habits: tuple[Habit, ...]
    words: str


def breaks_with(new: str, old: str) -> tuple[str, str] | None:
    """Return the habit that `old` tells of and the deed in `new` that breaks with it, else None.

    In the words of the texts. Never raises.
    """
    if (kept := _habit(old)) is None or (deed := _deed(new)) is None:
        return None
    if kept.who != deed.who or kept.habit not in deed.habits or _long_before(new, old):
        return None
    return kept.words, deed.words


def forget_habits() -> None:
    """Free what is kept of the texts that were read."""
    _habit.cache_clear()
    _deed.cache_clear()


def _long_before(new: str, old: str) -> bool:
    """Whether the deed is of an earlier year than the habit, by the years that both texts name."""
    done, kept = (_YEAR.findall(text) for text in (new, old))
    return bool(done and kept) and max(done) < min(kept)


def tells_of_habit(text: str) -> str | None:
    """Return whose habit a text tells of, "user" for the user, None where it tells of none."""
    return None if (kept := _habit(text)) is None else kept.who


def tells_of_deed(text: str) -> str | None:
    """Return who did in a text what breaks with some habit, None where nobody did."""
    return None if (deed := _deed(text)) is None else deed.who


def words_of_broken(text: str) -> tuple[str, ...]:
    """Return what the habits are called that a deed breaks with: a search by these finds who has them."""
    if (deed := _deed(text)) is None:
        return ()
    names = (word for habit in deed.habits for word in f"{habit.called}|{habit.shuns}".split("|") if word)
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=16_384)
def _habit(text: str) -> _Kept | None:
    plain = _plain(text)
    if _STILL.search(plain):
        return None
    kept = _first_habit(plain, _kept_patterns())
    limited = kept is not None and _WITHIN.search(plain) and not _ONSET.match(kept.words)
    return None if limited else kept


@lru_cache(maxsize=16_384)
def _deed(text: str) -> _Deed | None:
    plain = _plain(text)
    if not plain or _UNDONE.search(plain) or len(re.findall(r"[\u3400-\u9fff]", plain)) > len(plain) // 2:
        return _first_deed(plain, _done_patterns_zh()) if plain and not _UNDONE_ZH.search(plain) else None
    return _first_deed(plain, _done_patterns())


def _first_habit(plain: str, patterns: _Patterns) -> _Kept | None:
    for habit, pattern in patterns:
        if (found := pattern.match(plain)) and (who := _person(found["who"])):
            return _Kept(who, habit, _CLIPPED.sub("", found["said"].strip()))
    return None


def _first_deed(plain: str, patterns: _Patterns) -> _Deed | None:
    found = [(habit, match) for habit, pattern in patterns if (match := pattern.match(plain))]
    if not found or (who := _person(found[0][1]["who"])) is None:
        return None
    return _Deed(who, tuple(habit for habit, _ in found), found[0][1]["said"].strip())


def _person(who: str) -> str | None:
    """Return who is meant: the user where nobody is named, None where it may be anybody."""
    name = who.strip(" ,'").casefold()
    if name in _USERS:
        return _USER
    return None if not set(name.split()).isdisjoint(_NOBODY_KNOWN) else name.removeprefix("the ")


def _plain(text: str) -> str:
    if len(text) > MAX_CHARS:
        return ""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    return re.sub(r"(?<=\w)'(?=(?:m|s been|ve|s)\b)", " '", " ".join(folded.split()))


def _alternatives(words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words.split("|"), key=len, reverse=True))


@cache
def _kept_patterns() -> _Patterns:
    """Made at the first use: importing stays fast."""
    english = ((habit, rf"{_SINCE}{_WHO}(?:also )?(?P<said>{_kept(habit)}){_LASTS}") for habit in ENGLISH)
    chinese = (
        (habit, rf"{_SINCE_ZH}{_WHO_ZH}{_SINCE_ZH}(?P<said>{_kept_zh(habit)}){_ENDS_ZH}") for habit in CHINESE
    )
    return tuple((habit, re.compile(pattern)) for habit, pattern in (*english, *chinese))


def _kept(habit: Habit) -> str:
    shuns, called, doing = _alternatives(habit.shuns), _alternatives(habit.called), habit.doing
    said = [
        rf"{_NEVER} (?:{_SHUNNING[doing]}) (?:any )?(?:{shuns})",
        rf"{_GAVE_UP} (?:{_GIVING_UP[doing]} )?(?:any )?(?:{shuns})",
    ]
    if called:
        said += [
            rf"{_HABITUAL}{_DEGREE}(?:{called})s?",
            rf"{_KEEPING} {_DEGREE}(?:{called})(?: diet| lifestyle)?(?: only)?",
            rf"(?:'s )?diet(?: is|:) {_DEGREE}(?:{called})",
            rf"{_DEGREE}(?:{called})",
        ]
    if called and doing != "eat":
        said += [rf"{_NEVER} {doing}s?", rf"{_GAVE_UP} {_GIVING_UP[doing]}"]
    return "|".join(said)


def _kept_zh(habit: Habit) -> str:
    shunned = rf"{_NEVER_ZH}(?:{_SHUN_ZH[habit.doing]})?(?:{_alternatives(habit.shuns)})"
    called = rf"|{_CALLED_ZH}(?:{_alternatives(habit.called)})" if habit.called else ""
    return shunned + called


@cache
def _done_patterns() -> _Patterns:
    return tuple(
        (habit, re.compile(rf"{_WHEN}{_WHO}{_OFTEN}(?P<said>{_done(habit)}){_ENDS}")) for habit in ENGLISH
    )


def _done(habit: Habit) -> str:
    taken = rf"{_DOING[habit.doing]} {_OFTEN}{_AMOUNT}(?:{_alternatives(habit.breaks)})(?:e?s)?"
    return f"{taken}|{_SMOKES}" if habit.doing == "smoke" else taken


@cache
def _done_patterns_zh() -> _Patterns:
    start = rf"{_TIME_ZH}{_WHO_ZH}{_TIME_ZH}"
    return tuple((habit, re.compile(rf"{start}(?P<said>{_done_zh(habit)}){_ENDS_ZH}")) for habit in CHINESE)


def _done_zh(habit: Habit) -> str:
    return rf"(?:{_DO_ZH[habit.doing]}){_AMOUNT_ZH}(?:{_alternatives(habit.breaks)})"
