"""What a store is about, in a few words. Pure: the same texts give the same topics."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from memorycore.policy.words import query_tokens

_LEAST = 2
"""A word of one text alone is no topic."""

_MAX_CHARS = 24
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#]")
_HAN_RUN = re.compile(r"[\u4e00-\u9fff]{2,}")
_LEAST_WORD = 3
_LONGEST_HAN = 4

# Words that every memory is full of; none of them says what a store is about.
_EVERYWHERE_LIST = """
about added after again agent all also always answer any asked available based been before being best better
between both call called change changed check common current data date day default different does doing done
down each end entry every example fact find first five following four from full general get give given goes
going good have help here high home important including information into item its just keep kept know known
last late later left less like likes list little live lives long look low made main make makes many memory
more most much must name named need needed needs never new next none not note noted now number off often old
one only open order other over own part people place please point prefer preference prefers put read
redacted right run runs same save say see set several should show since some start state stay still store
stored such sure take tell text than that the them then there these they thing things this those three
through time today told too two under until update updated use used user users uses using very want wants
was way week well went were what when where which while who will with without work works would year years
yes yesterday you your monday tuesday wednesday thursday friday saturday sunday january february march april
may june july august september october november december
"""
_EVERYWHERE = frozenset(_EVERYWHERE_LIST.split())
_GLUE_ZH = frozenset(
    "的了是在和有不我你他她它们這这那就也都很要会會可以到说說去着著过過把被让讓与與及或但而并並从從为為以于於其之个個上下中里用"
)
_EVERYWHERE_ZH = frozenset(
    [
        "用户",
        "今天",
        "昨天",
        "明天",
        "已经",
        "需要",
        "没有",
        "喜欢",
        "知道",
        "时候",
        "一些",
        "现在",
        "记得",
        "每次",
        "每天",
        "总是",
    ]
)


def topics(texts: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return at most `limit` terms that most of the texts speak of, the most frequent first.

    A term counts once per text. English words of one stem are one term, shown in its commonest form;
    Chinese gives runs of two to four characters, the longest that is as frequent as its parts.
    """
    spelt: defaultdict[str, Counter[str]] = defaultdict(Counter)
    han: Counter[str] = Counter()
    for text in texts:
        for stem, word in dict(_words(text)).items():
            spelt[stem][word] += 1
        han.update(set(_runs(text)))
    counts = {_commonest(forms): forms.total() for forms in spelt.values()} | _longest(han)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(term for term, count in ranked if count >= _LEAST)[:limit]


def given_topics(setting: str) -> tuple[str, ...]:
    """Return the topics of a comma-separated setting, in its order, each once."""
    parts = (" ".join(part.split()) for part in re.split(r"[,，、;\n]", setting))
    return tuple(dict.fromkeys(part for part in parts if part))


def _words(text: str) -> Iterator[tuple[str, str]]:
    for word in _WORD.findall(text):
        plain = word.rstrip(".-")
        if not _LEAST_WORD <= len(plain) <= _MAX_CHARS or plain.lower() in _EVERYWHERE:
            continue
        stems = query_tokens(plain)
        if len(stems) == 1:
            yield stems[0], plain


def _commonest(forms: Counter[str]) -> str:
    """Return the commonest spelling; where several are, the one that sorts first in lower case."""
    return min(forms, key=lambda form: (-forms[form], form.lower(), form))


def _runs(text: str) -> Iterator[str]:
    for run in _HAN_RUN.findall(text):
        for size in range(2, _LONGEST_HAN + 1):
            for start in range(len(run) - size + 1):
                term = run[start : start + size]
                if term not in _EVERYWHERE_ZH and not _GLUE_ZH & set(term):
                    yield term


def _longest(counts: Counter[str]) -> dict[str, int]:
    """Return the runs that are inside no longer one that is as frequent."""
    frequent = {term: count for term, count in counts.items() if count >= _LEAST}
    parts: set[str] = set()
    for term in sorted(frequent, key=len, reverse=True):
        parts.update(part for part in _inside(term) if frequent.get(part, 0) <= frequent[term])
    return {term: count for term, count in frequent.items() if term not in parts}


def _inside(term: str) -> Sequence[str]:
    return [
        term[start : start + size] for size in range(2, len(term)) for start in range(len(term) - size + 1)
    ]
