"""Where the entries of a plan stand, so that the journal can say where to put them back. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memorycore.model import Target
from memorycore.plan import Action, AddEntry, JoinEntries, PartEntries, Plan, RemoveEntry, ReplaceEntry
from memorycore.policy.hot_text import inserted, normalised


def placed(plan: Plan, files: Mapping[Target, Sequence[str]]) -> Plan:
    """Return the plan with the place of each entry that it takes out, given the texts of the files now.

    An entry that does not stand in its file keeps the place that the plan says.
    """
    texts = {target: list(entries) for target, entries in files.items()}
    return replace(plan, actions=tuple(_placed(action, texts) for action in plan.actions))


def takes_out(plan: Plan) -> frozenset[Target]:
    """Return the files that the plan takes entries out of."""
    edits = [action.hot for action in plan.actions]
    return frozenset(
        [edit.entry.target for edit in edits if isinstance(edit, RemoveEntry)]
        + [edit.gone.target for edit in edits if isinstance(edit, JoinEntries)]
    )


def _placed(action: Action, texts: dict[Target, list[str]]) -> Action:
    match action.hot:
        case AddEntry(entry, at) if entry.target in texts:
            now = texts[entry.target]
            if normalised(entry.text) not in now:
                texts[entry.target] = list(inserted(now, normalised(entry.text), at))
        case RemoveEntry(entry) if normalised(entry.text) in texts.get(entry.target, ()):
            at = texts[entry.target].index(normalised(entry.text))
            del texts[entry.target][at]
            return replace(action, hot=RemoveEntry(entry, at))
        case ReplaceEntry(before, after) if before.target in texts:
            texts[before.target] = _with(texts[before.target], before.text, after.text)
        case JoinEntries(kept, gone, after) if normalised(gone.text) in texts.get(gone.target, ()):
            at = texts[gone.target].index(normalised(gone.text))
            del texts[gone.target][at]
            texts[gone.target] = _with(texts[gone.target], kept.text, after.text)
            return replace(action, hot=JoinEntries(kept, gone, after, at))
        case PartEntries(joined, kept, gone, at) if joined.target in texts:
            now = _with(texts[joined.target], joined.text, kept.text)
            texts[joined.target] = list(inserted(now, normalised(gone.text), at))
        case _:
            pass
    return action


def _with(texts: Sequence[str], old: str, new: str) -> list[str]:
    """Return the texts with another in the place of one of them, each once."""
    one, other = normalised(old), normalised(new)
    return list(dict.fromkeys(other if text == one else text for text in texts))
