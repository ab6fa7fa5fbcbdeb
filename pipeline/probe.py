"""A probe from the rules to the store: descriptors read again, a plan, its calls, the outcomes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

from psycopg import Connection

from catalog.errors import Exit, GlossError
from parsers.document import ParseOptions
from parsers.sandbox import Budget, parse_all
from parsers.sources import find_documents
from probing.engine import Engine, Result
from probing.grpc_calls import Descriptors
from probing.limits import Limits
from probing.outcomes import FAILED, UNREACHABLE
from probing.plan import Left, Rules, ServicePlan, plan_service
from probing.planfile import SavedService, as_saved
from probing.saving import save_left, save_result
from store.rows import ServiceRow

_PARSER = "parsers.proto.descriptors:descriptor_set"


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """One service with what the user allows. `include` and `headers` are for reading a .proto
    again; `saved` makes the plan the one of a file."""

    service: ServiceRow
    rules: Rules
    include: tuple[Path, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    saved: SavedService | None = None


@dataclass(frozen=True, slots=True)
class ProbeEvent:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """`stopped` names the limit that ended the run early, "" when it came to its end."""

    results: tuple[Result, ...] = ()
    left: tuple[Left, ...] = ()
    sent: int = 0
    stopped: str = ""

    @property
    def counts(self) -> Counter[str]:
        return Counter(result.answer.outcome for result in self.results)

    @property
    def exit_code(self) -> Exit:
        """0 also for answers such as 401 or 404: they are news, not failures of the run."""
        outcomes = [result.answer.outcome for result in self.results if result.reached]
        asked = [outcome for outcome in outcomes if outcome != "skipped"]
        if self.stopped:
            return Exit.BUDGET
        if asked and all(outcome in UNREACHABLE for outcome in asked):
            return Exit.TRY_LATER
        if asked and all(outcome == "needs-credentials" for outcome in asked):
            return Exit.CREDENTIALS
        return Exit.PARTIAL if any(outcome in FAILED for outcome in asked) else Exit.OK


def plan(
    connection: Connection, requests: Sequence[ProbeRequest], today: date
) -> list[ServicePlan]:
    """What would be sent, service by service; PlanRefused where a saved plan is out of date."""
    return [_plan_one(connection, request, today) for request in requests]


def _plan_one(connection: Connection, request: ProbeRequest, today: date) -> ServicePlan:
    rules = request.rules
    if request.service.kind == "proto" and rules.base is not None:
        rules = _with_descriptors(request)
    made = plan_service(connection, request.service, rules, today)
    return as_saved(made, request.saved) if request.saved else made


def _with_descriptors(request: ProbeRequest) -> Rules:
    """The rules with the types of the .proto, read again from where it was ingested."""
    source = request.service.source
    try:
        return replace(request.rules, descriptors=Descriptors(_descriptors(request)))
    except GlossError as error:
        why = f"its descriptors cannot be read again from {source}: {error.message}"
        return replace(request.rules, no_descriptors=why)


def _descriptors(request: ProbeRequest) -> bytes:
    options = ParseOptions(include=request.include)
    found = find_documents([request.service.source], options=options, headers=request.headers)
    for _, error in found.failures:
        raise error
    if len(found.documents) != 1:
        raise GlossError("it is not one spec any more")
    (outcome,) = parse_all(found.documents, Budget(workers=1), _PARSER)
    if outcome.error is not None:
        raise outcome.error
    return cast(bytes, outcome.parsed)


def probe(
    connection: Connection, plans: Sequence[ServicePlan], limits: Limits
) -> Generator[ProbeEvent, None, ProbeReport]:
    """Sends what is planned. Each outcome is saved as it comes, so that whatever ends the run,
    what was seen before stays."""
    run_id = uuid4()
    left = tuple(left for service_plan in plans for left in service_plan.left)
    save_left(connection, left, run_id)
    total = sum(len(service_plan.calls) for service_plan in plans)
    results: list[Result] = []
    engine = Engine(plans, limits)
    yield ProbeEvent(0, total)
    with asyncio.Runner() as runner:
        try:
            while total and (result := runner.run(engine.next())) is not None:
                results.append(result)
                _save(connection, result, plans, run_id)
                yield ProbeEvent(len(results), total)
        finally:
            runner.run(engine.close())
    return ProbeReport(tuple(results), left, engine.sent, engine.stopped)


def _save(
    connection: Connection, result: Result, plans: Sequence[ServicePlan], run_id: UUID
) -> None:
    owner = next(p for p in plans if p.service.service_id == result.call.service_id)
    save_result(connection, result, owner.rules.keep_values, run_id)


def result_json(result: Result) -> dict[str, Any]:
    """One outcome for a program; the shape is in `gloss show`."""
    answer = result.answer
    return {
        "tool": result.call.operation.id,
        "outcome": answer.outcome,
        "detail": answer.detail,
        "sent": result.sent,
        "status": answer.status_code,
        "elapsed_ms": None if result.elapsed_ms is None else round(result.elapsed_ms, 1),
        "size_bytes": answer.size_bytes,
        "retry_after_s": answer.retry_after_s,
        "has_shape": result.shape is not None,
        "values": dict(result.sources),
        "contradictions": list(result.contradictions),
    }


def left_json(left: Left) -> dict[str, Any]:
    """An operation left alone, in the form of an outcome."""
    return {
        "tool": left.operation.id,
        "outcome": "skipped",
        "detail": left.reason,
        "sent": False,
        "status": None,
        "elapsed_ms": None,
        "size_bytes": 0,
        "retry_after_s": None,
        "has_shape": False,
        "values": {},
        "contradictions": [],
    }
