"""`gloss trace`: what operations return, from recorded traffic."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from catalog.errors import Exit, NotFound, SpecError, UsageError
from cli import completing, console, output, settings, wiring
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from probing.tracing import TraceReport

HELP = """See what operations return, from recorded traffic.

Reads HAR files, JSON lines of request and response, Postman collections with saved responses,
SoapUI projects and OpenTelemetry spans with bodies, also gzipped, and - for stdin. Kept are
shapes (names, types, formats) and no values. Requests that no operation of the catalog answers
to are listed: they are calls that the specs do not have.

\b
  gloss trace browser.har
  gloss trace recorded/*.jsonl --service crm --json
"""
READS = "a file of HAR, JSON lines, Postman, SoapUI or OTLP JSON"
SHOWN_UNMATCHED = 10


def register(app: typer.Typer) -> None:
    app.command("trace", help=HELP)(trace)


def trace(
    files: Annotated[list[Path], typer.Argument(hidden=True, metavar="FILE", show_default=False)],
    services: Annotated[
        list[str] | None,
        typer.Option(
            "--service",
            "-s",
            metavar="NAME",
            help="Only operations of this service.",
            autocompletion=completing.services,
        ),
    ] = None,
    base_url: Annotated[
        str, typer.Option(metavar="URL", help="Where the service was when it was recorded.")
    ] = "",
    keep_values: Annotated[
        bool, typer.Option("--keep-values", help="Keep a few values of each field too.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> int:
    from probing.tracing import trace as run
    from store.catalog import find_service, list_services

    config = settings.load()
    if base_url and len(services or ()) != 1:
        raise UsageError("--base-url is the address of one service", hint="add --service NAME")
    addresses = {entry.name: [entry.base_url] for entry in config.services if entry.base_url}
    addresses |= {name: [base_url] for name in services or () if base_url}
    with wiring.open_catalog(config) as connection:
        chosen = [find_service(connection, name) for name in services or ()]
        chosen = chosen or list_services(connection)
        if not chosen:
            raise NotFound("the catalog is empty", hint="gloss ingest SPEC…")
        stdin = sys.stdin.buffer if sys.stdin else None
        report = run(connection, chosen, files, addresses, stdin, keep=keep_values)
    return _show(report, output.chosen(form, as_json))


def _show(report: TraceReport, form: Format) -> int:
    from probing.tracing import report_json

    value = report_json(report)
    if form is Format.text:
        columns = ("tool", "responses", "errors", "without_body")
        if value["tools"]:
            output.records("tools", value["tools"], form, columns)
        _tell(value)
    else:
        output.record(value, form)
    _tell_files(report)
    return _exit_code(report)


def _tell(value: dict[str, list[dict[str, object]]]) -> None:
    for tool in value["tools"]:
        for sentence in tool["contradictions"]:  # type: ignore[attr-defined]
            console.warning(f"{tool['tool']}: {sentence}")
    for entry in value["unmatched"][:SHOWN_UNMATCHED]:
        console.log(f"not in the catalog: {entry['call']} ({_times(entry['count'])})")
    more = len(value["unmatched"]) - SHOWN_UNMATCHED
    if more > 0:
        console.log(f"not in the catalog: {more} more (--json has them all)")


def _times(count: object) -> str:
    return "once" if count == 1 else f"{count} times"


def _tell_files(report: TraceReport) -> None:
    for file in report.files:
        if file.problem:
            console.error(f"{file.file}: {file.problem}", "" if file.exchanges else READS)
    count = sum(file.exchanges for file in report.files)
    responses = sum(tool.responses for tool in report.tools)
    console.log(
        f"{count} exchanges read, {responses} responses kept as {report.saved} shapes, "
        f"{sum(report.unmatched.values())} match no operation"
        + ("; next: gloss index" if report.saved else "")
    )


def _exit_code(report: TraceReport) -> int:
    unread = [file for file in report.files if file.problem]
    if unread and not any(file.exchanges for file in report.files):
        return SpecError.exit_code
    if unread:
        return Exit.PARTIAL
    return Exit.OK if report.tools else Exit.FAILED
