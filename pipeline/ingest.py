"""From what the user names to the catalog: find, parse in a child process, save one by one.

What is as it was when it was last read, with all that it includes, is not parsed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from psycopg import Connection

from catalog.errors import GlossError, SpecError
from catalog.spec import ParsedSpec, Problem
from enrichment.fitting import refit
from parsers.document import Document, ParseOptions
from parsers.sandbox import Budget, Outcome, parse_all
from parsers.sources import STDIN, Found, candidate_names, find_documents
from pipeline.unchanged import Summary, reading_of, summary_of, unchanged
from probing.examples import save_examples
from store.catalog import (
    SavedSpec,
    find_service,
    opt_in,
    save_spec,
    service_identity,
    services_from,
)
from store.saving import KeptReading, note_read_again


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """`service` fixes the name; `dry_run` compares and keeps nothing; `enrich` opts in; `reread`
    parses what is unchanged too."""

    sources: tuple[str, ...]
    service: str | None = None
    options: ParseOptions = field(default_factory=ParseOptions)
    headers: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
    enrich: bool = False
    reread: bool = False


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of one source: a spec that was saved, a file left aside, or an error.

    `parsed` is false for a spec that is as it was, whose report is that of its last reading.
    """

    source: str
    spec: Summary | None = None
    saved: SavedSpec | None = None
    problems: tuple[Problem, ...] = ()
    error: GlossError | None = None
    parsed: bool = True

    @property
    def lost(self) -> int:
        """Operations of the source that did not become tools."""
        return sum(problem.level == "error" for problem in self.problems)


def ingest(
    connection: Connection, requests: Sequence[IngestRequest], stdin: BinaryIO | None = None
) -> Iterator[SourceReport]:
    """A report per source, as soon as it is saved. One bad source costs only itself."""
    for request in requests:
        yield from _ingest_one(connection, request, stdin)


def _ingest_one(
    connection: Connection, request: IngestRequest, stdin: BinaryIO | None
) -> Iterator[SourceReport]:
    try:
        found = find_documents(
            request.sources,
            service=request.service,
            options=request.options,
            stdin=stdin,
            headers=request.headers,
        )
    except GlossError as error:
        yield SourceReport(", ".join(request.sources), error=error)
        return
    yield from _left_aside(found)
    yield from _documents(connection, found.documents, request)


def _left_aside(found: Found) -> Iterator[SourceReport]:
    for skipped in found.skipped:
        yield SourceReport(
            skipped.location, problems=(Problem("note", skipped.location, skipped.reason),)
        )
    for location, error in found.failures:
        yield SourceReport(location, error=error)


def _documents(
    connection: Connection, documents: Sequence[Document], request: IngestRequest
) -> Iterator[SourceReport]:
    kept = {} if request.reread else unchanged(connection, documents, request.service is not None)
    outcomes = parse_all([each for each in documents if each.location not in kept], Budget())
    if kept and not request.dry_run:
        note_read_again(connection, [each.service_id for each in kept.values()])
    locations = frozenset(document.location for document in documents)
    for document in documents:
        if document.location in kept:
            yield _as_it_was(connection, kept[document.location], request)
        else:
            yield _save(connection, next(outcomes), request, locations)


def _as_it_was(connection: Connection, kept: KeptReading, request: IngestRequest) -> SourceReport:
    if request.enrich and not request.dry_run:
        opt_in(connection, [kept.service])
    saved = SavedSpec(kept.service, unchanged=kept.tools)
    return SourceReport(kept.source, summary_of(kept), saved, kept.problems, parsed=False)


def _save(
    connection: Connection, outcome: Outcome, request: IngestRequest, locations: frozenset[str]
) -> SourceReport:
    location = outcome.document.location
    if outcome.parsed is None:
        return SourceReport(location, error=outcome.error)
    try:
        parsed = outcome.parsed
        _require_operations(location, parsed)
        if request.service is None:
            parsed = _under_free_name(connection, outcome.document, parsed, locations)
        with connection.transaction(force_rollback=request.dry_run):
            saved = save_spec(connection, parsed, location, reading_of(outcome))
            if saved.added or saved.changed:
                save_examples(connection, find_service(connection, saved.service))
            told = refit(connection, saved.service, {*saved.added, *saved.changed})
            if request.enrich:
                opt_in(connection, [saved.service])
    except GlossError as error:
        return SourceReport(location, problems=outcome.parsed.problems, error=error)
    return SourceReport(location, Summary.of(parsed), saved, (*parsed.problems, *told))


def _require_operations(location: str, parsed: ParsedSpec) -> None:
    """A spec that lost everything must not take what the catalog has of it away."""
    if not parsed.operations and any(problem.level == "error" for problem in parsed.problems):
        raise SpecError(f"{location}: none of its operations can be read", hint=f"mend {location}")


def _under_free_name(
    connection: Connection, document: Document, parsed: ParsedSpec, locations: frozenset[str]
) -> ParsedSpec:
    """The spec under the name that its source has in the catalog, else the first free one.

    So a file keeps its name whether it is read alone or with others beside it. What comes through
    a pipe, or from another place than before, is known by its identity; but no file takes the name
    of another one of the same run.
    """
    known = [] if document.location == STDIN else services_from(connection, document.location)
    if known:
        name = parsed.service if parsed.service in known else known[0]
        is_taken = service_identity(connection, parsed.service) is not None
        return _renamed(parsed, name) if is_taken else _called(parsed, name)
    longer = candidate_names(document.location, document.root)
    others = locations - {document.location}
    for name in dict.fromkeys((parsed.service, *longer)):
        owner = service_identity(connection, name)
        if owner is None or (parsed.identity == owner[0] and owner[1] not in others):
            return _renamed(parsed, name)
    raise GlossError(
        f"{document.location}: another spec already has the name {parsed.service}",
        hint=f"gloss ingest {document.location} --service NAME",
    )


def _renamed(parsed: ParsedSpec, service: str) -> ParsedSpec:
    if service == parsed.service:
        return parsed
    note = Problem(
        "note", service, f"named {service}: another spec in the catalog has {parsed.service}"
    )
    return replace(_called(parsed, service), problems=(*parsed.problems, note))


def _called(parsed: ParsedSpec, service: str) -> ParsedSpec:
    operations = tuple(replace(operation, service=service) for operation in parsed.operations)
    return replace(parsed, service=service, operations=operations)
