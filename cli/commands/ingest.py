"""`gloss ingest`: specs into the catalog."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.errors import Exit, UsageError
from catalog.text import printable
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption
from cli.progress import counted

if TYPE_CHECKING:
    from pipeline.ingest import IngestRequest, SourceReport

SHOWN_PROBLEMS = 10

HELP = """Read specs into the catalog.

A SOURCE is a file, a folder, a glob, - for stdin, or an http(s) or grpc address.
Looks at the content, not the suffix. What had to be left out or mended is said on stderr.
Without SOURCE, the services declared in gloss.toml are read.

\b
  gloss ingest specs/
  gloss ingest crm.wsdl --service crm
  curl -s https://example.com/openapi.json | gloss ingest - --service shop
"""


def register(app: typer.Typer) -> None:
    app.command("ingest", help=HELP)(ingest)


def ingest(
    sources: Annotated[
        list[str] | None, typer.Argument(hidden=True, metavar="SOURCE", show_default=False)
    ] = None,
    service: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the service; needs exactly one spec.",
            autocompletion=completing.services,
        ),
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option("-I", "--include", metavar="DIR", help="Import root for .proto files."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="Host that references may be fetched from."),
    ] = None,
    allow_folder: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Folder that references may read besides the spec's."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; save nothing.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Validate too, and exit 5 if anything was skipped.")
    ] = False,
    reread: Annotated[
        bool, typer.Option("--reread", help="Parse again what is unchanged since it was last read.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from parsers.document import ParseOptions
    from pipeline.ingest import ingest as run

    options = ParseOptions(
        tuple(include or ()), tuple(allow_host or ()), tuple(allow_folder or ()), strict
    )
    config = settings.load()
    found = _requests(config, sources or [], service, options)
    requests = [replace(request, dry_run=dry_run, reread=reread) for request in found]
    with wiring.open_catalog(config) as connection:
        told = run(connection, requests, sys.stdin.buffer if sys.stdin else None)
        reports = list(_told(counted("reading specs", told)))
    _say_what_was_kept(reports)
    _show(reports, output.chosen(form, as_json), dry_run)
    return _exit_code(reports, strict)


def _requests(
    config: settings.Settings, sources: list[str], service: str | None, options: Any
) -> list[IngestRequest]:
    from pipeline.ingest import IngestRequest

    if sources:
        return [IngestRequest(tuple(sources), service, options)]
    if not config.services:
        raise UsageError("name a file, folder, glob or address to read", hint="gloss ingest specs/")
    return [
        IngestRequest(
            (entry.spec,),
            entry.name,
            replace(options, include=options.include + entry.include),
            {name: settings.secret(value) for name, value in entry.headers.items()},
            enrich=entry.enrich,
        )
        for entry in config.services
        if service in (None, entry.name)
    ]


def _told(reports: Iterable[SourceReport]) -> Iterable[SourceReport]:
    """Says on stderr what is worth a word about each source, as it comes."""
    for report in reports:
        if report.error is not None:
            console.error(_line(report.error.message), _line(report.error.hint))
        for problem in report.problems[:SHOWN_PROBLEMS]:
            located = _located(report, problem.location)
            console.log(_line(f"{problem.level}: {located}: {problem.message}"))
        more = len(report.problems) - SHOWN_PROBLEMS
        if more > 0:
            console.log(_line(f"note: {report.source}: {more} more (--json has them all)"))
        yield report


def _line(text: str) -> str:
    """One line, whatever a file is called."""
    return printable(text).replace("\r", "\\r").replace("\n", "\\n")


def _say_what_was_kept(reports: list[SourceReport]) -> None:
    specs = [report for report in reports if report.spec is not None]
    kept = sum(not report.parsed for report in specs)
    if kept:
        console.log(
            f"unchanged since last read: {kept} of {len(specs)} specs (--reread parses them again)"
        )


def _located(report: SourceReport, location: str) -> str:
    if report.spec is None or location.startswith(report.source):
        return location
    return f"{report.source}: {location}"


def _show(reports: list[SourceReport], form: Format, dry_run: bool) -> None:
    rows = [_row(report) for report in reports]
    if form is not Format.text:
        output.records("sources", rows, form, ())
        return
    columns = (
        "service",
        "kind",
        "operations",
        "added",
        "changed",
        "unchanged",
        "removed",
        "source",
    )
    saved = [row for row in rows if row["service"]]
    if saved:
        output.records("sources", saved, form, columns)
    if dry_run:
        console.log("dry run: nothing was saved")
    elif any(row["added"] or row["changed"] or row["removed"] for row in saved):
        console.log("next: gloss index")


def _row(report: SourceReport) -> dict[str, Any]:
    spec, saved = report.spec, report.saved
    problems = [
        {"level": p.level, "location": p.location, "message": p.message} for p in report.problems
    ]
    if report.error is not None:
        problems.append(
            {"level": "error", "location": report.source, "message": report.error.message}
        )
    return {
        "source": report.source,
        "service": spec.service if spec else None,
        "kind": spec.kind if spec else None,
        "version": spec.version if spec else None,
        "operations": spec.operations if spec else 0,
        "added": len(saved.added) if saved else 0,
        "changed": len(saved.changed) if saved else 0,
        "unchanged": len(saved.unchanged) if saved else 0,
        "removed": len(saved.removed) if saved else 0,
        "not_tools": dict(spec.not_tools) if spec else {},
        "problems": problems,
    }


def _exit_code(reports: list[SourceReport], strict: bool) -> int:
    errors = [report.error for report in reports if report.error is not None]
    read = sum(report.spec is not None for report in reports)
    if errors and not read:
        codes = {error.exit_code for error in errors}
        return codes.pop() if len(codes) == 1 else Exit.FAILED
    if errors or (strict and any(report.lost for report in reports)):
        return Exit.PARTIAL
    return Exit.OK
