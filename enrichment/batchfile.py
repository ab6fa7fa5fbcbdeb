"""Batch files of the OpenAI API: questions out, answers in, at half the price and overnight.

The custom id of a line names the evidence of its tools, so that an answer finds them again in
whatever order the lines come back, and finds nothing where the evidence has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from psycopg import Connection

from enrichment.endpoint import Endpoint, EndpointSettings
from enrichment.forms import ItemFailed, Reply, reply_of, request_body
from enrichment.planning import Pending, ServiceWork, question
from enrichment.prompt import SCHEMA
from enrichment.run import EnrichEvent, EnrichReport, Job, Run
from enrichment.writing import GroupOutcome, Outcome, from_reply, room_for

_PREFIX = "gloss"
_MAX_ID = 64
_DISCOUNT = 0.5


def questions(work: Sequence[ServiceWork], model: str) -> Iterator[str]:
    """A line for each group of tools."""
    for service in work:
        for group in service.groups:
            asked = question(group, service.weights)
            line = {
                "custom_id": custom_id(group),
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": request_body(model, asked, SCHEMA, room_for(group)),
            }
            yield json.dumps(line, ensure_ascii=False)


def custom_id(group: Sequence[Pending]) -> str:
    room = (_MAX_ID - len(_PREFIX)) // len(group) - 1
    return "-".join([_PREFIX, *(entry.fingerprint[: min(room, 10)] for entry in group)])


@dataclass(frozen=True, slots=True)
class BatchReport:
    """`strangers` are ids that no tool waits for; `unanswered` tools wait still."""

    run: EnrichReport
    strangers: tuple[str, ...]
    unanswered: tuple[str, ...]


def answers(
    connection: Connection,
    work: Sequence[ServiceWork],
    settings: EndpointSettings,
    lines: Iterable[str],
) -> Generator[EnrichEvent, None, BatchReport]:
    """Checks what came back and saves it, line by line."""
    run = Run(connection, Endpoint(_at_batch_price(settings)), None)
    total = sum(service.tools for service in work)
    strangers: list[str] = []
    answered: set[str] = set()
    for line in filter(str.strip, lines):
        name, reply = _read_line(line)
        jobs = _jobs(work, name)
        if not jobs:
            strangers.append(name)
        for job in jobs:
            new = [e for e in job.group if e.evidence.tool_id not in answered]
            answered |= {entry.evidence.tool_id for entry in new}
            if len(new) == len(job.group):
                run.take(job, _outcome(job, run, reply))
        yield EnrichEvent(run.done, total)
    waiting = (e.evidence.tool_id for s in work for group in s.groups for e in group)
    unanswered = tuple(tool for tool in waiting if tool not in answered)
    return BatchReport(run.report, tuple(strangers), unanswered)


def _at_batch_price(settings: EndpointSettings) -> EndpointSettings:
    if settings.price_in is None or settings.price_out is None:
        return settings
    return replace(
        settings,
        price_in=settings.price_in * _DISCOUNT,
        price_out=settings.price_out * _DISCOUNT,
    )


def _jobs(work: Sequence[ServiceWork], name: str) -> list[Job]:
    """For each service the tools that an id names, where it has all of them."""
    prefix, *wanted = name.split("-")
    found = []
    for service in work if prefix == _PREFIX and wanted else ():
        entries = [entry for group in service.groups for entry in group]
        group = tuple(
            entry
            for short in wanted
            for entry in entries
            if len(short) >= 6 and entry.fingerprint.startswith(short)
        )
        if len(group) == len(wanted):
            found.append(Job(service, group))
    return found


def _outcome(job: Job, run: Run, reply: Reply | ItemFailed) -> GroupOutcome:
    if isinstance(reply, ItemFailed):
        return GroupOutcome(tuple(Outcome(entry, reason=str(reply)) for entry in job.group))
    return from_reply(job.group, job.service.weights, run.around(job), reply)


def _read_line(line: str) -> tuple[str, Reply | ItemFailed]:
    """The id of a line and its answer, or why it has none. Nothing in it is trusted."""
    try:
        value = json.loads(line, object_hook=lambda pairs: SimpleNamespace(**pairs))
    except (ValueError, RecursionError):
        return "(no JSON)", ItemFailed("the line is no JSON")
    name = str(getattr(value, "custom_id", "(no custom_id)"))
    try:
        return name, reply_of(_body(value))
    except ItemFailed as failure:
        return name, failure
    except (AttributeError, IndexError, TypeError, KeyError):
        return name, ItemFailed("the answer could not be read")


def _body(value: Any) -> Any:
    failure = getattr(value, "error", None)
    response = getattr(value, "response", None)
    status = getattr(response, "status_code", None)
    if failure or response is None or status != 200:
        said = getattr(failure, "message", None) or f"status {status}"
        raise ItemFailed(f"the batch says: {str(said)[:200]}")
    return response.body
