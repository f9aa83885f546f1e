"""Tells the history of a fact, and what lies in the trash. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from memorycore.answers_past import FactHistory, FactVersion, TrashEntry, TrashPage
from memorycore.engine.parts import Parts, iso
from memorycore.model import TARGETS, Entry, Record, TrashItem
from memorycore.policy.history import retires, valid_from, valid_to

_MOST_VERSIONS = 1_000
_PAGE = 500
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Version:
    item: Entry | Record
    tier: Literal["hot", "cold", "trash"]
    buried: TrashItem | None = None

    @property
    def superseded_by(self) -> str | None:
        return self.item.superseded_by if isinstance(self.item, Record) else None

    @property
    def age(self) -> tuple[datetime, datetime]:
        """Sorts versions: what was replaced first is oldest, and what was not replaced comes last."""
        since = valid_from(self.item) or _LONG_AGO
        ended = self.item.superseded_at if isinstance(self.item, Record) else None
        return (ended or _END_OF_TIME, since)


class Historian:
    """Follows `superseded_by` both ways, through both tiers and the trash."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def fact_history(self, id: str) -> FactHistory:
        """Return the chain that the item belongs to, oldest first; of a very long one the newest part."""
        asked = self.find(id)
        if asked is None:
            return FactHistory(status="not_found", id=id)
        chain = self._chain(self._newest(asked))
        chain.setdefault(id, asked)
        ordered = sorted(chain.values(), key=lambda version: version.age)
        return FactHistory(
            status="found", id=id, versions=tuple(self._told(version, chain) for version in ordered)
        )

    def trash(self, *, limit: int, after: str | None) -> TrashPage:
        """Return a page of what lies in the trash."""
        found = self._parts.ledger.trash(limit=limit + 1, after=after)
        page = found[:limit]
        return TrashPage(
            items=tuple(_trash_entry(item) for item in page),
            total=self._parts.ledger.trash_count(),
            next=page[-1].id if len(found) > limit else None,
        )

    def find(self, id: str) -> _Version | None:
        """Return the item of this id where it lives; one that lives nowhere else, in the trash."""
        for target in TARGETS:
            for entry in self._parts.hot.read(target).entries:
                if entry.id == id:
                    return _Version(entry, "hot")
        record = self._parts.cold.get(id)
        if record is not None:
            return _Version(record, "cold")
        buried = self._parts.ledger.buried(id)
        return None if buried is None else _Version(buried.item, "trash", buried)

    def successor(self, record: Record) -> Entry | Record | None:
        """Return what took the record's place, None where nothing did or it is gone."""
        found = None if record.superseded_by is None else self.find(record.superseded_by)
        return None if found is None else found.item

    def _newest(self, version: _Version) -> _Version:
        seen = {version.item.id}
        while version.superseded_by is not None and version.superseded_by not in seen:
            seen.add(version.superseded_by)
            following = self.find(version.superseded_by)
            if following is None:
                break
            version = following
        return version

    def _chain(self, newest: _Version) -> dict[str, _Version]:
        chain = {newest.item.id: newest}
        buried = self._buried_history()
        waiting = [newest.item.id]
        while waiting and len(chain) < _MOST_VERSIONS:
            newer = waiting.pop(0)
            older = [_Version(record, "cold") for record in self._parts.cold.replaced_by(newer)]
            older += [version for version in buried if version.superseded_by == newer]
            for version in older:
                if version.item.id not in chain:
                    chain[version.item.id] = version
                    waiting.append(version.item.id)
        return chain

    def _buried_history(self) -> list[_Version]:
        found: list[_Version] = []
        after: str | None = None
        while page := self._parts.ledger.trash(limit=_PAGE, after=after):
            after = page[-1].id
            versions = (_Version(item.item, "trash", item) for item in page)
            found += [version for version in versions if version.superseded_by is not None]
        return found

    def _told(self, version: _Version, chain: dict[str, _Version]) -> FactVersion:
        item = version.item
        successor = chain.get(version.superseded_by or "")
        why, run = self._reason(version)
        return FactVersion(
            id=item.id,
            text=item.text,
            tier=version.tier,
            valid_from=iso(valid_from(item)),
            valid_to=iso(valid_to(item, None if successor is None else successor.item)),
            superseded_by=version.superseded_by,
            why=why,
            run=run,
        )

    def _reason(self, version: _Version) -> tuple[str | None, str | None]:
        """Return why the version is no longer what holds, and the run that made it so."""
        if version.buried is not None:
            return version.buried.reason, version.buried.run
        if version.superseded_by is None:
            return None, None
        for mention in reversed(self._parts.ledger.mentions(version.item.id)):
            if mention.state == "done" and retires(mention.action, version.item.id):
                return mention.action.reason, mention.run
        return None, None


def _trash_entry(item: TrashItem) -> TrashEntry:
    return TrashEntry(
        id=item.id,
        text=item.item.text,
        kind="record" if isinstance(item.item, Record) else "entry",
        reason=item.reason,
        run=item.run,
        trashed_at=item.trashed_at.isoformat(timespec="seconds"),
        expires_at=item.expires_at.isoformat(timespec="seconds"),
    )
