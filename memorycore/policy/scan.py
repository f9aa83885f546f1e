"""Signs that a text should not stand in a prompt: what hosts refuse there, and orders to the reader. Pure.

A text with a sign is kept, never refused; it just does not go into a hot file. The table sees at least
what Hermes' strict scan blocks, in wider words and in Chinese too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# Zero-width and direction marks that hosts refuse; ordinary in Persian text and in joined emoji.
_INVISIBLE = frozenset(
    map(chr, [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])
)
_TAGS = range(0xE0000, 0xE0080)  # letters that no one sees, a way to smuggle orders

_WORDS = r"(?:\w+\s){0,8}"  # at most eight words between two that count
_LINE = r"[^\n]{0,2048}?"  # anything on the same line


@dataclass(frozen=True, slots=True)
class Sign:
    """One kind of sign. `hostile` if it speaks of an attack, not just of a form that hosts refuse."""

    id: str
    reason: str
    pattern: re.Pattern[str]
    hostile: bool = True

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


def _sign(id: str, reason: str, *patterns: str, hostile: bool = True) -> Sign:
    return Sign(id, reason, re.compile("|".join(patterns), re.IGNORECASE), hostile)


SIGNS: tuple[Sign, ...] = (
    _sign(
        "override",
        "asks the reader to set earlier instructions aside",
        rf"(?:ignore|disregard|forget|overrule)\s{_WORDS}(?:previous|prior|earlier|above|preceding|all|any|your)\s"
        rf"{_WORDS}(?:instructions|directives|guidelines)",
        rf"(?:disregard\s{_WORDS}(?:your|all|any)|(?:ignore|forget)\s{_WORDS}your)\s{_WORDS}rules",
        r"system\sprompt\soverride",
        r"(?:忽略|忽视|无视|無視|忘记|忘掉|忘記|不要理会|不要遵守)[^。\n]{0,8}(?:之前|以前|先前|前面|以上|上面|上述|所有|一切|原有|系统|系統)"
        r"[^。\n]{0,8}(?:指令|指示|指引|命令|提示|设定|設定|规则|規則|要求)",
    ),
    _sign(
        "conceal",
        "asks the reader to hide something from the user",
        rf"(?:do\snot|don['’]?t|never)\s{_WORDS}(?:tell|inform|alert)\s{_WORDS}(?:the|your)\s(?:user|operator|human)",
        r"(?:不要|不得|不可|不能|别|別|切勿|禁止)[^。\n]{0,6}(?:告诉|告訴|告知|通知|透露给|透露給)[^。\n]{0,4}(?:用户|用戶|使用者)",
        r"(?:瞒着|瞞著|隐瞒|隱瞞)[^。\n]{0,4}(?:用户|用戶|使用者)",
    ),
    _sign(
        "role",
        "gives the reader another identity",
        rf"you\sare\s{_WORDS}now\s(?:an?|the)\s",
        rf"pretend\s{_WORDS}(?:you\sare|to\sbe)\s",
        rf"you\shave\sbeen\s{_WORDS}(?:updated|upgraded|patched)\sto",
        r"name\syourself\s\w",
        r"从现在(?:起|开始)[，,]?你(?:就)?是|從現在(?:起|開始)[，,]?你(?:就)?是|你现在是一[个名位]|你現在是一[個名位]",
        r"(?:假装|假裝|扮演)(?:成|你是|自己是)",
    ),
    _sign(
        "unbound",
        "asks the reader to drop its limits",
        rf"act\sas\s(?:if|though)\s{_WORDS}you\s{_WORDS}(?:have\sno|don['’]?t\shave)\s{_WORDS}(?:restrictions|limits|rules)",
        rf"(?:respond|answer|reply)\swithout\s{_WORDS}(?:restrictions|limitations|filters|safety)",
        r"(?:没有|沒有|不受)(?:任何)?(?:限制|约束|約束)(?:地|的)?(?:回答|回复|回覆|模式)",
    ),
    _sign(
        "leak",
        "asks for the prompt or the conversation",
        rf"(?:output|print|reveal|repeat|leak)\s{_WORDS}(?:system|initial|hidden)\sprompt",
        rf"(?:include|output|print|share)\s{_WORDS}(?:conversation|chat\shistory|previous\smessages|(?:full|entire)\scontext)",
        r"(?:输出|輸出|打印|泄露|洩露|公开|公開|告诉我|告訴我)[^。\n]{0,6}(?:系统|系統|初始)(?:提示词|提示詞|提示|指令)",
    ),
    _sign(
        "markup",
        "hides words in markup or forges the host's tags",
        r"<!--[^>]{0,512}(?:ignore|override|system|secret|hidden)",
        r"<\s?(?:div|span|p)\sstyle\s?=\s?[\"'][^>]{0,2048}display\s?:\s?none",
        r"<\|im_(?:start|end)\|>|\[/?INST\]|</?(?:system|memory-context|untrusted_tool_result)\b",
    ),
    _sign(
        "execute",
        "smuggles an order to run something",
        r"translate\s(?:[^\n]{0,512}\s)?into\s(?:[^\n]{0,512}\s)?and\s(?:execute|run|eval)",
    ),
    _sign(
        "send",
        "sends data or secrets away",
        rf"(?:curl|wget)\s{_LINE}\$\{{?\w*?(?:key|token|secret|password|credential|api)",
        rf"(?:send|post|upload|transmit)\s(?:{_LINE}\s)?(?:to|at)\shttps?://",
        r"(?:发送|發送|上传|上傳|提交)[^。\n]{0,40}(?:到|至|给|給)\s?https?://",
    ),
    _sign(
        "secrets",
        "reads or holds credentials",
        rf"cat\s{_LINE}(?:\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc)",
        r"authorized_keys|(?:\$HOME|~)/\.ssh|(?:\$HOME|~)/\.hermes/\.env",
        r"(?:api[_-]?key|token|secret|password)\s?[=:]\s?[\"'][A-Za-z0-9+/=_-]{20}",
        hostile=False,
    ),
    _sign(
        "agent_files",
        "changes the files that steer an agent",
        rf"(?:update|modify|edit|write|change|append|add\sto)\s{_LINE}"
        r"(?:AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules|\.hermes/(?:config\.yaml|SOUL\.md))",
        hostile=False,
    ),
    _sign(
        "remote_control",
        "speaks the language of remotely controlled agents",
        r"you\smust\s(?:\w+\s){0,3}(?:register|connect|report|beacon)\b",
        r"only\suse\sone[\s-]?liners?\b",
        rf"never\s{_WORDS}(?:create|write)\s{_WORDS}(?:script|file)\s{_WORDS}disk",
        r"unset\s\w*?(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)",
        r"\bc2\s(?:server|channel|infrastructure|beacon)\b",
    ),
    _sign(
        "host_words",
        "holds words that a host's scan refuses, harmless as they may be",
        r"register\s(?:as\s)?a?\s?node",
        r"(?:heartbeat|beacon|check[\s-]?in)\s(?:to|with)\s",
        r"pull\s(?:down\s)?(?:new\s)?task(?:s|ing)?\b",
        r"connect\sto\sthe\snetwork\b",
        r"\bcommand\sand\scontrol\b",
        r"\b(?:cobalt\s?strike|sliver|havoc|mythic|metasploit|brainworm)\b",
        hostile=False,
    ),
)

_HOSTILE = tuple(f"{sign.id}: " for sign in SIGNS if sign.hostile)


def scan(text: str) -> tuple[str, ...]:
    """Return why this text should stay out of the hot tier, as `id: reason`; nothing means that it may go in.

    Full-width and other compatibility letters are read as the plain ones, invisible ones as none.
    """
    invisible = tuple(f"invisible: holds U+{ord(char):04X}, which is not seen" for char in _unseen(text))
    plain = _plain(text)
    return invisible + tuple(str(sign) for sign in SIGNS if sign.pattern.search(plain))


def hostile(reasons: Sequence[str]) -> bool:
    """Whether one of the reasons of `scan` speaks of an attack, so that the text is marked untrusted."""
    return any(reason.startswith(_HOSTILE) for reason in reasons)


def _unseen(text: str) -> list[str]:
    return (
        [] if text.isascii() else sorted({char for char in text if char in _INVISIBLE or ord(char) in _TAGS})
    )


def _plain(text: str) -> str:
    """Fold letters, drop what is not seen, and make each run of white space one space or one newline."""
    if not text.isascii():
        text = "".join(
            char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf"
        )
    return re.sub(r"\s+", lambda run: "\n" if "\n" in run[0] else " ", text)
