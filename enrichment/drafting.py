"""Questions written by the model for the gate: asked for once, several requests at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from psycopg import Connection

from catalog.errors import GlossError
from enrichment.asking import OUTPUT_TOKENS, SCHEMA, SYSTEM, VERSION, usable
from enrichment.endpoint import Endpoint, EndpointSettings
from enrichment.evidence import Evidence
from enrichment.flight import Flight, Purse
from enrichment.forms import ItemFailed, Reply
from enrichment.planning import Estimate, ServiceWork, cost, counted, fingerprint, size_of
from enrichment.prompt import Message, messages
from enrichment.replies import ReplyUnreadable, read_questions
from enrichment.run import EnrichEvent
from enrichment.writing import no_answer
from store.questions import Drafted, questions_for, save_questions
from store.rows import ServiceRow


@dataclass(frozen=True, slots=True)
class Unasked:
    """What of a service has no questions yet: each group becomes one request. `known` are the
    questions of its other tools, by id; empty where the model wrote none that could be used."""

    service: ServiceRow
    groups: tuple[tuple[Evidence, ...], ...]
    weights: Mapping[str, float]
    known: Mapping[str, tuple[str, ...]]
    names: frozenset[str]

    @property
    def tools(self) -> int:
        return sum(len(group) for group in self.groups)


@dataclass(slots=True)
class DraftReport:
    """`questions` by tool id, also those of earlier runs; `without` are tools that have none, with
    the reason. `cost_usd` is None where the endpoint's prices are not known."""

    questions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    drafted: list[str] = field(default_factory=list)
    without: list[tuple[str, str]] = field(default_factory=list)
    input_tokens: int = 0
    output_tokens: int = 0
    requests: int = 0
    cost_usd: float | None = 0.0
    ended_by: GlossError | None = None


def unasked(
    connection: Connection,
    work: ServiceWork,
    model: str,
    tools: Collection[str],
    again: bool = False,
) -> Unasked:
    """Of the tools (by id) those without questions for their present evidence; `again` also those
    for which the model wrote none that could be used."""
    prints = {tool.tool_id: _print(tool) for family in work.families for tool in family}
    found = questions_for(connection, prints.values(), model)
    known = {tool: found[mark] for tool, mark in prints.items() if mark in found}
    done = {tool for tool, questions in known.items() if questions or not again}
    wanted = set(tools) - done
    groups = (tuple(t for t in family if t.tool_id in wanted) for family in work.families)
    return Unasked(
        service=work.service,
        groups=tuple(group for group in groups if group),
        weights=work.weights,
        known={tool: questions for tool, questions in known.items() if tool not in wanted},
        names=work.around.siblings,
    )


def _print(tool: Evidence) -> str:
    return fingerprint(tool, VERSION, SCHEMA)


def estimate_questions(work: Unasked, endpoint: EndpointSettings | None) -> Estimate:
    given = sum(size_of(_question(group, work)) for group in work.groups)
    written = OUTPUT_TOKENS * work.tools
    price = cost(endpoint, given, written) if endpoint else 0.0
    return Estimate(work.tools, len(work.groups), given, written, price)


def draft(
    connection: Connection, work: Sequence[Unasked], endpoint: Endpoint, purse: Purse
) -> Generator[EnrichEvent, None, DraftReport]:
    """Every answer is saved when it comes; a bad one costs only its tool the questions."""
    drafting = _Drafting(connection, endpoint, purse)
    for service in work:
        drafting.remember(service)
    jobs = [_Job(service, group) for service in work for group in service.groups]
    total, before = sum(service.tools for service in work), endpoint.requests
    flight = Flight(endpoint, purse, drafting.prepared, drafting.take, _worst_case)
    for _ in flight.run(jobs):
        yield EnrichEvent(len(drafting.report.drafted), total)
    drafting.report.ended_by = flight.ended_by
    drafting.report.requests = endpoint.requests - before
    return drafting.report


@dataclass(frozen=True, slots=True)
class _Job:
    work: Unasked
    group: tuple[Evidence, ...]


class _Drafting:
    def __init__(self, connection: Connection, endpoint: Endpoint, purse: Purse) -> None:
        self._connection, self._endpoint, self._purse = connection, endpoint, purse
        self._run_id = uuid4()
        self.report = DraftReport(cost_usd=None if purse.spent is None else 0.0)

    def remember(self, work: Unasked) -> None:
        self.report.questions.update(work.known)
        self.report.without += [
            (tool, "the model wrote none that could be used")
            for tool, questions in work.known.items()
            if not questions
        ]

    def prepared(self, job: _Job) -> Callable[[], Reply | ItemFailed]:
        return partial(_answer, self._endpoint, _question(job.group, job.work), _room(job.group))

    def take(self, job: _Job, reply: Reply | ItemFailed) -> None:
        if isinstance(reply, ItemFailed):
            self.report.without += [(tool.tool_id, str(reply)) for tool in job.group]
            return
        spent = counted(_question(job.group, job.work), reply)
        self._pay(*spent)
        written, fault = _read(reply)
        share = spent[0] // len(job.group), spent[1] // len(job.group)
        for number, tool in enumerate(job.group, 1):
            good, faults = usable(written.get(number, ()), job.work.names)
            if not good:
                self.report.without.append((tool.tool_id, fault or "; ".join(faults[:2])))
            self._keep(job, tool, good, share)

    def _pay(self, input_tokens: int, output_tokens: int) -> None:
        price = self._purse.price(input_tokens, output_tokens)
        self._purse.pay(input_tokens, output_tokens)
        self.report.input_tokens += input_tokens
        self.report.output_tokens += output_tokens
        if self.report.cost_usd is not None:
            self.report.cost_usd += price or 0.0

    def _keep(
        self, job: _Job, tool: Evidence, questions: tuple[str, ...], spent: tuple[int, int]
    ) -> None:
        self.report.questions[tool.tool_id] = questions
        self.report.drafted.append(tool.tool_id)
        drafted = Drafted(
            service_id=job.work.service.service_id,
            tool=tool.name,
            model=self._endpoint.settings.model,
            fingerprint=_print(tool),
            questions=questions,
            input_tokens=spent[0],
            output_tokens=spent[1],
            cost_usd=self._purse.price(*spent) or 0.0,
            run_id=self._run_id,
        )
        save_questions(self._connection, drafted)


def _question(group: Sequence[Evidence], work: Unasked) -> list[Message]:
    return messages(group, work.weights, system=SYSTEM)


def _room(group: Sequence[Evidence]) -> int:
    return 2 * OUTPUT_TOKENS * len(group) + 100


def _worst_case(job: _Job) -> tuple[int, int]:
    """Tokens of the question, asked again with more room where the answer was cut off."""
    return 2 * size_of(_question(job.group, job.work)), 4 * _room(job.group)


def _answer(endpoint: Endpoint, asked: Sequence[Message], room: int) -> Reply | ItemFailed:
    try:
        return endpoint.ask(asked, SCHEMA, room)
    except ItemFailed as failure:
        return failure


def _read(reply: Reply) -> tuple[dict[int, list[str]], str]:
    """The questions by number, or why there are none."""
    fault = no_answer(reply)
    try:
        return ({} if fault else read_questions(reply.text)), fault
    except ReplyUnreadable as unreadable:
        return {}, str(unreadable)
