"""`gloss services`, `gloss tools`, `gloss show`: what is in the catalog."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import completing, console, output, settings, wiring
from cli.commands.show_text import show_text
from cli.output import Format, FormatOption, JsonOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg import Connection

    from catalog.spec import Operation, Schema
    from store.catalog import ServiceRow, ToolRow
    from store.enrichments import EnrichmentRow

SERVICES_HELP = """List the services of the catalog.

\b
  gloss services
  gloss services --json | jq -r '.services[].name'
  gloss services --remove crm
"""
TOOLS_HELP = """List the tools of the catalog, or of one service.

\b
  gloss tools crm
  gloss tools --json --schemas > tools.json
  gloss tools --missing-evidence
"""
SHOW_HELP = """Show one tool whole.

Its wire, text, parameters and response; original and enriched side by side.
TOOL is an id as `gloss tools` prints it: service/name.

\b
  gloss show crm/getProcInfo3
  gloss show crm/getProcInfo3 --json --full
  gloss show crm/getProcInfo3 --history
"""


def register(app: typer.Typer) -> None:
    app.command("services", help=SERVICES_HELP)(services)
    app.command("tools", help=TOOLS_HELP)(tools)
    app.command("show", help=SHOW_HELP)(show)


def services(
    remove: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Take this service out; its history stays for the day it comes back.",
            autocompletion=completing.services,
        ),
    ] = None,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    from store.catalog import list_services, remove_service

    with wiring.open_catalog(settings.load()) as connection:
        if remove is not None:
            console.log(f"removed {remove}: {remove_service(connection, remove)} tools")
        rows = [_service(row) for row in list_services(connection)]
    columns = ("name", "kind", "version", "operations", "title", "source")
    output.records("services", rows, output.chosen(form, as_json), columns)
    if not rows:
        console.log("the catalog is empty; try: gloss ingest specs/")


def tools(
    service: Annotated[
        str | None,
        typer.Argument(hidden=True, metavar="SERVICE", autocompletion=completing.services),
    ] = None,
    schemas: Annotated[
        bool, typer.Option("--schemas", help="With input_schema and output_schema (JSON).")
    ] = False,
    missing_evidence: Annotated[
        bool,
        typer.Option(
            "--missing-evidence", help="Only tools with neither a response type nor a sample."
        ),
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    from store.catalog import list_tools

    chosen = output.chosen(form, as_json)
    with wiring.open_catalog(settings.load()) as connection:
        if missing_evidence:
            _show_missing(connection, service, chosen)
            return
        found = list_tools(connection, service)
        shapes = _shapes(connection, found) if chosen is not Format.text else {}
        rows = [{**_tool(row), "shape": shapes.get(row.id)} for row in found]
        if schemas:
            whole = _all_schemas(connection, found)
            rows = [{**row, **whole[row["id"]]} for row in rows]
    columns = ("id", "protocol", "wire", "description")
    if chosen is Format.text:
        rows = [{**row, "wire": wire(tool)} for row, tool in zip(rows, found, strict=True)]
    output.records("tools", rows, chosen, columns)
    if not rows:
        console.log("no tools; try: gloss ingest specs/")


def show(
    tool: Annotated[
        str,
        typer.Argument(
            hidden=True, metavar="TOOL", help="service/name", autocompletion=completing.tools
        ),
    ],
    full: Annotated[bool, typer.Option("--full", help="Schemas of any size, nothing cut.")] = False,
    history: Annotated[
        bool, typer.Option("--history", help="Every text written about it, and its fate.")
    ] = False,
    form: FormatOption = Format.text,
    as_json: JsonOption = False,
) -> None:
    from cli.commands.history_text import history_json, history_lines
    from store.catalog import find_tool

    with wiring.open_catalog(settings.load()) as connection:
        row = find_tool(connection, tool)
        value = described(connection, row, full)
        texts = _history(connection, row) if history else None
    chosen = output.chosen(form, as_json)
    if chosen is Format.text:
        console.out(show_text(value, wire(row)))
        for line in history_lines(texts) if texts is not None else ():
            console.out(line)
    else:
        output.record(value | ({} if texts is None else {"history": history_json(texts)}), chosen)


def _history(connection: Connection, row: ToolRow) -> list[EnrichmentRow]:
    from enrichment.deciding import ALL, chosen

    return sorted(chosen(connection, ALL, [row.id]), key=lambda text: text.enrichment_id)


def described(connection: Connection, row: ToolRow, full: bool) -> dict[str, Any]:
    """A tool whole: text, binding, assembled schemas, and what calls returned."""
    return {**_tool(row), **_schemas(connection, row, full), **_evidence(connection, row)}


def _service(row: ServiceRow) -> dict[str, Any]:
    value = asdict(row)
    value["ingested_at"] = row.ingested_at.isoformat()
    del value["service_id"]
    return value


def _tool(row: ToolRow) -> dict[str, Any]:
    from catalog.binding import binding_to_json

    return {
        "id": row.id,
        "service": row.service,
        "name": row.name,
        "protocol": row.protocol,
        "binding": binding_to_json(row.binding),
        "summary": row.summary,
        "description": row.description or row.summary,
        "tags": list(row.tags),
        "deprecated": row.deprecated,
        "enriched": asdict(row.enriched) if row.enriched else None,
    }


def _schemas(connection: Connection, row: ToolRow, full: bool) -> dict[str, Any]:
    from catalog.hashing import references
    from store.catalog import operation_of, reached_definitions

    operation = operation_of(connection, row.id)
    roots = references([operation.input_schema, operation.output_schema])
    definitions = reached_definitions(connection, row.service_id, roots)
    return _assembled(operation, definitions, full)


def _all_schemas(connection: Connection, rows: list[ToolRow]) -> dict[str, dict[str, Any]]:
    """The schemas of many tools by tool id; each service's definitions are read once."""
    from store.catalog import definitions_of, operations_to_index

    services = {row.service_id: row.service for row in rows}
    return {
        operation.id: _assembled(operation, definitions, full=False)
        for service_id, name in services.items()
        for definitions in (definitions_of(connection, service_id),)
        for _, operation, _, _ in operations_to_index(connection, name)
    }


def _assembled(
    operation: Operation, definitions: Mapping[str, Schema], full: bool
) -> dict[str, Any]:
    from catalog.assembly import DEFAULT_SIZE_BYTES, assemble

    whole = assemble(operation, definitions, None if full else DEFAULT_SIZE_BYTES)
    return {
        "input_schema": whole.input_schema,
        "output_schema": whole.output_schema,
        "cut": list(whole.cut),
    }


def _show_missing(connection: Connection, service: str | None, form: Format) -> None:
    from probing.evidence import missing

    rows = missing(connection, service)
    output.records("tools", rows, form, ("id", "outcome", "detail"))
    if not rows:
        console.log("every tool has a response type or a sample")


def _shapes(connection: Connection, rows: list[ToolRow]) -> dict[str, dict[str, Any]]:
    """The shape of each tool's samples by tool id."""
    from probing.evidence import shapes

    services = {row.service_id: row.service for row in rows}
    return {
        f"{name}/{tool}": shape
        for service_id, name in services.items()
        for tool, shape in shapes(connection, service_id).items()
    }


def _evidence(connection: Connection, row: ToolRow) -> dict[str, Any]:
    from probing.evidence import outcome_of, shapes

    return {
        "shape": shapes(connection, row.service_id).get(row.name),
        "sample": outcome_of(connection, row.service_id, row.name),
    }


def wire(row: ToolRow) -> str:
    """The wire name a person looks for: `GET /path`, `interface.operation`, `/pkg.S/Method`."""
    names = row.binding.wire_names
    return names[-1] if row.protocol == "soap" else names[0]
