"""The run: groups to the writer, several at once, each answer saved as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from uuid import UUID, uuid4

from psycopg import Connection

from catalog.enrichment import Enrichment, Ground
from catalog.errors import GlossError
from enrichment import shapes
from enrichment.checker import Surroundings
from enrichment.endpoint import Endpoint
from enrichment.flight import Flight, Purse
from enrichment.planning import OUTPUT_TOKENS, Pending, ServiceWork, question, size_of
from enrichment.prompt import PROMPT_VERSION
from enrichment.writing import GroupOutcome, Outcome, with_model, with_shapes
from store.enrichments import (
    EnrichmentRow,
    Written,
    save_failure,
    save_proposal,
    written_before,
)


@dataclass(frozen=True, slots=True)
class EnrichEvent:
    done: int
    total: int


@dataclass(slots=True)
class EnrichReport:
    """What one run did. `left` are tools whose own text is clear enough for the writer without a
    model, `by_hand` those whose text a person wrote; `misfits` are the ones among them whose text
    fits no more. `cost_usd` is None where the endpoint's prices are not known.

    `ended_by` is the error that ended the run early: credentials, budget, an endpoint that is down.
    """

    run_id: UUID
    proposed: list[str] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    unchanged: int = 0
    other_model: int = 0
    by_hand: list[str] = field(default_factory=list)
    misfits: list[str] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    cost_usd: float | None = 0.0
    ended_by: GlossError | None = None


def enrich(
    connection: Connection,
    work: Sequence[ServiceWork],
    endpoint: Endpoint | None = None,
    max_cost: float | None = None,
) -> Generator[EnrichEvent, None, EnrichReport]:
    """Write about all that is pending; without an endpoint, the writer that needs no model does.

    A kill loses at most the requests in flight: every answer is saved when it comes.
    """
    run = Run(connection, endpoint, max_cost)
    for service in work:
        run.report.unchanged += service.unchanged
        run.report.other_model += service.other_model
        run.report.by_hand += service.by_hand
        run.report.misfits += [tool for tool, fits in service.by_hand.items() if not fits]
    total = sum(service.tools for service in work)
    jobs = run.after_reuse(work)
    yield EnrichEvent(len(run.report.reused), total)
    for _ in run.answers(jobs):
        yield EnrichEvent(run.done, total)
    return run.report


@dataclass(frozen=True, slots=True)
class Job:
    """One request: tools of a service that are asked about together."""

    service: ServiceWork
    group: tuple[Pending, ...]


class Run:
    """What a run has done; answers come to it from an endpoint, the plain writer or a file."""

    def __init__(
        self, connection: Connection, endpoint: Endpoint | None, max_cost: float | None
    ) -> None:
        self.connection = connection
        self.endpoint = endpoint
        self.report = EnrichReport(run_id=uuid4())
        self.purse = Purse(endpoint.settings if endpoint else None, max_cost if endpoint else None)
        self._names: dict[int, set[str]] = {}
        self._model = endpoint.settings.model if endpoint else shapes.PROVIDER

    @property
    def done(self) -> int:
        report = self.report
        return sum(
            len(part) for part in (report.proposed, report.failed, report.reused, report.left)
        )

    def after_reuse(self, work: Sequence[ServiceWork]) -> list[Job]:
        """Jobs that are left once texts for the same evidence, from any service, are taken over."""
        jobs = []
        for service in work:
            prints = [entry.fingerprint for group in service.groups for entry in group]
            before = written_before(self.connection, prints, self._model)
            for group in service.groups:
                left = tuple(e for e in group if not self._reuse(service, e, before))
                if left:
                    jobs.append(Job(service, left))
        return jobs

    def _reuse(
        self, service: ServiceWork, entry: Pending, before: dict[str, EnrichmentRow]
    ) -> bool:
        row = before.get(entry.fingerprint)
        if row is None or row.service == service.service.name:
            return False
        grounds = tuple(Ground(g["claim"], g["evidence"]) for g in row.evidence)
        text = Enrichment(row.name, row.description, tuple(row.aliases), row.limits, grounds)
        if not self._free(service, text.name):
            return False
        self._save(service, Outcome(entry, text), GroupOutcome(()))
        self.report.reused.append(entry.evidence.tool_id)
        return True

    def answers(self, jobs: Sequence[Job]) -> Iterator[None]:
        """Answers in the order they come; after an error that ends the run, those in flight."""
        if self.endpoint is None:
            for job in jobs:
                self.take(job, with_shapes(job.group, job.service.weights, self.around(job)))
                yield
            return
        flight = Flight(self.endpoint, self.purse, self._prepared, self.take, self._worst_case)
        yield from flight.run(jobs)
        self.report.ended_by = flight.ended_by
        self.report.requests = self.endpoint.requests

    def _prepared(self, job: Job) -> Callable[[], GroupOutcome]:
        assert self.endpoint is not None
        return partial(with_model, job.group, job.service.weights, self.around(job), self.endpoint)

    def take(self, job: Job, answer: GroupOutcome) -> None:
        self.report.input_tokens += answer.input_tokens
        self.report.output_tokens += answer.output_tokens
        self.purse.pay(answer.input_tokens, answer.output_tokens)
        self.report.cost_usd = self.purse.spent
        for outcome in answer.outcomes:
            self._record(job.service, outcome, answer)

    def _record(self, service: ServiceWork, outcome: Outcome, answer: GroupOutcome) -> None:
        if outcome.left:
            self.report.left.append(outcome.pending.evidence.tool_id)
            return
        text = outcome.enrichment
        if text is not None and not self._free(service, text.name):
            outcome = replace(outcome, enrichment=None, reason=f"the name {text.name} is taken")
        tool_id = outcome.pending.evidence.tool_id
        if self._save(service, outcome, answer):
            self.report.proposed.append(tool_id)
        else:
            reason = outcome.reason or "somebody is writing its text by hand"
            self.report.failed.append((tool_id, reason))

    def _save(self, service: ServiceWork, outcome: Outcome, answer: GroupOutcome) -> bool:
        """Whether there is a proposal now."""
        row = self._row(service, outcome, answer)
        if outcome.enrichment is None:
            save_failure(self.connection, row)
            return False
        self._names.setdefault(service.service.service_id, set()).add(row.name)
        return save_proposal(self.connection, row) is not None

    def _row(self, service: ServiceWork, outcome: Outcome, answer: GroupOutcome) -> Written:
        text = outcome.enrichment or Enrichment("", "")
        share = max(len(answer.outcomes), 1)
        spent = (answer.input_tokens // share, answer.output_tokens // share)
        return Written(
            service_id=service.service.service_id,
            tool=outcome.pending.evidence.name,
            content_hash=outcome.pending.content_hash,
            fingerprint=outcome.pending.fingerprint,
            name=text.name,
            description=text.description,
            aliases=text.aliases,
            limits=text.not_for,
            evidence=tuple(asdict(ground) for ground in text.grounds),
            checks=outcome.rules,
            reason=outcome.reason,
            provider="chat" if self.endpoint else shapes.PROVIDER,
            model=self._model,
            prompt_version=PROMPT_VERSION,
            input_tokens=spent[0],
            output_tokens=spent[1],
            cost_usd=self.purse.price(*spent) or 0.0,
            run_id=self.report.run_id,
        )

    def around(self, job: Job) -> Surroundings:
        """Names of other tools are taken; those that the group's own tools had are free to it."""
        around = job.service.around
        own = {entry.evidence.name for entry in job.group}
        written = {name for name, tool in job.service.written.items() if tool not in own}
        new = written | self._names.get(job.service.service.service_id, set())
        return replace(around, taken=(around.taken - own) | new, siblings=around.siblings | new)

    def _free(self, service: ServiceWork, name: str) -> bool:
        return name not in self._names.get(service.service.service_id, set())

    def _worst_case(self, job: Job) -> tuple[int, int]:
        """Tokens of the question and its repair, each answered at full length."""
        given = size_of(question(job.group, job.service.weights))
        written = 2 * OUTPUT_TOKENS * len(job.group) + 100
        return 2 * given + written, 2 * written
