"""Stores a fact: route it, look at what is there, decide, apply, and tell what became of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from memorycore.answers import OverflowNote, StoreReceipt, UsageChange, to_wire
from memorycore.engine import opinions
from memorycore.engine.executor import RunResult
from memorycore.engine.nearby import cosine, nearby, own_vector
from memorycore.engine.opinions import Opinions
from memorycore.engine.paraphrases import paraphrases
from memorycore.engine.parts import Parts
from memorycore.engine.readable import HotFiles, readable
from memorycore.errors import HotFileFull
from memorycore.model import (
    Embedding,
    Entry,
    Judgement,
    Record,
    Route,
    Routing,
    Target,
    TrashItem,
    Vector,
    new_id,
    text_hash,
)
from memorycore.policy.classify import classify
from memorycore.policy.dates import event_date
from memorycore.policy.desk import shield
from memorycore.policy.doubles import with_words_kept
from memorycore.policy.habits import words_of_broken
from memorycore.policy.hot_text import accepted
from memorycore.policy.meaning import may_leave_the_prompt, may_outdate
from memorycore.policy.overflow import chars_with
from memorycore.policy.paraphrase import with_paraphrases
from memorycore.policy.profile import PROFILE_ID
from memorycore.policy.scan import hostile, scan
from memorycore.policy.secrets import redact
from memorycore.policy.words import query_tokens
from memorycore.policy.write import Decision, Neighbour, NewFact, decide_write, write_cold

_LOOKS = 3
"""How often a fact is decided anew when somebody else changes the hot file in between."""

MakeRoom = Callable[[Target], OverflowNote | None]
Consult = Callable[[Target], tuple[str, ...]]
Gate = Callable[[], str | None]
"""Looks at the size of the cold tier before a cold write; says what the receipt should warn of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a caller wants stored, checked. `route` is None unless the caller insists on one."""

    text: str
    importance: float
    scope: str
    target: Target
    origin: str
    context: str | None = None
    route: Route | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A submission with all that was found out about it before the lock is taken."""

    fact: NewFact
    routing: Routing
    embedding: Embedding | None
    warnings: tuple[str, ...]
    opinions: Opinions = field(default_factory=Opinions)

    @property
    def vector(self) -> Vector | None:
        return None if self.embedding is None else self.embedding.own


class Writer:
    """Stores facts. Models are asked before the lock is taken; under it is decided."""

    def __init__(self, parts: Parts, make_room: MakeRoom, consult: Consult, gate: Gate) -> None:
        self._parts = parts
        self._make_room = make_room
        self._consult = consult
        self._gate = gate

    def store(self, submission: Submission) -> StoreReceipt:
        """Store a fact and return its receipt. Raises what the stores raise, with nothing written."""
        draft = self._advised(self._draft(submission))
        if draft.routing.route == "cold" and (crowded := self._gate()) is not None:
            draft = replace(draft, warnings=(*draft.warnings, crowded))
        with self._parts.lock():
            self._parts.executor.settle()
            before = readable(self._parts.hot)
            if draft.routing.route == "hot" and (fault := before.faults.get(draft.fact.target)) is not None:
                raise fault
            overflow = self._make_room(draft.fact.target) if draft.routing.route == "hot" else None
            decision, run = self._write(draft)
            receipt = self._receipt(draft, decision, run, overflow, before, readable(self._parts.hot))
        if receipt.status == "cold_stored_fallback" and draft.routing.route == "hot":
            receipt = self._gated(receipt)  # only now is it known that the write was a cold one
        run_id = None if run is None else run.run
        self._parts.ledger.add_receipt(run_id, "store_fact", to_wire(receipt), self._parts.clock())
        return receipt

    def _gated(self, receipt: StoreReceipt) -> StoreReceipt:
        crowded = self._gate()
        return receipt if crowded is None else replace(receipt, warnings=(*receipt.warnings, crowded))

    def _draft(self, submission: Submission) -> _Draft:
        text, secrets = redact(submission.text)
        context, secrets_before = redact(submission.context or "")
        embedding, fault = self._parts.embed(text, context or None)
        routing = self._route(text, submission.importance, embedding)
        if submission.route is not None:
            routing = replace(
                routing, route=submission.route, reason=f"the caller asked for {submission.route}"
            )
        warnings = [f"A secret was left out: {kind}." for kind in dict.fromkeys([*secrets, *secrets_before])]
        if fault is not None:
            warnings.append(f"Stored without a vector, to be found by its words until one is made: {fault}")
        suspicious = scan(text)
        if suspicious and routing.route == "hot":
            routing = replace(
                routing,
                route="cold",
                reason=f"kept out of the hot tier, which is read as instructions: {suspicious[0]}",
            )
        if hostile(suspicious):
            warnings.append(f"Marked as untrusted when recalled: {'; '.join(suspicious)}.")
        if routing.route == "hot":
            text = accepted(text)
        now = self._parts.clock()
        fact = NewFact(
            id=new_id(),
            text=text,
            importance=submission.importance,
            scope=submission.scope,
            target=submission.target,
            origin=submission.origin,
            at=now,
            kind=routing.kind,
            context=context or None,
            event_at=event_date(text, now),
            owner=self._parts.owner,
            prompt_safe=not suspicious,
            hostile=hostile(suspicious),
        )
        return _Draft(fact=fact, routing=routing, embedding=embedding, warnings=tuple(warnings))

    def _advised(self, draft: _Draft) -> _Draft:
        """Have the pair model read what the rules leave open, then ask the judge; neither needs the lock."""
        faults = self._consult(draft.fact.target) if draft.routing.route == "hot" else ()
        counsel = self._parts.counsel(calls=opinions.MOST_QUESTIONS)
        pairs = self._judged_pairs(draft) if counsel.there or self._parts.verdicts.reads else []
        if not counsel.there or draft.routing.route == "stale":
            return draft
        protected = self._parts.thresholds.protect_importance
        told = opinions.ask(counsel, draft.fact, pairs, protected=protected)
        warnings = dict.fromkeys((*draft.warnings, *faults, *counsel.faults))
        return replace(draft, opinions=told, warnings=tuple(warnings))

    def _route(self, text: str, importance: float, embedding: Embedding | None) -> Routing:
        return classify(
            text,
            importance=importance,
            lexicon=self._parts.lexicon,
            likeness=None if embedding is None else self._parts.likeness(text, embedding.own),
            hot_at=self._parts.thresholds.hot_importance,
            stale_max_chars=self._parts.thresholds.stale_chars,
        )

    def _write(self, draft: _Draft) -> tuple[Decision, RunResult | None]:
        """Decide and apply; what does not fit into the hot tier goes into the cold one."""
        for _ in range(_LOOKS):
            neighbours = self._neighbours(draft)
            decision = decide_write(draft.fact, draft.routing.route, draft.routing.reason, neighbours)
            if decision.status == "stale" and (buried := self._buried(draft)) is not None:
                return _already_buried(buried.id), None
            decision = self._completed(draft, decision, neighbours)
            if self._adds_too_much(decision, draft.fact):
                return self._fall_back(draft, neighbours, f"{draft.fact.target}'s file has no room for it")
            run = self._apply(draft, decision)
            if run is None or run.outcomes[0].state == "done":
                return decision, run
            if isinstance(run.error, HotFileFull):
                return self._fall_back(draft, neighbours, f"{draft.fact.target}'s file has no room for it")
        return self._fall_back(draft, self._neighbours(draft), "what it replaces was being changed")

    def _completed(self, draft: _Draft, decision: Decision, neighbours: Sequence[Neighbour]) -> Decision:
        """Keep the words of a duplicate, or take along what says the same as what the fact supersedes."""
        double = next((one.item for one in neighbours if one.item.id == decision.duplicate_of), None)
        if double is None:
            return self._with_paraphrases(draft, decision, neighbours)
        return with_words_kept(decision, draft.fact, double, buried=self._buried(draft) is not None)

    def _buried(self, draft: _Draft) -> TrashItem | None:
        return self._parts.ledger.buried_text(text_hash(draft.fact.text))

    def _with_paraphrases(
        self, draft: _Draft, decision: Decision, neighbours: Sequence[Neighbour]
    ) -> Decision:
        """Retire beside what the fact supersedes whatever says the same as that."""
        outdated = [
            one.item
            for one in neighbours
            if one.judgement.verdict == "supersede" and one.item.id in decision.superseded
        ]
        found = paraphrases(self._parts, outdated, scope=draft.fact.scope)
        handled = {decision.id, *decision.superseded}
        return with_paraphrases(decision, draft.fact, [one for one in found if one.item.id not in handled])

    def _adds_too_much(self, decision: Decision, fact: NewFact) -> bool:
        if decision.tier != "hot" or decision.plan is None or decision.superseded:
            return False
        snapshot = self._parts.hot.read(fact.target)
        return decision.plan.actions[0].rung == "write" and chars_with(snapshot, fact.text) > snapshot.limit

    def _fall_back(
        self, draft: _Draft, neighbours: list[Neighbour], why: str
    ) -> tuple[Decision, RunResult | None]:
        reason = f"{why}; it is found by recall instead"
        decision = write_cold(draft.fact, reason, neighbours, status="cold_stored_fallback")
        decision = self._completed(draft, decision, neighbours)
        return decision, self._apply(draft, decision)

    def _apply(self, draft: _Draft, decision: Decision) -> RunResult | None:
        if decision.plan is None:
            return None
        embeddings = {}
        if draft.embedding is not None:
            embeddings = dict.fromkeys((decision.id, text_hash(draft.fact.text)), draft.embedding)
        if decision.superseded:
            entries = readable(self._parts.hot).entries
            embeddings |= self._parts.known_embeddings(
                [entry for entry in entries if entry.id in decision.superseded]
            )
        run = self._parts.executor.apply(decision.plan, embeddings)
        if run.error is not None and not isinstance(run.error, HotFileFull):
            raise run.error
        return run

    def _neighbours(self, draft: _Draft) -> list[Neighbour]:
        return [
            one
            for one, _ in self._judged_pairs(draft)
            if one.judgement.verdict != "different" or may_outdate(one.judgement)
        ]

    def _judged_pairs(self, draft: _Draft) -> list[tuple[Neighbour, float]]:
        """Return what is there and like the fact, judged, with the cosine of each; nearest first."""
        near = [*self._hot_neighbours(draft), *self._cold_neighbours(draft)]
        text = draft.fact.text
        judged = self._parts.verdicts.judge(text, [(item.text, likeness) for item, likeness in near])
        found = [
            (self._neighbour(draft, item, judgement), 2.0 if item.text == text else (likeness or 0.0))
            for (item, likeness), judgement in zip(near, judged, strict=True)
            if judgement is not None
        ]
        return sorted(found, key=lambda pair: -pair[1])

    def _neighbour(self, draft: _Draft, item: Entry | Record, judgement: Judgement) -> Neighbour:
        if isinstance(item, Entry) and judgement.likelihood is not None:
            protected = bool(shield(item, self._parts.thresholds, self._parts.lexicon))
            if not may_leave_the_prompt(judgement, protected=protected):
                reason = f"not enough to take it out of the prompt: {judgement.reason}"
                judgement = replace(judgement, verdict="different", reason=reason)
        told = draft.opinions.of(item) if judgement.verdict == "different" else None
        return Neighbour(item, told or judgement)

    def _hot_neighbours(self, draft: _Draft) -> list[tuple[Entry | Record, float | None]]:
        entries = readable(self._parts.hot).entries
        vectors = self._parts.known_vectors([entry.text for entry in entries])
        return [(entry, cosine(draft.vector, vector)) for entry, vector in zip(entries, vectors, strict=True)]

    def _cold_neighbours(self, draft: _Draft) -> list[tuple[Entry | Record, float | None]]:
        text, model = draft.fact.text, None if draft.embedding is None else draft.embedding.model
        broken = [term for words in words_of_broken(text) for term in query_tokens(words)]
        found = nearby(self._parts, text, draft.vector, model=model, also=broken)
        records = {candidate.record.id: candidate.record for candidate in found}
        exact = self._parts.cold.find_text(draft.fact.owner, draft.fact.scope, text_hash(draft.fact.text))
        if exact is not None:
            records[exact.id] = exact
        return [
            (record, cosine(draft.vector, own_vector(self._parts, record, model)))
            for record in records.values()
            if record.scope == draft.fact.scope and record.id != PROFILE_ID
        ]

    def _embedded(self, id: str) -> bool:
        """Whether the record has a vector: the store is asked, as a duplicate may be pending still."""
        model = self._parts.model()
        return model is not None and self._parts.cold.embedding(id, model) is not None

    def _receipt(
        self,
        draft: _Draft,
        decision: Decision,
        run: RunResult | None,
        overflow: OverflowNote | None,
        before: HotFiles,
        after: HotFiles,
    ) -> StoreReceipt:
        target = decision.target or draft.fact.target
        fault = self._parts.verdicts.fault
        told = dict.fromkeys(
            (*draft.warnings, *after.warnings(target, before), *([] if fault is None else [fault]))
        )
        return StoreReceipt(
            status=decision.status,
            id=decision.id,
            tier=decision.tier,
            target=target,
            detail=_detail(draft.routing, decision) + draft.opinions.remarks(decision),
            embedded=self._embedded(decision.id) if decision.tier == "cold" else None,
            duplicate_of=decision.duplicate_of,
            superseded=decision.superseded,
            usage=UsageChange(before=before.pct(target), after=after.pct(target)),
            overflow=overflow,
            undo=None if run is None else run.run,
            warnings=(*told, *_failures(run)),
        )


def _already_buried(id: str) -> Decision:
    return Decision(
        status="stale",
        id=id,
        tier=None,
        detail="This finished status is in the trash already.",
        duplicate_of=id,
    )


def _detail(routing: Routing, decision: Decision) -> str:
    """Say why, with the words that decided and the example that is most like the content."""
    detail = decision.detail if decision.detail.endswith((".", "。")) else f"{decision.detail}."
    detail = detail[:1].upper() + detail[1:]
    if decision.detail != routing.reason:
        return detail
    words = f" Its words: {', '.join(routing.terms)}." if routing.terms else ""
    example = f" It is like “{routing.examples[0]}”" if routing.examples else ""
    return detail + words + example


def _failures(run: RunResult | None) -> tuple[str, ...]:
    if run is None:
        return ()
    return tuple(
        f"{outcome.action.rung} of {outcome.action.subject} was {outcome.state}: {outcome.detail}"
        for outcome in run.outcomes
        if outcome.state != "done"
    )
