"""Whether two texts of one frame give one slot another value, so that the newer rules out the older. Pure."""

from __future__ import annotations

from typing import Final

from memorycore.policy.comparison import LIMITING, Hunk, Pair, keys, one_slot
from memorycore.policy.slots import EXCLUSIVE, Reading, Token
from memorycore.policy.statements import describes

_LINKING: Final = frozenset({"is", "run", "listen", "store", "start", "host", "write", "requir", "reply"})
_ADDS_UP: Final = frozenset({"have", "@like", "can", "play", "eat", "drink", "go", "train", "support"})
_TIMES: Final = frozenset({"date", "time", "weekday", "month"})
_SCHEDULED: Final = frozenset({"date", "time", "weekday", "month", "hedge"})
_ACTS: Final = frozenset({"attitude", "verb", "trait_verb", "many", "event"})


def not_one_slot(pair: Pair, swaps: list[Hunk]) -> str | None:
    """Why what was swapped can't be one slot of one fact, None if it can."""
    exclusive = all(_exclusive(hunk) for hunk in swaps)
    if pair.new.happened or pair.old.happened:
        return "two things that happened"
    if pair.new.chinese != pair.old.chinese and not exclusive:
        return "words of two languages can't be set against each other"
    if any(token.kind in LIMITING for hunk in swaps for token in hunk.new + hunk.old):
        return "each holds in its own case"
    if any(_says_which(hunk, pair) for hunk in swaps):
        return "two occasions that differ in their time"
    if len(swaps) == 1 and (_is_status(swaps[0]) or all(one_slot(side) for side in _values(swaps[0]))):
        return None
    return "they differ in several places"


def _says_which(hunk: Hunk, pair: Pair) -> bool:
    """Whether a time tells which occasion is meant, of one that only dates something else.

    Before the inspection on Friday, after the inspection on Monday: two inspections, no new date of one.
    """
    if not all(token.kind in _TIMES for token in hunk.new + hunk.old):
        return False
    kinds = [token.kind for token in pair.new.tokens[pair.new.subject_end : hunk.new_at]]
    if "relation" not in kinds:
        return False
    occasion = kinds[len(kinds) - kinds[::-1].index("relation") :]
    return any(kind not in _TIMES for kind in occasion)


def frame_holds(pair: Pair, swaps: list[Hunk]) -> bool:
    """Whether the subject is untouched and nothing but harmless detail stands behind the last swap."""
    if any(h.new_at < pair.new.subject_end or h.old_at < pair.old.subject_end for h in swaps):
        return False
    if any(h.new_at == h.old_at == 0 and {t.kind for t in h.new + h.old} == {"number"} for h in swaps):
        return False  # box 3 and box 4 are two boxes
    if keys(pair.shared) <= pair.new.given_up:
        return False  # all that they share is what is gone: Valkey took the place of Redis, not of Kafka
    rest = [hunk for hunk in pair.hunks if not hunk.swap]
    if any(hunk.new_at < swaps[-1].new_at for hunk in rest):
        return False
    return not any(token.kind in LIMITING for hunk in rest for token in hunk.new + hunk.old)


def written(tokens: tuple[Token, ...]) -> str:
    """Return tokens as they are written, for a reason."""
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


def single_valued(hunk: Hunk, pair: Pair) -> bool:
    """Whether the slot takes one value at a time, so that the new one rules out the old."""
    if any(token.kind == "many" for token in pair.shared):
        return False
    before, after = _beside(hunk, pair)
    if before is not None and before.key == "@home" and _is_name(hunk.new) != _is_name(hunk.old):
        return False  # moved to another team, lives in Rome
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


def _is_name(tokens: tuple[Token, ...]) -> bool:
    return all(token.kind in ("name", "han", "id") or not token.text.isascii() for token in tokens)


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
        named = all(token.kind in ("name", "han") for token in hunk.new + hunk.old)
        return named and not describes(written(hunk.new)) and not describes(written(hunk.old))
    return "trait" in kinds


def _now(hunk: Hunk, pair: Pair) -> bool:
    """Whether the new text says "now" of something that is done, not had or liked."""
    if not pair.news or len(pair.shared) <= pair.new.subject_end:
        return False
    adding = any(token.kind in _ACTS and token.key in _ADDS_UP for token in pair.shared)
    return not adding and not any(token.kind in _ACTS for token in hunk.new + hunk.old)


def called_off(pair: Pair) -> bool:
    """Whether the new text calls off the very thing that the old one has a date or a plan for."""
    tokens = pair.new.tokens
    at = next((i for i, token in enumerate(tokens) if token.key == "@planned"), None)
    if at is None or not pair.new.negations or "@planned" not in keys(pair.only_new):
        return False
    if pair.new.chinese and pair.new.subject and not keys(pair.new.subject) & keys(pair.old.tokens):
        return False  # somebody cancelled one of them: whether it is this one is not said
    end = next((i for i in range(at + 1, len(tokens)) if tokens[i].clause), len(tokens))
    off = keys(tokens[at + 1 : end]) or keys(tokens[:at])
    planned = any(token.kind in _SCHEDULED for token in pair.old.tokens)
    return planned and _thing(pair.old) <= off <= keys(pair.old.tokens)


def _thing(reading: Reading) -> set[str]:
    return {token.key for token in reading.subject if token.kind not in _SCHEDULED} or keys(reading.tokens)
