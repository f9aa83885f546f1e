"""Keys and tokens of common shapes, taken out of a text before it is stored anywhere. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

_LEFT = r"(?<![A-Za-z0-9])"  # not \b: a Chinese character beside a key is a letter too
_PLACEHOLDERS = re.compile(r"example|your|placeholder|change_?me|dummy|x{4}|\*{4}|<|\$\{", re.IGNORECASE)
_REDACTED = re.compile(r"\[redacted: [a-z ]+\]")
_LEAST_DISTINCT = 6
_SIGNS = "!#$%&*=@^~"
# What stands behind "the password is" and is none: paths, addresses, dates, measures, names of algorithms.
_TECHNICAL = re.compile(
    r".*/.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\d{4}-\d\d.*|v?\d+(?:\.\d+)+\S*"
    r"|\d+-?(?:m?s|[kmgt]i?b|h|d|secs?|seconds?|min\w*|hours?|days?|weeks?|months?|years?|times"
    r"|chars?|characters?|digits?|letters?|bits?|bytes?|words?|tokens?|requests?)(?:-\w*)?"
    r"|(?:sha|md|base|[rhep]s|aes|rsa|ed|utf|oauth|argon|http|tls)-?\d+(?:[-_][a-z]+)*",
    re.IGNORECASE,
)
_PASSWORDS = r"pass(?:word|wd|code|phrase)|pwd|密码|密碼|口令"
_LABELS = _PASSWORDS + r"|secret|token|api[ _-]?key|密钥|密鑰|令牌"
# White space is bounded, so that a long run of it costs no more than its length.
_OF_WHAT = r"(?:\s{1,3}(?:for|of|to|on)(?:\s{1,3}[\w.-]{1,20}){1,3}?)?"
_GIVEN = (
    r"\s{0,3}[\"']?\s{0,3}(?:[:=：]|\b(?:is|was)(?:\s{1,3}(?:now|set to|changed to))?\b|"
    r"\b(?:set|changed) to\b|[改换設设][成为為]|是|为|為)>?\s{0,3}[\"'`]?"
)
_MOST_BESIDE = 6
_LEAST_DIGITS = 0.15


@dataclass(frozen=True, slots=True)
class _Shape:
    """A shape of secret: the group `secret` of the pattern is replaced, the whole match where it has none."""

    kind: str
    pattern: re.Pattern[str]
    counts: Callable[[str], bool]


def _documented(value: str) -> bool:
    return _PLACEHOLDERS.search(value) is not None


def _real(value: str) -> bool:
    return not _documented(value)


def _random(value: str) -> bool:
    """Whether a value looks drawn by lot: letters with many digits, or with digits and both cases."""
    digits = sum(char.isdigit() for char in value)
    mixed = value.lower() != value and value.upper() != value
    drawn = digits >= _LEAST_DIGITS * len(value) or mixed
    lettered = any(char.isalpha() for char in value)
    return lettered and digits > 0 and drawn and len(set(value)) >= _LEAST_DISTINCT and _real(value)


def _chosen(value: str) -> bool:
    """Whether a value looks like a password that a person thought of: letters with digits or signs."""
    if len(value) < _LEAST_DISTINCT or _TECHNICAL.fullmatch(value) or not _real(value):
        return False
    lettered = any(char.isalpha() for char in value)
    return lettered and any(char.isdigit() or char in _SIGNS for char in value)


def _always(_: str) -> bool:
    return True


def _shape(kind: str, pattern: str, counts: Callable[[str], bool] = _real) -> _Shape:
    return _Shape(kind, re.compile(pattern), counts)


_SHAPES: tuple[_Shape, ...] = (
    _shape(
        "private key",
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]*(?:-(?!----)[^-]*)*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        # One that is cut off: the lines of base64 that are left of it.
        r"|(?:(?:\s|\\n)+[A-Za-z0-9+/=]{16,})*)",
        _always,
    ),
    _shape("openai key", _LEFT + r"sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"),
    _shape("github token", _LEFT + r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    _shape("gitlab token", _LEFT + r"glpat-[A-Za-z0-9_-]{20,}"),
    _shape(
        "aws key",
        _LEFT + r"A(?:KI|SI)A[0-9A-Z]{16}(?![A-Za-z0-9])(?:[\s:,;/]{1,3}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?",
    ),
    _shape("slack token", _LEFT + r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
    _shape("google key", _LEFT + r"AIza[A-Za-z0-9_-]{35}"),
    _shape("stripe key", _LEFT + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _shape("registry token", _LEFT + r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,})"),
    _shape("jwt", _LEFT + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    _shape(
        "password",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s:/?#@\[\]]*:(?P<secret>[^\s/\"'<>()]+)(?=@)",
    ),
    _shape("token", r"(?i:bearer)\s+(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)", _random),
    _shape("password", r"(?i:authorization:\s*basic)\s+(?P<secret>[A-Za-z0-9+/]{8,}=*)", _always),
    _shape(
        "secret",
        r"(?i:(?:api|access|secret|private|signing|encryption|account)[ _-]?(?:access[ _-]?)?key(?:[ _-]?id)?"
        r"|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|密码|密碼|口令|密钥|密鑰|令牌)"
        r"[\"']?\s*(?:[:=：]|\b(?:is|to)\b|是|为|為)>?\s*[\"'`]?(?P<secret>[A-Za-z0-9+/=_.~!@#$%^&*-]{15,}[A-Za-z0-9+/=_~@#$%^&*-])",
        _random,
    ),
    _shape(
        "password",
        rf"(?i:(?<![a-z])(?:{_LABELS}){_OF_WHAT}{_GIVEN})"
        r"(?P<secret>[A-Za-z0-9+/=_.~!?@#$%^&*-]{3,63}[A-Za-z0-9+/=_~@#$%^&*-])(?![A-Za-z0-9])",
        _chosen,
    ),
    _shape(
        "password",
        rf"(?i:(?<![a-z])(?:{_PASSWORDS}){_OF_WHAT}{_GIVEN})(?P<secret>[0-9]{{6,20}})(?![A-Za-z0-9]|[.,-][0-9])",
        _always,
    ),
    _shape(
        "pin",
        r"(?i:(?<![a-z])pin(?:\s?code|\s?number|码|碼)?(?:\s*(?:[:=：]|是|为|為)|\s+is)\s*)"
        r"(?P<secret>[0-9]{4,6})(?![A-Za-z0-9]|[.,-][0-9])"
        r"|(?i:(?<![a-z])pin )(?P<bare>[0-9]{4})(?![A-Za-z0-9])",
        _always,
    ),
)


def only_names_a_secret(text: str) -> bool:
    """Whether a redacted text says no more than that there was a secret, and what it was for."""
    beside = _REDACTED.sub(" ", text)
    return beside != text and len(re.findall(r"[A-Za-z]+|[㐀-鿿]{2}", beside)) <= _MOST_BESIDE


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with each secret replaced by `[redacted: kind]`, and the kinds that were found.

    Keys from documentation, hashes, UUIDs and prose about keys stay. Redacting twice changes nothing more.
    """
    kinds: dict[str, None] = {}
    while True:
        found = _pass(text, kinds)
        if found == text:
            return text, tuple(kinds)
        text = found


def _pass(text: str, kinds: dict[str, None]) -> str:
    for shape in _SHAPES:
        text = shape.pattern.sub(partial(_replaced, shape, kinds), text)
    return text


def _replaced(shape: _Shape, kinds: dict[str, None], match: re.Match[str]) -> str:
    group = next((name for name in match.re.groupindex if match[name] is not None), 0)
    if not shape.counts(match[group]):
        return match[0]
    kinds[shape.kind] = None
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return f"{match[0][:start]}[redacted: {shape.kind}]{match[0][end:]}"
