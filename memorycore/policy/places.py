"""Where the entries of a plan stand, so that the journal can say where to put them back. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memorycore.model import Target
from memorycore.plan import Action, AddEntry, Plan, RemoveEntry, ReplaceEntry
from memorycore.policy.hot_text import inserted, normalised


def placed(plan: Plan, files: Mapping[Target, Sequence[str]]) -> Plan:
    """Return the plan with the place of each entry that it takes out, given the texts of the files now.

    An entry that does not stand in its file keeps the place that the plan says.
    """
    texts = {target: list(entries) for target, entries in files.items()}
    return replace(plan, actions=tuple(_placed(action, texts) for action in plan.actions))


def takes_out(plan: Plan) -> frozenset[Target]:
    """Return the files that the plan takes entries out of."""
    return frozenset(
        action.hot.entry.target for action in plan.actions if isinstance(action.hot, RemoveEntry)
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
            old, new = normalised(before.text), normalised(after.text)
            changed = (new if text == old else text for text in texts[before.target])
            texts[before.target] = list(dict.fromkeys(changed))
        case _:
            pass
    return action
