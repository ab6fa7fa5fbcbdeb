"""`gloss export`: the catalog as files of one format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from psycopg import Connection

from catalog.assembly import DEFAULT_SIZE_BYTES
from catalog.binding import HttpBinding
from catalog.errors import GlossError, UsageError
from catalog.words import safe_name
from pipeline.exchange import lines, mcp_tools, overlay, sidecar
from pipeline.exchange.entry import Entry
from pipeline.exchange.gathering import gather, services_named
from store.catalog import definitions_of, list_tools, operations_to_index
from store.rows import ServiceRow

Form = Literal["jsonl", "overlay", "mcp", "sidecar"]
_KINDS = {"wsdl": "a WSDL service", "proto": "a gRPC service"}


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """`services` none means all. `size_bytes` bounds each tool's schemas (None: no limit)."""

    form: Form
    services: tuple[str, ...] = ()
    proposals: bool = False
    as_json: bool = False
    size_bytes: int | None = DEFAULT_SIZE_BYTES


@dataclass(frozen=True, slots=True)
class Exported:
    """One file: the name it goes by in a folder, its text, how many tools it speaks of."""

    name: str
    text: str
    tools: int


@dataclass(frozen=True, slots=True)
class Export:
    """`left` are services, not named by the user, that the format has nothing for, and why."""

    files: tuple[Exported, ...]
    left: tuple[tuple[str, str], ...] = ()


def export(connection: Connection, request: ExportRequest) -> Export:
    services = services_named(connection, request.services)
    if request.form == "overlay":
        return _overlays(connection, services, request)
    entries = gather(connection, services, request.proposals)
    if request.form == "jsonl":
        return Export((Exported("gloss.jsonl", lines.render(entries), len(entries)),))
    if request.form == "mcp":
        text = _definitions(connection, services, entries, request.size_bytes)
        return Export((Exported("mcp.json", text, len(entries)),))
    return Export(tuple(_sidecars(services, entries)))


def _sidecars(services: Sequence[ServiceRow], entries: Sequence[Entry]) -> Iterator[Exported]:
    by_service = {name: list(own) for name, own in groupby(entries, lambda e: e.service)}
    for service in services:
        own = by_service.get(service.name, [])
        name = f"{safe_name(service.name, 'service')}.gloss.yaml"
        yield Exported(name, sidecar.render(service.name, own), len(own))


def _definitions(
    connection: Connection,
    services: Sequence[ServiceRow],
    entries: Sequence[Entry],
    size_bytes: int | None,
) -> str:
    named = dict(zip((e.tool for e in entries), mcp_tools.names(entries), strict=True))
    by_id = {entry.tool: entry for entry in entries}
    found = {}
    for service in services:
        shared = definitions_of(connection, service.service_id)
        for _, operation, _, _ in operations_to_index(connection, service.name):
            if operation.id in by_id:
                name, entry = named[operation.id], by_id[operation.id]
                found[operation.id] = mcp_tools.definition(
                    name, entry, operation, shared, size_bytes
                )
    whole = {"tools": [found[entry.tool] for entry in entries if entry.tool in found]}
    return lines.json_text(whole, indent=2) + "\n"


def _overlays(
    connection: Connection, services: Sequence[ServiceRow], request: ExportRequest
) -> Export:
    files, left = [], []
    for service in services:
        kind = _KINDS.get(service.kind)
        made = None if kind else _overlay(connection, service, request)
        if made is not None:
            files.append(made)
        elif request.services:
            raise _nothing(service.name, kind)
        else:
            left.append((service.name, kind or "no live text yet"))
    return Export(tuple(files), tuple(left))


def _nothing(service: str, kind: str | None) -> GlossError:
    if kind is None:
        return GlossError(
            f"{service}: no live text to put into an overlay",
            hint=f"gloss enrich {service} && gloss apply {service}",
        )
    return UsageError(
        f"{service} is {kind}: overlays are for OpenAPI documents",
        hint=f"gloss export {service} --format sidecar",
    )


def _overlay(
    connection: Connection, service: ServiceRow, request: ExportRequest
) -> Exported | None:
    entries = {e.tool: e for e in gather(connection, [service], request.proposals) if e.text}
    if not entries:
        return None
    bindings = {tool.id: tool.binding for tool in list_tools(connection, service.name)}
    texts = (
        (binding, entry)
        for tool, entry in entries.items()
        if isinstance(binding := bindings.get(tool), HttpBinding)
    )
    ending = "json" if request.as_json else "yaml"
    name = f"{safe_name(service.name, 'service')}.overlay.{ending}"
    text = overlay.render(overlay.document(service.name, texts), request.as_json)
    return Exported(name, text, len(entries))
