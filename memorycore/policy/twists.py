"""In what a rewrite turns the sense of a text, though all values and names are there. Pure.

No words tell for certain that two texts mean the same. What is looked for here are the turns that a model
makes when it shortens: another thing denied, sides swapped, an opposite, a bound or a "maybe" left out,
something that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memorycore.policy.han_names import han_names
from memorycore.policy.slots import Reading, Token, read
from memorycore.policy.stems import stem
from memorycore.policy.values import VALUE_KINDS

_NEGATIVE_HAN: Final = frozenset("不没未别勿无非")
_KEPT: Final = frozenset({"hedge", "scope", "colour"})
_NEAR: Final = 2
_NAMES: Final = frozenset({"name", "id"})
_SAID: Final = frozenset({"word", "name", "id", "han", "noun", "verb", "attitude", "many", "status"})
_NEW_SHARE: Final = 3
_PREFIX: Final = 4
_OPENING = re.compile(r"(?:^|[.!?;:。！？；：\n-])\s*([A-Za-z]+)")
_CLAUSE = re.compile(r"[,;:!?，。；：！？、\n]|\.(?:\s|$)")
_ANY = re.compile("任何|一切|所有的?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")

# Words that say how far something holds, in groups: a text and its rewrite both have one of a group, or none.
_STRENGTHS: Final[tuple[tuple[str, ...], ...]] = (
    ("at most", "maximum", "max", "up to", "no more than", "within", "最多", "至多", "不超过", "以内"),
    ("at least", "minimum", "min", "no less than", "no fewer than", "至少", "最少", "起码", "不少于"),
    ("may", "might", "maybe", "perhaps", "可能", "也许", "或许", "大概", "说不定"),
    ("sometimes", "occasionally", "now and then", "有时", "偶尔"),
    ("usually", "normally", "generally", "mostly", "typically", "通常", "一般", "往往", "大多"),
    ("if possible", "preferably", "ideally", "尽量", "尽可能", "最好"),
    ("roughly", "approximately", "大约", "左右"),
    ("only", "solely", "exclusively", "nothing but", "只", "仅", "唯独"),
)
_OPPOSITES: Final[tuple[tuple[str, str], ...]] = (
    ("before", "after"),
    ("short", "long"),
    ("brief", "detailed"),
    ("more", "less"),
    ("above", "below"),
    ("over", "under"),
    ("inside", "outside"),
    ("left", "right"),
    ("most", "least"),
    ("enable", "disable"),
    ("allow", "forbid"),
    ("include", "exclude"),
    ("accept", "reject"),
    ("first", "last"),
    ("start", "stop"),
    ("open", "close"),
    ("public", "private"),
    ("like", "hate"),
    ("love", "hate"),
    ("early", "late"),
    ("light", "dark"),
    ("formal", "informal"),
    ("increase", "decrease"),
    ("add", "remove"),
    ("always", "never"),
    ("on", "off"),
    ("在前", "在后"),
    ("之前", "之后"),
    ("以前", "以后"),
    ("简短", "详细"),
    ("简洁", "详细"),
    ("短", "长"),
    ("左", "右"),
    ("高于", "低于"),
    ("大于", "小于"),
    ("多于", "少于"),
    ("开启", "关闭"),
    ("打开", "关闭"),
    ("启用", "禁用"),
    ("允许", "禁止"),
    ("公开", "私密"),
    ("喜欢", "讨厌"),
    ("爱", "恨"),
    ("增加", "减少"),
    ("早", "晚"),
    ("浅", "深"),
    ("必须", "可以"),
)


def twisted(full: str, rewrite: str) -> str | None:
    """Return how a rewrite turns the sense of the text, in words; None if no turn is seen."""
    whole, short = read(full), read(rewrite)
    return (
        _left_out(whole, short)
        or _other_denied(full, rewrite)
        or _sides_swapped(whole, short)
        or _order_changed(whole, short)
        or _opposite(full, rewrite)
        or _other_strength(full, rewrite)
        or _made_up(full, rewrite)
    )


def _left_out(whole: Reading, short: Reading) -> str | None:
    kept = {token.key for token in short.tokens}
    for before, token in zip((None, *whole.tokens), whole.tokens, strict=False):
        measures = token.kind == "unit" and before is not None and before.kind == "number"
        if (measures or token.kind in _KEPT) and token.key not in kept:
            return f"it loses {token.text}"
    return None


def _other_denied(full: str, rewrite: str) -> str | None:
    """What stands behind a "not" must have stood behind one, and so must what comes next."""
    had = list(_denied(full))
    for denied in _denied(rewrite):
        first, second = denied[0], denied[1:2]
        if not any(first == known[0] and set(second) <= set(known[1 : 1 + _NEAR]) for known in had):
            return f"it denies {' '.join(denied[:2])}"
    return None


def _denied(text: str) -> Iterator[list[str]]:
    """Yield what is said behind each negation, up to the end of its clause."""
    for clause in _CLAUSE.split(_ANY.sub("", text)):
        found: list[list[str]] = []
        for piece in read(clause).raw:
            said = read(piece)
            if said.negations or piece in _NEGATIVE_HAN:
                found.append([])
            elif found:
                found[-1] += [token.key for token in said.tokens]
        yield from (keys for keys in found if keys)


def _sides_swapped(whole: Reading, short: Reading) -> str | None:
    """Tabs over spaces is not spaces over tabs, and not spaces alone either."""
    said = {token.key for token in short.tokens}
    moved = (set(_second_sides(whole)) & said) ^ set(_second_sides(short))
    return f"it puts {min(moved)} on the other side" if moved else None


def _second_sides(reading: Reading) -> Iterator[str]:
    for at, token in enumerate(reading.tokens[:-1]):
        if token.kind == "contrast":
            yield reading.tokens[at + 1].key


def _order_changed(whole: Reading, short: Reading) -> str | None:
    """Of several values of a kind, or names, each goes with its neighbours: in another order it may not."""
    kinds: list[frozenset[str]] = [frozenset({kind}) for kind in sorted(VALUE_KINDS)]
    if whole.passive == short.passive:
        kinds.append(_NAMES)
    for kind in kinds:
        before, after = _ordered(whole, kind), _ordered(short, kind)
        known = [key for key in after if key in before]
        if known != [key for key in before if key in known]:
            return f"it tells {' and '.join(known[:2])} in another order"
    return None


def _ordered(reading: Reading, kinds: frozenset[str]) -> list[str]:
    return list(dict.fromkeys(token.key for token in reading.tokens if token.kind in kinds))


def _opposite(full: str, rewrite: str) -> str | None:
    for one, other in _OPPOSITES:
        for had, says in ((one, other), (other, one)):
            if _has(full, had) and not _has(full, says) and _has(rewrite, says) and not _has(rewrite, had):
                return f"it says {says} for {had}"
    return None


def _other_strength(full: str, rewrite: str) -> str | None:
    for group in _STRENGTHS:
        before = next((word for word in group if _has(full, word)), None)
        after = next((word for word in group if _has(rewrite, word)), None)
        if before is not None and after is None:
            return f"it loses {before}"
        if after is not None and before is None:
            return f"it makes up {after}"
    return None


def _has(text: str, phrase: str) -> bool:
    if not phrase.isascii():
        return phrase in text
    words = " ".join(stem(word) for word in _WORD.findall(text.casefold()))
    return f" {' '.join(stem(word) for word in phrase.split())} " in f" {words} "


def _made_up(full: str, rewrite: str) -> str | None:
    """A name that the text does not name, or so many new words that it is another text."""
    opening = {word.casefold() for word in _OPENING.findall(rewrite)}
    new = [token for token in read(rewrite).tokens if token.kind in _SAID and not _known(token, full)]
    for token in new:
        if token.kind in _NAMES and token.text.casefold() not in opening:
            return f"it makes up {token.text}"
    names = sorted(name for name in han_names(rewrite) - han_names(full) if name not in full)
    if names:
        return f"it makes up {names[0]}"
    said = sum(token.kind in _SAID for token in read(rewrite).tokens)
    if len(new) > max(1, said // _NEW_SHARE):
        return f"it makes up {', '.join(token.text for token in new[:3])}"
    return None


def _known(token: Token, full: str) -> bool:
    """Whether the text has the word, in another form perhaps."""
    if token.key in {known.key for known in read(full).tokens}:
        return True
    if not token.text.isascii():
        return token.text in full
    start = token.text.casefold()[:_PREFIX]
    return any(word.startswith(start) for word in _WORD.findall(full.casefold()))
