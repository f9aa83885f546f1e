"""Where new content goes: hot, cold or stale. Pure.

Words speak first; an embedder, where there is one, gives the second opinion. Both are evidence on one
scale, the logarithm of how much likelier one route is than the other: a term that decides weighs as
much as a clear lean of the embedder, so where they disagree neither is blindly believed.

The embedder's lean is relative: cosines are compared with the spread of this content's own cosines to
all examples, and examples vote together. So the numbers here hold for any model.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from memorycore.lexicon import HOT_CATEGORIES, Lexicon, Match
from memorycore.model import Kind, Likeness, Route, Routing
from memorycore.policy.dates import mentions_date
from memorycore.policy.held import holds_value
from memorycore.policy.secrets import only_names_a_secret
from memorycore.policy.words import language, query_tokens

ROUTES: Mapping[str, Route] = {
    **dict.fromkeys(HOT_CATEGORIES, "hot"),
    "fact": "cold",
    "record": "cold",
    "pending": "cold",
    "speech": "cold",
    "change": "cold",
    "status": "stale",
}

# Weights of words. One term decides when nothing speaks against it; hints only tip a balance.
_TERM, _MORE_TERMS, _HINT = 1.0, 0.35, 0.12
_FACT_TERM, _FACT_HINT, _RECORD = -1.0, -0.12, -0.5
# A plan may hold a rule; where no term asks for one, what is still open is a fact.
_PENDING, _PENDING_ALONE = -0.25, -0.5
_MOST_MORE_TERMS, _MOST_HINTS, _MOST_FACT_HINTS = 2, 3, 2
# Behind so many characters nothing is read: what is that long is a document, and its beginning tells.
_READ_CHARS = 4000
# A term says less of a long text than of a sentence: one is expected in so many characters.
_CHARS_PER_TERM = {"en": 400, "zh": 150}
# Vectors are centred on plain statements, so whatever is none looks a little like any rule.
_RULES_ALIKE = 0.55
# Most of what is asked of an agent is a rule too; where a narrower category speaks as loud, it is that.
_RULE_IS_GENERAL = 0.6

# What has to be reached. A wrong `stale` buries a fact, so it asks for more than a wrong `hot`.
_HOT_BY_WORDS, _HOT_WITH_LEAN = 0.7, 0.0
_STALE_LEAN, _STALE_LEAN_WITH_TERM = 0.85, 0.3
_LEAST_WORDS = 3  # fewer are like anything, so that a lean says nothing
_HINTS_AGAINST_STALE = 0.2

_QUOTED = re.compile(r'"[^"\n]{1,60}"|“[^”\n]{1,60}”|「[^」\n]{1,60}」|『[^』\n]{1,60}』|《[^》\n]{1,60}》')
_MENTION = "□"
_SPEECH_REACHES = 12  # characters between "the user said" and the quotation mark
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Words:
    """What the words of the content say; `weight` is their evidence for hot against cold."""

    matches: tuple[Match, ...]
    dated: bool
    weight: float
    count: int = 0

    def of(self, *categories: str, decisive: bool | None = None) -> tuple[Match, ...]:
        return tuple(
            match
            for match in self.matches
            if match.category in categories and decisive in (None, match.decisive)
        )


@dataclass(frozen=True, slots=True)
class _Lean:
    """What the embedder says: the logarithm of how well the examples of each route and category fit."""

    routes: Mapping[Route, float]
    categories: Mapping[str, float]
    nearest: tuple[Likeness, ...]

    def toward(self, route: Route, *others: Route) -> float:
        return self.routes[route] - max(self.routes[other] for other in others)


def classify(
    content: str,
    *,
    importance: float,
    lexicon: Lexicon,
    likeness: Sequence[Likeness] | None,
    hot_at: float = 0.8,
    stale_max_chars: int = 80,
) -> Routing:
    """Return where the content goes, with the words and the examples that decided it.

    `likeness` compares the content with every lexicon example of its language, that is with
    `lexicon.examples(language(content))`; None means that no embedder is there and words decide
    alone. A record, dated and done, what is left of a secret, and a finished status, which is stale, are
    not hot at any importance.
    """
    content = content[:_READ_CHARS]
    words = _read(content, lexicon)
    lean = _lean(likeness) if likeness else None
    if len(content.strip()) <= stale_max_chars and _is_status(content, words, lean):
        return _routing("stale", "status", "state", "a short, finished status", words, lean)
    if only_names_a_secret(content) and not words.of(*HOT_CATEGORIES, decisive=True):
        return _routing("cold", "fact", None, "all that is left of it is what a secret was for", words, lean)
    behaves = _behaves(words, lean)
    if not behaves and _is_record(words):
        return _routing("cold", "record", "state", "decided or finished, with its date", words, lean)
    if behaves:
        category = _hot_category(words, lean)
        return _routing("hot", category, "rule", _hot_reason(category, lexicon, content), words, lean)
    if importance >= hot_at:
        kind: Kind | None = "state" if _is_done(words) else None
        reason = f"importance {importance:.2f} is at or over {hot_at:.2f}"
        return Routing(route="hot", category="fact", kind=kind, reason=reason)
    return _routing("cold", "fact", None, "a fact: nothing in it asks for a behaviour", words, lean)


def _read(content: str, lexicon: Lexicon) -> _Words:
    plain = _without_mentions(lexicon.plain(content), lexicon)
    matches = lexicon.matches(plain)
    dated = mentions_date(content)
    chars = len(plain) / _CHARS_PER_TERM[language(content)]
    weight = _weight(_Words(matches, dated, 0.0), chars)
    return _Words(matches, dated, weight, count=len(query_tokens(content)))


def _without_mentions(plain: str, lexicon: Lexicon) -> str:
    """Replace quotations by a mark: a quoted rule is a title or a sign, unless the user is quoted."""
    speakers = [
        match.start + len(match.text) for match in lexicon.matches(plain) if match.category == "speech"
    ]

    def mark(quotation: re.Match[str]) -> str:
        spoken = any(0 <= quotation.start() - end <= _SPEECH_REACHES for end in speakers)
        return quotation.group() if spoken or len(quotation.group()) > 0.8 * len(plain) else _MENTION

    return _QUOTED.sub(mark, plain)


def _weight(words: _Words, terms_expected: float) -> float:
    terms = len({match.start for match in words.of(*HOT_CATEGORIES, decisive=True)})
    hints = len({match.start for match in words.of(*HOT_CATEGORIES, decisive=False)})
    weight = _TERM * min(1.0, terms / max(1.0, terms_expected))
    weight += _MORE_TERMS * min(max(terms - 1, 0), _MOST_MORE_TERMS) / max(1.0, terms_expected)
    weight += _HINT * min(hints, _MOST_HINTS)
    weight += _FACT_TERM * bool(words.of("fact", decisive=True))
    weight += _FACT_HINT * min(len(words.of("fact", decisive=False)), _MOST_FACT_HINTS)
    weight += (_PENDING if terms else _PENDING_ALONE) * bool(words.of("pending", decisive=True))
    return weight + _RECORD * (words.dated and bool(words.of("record", decisive=True)))


def _lean(likeness: Sequence[Likeness]) -> _Lean:
    cosines = [like.cosine for like in likeness]
    mean, spread = fmean(cosines), pstdev(cosines) or 1.0
    routes: dict[Route, list[float]] = {"hot": [], "cold": [], "stale": []}
    categories: defaultdict[str, list[float]] = defaultdict(list)
    for like in likeness:
        vote = math.exp((like.cosine - mean) / spread)
        routes[ROUTES[like.category]].append(vote)
        categories[like.category].append(vote)
    fits = {route: math.log(fmean(votes)) if votes else -math.inf for route, votes in routes.items()}
    fits["hot"] -= _RULES_ALIKE
    return _Lean(
        routes=fits,
        categories={category: math.log(fmean(votes)) for category, votes in categories.items()},
        nearest=tuple(sorted(likeness, key=lambda like: (-like.cosine, like.example))),
    )


def _behaves(words: _Words, lean: _Lean | None) -> bool:
    # A fragment is like anything; only its words could make a rule of it.
    is_fragment = words.count < _LEAST_WORDS and words.weight <= 0
    if lean is None or is_fragment:
        return words.weight >= _HOT_BY_WORDS
    return words.weight + lean.toward("hot", "cold") >= _HOT_WITH_LEAN


def _is_done(words: _Words) -> bool:
    return bool(words.of("record", "status", decisive=True)) and not words.of("pending", decisive=True)


def _is_record(words: _Words) -> bool:
    return words.dated and _is_done(words) and not words.of(*HOT_CATEGORIES, decisive=True)


def _is_status(content: str, words: _Words, lean: _Lean | None) -> bool:
    """Whether the content is done and holds nothing else: no date, name or figure, nothing new or open."""
    if words.dated or words.of("pending", "change", decisive=True) or holds_value(content):
        return False
    if words.of(*HOT_CATEGORIES, decisive=True):
        return False
    certain = bool(words.of("status", decisive=True))
    if lean is None:
        return certain and not words.of("fact", decisive=True)
    if certain:
        return lean.toward("stale", "hot", "cold") >= _STALE_LEAN_WITH_TERM
    done = bool(words.of("status"))
    trifling = words.weight < _HINTS_AGAINST_STALE and not words.of("fact")
    return done and trifling and lean.toward("stale", "hot", "cold") >= _STALE_LEAN


def _hot_category(words: _Words, lean: _Lean | None) -> str:
    spoken = Counter(match.category for match in words.of(*HOT_CATEGORIES, decisive=True))
    hinted = Counter(match.category for match in words.of(*HOT_CATEGORIES, decisive=False))
    fits = lean.categories if lean else {}

    def evidence(category: str) -> float:
        return (
            _TERM
            * min(spoken[category], 1 + _MOST_MORE_TERMS)
            * (_RULE_IS_GENERAL if category == "rule" else 1)
            + _HINT * min(hinted[category], _MOST_HINTS)
            + (fits.get(category, -math.inf) if fits else 0.0)
        )

    return max(HOT_CATEGORIES, key=evidence)


def _hot_reason(category: str, lexicon: Lexicon, content: str) -> str:
    return lexicon.why(category, language(content)) or f"reads as {category.replace('_', ' ')}"


def _routing(
    route: Route, category: str, kind: Kind | None, reason: str, words: _Words, lean: _Lean | None
) -> Routing:
    own = [match for match in words.matches if ROUTES.get(match.category) == route]
    terms = [match.text for match in sorted(own, key=lambda match: (not match.decisive, match.start))]
    examples = [like.example for like in lean.nearest if ROUTES[like.category] == route] if lean else []
    return Routing(
        route=route,
        category=category,
        kind=kind,
        reason=reason,
        terms=tuple(dict.fromkeys(term for term in terms if term))[:_SHOWN],
        examples=tuple(examples[:_SHOWN]),
    )
