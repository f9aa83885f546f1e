"""The profile summary: one cold record that keeps the picture of the user findable as a whole. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memorycore.model import Record
from memorycore.plan import Action, ColdOp, PutRecord, ReplaceRecord
from memorycore.policy.rewrite import sentences
from memorycore.policy.slots import read

PROFILE_ID: Final = "profile_user"
_IMPORTANCE: Final = 0.8
_SCOPE: Final = "profile"
"""Of its own: a summary of one sentence must not be taken for the record of that sentence."""


def profile_action(
    sunk: Sequence[str], present: Record | None, now: datetime, *, owner: str, max_chars: int
) -> Action | None:
    """Return the action that adds what sank from the user file, newest text first; None if it adds nothing.

    An action of its own: the sunk texts are records already, and taking a move back must not depend on
    whether a later run has written the summary anew.
    """
    text = summary(sunk, "" if present is None else present.text, max_chars)
    if not text or (present is not None and present.text == text):
        return None
    if present is None:
        made = Record(
            id=PROFILE_ID,
            text=text,
            created_at=now,
            updated_at=now,
            owner=owner,
            importance=_IMPORTANCE,
            scope=_SCOPE,
            origin="profile",
        )
        op: ColdOp = PutRecord(made)
    else:
        op = ReplaceRecord(
            present, replace(present, text=text, updated_at=now, superseded_by=None, superseded_at=None)
        )
    return Action(
        rung="profile",
        subject=PROFILE_ID,
        reason=f"keeps what left the user file in sight as a whole, in {max_chars} characters at most",
        cold=(op,),
    )


def summary(sunk: Sequence[str], present: str, max_chars: int) -> str:
    """Return the summary, a sentence a line: new sentences first, each once, as many as fit, none cut."""
    lines: dict[tuple[str, ...], str] = {}
    for line in _lines([*sunk, *present.split("\n")]):
        lines.setdefault(read(line).raw, line)
    chosen: list[str] = []
    for line in lines.values():
        if sum(map(len, chosen)) + len(chosen) + len(line) <= max_chars:
            chosen.append(line)
    return "\n".join(chosen)


def _lines(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        yield from (" ".join(sentence.split()) for sentence in sentences(text) if sentence.strip())
