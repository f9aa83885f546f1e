"""What an agent would be told day by day: rules, facts, states, statuses, corrections; half of it Chinese.

All texts are made from templates and are distinct, but for a few that are said again on purpose. The same
seed gives the same life.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from benchmarks.filler import filler
from memorycore.model import Target


@dataclass(frozen=True)
class Write:
    """Something to store; `red_line` is one that must never leave the hot file it is in."""

    text: str
    importance: float = 0.5
    target: Target = "memory"
    red_line: bool = False


_RULES = (
    "Always write the {thing} in {style}.",
    "The user prefers {style} for the {thing}.",
    "When the {thing} changes, tell {name} before anything else.",
    "Please keep the {thing} short and in {style}.",
    "{thing}一律用{style}来写。",
    "用户希望{thing}用{style}。",
    "改动{thing}之前先问一下{name}。",
    "给{name}看的{thing}要用{style}。",
)
_RED_LINES = (
    "Never show the {thing} to {name}.",
    "Never delete the {thing} without asking {name}.",
    "绝不能把{thing}发给{name}。",
    "没有{name}同意，禁止删除{thing}。",
)
_STATES = (
    "{date}: the move of the {thing} to {place} was completed, and {name} signed it off.",
    "The {thing} was finished on {date}; {name} paid the bill of {n} euros.",
    "{date} 完成{thing}的搬迁，{name}已验收，花了{n}块。",
    "{date}已决定{thing}放在{place}，{name}签了字。",
)
_STATUSES = (
    "Done: the {thing} for {name} is pushed to {place}.",
    "The {thing} tests of {name} in {place} passed, all done.",
    "{place}{name}的{thing}测试通过，全部搞定。",
    "{name}在{place}推送的{thing}，全部搞定了。",
)
_CHANGING = (
    "The {thing} server listens on port {n}.",
    "The budget of the {thing} is {n} euros.",
    "{thing}服务监听端口{n}。",
    "{thing}的预算是{n}元。",
)
_LONG_EN = (
    "Always greet the user in {style}. He grew up near {place} and learned to keep the {thing} from {name}, "
    "who lived there for {few} years and came back every summer to help with the harvest."
)
_LONG_ZH = (
    "回答用户时一律用{style}。他小时候住在{place}，跟{name}学会了照看{thing}，后来每年夏天都要回去住上一阵子，"
    "帮忙收拾院子，顺便把旧账本重新抄一遍，抄好的那几本现在还放在柜子最上面一层。"
)
_PICTURES = (
    _LONG_EN,
    "The user likes {style}, and keeps a {thing} from {place}.",
    _LONG_ZH,
    "用户喜欢{style}，还收着一件从{place}带回来的{thing}。",
)
_EN = {
    "thing": "report,invoice,map,ledger,catalogue,logbook,timetable,price list,manual,contract,atlas,menu,"
    "inventory,backup,garden plan,survey,archive,newsletter,glossary,checklist",
    "style": "British English,short sentences,plain tables,large type,lower case,two columns,formal German,"
    "bullet points,metric units,numbered steps,blue ink,past tense",
    "place": "Utrecht,Bergen,Porto,Ghent,Turku,Graz,Cork,Lyon,the old mill,the harbour,the attic",
    "name": "Mara,Joost,Imke,Sefa,Tomas,Aino,Bruno,Edda,Ilse,Pavel,Rosa,Stig,Nuno,Vera",
}
_ZH = {
    "thing": "报表,发票,地图,账本,目录,日志,时刻表,价目表,手册,合同,图册,菜单,清单,备份,园艺图,问卷,档案",
    "style": "简体中文,短句,表格,大号字,两栏排版,正式语气,编号步骤,公制单位,蓝色墨水,口语",
    "place": "杭州,大理,青岛,泉州,苏州,昆明,老磨坊,码头,阁楼,东厢房",
    "name": "张伟,李娜,王磊,赵敏,陈晨,周洋,吴桐,郑洁,孙浩,林夏",
}
_REPEATED = 2
_DAY = {"facts": 19, "states": 9, "statuses": 5, "rules": 6, "changing": 5, "pictures": 2}


class Life:
    """Days of what is to be stored; `facts_only` leaves out all but facts."""

    def __init__(self, seed: int = 3, *, facts_only: bool = False, per_day: int = 50, days: int = 60) -> None:
        self._rng = random.Random(seed)
        self._count = count(1)
        self._facts = iter(filler(days * per_day, seed))
        self._facts_only = facts_only
        self._per_day = per_day
        self._said: list[Write] = []
        self._texts: set[str] = set()

    def day(self, number: int, today: datetime) -> list[Write]:
        """Return what is said on a day, in its order."""
        if self._facts_only:
            writes = [self._fact() for _ in range(self._per_day)]
        else:
            writes = [write for kind, times in self._shares() for write in self._several(kind, times, today)]
            writes += self._guarded(number)
            writes += self._rng.sample(self._said, min(_REPEATED, len(self._said)))
            writes += [self._fact() for _ in range(self._per_day - len(writes))]
            self._rng.shuffle(writes)
            writes = writes[: self._per_day]
        self._said = (self._said + writes)[-500:]
        return writes

    def questions(self, times: int) -> list[str]:
        """Return what is asked for on a day: something that was said lately, in words of its own."""
        asked = self._rng.sample(self._said, min(times, len(self._said)))
        return [one.text.rstrip(".。").lower() for one in asked]

    def _shares(self) -> Iterator[tuple[str, int]]:
        whole = sum(_DAY.values()) + _REPEATED
        for kind, times in _DAY.items():
            yield kind, round(times * self._per_day / whole)

    def _several(self, kind: str, times: int, today: datetime) -> list[Write]:
        if kind == "facts":
            return [self._fact() for _ in range(times - 2)]
        shapes = {
            "states": _STATES,
            "statuses": _STATUSES,
            "rules": _RULES,
            "changing": _CHANGING,
            "pictures": _PICTURES,
        }[kind]
        return [self._made(kind, shapes, today) for _ in range(times)]

    def _made(self, kind: str, shapes: tuple[str, ...], today: datetime) -> Write:
        text = self._filled(shapes, today)
        user = kind == "pictures" or (kind == "rules" and self._rng.random() < 0.3)
        insists = kind in ("pictures", "states") and self._rng.random() < 0.3
        return Write(text, 0.85 if insists else 0.5, "user" if user else "memory")

    def _fact(self) -> Write:
        text = next(self._facts)
        self._texts.add(text)
        chance = self._rng.random()
        return Write(text, 0.85 if chance < 0.1 else 0.5, "user" if chance > 0.9 else "memory")

    def _guarded(self, number: int) -> list[Write]:
        writes = []
        if number % 3 == 0:
            writes.append(Write(self._filled(_RULES), 0.95, self._rng.choice(["memory", "user"])))
        if number % 4 == 0:
            writes.append(Write(self._filled(_RED_LINES), 0.5, "memory", red_line=True))
        return writes

    def _filled(self, shapes: tuple[str, ...], today: datetime | None = None) -> str:
        """Fill a template so that the text is a new one."""
        while True:
            shape = self._rng.choice(shapes)
            words = _ZH if any(char > "\u2e80" for char in shape) else _EN
            slots = {name: self._rng.choice(listed.split(",")) for name, listed in words.items()}
            number = 1_000 + next(self._count)
            text = shape.format(
                **slots,
                n=number,
                few=self._rng.randint(2, 9),
                date="" if today is None else f"{today:%Y-%m-%d}",
            )
            if text not in self._texts:
                self._texts.add(text)
                return text
