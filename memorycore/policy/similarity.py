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
    of_someone_else,
    one_slot,
    roles_swapped,
    stands_within,
)
from memorycore.policy.endings import ends
from memorycore.policy.habits import breaks_with, forget_habits
from memorycore.policy.holding import forget_statements, hides, not_held
from memorycore.policy.main_verbs import ends_other
from memorycore.policy.moved import moves_on
from memorycore.policy.replacement import called_off, frame_holds, not_one_slot, single_valued, written
from memorycore.policy.restating import restated, undated
from memorycore.policy.rules import resettles, two_rules
from memorycore.policy.slots import PREDICATES, Reading, read
from memorycore.policy.spread import put_together
from memorycore.policy.statements import agree, gives_way, statement

# Centred cosines. Pairs of one meaning lie around .8, of one topic around .4, unrelated ones below .25.
NEAR: Final = 0.3
RELATED: Final = 0.4

MAX_CHARS: Final = 4000
"""Longer texts are documents, not facts: they are only the same or hold one another word for word."""

_LIGHT_VERBS: Final = frozenset({"run", "listen", "have", "store", "start", "go", "host", "write"})
_OVER: Final = frozenset({"leave", "former"})
_SHUNS: Final = frozenset({"avoids", "refuses", "avoided", "refused"})
_DOING: Final = frozenset({"verb", "trait_verb"})
_HARMLESS: Final = frozenset({"now", "become", "from"})
_PLACES: Final = frozenset({"name", "han"})
_MOVED: Final = ("moved to", "relocated to", "搬到", "搬到了", "搬去", "搬去了")


def judge_pair(new: str, old: str, *, cosine: float | None) -> Judgement:
    """Return what `new` is to `old`: same, supersede, merge or different, with the reason in plain words.

    `cosine` is the cosine of the centred vectors of both, None where either is missing: then words alone
    decide. Never raises; the same arguments give the same verdict.
    """
    judgement = _judged(new, old, cosine)
    if judgement.verdict in ("same", "merge") or max(len(new), len(old)) > MAX_CHARS:
        return judgement
    other_words = restated(new), restated(old)
    if other_words != (new, old) and _judged(*other_words, cosine).verdict == "same":
        return _verdict("same", "the same content in other words")
    if judgement.verdict == "different" and (told := undated(new)) != new:
        since = _judged(told, old, cosine)
        return since if since.verdict == "supersede" else judgement
    return judgement


def _judged(new: str, old: str, cosine: float | None) -> Judgement:
    judgement = _judged_by_words(new, old, cosine)
    if judgement.verdict == "supersede" and max(len(new), len(old)) <= MAX_CHARS and hides(new, old):
        return _verdict("different", "the old text says more than what has changed")
    whole = {"same": (new, old), "merge": (old, new)}.get(judgement.verdict)
    if whole is None or max(len(new), len(old)) > MAX_CHARS:
        return judgement
    if reason := not_held(*whole):
        return _verdict("different", reason)
    if put_together(*whole):
        return _verdict("different", "its words stand in different parts of the other text")
    return judgement


def _judged_by_words(new: str, old: str, cosine: float | None) -> Judgement:
    if max(len(new), len(old)) > MAX_CHARS:
        return _word_for_word(new, old)
    a, b = read(new), read(old)
    if a.raw == b.raw:
        return _verdict("same", "the same words")
    if reason := _not_comparable(a, b):
        return _verdict("different", reason)
    pair = compare(a, b)
    verdict = (
        _broken(new, old)
        or _contained(pair)
        or _agreed(new, old)
        or _reordered(pair, cosine)
        or _turned_over(pair)
    )
    if verdict and verdict.verdict == "supersede" and ends_other(a, b):
        verdict = _verdict("different", "it is not this that is over")
    verdict = _told_over(new, old) or verdict or _gave_way(new, old) or _replaced(pair, new, old)
    return verdict or _verdict("different", "they say different things")


def _not_comparable(a: Reading, b: Reading) -> str | None:
    """Why the two can't be set against each other at all, None if they can."""
    if not a.tokens or not b.tokens:
        return "nothing to compare"
    if a.asks != b.asks:
        return "one of them is a question"
    if a.negations != b.negations and _opens_at_a_time(a, b):
        return "one begins and the other ends"
    if any(one.verb == "is" and _SHUNS & set(other.raw) - set(one.raw) for one, other in ((a, b), (b, a))):
        return "they have different verbs"
    if a.negations != b.negations and max(a.negations, b.negations) > 1:
        return "one denies more than once"
    return None


def _opens_at_a_time(one: Reading, other: Reading) -> bool:
    """Whether a shop opens at nine and closes at nine."""
    times = [{t.key for t in reading.tokens if t.kind in ("time", "number")} for reading in (one, other)]
    return "@open" in keys(one.tokens) & keys(other.tokens) and bool(times[0] and times[1])


def forget_readings() -> None:
    """Free what is kept of the texts that were read, after a run over many of them."""
    read.cache_clear()
    statement.cache_clear()
    forget_habits()
    forget_statements()
    restated.cache_clear()


def worth_judging(new: str, old: str, cosine: float | None) -> bool:
    """Whether the two are near enough for `judge_pair` to say anything but different. Cheap."""
    if (cosine is not None and cosine >= NEAR) or max(len(new), len(old)) > MAX_CHARS:
        return True
    a, b = read(new), read(old)
    shared = keys(a.tokens) & keys(b.tokens)
    if a.raw == b.raw or 3 * len(shared) >= min(len(keys(a.tokens)), len(keys(b.tokens))):
        return True
    return breaks_with(new, old) is not None


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


def _verdict(verdict: Verdict, reason: str) -> Judgement:
    return Judgement(verdict=verdict, reason=reason)


def _word_for_word(new: str, old: str) -> Judgement:
    a, b = (" ".join(unicodedata.normalize("NFKC", text).split()) for text in (new, old))
    if a in b:
        return _verdict("same", "the old text holds it word for word")
    if b in a:
        return _verdict("merge", "the new text holds the old one word for word")
    return _verdict("different", "too long to be compared as facts")


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
        return _verdict("supersede", "the new text says the opposite")
    if pair.news & _OVER:
        return _verdict("supersede", "the new text says that this is over")
    if (pair.new.changes ^ pair.old.changes) - _HARMLESS:
        return _verdict("different", "one of them tells of a change")
    return _verdict("same", "the same content in other words")


def _new_says_more(pair: Pair) -> Judgement:
    if told := _told_change(pair):
        return told
    if pair.turned and pair.news and not any(stands_within(hunk, pair.new) for hunk in pair.hunks):
        return _verdict("supersede", "the new text says that this is over")
    if pair.turned:
        return _verdict("different", "the opposite, but of something narrower")
    return _objection(pair) or _adds(pair)


def _new_says_less(pair: Pair) -> Judgement:
    if pair.news & _OVER and all(token.kind in _DOING for token in pair.only_old):
        return _verdict("supersede", "the new text says that this is over")
    if pair.old_tells_of_change or pair.retires:
        return _verdict("different", "one of them tells of a change")
    if refused := _objection(pair):
        return refused
    if pair.turned and any(token.kind == "event" for token in pair.only_old):
        return _verdict("different", "one of them tells of a deed")
    if pair.turned:
        return _verdict("supersede", "the new text says the opposite")
    return _verdict("same", "the old text says this and more")


def _objection(pair: Pair) -> Judgement | None:
    for hunk in pair.hunks:
        if _user_left_out(pair, hunk):
            continue
        reason = (
            objection(hunk.new, hunk.new_at, pair.new)
            if hunk.new
            else objection(hunk.old, hunk.old_at, pair.old)
        )
        if reason:
            return _verdict("different", reason)
    return None


def _user_left_out(pair: Pair, hunk: Hunk) -> bool:
    """Whether the one text says "likes tea" and the other "the user likes tea"."""
    shorter, extra = (pair.old, hunk.new) if hunk.new else (pair.new, hunk.old)
    told = shorter.subject_end == 0 and bool(shorter.verb) and shorter.raw[0].endswith("s")
    return told and hunk.new_at == hunk.old_at == 0 and keys(extra) == {"user"}


def _adds(pair: Pair) -> Judgement:
    if all(token.kind == "verb" and token.key in _LIGHT_VERBS for token in pair.only_new):
        return _verdict("same", "the same content in other words")
    return _verdict("merge", "the new text repeats the old one and adds to it")


def _reordered(pair: Pair, cosine: float | None) -> Judgement | None:
    """One text holds all of the other, in another order."""
    if pair.only_new and pair.only_old:
        return None
    return _told_change(pair) or _in_other_roles(pair) or _same_words(pair, cosine)


def _told_change(pair: Pair) -> Judgement | None:
    contrasted = any(token.kind == "contrast" for token in pair.only_new)
    if pair.retires and any(token.kind == "hedge" for token in pair.only_new):
        return _verdict("different", "the new text is not sure of the change")
    if pair.news and pair.news <= _OVER and (pair.turned or of_someone_else(pair)):
        return _verdict("different", "the new text denies the change, or tells it of another")
    if "from" in pair.news and pair.new.given_up and pair.new.given_up.isdisjoint(keys(pair.old.tokens)):
        return _verdict("different", "something else gave way")
    if (pair.retires and (pair.only_new or "ousted" not in pair.news)) or (pair.news and contrasted):
        return _verdict("supersede", "the new text says what took its place")
    if pair.old_tells_of_change:
        return _verdict("different", "the old text tells of a change")
    return None


def _in_other_roles(pair: Pair) -> Judgement | None:
    extra = pair.only_new or pair.only_old
    if any(token.kind in LIMITING for token in extra):
        return _verdict("different", "one of them holds only in some cases")
    if not roles_swapped(pair):
        return None
    if not extra and not pair.turned and any(token.kind == "contrast" for token in pair.shared):
        return _verdict("supersede", "the new text turns the preference round")
    return _verdict("different", "the same words in other roles")


def _same_words(pair: Pair, cosine: float | None) -> Judgement:
    if pair.turned and (pair.only_new or pair.only_old):
        return _verdict("different", "the opposite, but not of the same")
    if pair.turned:
        return _verdict("supersede", "the new text says the opposite")
    if cosine is not None and cosine < RELATED:
        return _verdict("different", "the same words, but not near in meaning")
    return _adds(pair)


def _agreed(new: str, old: str) -> Judgement | None:
    """Both state the same value of the same thing, in other forms."""
    return _verdict("same", "the same content in other words") if agree(new, old) else None


def _gave_way(new: str, old: str) -> Judgement | None:
    """Both state a value of the same thing, which has one at a time."""
    if values := gives_way(new, old):
        return _verdict("supersede", f"{values[0]} gave way to {values[1]}")
    return None


def _broken(new: str, old: str) -> Judgement | None:
    """The new text tells of a deed that whoever has the habit of the old one does not do."""
    if told := breaks_with(new, old):
        return _verdict("supersede", f"“{told[1]}” breaks with “{told[0]}”")
    return None


def _told_over(new: str, old: str) -> Judgement | None:
    """The new text says that the old one is over, has moved on, or sets the same thing anew."""
    if ends(new, old):
        return _verdict("supersede", "the new text says that this is over")
    if values := moves_on(new, old) or resettles(new, old):
        return _verdict("supersede", f"{values[0]} gave way to {values[1]}")
    return None


def _replaced(pair: Pair, new: str, old: str) -> Judgement | None:
    """The same frame with another value in one slot."""
    swaps = [hunk for hunk in pair.hunks if hunk.swap]
    if two_rules(pair, swaps, new, old):
        return _verdict("different", "two rules, of which both hold")
    if pair.news & _OVER and pair.news.isdisjoint(("now", "become")):
        return _verdict("different", "what the new text tells of is over")  # and no new value
    if not swaps or not pair.shared or pair.turned or not frame_holds(pair, swaps):
        return None
    if reason := not_one_slot(pair, swaps):
        return _verdict("different", reason)
    if all(single_valued(hunk, pair) for hunk in swaps):
        return _verdict("supersede", f"{written(swaps[0].old)} gave way to {written(swaps[0].new)}")
    return None


def _turned_over(pair: Pair) -> Judgement | None:
    """The new text says in so many words that what the old one says has changed."""
    if pair.old.happened or any(token.kind == "hedge" for token in pair.only_new):
        return None  # what happened stays so; what may happen has not
    if called_off(pair):
        return _verdict("supersede", "the new text calls it off")
    if _moved_away(pair):
        return _verdict("supersede", "the new text says where it is now")
    if _given_up(pair):
        return _verdict("supersede", "the new text says what took its place")
    return None


def _given_up(pair: Pair) -> bool:
    """Whether the new text says that what the old one says of its subject gave way."""
    if any(token.owner for token in pair.new.subject) and keys(pair.new.subject) > keys(pair.old.subject):
        return False  # Ann's brother is not Ann
    gone = pair.new.given_up
    spoken_of = gone == _said(pair.old) or _in_use(gone, pair.old)
    return pair.retires and bool(gone) and spoken_of and _of_its_subject(pair)


def _moved_away(pair: Pair) -> bool:
    """Whether the old text says where its subject is, and the new one that it has moved: is in Bruges."""
    moved, was = pair.new.tokens[pair.new.subject_end :], pair.old.tokens[pair.old.subject_end :]
    if not moved or not was or keys(pair.new.subject) != keys(pair.old.subject) or pair.turned:
        return False
    placed = (
        pair.old.verb == "is" and was[0].opens and all(token.kind in _PLACES for token in was + moved[1:])
    )
    return placed and moved[0].key == "@home" and moved[0].text.casefold().endswith(_MOVED) and len(moved) > 1


def _in_use(gone: frozenset[str], old: Reading) -> bool:
    """Whether the old text says that what is gone is in use, and at most what for: we use Redis for jobs."""
    rest = [token for token in old.tokens if token.key not in gone and token.lead != "for"]
    named = any(token.kind in ("name", "id") or token.text[0].isupper() for token in rest)
    return old.verb == "is" and not old.subject and gone < keys(old.tokens) and not named


def _said(reading: Reading) -> set[str]:
    """What is said of the subject, the verb apart."""
    said = reading.tokens[reading.subject_end :]
    return {token.key for token in said if token.kind not in PREDICATES}


def _of_its_subject(pair: Pair) -> bool:
    """Whether the new text speaks of the subject of the old one, or of no subject and nothing else."""
    rest = tuple(token for token in pair.new.tokens if token.key not in pair.new.given_up)
    if "ousted" in pair.news and keys(rest) & keys(pair.old.subject):
        return False  # that is who replaced it, not what took its place
    if pair.old.subject and keys(pair.old.subject) <= keys(pair.new.tokens):
        return True
    return not keys(pair.new.subject) - pair.new.given_up and one_slot(rest)
