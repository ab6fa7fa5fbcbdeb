"""Evidence of a service's tools out of the catalog, and what a text about one has to respect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from psycopg import Connection

from enrichment.checker import Surroundings
from enrichment.evidence import Evidence, gather
from enrichment.vocabulary import Grounds
from store.catalog import definitions_of, list_services, operations_to_index
from store.enrichments import EnrichmentRow
from store.rows import ServiceRow
from store.samples import shapes_of

_ABOUT = 400


def evidence_of(
    connection: Connection, service: ServiceRow, tools: Collection[str] | None = None
) -> list[tuple[Evidence, str]]:
    """The evidence and the content hash of each tool, or of those named."""
    definitions = definitions_of(connection, service.service_id)
    shapes = shapes_of(connection, service.service_id)
    about = " ".join(part for part in (service.title, service.description) if part)[:_ABOUT]
    return [
        (gather(operation, definitions, about, shapes.get(operation.name, ())), content_hash)
        for _, operation, _, content_hash in operations_to_index(connection, service.name)
        if tools is None or operation.name in tools
    ]


def surroundings(
    connection: Connection, service: ServiceRow, evidence: Sequence[Evidence]
) -> Surroundings:
    """For a service all of whose tools are given."""
    names = frozenset(tool.name for tool in evidence)
    others = (other.name for other in list_services(connection))
    return Surroundings(
        taken=names,
        siblings=names,
        services=frozenset(name for name in others if name != service.name),
        spoken=Grounds(tuple(text for tool in evidence for text in tool.texts)),
    )


def kept_by_hand(rows: Iterable[EnrichmentRow]) -> dict[str, EnrichmentRow]:
    """Tools whose text is a person's, live or open, or taken out with nothing live in its place."""
    rows = list(rows)
    live = {row.tool for row in rows if row.state == "applied"}
    return {
        row.tool: row
        for row in rows
        if row.by_hand and (row.state != "withdrawn" or row.tool not in live)
    }
