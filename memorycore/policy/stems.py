"""A crude stem of English words, fine enough to match a short list of words by. Pure."""

from __future__ import annotations


def stem(word: str) -> str:
    """Return a crude stem of a lower-case English word: without plural, -ing, -ed and a final e."""
    if len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zzes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is", "tps")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word.rstrip("e") if len(word) > 3 else word
