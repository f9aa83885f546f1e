"""Verdicts on a new text against one that is already there. Pure.

No likeness of vectors tells a duplicate from a contradiction, so the words decide: what both texts share,
what only one of them has, and in which slot they part. The cosine finds the pairs that are worth judging
and backs what the words suggest. Where nothing speaks clearly the texts are *different*: both are kept.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from memorycore.model import Judgement, Verdict
from memorycore.policy.comparison import (
    LIMITING,
    Hunk,
    Pair,
    compare,
    keys,
    objection,
    one_slot,
    roles_swapped,
)
from memorycore.policy.slots import EXCLUSIVE, PREDICATES, Reading, Token, read
from memorycore.policy.spread import put_together

# Centred cosines. Pairs of one meaning lie around .8, of one topic around .4, unrelated ones below .25.
NEAR: Final = 0.3
RELATED: Final = 0.4

MAX_CHARS: Final = 4000
"""Longer texts are documents, not facts: they are only the same or hold one another word for word."""

_LIGHT_VERBS: Final = frozenset({"run", "listen", "have", "store", "start", "go", "host", "write"})
_LINKING: Final = frozenset({"is", "run", "listen", "store", "start", "host", "write", "requir", "reply"})
_ADDS_UP: Final = frozenset({"have", "@like", "can", "play", "eat", "drink", "go", "train", "support"})
_OVER: Final = frozenset({"leave", "former"})
_DOING: Final = frozenset({"verb", "trait_verb"})
_SCHEDULED: Final = frozenset({"date", "time", "weekday", "month", "hedge"})
_HARMLESS: Final = frozenset({"now", "become", "from"})
_ACTS: Final = frozenset({"attitude", "verb", "trait_verb", "many", "event"})


def judge_pair(new: str, old: str, *, cosine: float | None) -> Judgement:
    """Return what `new` is to `old`: same, supersede, merge or different, with the reason in plain words.

    `cosine` is the cosine of the centred vectors of both, None where either is missing: then words alone
    decide. Never raises; the same arguments give the same verdict.
    """
    judgement = _judged_by_words(new, old, cosine)
    whole = {"same": (new, old), "merge": (old, new)}.get(judgement.verdict)
    if whole is not None and max(len(new), len(old)) <= MAX_CHARS and put_together(*whole):
        return _judged("different", "its words stand in different parts of the other text")
    return judgement


def _judged_by_words(new: str, old: str, cosine: float | None) -> Judgement:
    if max(len(new), len(old)) > MAX_CHARS:
        return _word_for_word(new, old)
    a, b = read(new), read(old)
    if a.raw == b.raw:
        return _judged("same", "the same words")
    if not a.tokens or not b.tokens:
        return _judged("different", "nothing to compare")
    if ("?" in a.raw) != ("?" in b.raw):
        return _judged("different", "one of them is a question")
    if a.negations != b.negations and max(a.negations, b.negations) > 1:
        return _judged("different", "one denies more than once")
    pair = compare(a, b)
    verdict = _contained(pair) or _reordered(pair, cosine) or _turned_over(pair) or _replaced(pair)
    return verdict or _judged("different", "they say different things")


def worth_judging(new: str, old: str, cosine: float | None) -> bool:
    """Whether the two are near enough for `judge_pair` to say anything but different. Cheap."""
    if (cosine is not None and cosine >= NEAR) or max(len(new), len(old)) > MAX_CHARS:
        return True
    a, b = read(new), read(old)
    shared = keys(a.tokens) & keys(b.tokens)
    return a.raw == b.raw or 3 * len(shared) >= min(len(keys(a.tokens)), len(keys(b.tokens)))


def merged_text(new: str, old: str) -> str | None:
    """Return the text that holds all of both: the one that contains the other, None where neither does.

    None also where they contradict each other. A pair that `judge_pair` calls *merge* always has one.
    """
    if max(len(new), len(old)) > MAX_CHARS:
        return {"same": old, "merge": new}.get(_word_for_word(new, old).verdict)
    a, b = read(new), read(old)
    if a.raw == b.raw:
        return old
    if not a.tokens or not b.tokens:
        return None
    pair = compare(a, b)
    if pair.turned or (pair.only_new and pair.only_old):
        return None
    return new if pair.only_new else old


def _judged(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict=verdict, reason=reason)


def _word_for_word(new: str, old: str) -> Judgement:
    a, b = (" ".join(unicodedata.normalize("NFKC", text).split()) for text in (new, old))
    if a in b:
        return _judged("same", "the old text holds it word for word")
    if b in a:
        return _judged("merge", "the new text holds the old one word for word")
    return _judged("different", "too long to be compared as facts")


def _contained(pair: Pair) -> Judgement | None:
    """One text holds all of the other, in the same order."""
    if not pair.hunks:
        return _only_sense_differs(pair)
    if all(not hunk.old for hunk in pair.hunks):
        return _new_says_more(pair)
    if all(not hunk.new for hunk in pair.hunks):
        return _new_says_less(pair)
    return None


def _only_sense_differs(pair: Pair) -> Judgement:
    if pair.turned:
        return _judged("supersede", "the new text says the opposite")
    if pair.news & _OVER:
        return _judged("supersede", "the new text says that this is over")
    if (pair.new.changes ^ pair.old.changes) - _HARMLESS:
        return _judged("different", "one of them tells of a change")
    return _judged("same", "the same content in other words")


def _new_says_more(pair: Pair) -> Judgement:
    if told := _told_change(pair):
        return told
    if pair.turned and pair.news:
        return _judged("supersede", "the new text says that this is over")
    if pair.turned:
        return _judged("different", "the opposite, but of something narrower")
    return _objection(pair) or _adds(pair)


def _new_says_less(pair: Pair) -> Judgement:
    if pair.news & _OVER and all(token.kind in _DOING for token in pair.only_old):
        return _judged("supersede", "the new text says that this is over")
    if pair.old_tells_of_change or pair.retires:
        return _judged("different", "one of them tells of a change")
    if refused := _objection(pair):
        return refused
    if pair.turned:
        return _judged("supersede", "the new text says the opposite")
    return _judged("same", "the old text says this and more")


def _objection(pair: Pair) -> Judgement | None:
    for hunk in pair.hunks:
        reason = (
            objection(hunk.new, hunk.new_at, pair.new)
            if hunk.new
            else objection(hunk.old, hunk.old_at, pair.old)
        )
        if reason:
            return _judged("different", reason)
    return None


def _adds(pair: Pair) -> Judgement:
    if all(token.kind == "verb" and token.key in _LIGHT_VERBS for token in pair.only_new):
        return _judged("same", "the same content in other words")
    return _judged("merge", "the new text repeats the old one and adds to it")


def _reordered(pair: Pair, cosine: float | None) -> Judgement | None:
    """One text holds all of the other, in another order."""
    if pair.only_new and pair.only_old:
        return None
    return _told_change(pair) or _in_other_roles(pair) or _same_words(pair, cosine)


def _told_change(pair: Pair) -> Judgement | None:
    contrasted = any(token.kind == "contrast" for token in pair.only_new)
    if pair.retires or (pair.news and contrasted):
        return _judged("supersede", "the new text says what took its place")
    if pair.old_tells_of_change:
        return _judged("different", "the old text tells of a change")
    return None


def _in_other_roles(pair: Pair) -> Judgement | None:
    extra = pair.only_new or pair.only_old
    if any(token.kind in LIMITING for token in extra):
        return _judged("different", "one of them holds only in some cases")
    if not roles_swapped(pair):
        return None
    if not extra and not pair.turned and any(token.kind == "contrast" for token in pair.shared):
        return _judged("supersede", "the new text turns the preference round")
    return _judged("different", "the same words in other roles")


def _same_words(pair: Pair, cosine: float | None) -> Judgement:
    if pair.turned and (pair.only_new or pair.only_old):
        return _judged("different", "the opposite, but not of the same")
    if pair.turned:
        return _judged("supersede", "the new text says the opposite")
    if cosine is not None and cosine < RELATED:
        return _judged("different", "the same words, but not near in meaning")
    return _adds(pair)


def _replaced(pair: Pair) -> Judgement | None:
    """The same frame with another value in one slot."""
    swaps = [hunk for hunk in pair.hunks if hunk.swap]
    if not swaps or not pair.shared or pair.turned or not _frame_holds(pair, swaps):
        return None
    if reason := _not_one_slot(pair, swaps):
        return _judged("different", reason)
    if all(_single_valued(hunk, pair) for hunk in swaps):
        return _judged("supersede", f"{_written(swaps[0].old)} gave way to {_written(swaps[0].new)}")
    return None


def _not_one_slot(pair: Pair, swaps: list[Hunk]) -> str | None:
    """Why what was swapped can't be one slot of one fact, None if it can."""
    exclusive = all(_exclusive(hunk) for hunk in swaps)
    if pair.new.happened or pair.old.happened:
        return "two things that happened"
    if pair.new.chinese != pair.old.chinese and not exclusive:
        return "words of two languages can't be set against each other"
    if any(token.kind in LIMITING for hunk in swaps for token in hunk.new + hunk.old):
        return "each holds in its own case"
    if len(swaps) == 1 and (_is_status(swaps[0]) or all(one_slot(side) for side in _values(swaps[0]))):
        return None
    return "they differ in several places"


def _frame_holds(pair: Pair, swaps: list[Hunk]) -> bool:
    """Whether the subject is untouched and nothing but harmless detail stands behind the last swap."""
    if any(h.new_at < pair.new.subject_end or h.old_at < pair.old.subject_end for h in swaps):
        return False
    rest = [hunk for hunk in pair.hunks if not hunk.swap]
    if any(hunk.new_at < swaps[-1].new_at for hunk in rest):
        return False
    return not any(token.kind in LIMITING for hunk in rest for token in hunk.new + hunk.old)


def _written(tokens: tuple[Token, ...]) -> str:
    words = "".join(t.text if t.kind == "han" else f" {t.text} " for t in tokens)
    return " ".join(words.split())


def _values(hunk: Hunk) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """What was swapped, without a verb that both sides have, if in other places: 跳槽到空客, 在西门子工作."""
    verbs = {t.key for t in hunk.new if t.kind == "trait_verb"} & keys(hunk.old)
    return (
        tuple(t for t in hunk.new if t.key not in verbs),
        tuple(t for t in hunk.old if t.key not in verbs),
    )


def _exclusive(hunk: Hunk) -> bool:
    """Whether both sides are values of one kind, such that one rules out the other."""
    pure = all(token.kind in EXCLUSIVE for token in hunk.new + hunk.old)
    return bool(_classes(hunk.new) & _classes(hunk.old)) and (pure or _is_status(hunk))


def _is_status(hunk: Hunk) -> bool:
    return hunk.new[0].kind == hunk.old[0].kind == "status"


def _classes(tokens: tuple[Token, ...]) -> set[str]:
    return {t.key.partition(":")[0] if t.kind == "status" else t.kind for t in tokens if t.kind in EXCLUSIVE}


def _single_valued(hunk: Hunk, pair: Pair) -> bool:
    """Whether the slot takes one value at a time, so that the new one rules out the old."""
    if any(token.kind == "many" for token in pair.shared):
        return False
    before, after = _beside(hunk, pair)
    beside_trait = any(t is not None and t.kind in ("trait", "trait_verb") for t in (before, after))
    beside_trait = beside_trait or _values(hunk) != (hunk.new, hunk.old)
    if _exclusive(hunk):
        return beside_trait or _excludes(hunk, pair)
    if bool(_classes(hunk.new)) != bool(_classes(hunk.old)):
        return False  # born in Osaka, born in 1988
    if beside_trait or _trait_of_subject(hunk, pair) or _now(hunk, pair):
        return True
    prefers = before is not None and before.key == "@like" and before.kind == "verb"
    return prefers and after is not None and not after.clause


def _beside(hunk: Hunk, pair: Pair) -> tuple[Token | None, Token | None]:
    tokens, end = pair.new.tokens, hunk.new_at + len(hunk.new)
    return tokens[hunk.new_at - 1] if hunk.new_at else None, tokens[end] if end < len(tokens) else None


def _excludes(hunk: Hunk, pair: Pair) -> bool:
    """Whether two values of a kind can't both hold here: two ports can't, two red things can."""
    said = bool(pair.new.verb) or pair.new.chinese or pair.retires
    classes = _classes(hunk.new) & _classes(hunk.old)
    after = _beside(hunk, pair)[1]
    if classes == {"colour"} and after is not None and not after.opens:
        return False  # of two scarves one is red
    if classes <= {"weekday", "month", "date", "colour"}:
        return pair.new.verb not in _ADDS_UP and said
    return said


def _trait_of_subject(hunk: Hunk, pair: Pair) -> bool:
    """The project lead is Dana, the default theme is dark: not what the lead likes or plays."""
    if pair.new.verb not in _LINKING and not (pair.news and not pair.new.verb):
        return False
    kinds = {token.kind for token in pair.new.subject}
    if "trait_person" in kinds:
        return all(token.kind in ("name", "han") for token in hunk.new + hunk.old)
    return "trait" in kinds


def _now(hunk: Hunk, pair: Pair) -> bool:
    """Whether the new text says "now" of something that is done, not had or liked."""
    if not pair.news or len(pair.shared) <= pair.new.subject_end:
        return False
    adding = any(token.kind in _ACTS and token.key in _ADDS_UP for token in pair.shared)
    return not adding and not any(token.kind in _ACTS for token in hunk.new + hunk.old)


def _turned_over(pair: Pair) -> Judgement | None:
    """The new text says in so many words that what the old one says has changed."""
    if pair.old.happened:
        return None  # what happened stays so
    if _called_off(pair):
        return _judged("supersede", "the new text calls it off")
    if pair.retires and pair.new.given_up and pair.new.given_up == _said(pair.old) and _of_its_subject(pair):
        return _judged("supersede", "the new text says what took its place")
    return None


def _said(reading: Reading) -> set[str]:
    """What is said of the subject, the verb apart."""
    said = reading.tokens[reading.subject_end :]
    return {token.key for token in said if token.kind not in PREDICATES}


def _of_its_subject(pair: Pair) -> bool:
    """Whether the new text speaks of the subject of the old one, or of no subject and nothing else."""
    if pair.old.subject and keys(pair.old.subject) <= keys(pair.new.tokens):
        return True
    rest = tuple(token for token in pair.new.tokens if token.key not in pair.new.given_up)
    return not keys(pair.new.subject) - pair.new.given_up and one_slot(rest)


def _called_off(pair: Pair) -> bool:
    """Whether the new text calls off the very thing that the old one has a date or a plan for."""
    tokens = pair.new.tokens
    at = next((i for i, token in enumerate(tokens) if token.key == "@planned"), None)
    if at is None or not pair.new.negations or "@planned" not in keys(pair.only_new):
        return False
    end = next((i for i in range(at + 1, len(tokens)) if tokens[i].clause), len(tokens))
    called_off = keys(tokens[at + 1 : end]) or keys(tokens[:at])
    planned = any(token.kind in _SCHEDULED for token in pair.old.tokens)
    return planned and _thing(pair.old) <= called_off <= keys(pair.old.tokens)


def _thing(reading: Reading) -> set[str]:
    return {token.key for token in reading.subject if token.kind not in _SCHEDULED} or keys(reading.tokens)
