"""Sets two readings against each other: what both have, what one has more, where they part. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from memorycore.policy.slots import EXCLUSIVE, PREDICATES, Reading, Token

LIMITING: Final = frozenset({"condition", "hedge", "scope", "person", "contrast"})
_GIVING_WAY: Final = frozenset({"become", "from", "leave", "former", "changed", "ousted"})
_NARROWED: Final = frozenset({"attitude", "many"})  # of these, a narrower object does not imply the wider
_HEADS: Final = frozenset({"word", "name", "id", "han", "noun", "trait", "trait_person", "unit"})
_PLACE_ENDINGS: Final = frozenset("区县路街镇市号村")


class Hunk(NamedTuple):
    """A place where the texts part: what each has there, and where it begins."""

    new: tuple[Token, ...]
    old: tuple[Token, ...]
    new_at: int
    old_at: int

    @property
    def swap(self) -> bool:
        return bool(self.new and self.old)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two readings and what sets them apart; `only_new` and `only_old` look away from order."""

    new: Reading
    old: Reading
    hunks: tuple[Hunk, ...]
    shared: tuple[Token, ...]
    only_new: tuple[Token, ...]
    only_old: tuple[Token, ...]

    @property
    def turned(self) -> bool:
        """Whether one says yes where the other says no."""
        return self.new.negations % 2 != self.old.negations % 2

    @property
    def news(self) -> frozenset[str]:
        """The keys of the words of change that the new text alone has."""
        return self.new.changes - self.old.changes

    @property
    def retires(self) -> bool:
        """Whether the new text, and it alone, says that something gave way to something else."""
        return bool(self.news & _GIVING_WAY)

    @property
    def old_tells_of_change(self) -> bool:
        return bool((self.old.changes - self.new.changes) & _GIVING_WAY)


def compare(new: Reading, old: Reading) -> Pair:
    """Return the pair of two readings that both have tokens."""
    new_count, old_count = Counter(t.key for t in new.tokens), Counter(t.key for t in old.tokens)
    return Pair(
        new=new,
        old=old,
        hunks=tuple(_hunks(new.tokens, old.tokens)),
        shared=tuple(t for t in new.tokens if t.key in old_count),
        only_new=_surplus(new.tokens, old_count),
        only_old=_surplus(old.tokens, new_count),
    )


def keys(tokens: Sequence[Token]) -> set[str]:
    """Return the keys of tokens."""
    return {token.key for token in tokens}


def _surplus(tokens: tuple[Token, ...], other: Counter[str]) -> tuple[Token, ...]:
    left = Counter(other)
    surplus = []
    for token in tokens:
        if left[token.key] > 0:
            left[token.key] -= 1
        else:
            surplus.append(token)
    return tuple(surplus)


def _hunks(new: tuple[Token, ...], old: tuple[Token, ...]) -> Iterator[Hunk]:
    """Yield where the texts part, a Chinese word whole even if the two share a character of it."""
    spans: list[list[int]] = []  # old from, old to, new from, new to
    for op in Levenshtein.opcodes([t.key for t in old], [t.key for t in new]):
        if op.tag == "equal":
            continue
        span = [op.src_start, op.src_end, op.dest_start, op.dest_end]
        if op.src_end > op.src_start and op.dest_end > op.dest_start:
            span = _whole_words(span, new, old)
        if spans and spans[-1][1] >= span[0] and spans[-1][3] >= span[2]:
            last = spans.pop()
            span = [last[0], max(last[1], span[1]), last[2], max(last[3], span[3])]
        spans.append(span)
    for old_at, old_end, new_at, new_end in spans:
        yield Hunk(new[new_at:new_end], old[old_at:old_end], new_at, old_at)


def _whole_words(span: list[int], new: tuple[Token, ...], old: tuple[Token, ...]) -> list[int]:
    old_at, old_end, new_at, new_end = span
    while min(old_at, new_at) > 0 and _one_run(old, old_at) and _one_run(new, new_at):
        old_at, new_at = old_at - 1, new_at - 1
    while old_end < len(old) and new_end < len(new) and _one_run(old, old_end) and _one_run(new, new_end):
        old_end, new_end = old_end + 1, new_end + 1
    return [old_at, old_end, new_at, new_end]


def _one_run(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether the token at `at` goes on with the word of the one before it."""
    return tokens[at - 1].run == tokens[at].run >= 0


def stands_within(hunk: Hunk, new: Reading) -> bool:
    """Return whether what the new text has more stands between its other words."""
    return hunk.new_at > 0 and hunk.new_at + len(hunk.new) < len(new.tokens)


def of_someone_else(pair: Pair) -> bool:
    """Return whether words were added to the subject or right behind it: 小李的父亲, 小李想."""
    return any(0 < h.new_at <= len(pair.old.subject) and not h.new[0].clause for h in pair.hunks if h.new)


def one_slot(tokens: tuple[Token, ...]) -> bool:
    """Whether the tokens can be the value of one slot: not an item and a shop, nor an item and a count."""
    return not any(_parted(one, other) for one, other in pairwise(tokens))


def _parted(one: Token, other: Token) -> bool:
    """Whether another slot begins between two neighbours."""
    families = _family(one), _family(other)
    if families == ("when", "when"):
        return False  # Tuesday at 3 pm
    if other.opens or other.kind == "relation" or other.kind in PREDICATES:
        return True
    if families == ("amount", "other"):
        return other.kind not in ("name", "id")  # three cats; but 5 Main Street
    return families[0] != families[1] and (other.gap or "when" in families)


def _family(token: Token) -> str:
    if token.kind in ("date", "time", "weekday", "month"):
        return "when"
    return "amount" if token.kind in ("number", "unit") else "other"


def objection(extra: tuple[Token, ...], at: int, longer: Reading) -> str | None:
    """Why the tokens that `longer` has more, from `at` on, are not mere detail; None if they are."""
    return _other_case(extra) or _other_subject(extra, at, longer) or _other_object(extra, at, longer)


def _other_case(extra: tuple[Token, ...]) -> str | None:
    first = extra[0]
    if all(token.kind == "relation" for token in extra):
        return "they relate things differently"
    limiting = LIMITING - {"person"} if first.clause else LIMITING
    if first.key != "@more" and any(token.kind in limiting for token in extra):
        return "one of them holds only in some cases"
    return None


def _other_subject(extra: tuple[Token, ...], at: int, longer: Reading) -> str | None:
    owned = at > 0 and longer.tokens[at - 1].owner
    if (at < longer.subject_end or owned) and not extra[0].clause:
        return "they speak of different things"
    return None


def _other_object(extra: tuple[Token, ...], at: int, longer: Reading) -> str | None:
    first, end = extra[0], at + len(extra)
    after = longer.tokens[end] if end < len(longer.tokens) else None
    if after is not None and not after.clause and not (first.gap and after.gap):
        if all(token.kind == "number" for token in extra):
            return "they give different counts"
        general = longer.negations > 0 or longer.subject_end == 0
        if general or any(token.kind in _NARROWED for token in longer.tokens):
            return "one of them is narrower"
    elif at and not first.gap and first.kind in _HEADS and extra[-1].key not in _PLACE_ENDINGS:
        return "the added word may change what is meant"
    return None


def roles_swapped(pair: Pair) -> bool:
    """Whether the same words may stand in other roles: Dana reports to Luis, Luis reports to Dana."""
    new, old = keys(pair.new.subject), keys(pair.old.subject)
    if _torn_apart(pair) or _values_moved(pair):
        return True
    if new == old or not new or not old:
        return _leads_conflict(pair) or (new == old and _names(pair.new) != _names(pair.old))
    if new <= old or old <= new:
        return _leads_conflict(pair)
    if pair.new.passive != pair.old.passive:
        return False
    new_owners, old_owners = _owners(pair.new), _owners(pair.old)
    if new_owners and old_owners:
        return new_owners != old_owners
    return not (new_owners and old <= new_owners) and not (old_owners and new <= old_owners)


def _torn_apart(pair: Pair) -> bool:
    """Whether hardly any two words that stood together still do: strong tea and weak coffee."""
    new, old = ([t.key for t in reading.tokens] for reading in (pair.new, pair.old))
    shorter = min(len(new), len(old))
    return shorter >= 4 and 2 * len(set(pairwise(new)) & set(pairwise(old))) < shorter - 2


def _values_moved(pair: Pair) -> bool:
    """Whether of several values of a kind one has other neighbours: two dogs and three cats."""
    new, old = _neighbours(pair.new), _neighbours(pair.old)
    return any(
        len(of_kind) > 1
        and any(
            not (set(beside) & set(old.get(kind, {}).get(key, beside))) for key, beside in of_kind.items()
        )
        for kind, of_kind in new.items()
    )


def _neighbours(reading: Reading) -> dict[str, dict[str, set[tuple[int, str]]]]:
    """What stands before (0) and behind (1) each value, by kind."""
    found: dict[str, dict[str, set[tuple[int, str]]]] = {}
    tokens = reading.tokens
    for at, token in enumerate(tokens):
        if token.kind in EXCLUSIVE:
            beside = found.setdefault(token.kind, {}).setdefault(token.key, set())
            beside.update({(0, tokens[at - 1].key)} if at else ())
            beside.update({(1, tokens[at + 1].key)} if at + 1 < len(tokens) else ())
    return found


def _leads_conflict(pair: Pair) -> bool:
    """Whether a word hangs on another preposition: from Rome to Oslo, from Oslo to Rome."""
    old = {token.key: token.lead for token in pair.old.tokens}
    return any(
        token.lead
        and old.get(token.key)
        and token.lead != old[token.key]
        and "&" not in (token.lead, old[token.key])
        for token in pair.new.tokens
    )


def _names(reading: Reading) -> list[str]:
    """The names in order, in no order where they are only listed, up to a contrast where there is one."""
    named = [token for token in reading.tokens if token.kind in ("name", "id")]
    order = [token.key for token in named]
    if any(token.lead == "&" for token in named):
        order.sort()
    kinds = [token.kind for token in reading.tokens]
    if "contrast" in kinds:
        order += [token.key for token in reading.tokens[: kinds.index("contrast")]]
    return order


def _owners(reading: Reading) -> set[str]:
    return {token.key for token in reading.tokens if token.owner}
