"""Recorded traffic to shapes: each exchange is matched, reduced and let go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from psycopg import Connection

from catalog.binding import SoapBinding
from catalog.spec import Schema
from probing.answers import http_answer, read_body
from probing.contradictions import MAX_FOUND, contradictions
from probing.outcomes import Answer
from probing.shapes import Seen, shape
from probing.traces.exchange import Exchange, TraceProblem
from probing.traces.matching import Known, Matcher, unmatched
from probing.traces.reading import exchanges, opened
from probing.values import known_names
from probing.wire import Reply
from store.catalog import definitions_of, operations_to_index
from store.rows import ServiceRow
from store.samples import Sample, save_sample

MAX_UNMATCHED = 1000


@dataclass(frozen=True, slots=True)
class FileReport:
    """`problem` says why a file could not be read, or not to its end."""

    file: str
    form: str = ""
    exchanges: int = 0
    problem: str = ""


@dataclass(slots=True)
class ToolTrace:
    """What a recording holds of one tool; `errors` counts answers that are none (4xx, 5xx)."""

    known: Known
    seen: Seen = field(default_factory=Seen)
    responses: int = 0
    errors: int = 0
    without_body: int = 0
    contradictions: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraceReport:
    """`unmatched` counts requests that no operation of the catalog answers to."""

    files: tuple[FileReport, ...]
    tools: tuple[ToolTrace, ...]
    unmatched: Mapping[str, int]
    saved: int


def trace(
    connection: Connection,
    services: Sequence[ServiceRow],
    files: Sequence[Path],
    addresses: Mapping[str, Sequence[str]],
    stdin: BinaryIO | None = None,
    *,
    keep: bool = False,
) -> TraceReport:
    """Reads the files and keeps one shape a tool; `addresses` are base URLs by service."""
    reader = _Reader(Matcher(), {})
    for service in services:
        reader.definitions[service.service_id] = definitions_of(connection, service.service_id)
        for _, operation, _, content_hash in operations_to_index(connection, service.name):
            known = Known(service.service_id, operation, content_hash)
            reader.matcher.add(known, addresses.get(service.name, ()))
    reports = tuple(reader.file(file, stdin) for file in files)
    saved = sum(_save(connection, tool, reader.definitions, keep) for tool in reader.tools.values())
    order = sorted(reader.tools.values(), key=lambda tool: tool.known.operation.id)
    return TraceReport(reports, tuple(order), dict(reader.unmatched.most_common()), saved)


@dataclass(slots=True)
class _Reader:
    matcher: Matcher
    definitions: dict[int, Mapping[str, Schema]]
    tools: dict[tuple[int, str], ToolTrace] = field(default_factory=dict)
    unmatched: Counter[str] = field(default_factory=Counter)

    def file(self, file: Path, stdin: BinaryIO | None) -> FileReport:
        form, count = "", 0
        try:
            stream = stdin if str(file) == "-" and stdin else opened(file)
            with stream:
                form, found = exchanges(stream)
                for exchange in found:
                    count += 1
                    self._take(exchange)
        except OSError as error:
            return FileReport(str(file), form, count, error.strerror or "cannot be read")
        except (TraceProblem, EOFError) as error:
            return FileReport(str(file), form, count, str(error))
        return FileReport(str(file), form, count)

    def _take(self, exchange: Exchange) -> None:
        known = self.matcher.match(exchange)
        if known is None:
            name = unmatched(exchange)
            if name in self.unmatched or len(self.unmatched) < MAX_UNMATCHED:
                self.unmatched[name] += 1
            return
        key = (known.service_id, known.operation.name)
        tool = self.tools.setdefault(key, ToolTrace(known))
        definitions = self.definitions[known.service_id]
        answer = _answer(exchange, known, definitions)
        if answer is None:
            tool.without_body += 1
        elif answer.has_value:
            tool.responses += 1
            tool.seen.add(answer.value)
            schema = known.operation.output_schema
            if len(tool.contradictions) < MAX_FOUND:
                for sentence in contradictions(answer.value, schema, definitions):
                    tool.contradictions.setdefault(sentence)
        else:
            tool.errors += 1


def _answer(exchange: Exchange, known: Known, definitions: Mapping[str, Schema]) -> Answer | None:
    """The recorded response as a call would have had it; None where no body was recorded."""
    if exchange.body is None or not exchange.body.strip():
        return None
    status = exchange.status or 200
    headers = {"content-type": exchange.content_type}
    if known.operation.protocol == "grpc":
        found = read_body(exchange.body, exchange.content_type, known.operation, definitions)
        return found or Answer("not-json", "no message in JSON")
    if isinstance(known.operation.binding, SoapBinding) and status == 200:
        headers = {}
    return http_answer(Reply(status, headers, exchange.body), known.operation, definitions)


def _save(
    connection: Connection,
    tool: ToolTrace,
    definitions: Mapping[int, Mapping[str, Schema]],
    keep: bool,
) -> int:
    """Keeps the shape of all responses of a tool together; how many were kept."""
    if not tool.responses:
        return 0
    known = tool.known
    names = known_names(known.operation.output_schema, definitions[known.service_id])
    sample = Sample(
        service_id=known.service_id,
        tool=known.operation.name,
        origin="trace",
        outcome="alive",
        content_hash=known.content_hash,
        detail="recorded traffic",
        shape=shape(tool.seen, names, keep=keep),
        values_kept=keep,
        run_id=uuid4(),
        responses=tool.responses,
        contradictions=tuple(tool.contradictions)[:MAX_FOUND],
    )
    save_sample(connection, sample)
    return 1


def report_json(report: TraceReport) -> dict[str, Any]:
    return {
        "files": [
            {"file": f.file, "form": f.form, "exchanges": f.exchanges, "problem": f.problem}
            for f in report.files
        ],
        "tools": list(_tools(report)),
        "unmatched": [{"call": call, "count": count} for call, count in report.unmatched.items()],
    }


def _tools(report: TraceReport) -> Iterator[dict[str, Any]]:
    for tool in report.tools:
        yield {
            "tool": tool.known.operation.id,
            "responses": tool.responses,
            "errors": tool.errors,
            "without_body": tool.without_body,
            "contradictions": list(tool.contradictions)[:MAX_FOUND],
        }
