"""The entries of a catalog, in an order that no database's locale decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from psycopg import Connection

from pipeline.exchange.entry import Entry, Origin, Original, mark, text_of
from store.catalog import find_service, list_services, list_tools
from store.enrichments import EnrichmentRow, enrichments
from store.exchange import written_for
from store.rows import ServiceRow, ToolRow


def services_named(connection: Connection, names: Sequence[str]) -> list[ServiceRow]:
    """Those named, or all; sorted by code point."""
    found = [find_service(connection, name) for name in names] or list_services(connection)
    return sorted({row.name: row for row in found}.values(), key=lambda row: row.name)


def gather(
    connection: Connection, services: Sequence[ServiceRow], proposals: bool = False
) -> list[Entry]:
    """Each tool with its live text, or with `proposals` the open one where there is one."""
    ids = [service.service_id for service in services]
    hashes = written_for(connection, ids)
    live = _by_tool(enrichments(connection, ("applied",), services=ids))
    opened = _by_tool(enrichments(connection, ("proposed",), services=ids)) if proposals else {}
    fresh = {tool: row for tool, row in opened.items() if not row.stale}
    tools = [tool for service in services for tool in list_tools(connection, service.name)]
    return [
        _entry(tool, live.get(tool.id), fresh.get(tool.id), hashes)
        for tool in sorted(tools, key=lambda tool: (tool.service, tool.name))
    ]


def _by_tool(rows: Sequence[EnrichmentRow]) -> dict[str, EnrichmentRow]:
    return {row.tool_id: row for row in rows}


def _entry(
    tool: ToolRow,
    live: EnrichmentRow | None,
    proposed: EnrichmentRow | None,
    hashes: Mapping[int, str],
) -> Entry:
    row = proposed or live
    text = text_of(row) if row else None
    meant = hashes.get(row.enrichment_id, "") if row else ""
    return Entry(
        tool=tool.id,
        text=text,
        base=mark(text_of(live) if live else None),
        content_hash=tool.content_hash,
        written_for="" if meant == tool.content_hash else meant,
        origin=origin_of(row) if row else Origin(),
        original=original_of(tool),
    )


def origin_of(row: EnrichmentRow) -> Origin:
    said = (row.provider, row.model, row.prompt_version, row.author)
    return Origin(*said, mark(text_of(row)))


def original_of(tool: ToolRow) -> Original:
    names = tool.binding.wire_names
    wire = names[-1] if tool.protocol == "soap" else names[0]
    return Original(tool.name, wire, tool.summary, tool.description, tool.protocol)
