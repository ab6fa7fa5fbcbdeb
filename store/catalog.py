"""The catalog: what services and tools there are. Every function takes a connection first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import psycopg
from psycopg.rows import class_row, scalar_row, tuple_row

from catalog.binding import binding_from_json
from catalog.errors import NotFound
from catalog.hashing import references
from catalog.spec import Operation, Schema
from catalog.text import storable
from store.connection import translated
from store.rows import CatalogCounts, Enriched, SavedSpec, ServiceRow, ToolRow
from store.saving import save_spec

__all__ = [
    "CatalogCounts",
    "Enriched",
    "SavedSpec",
    "ServiceRow",
    "ToolRow",
    "catalog_counts",
    "definitions_of",
    "find_service",
    "find_tool",
    "list_services",
    "list_tools",
    "operation_of",
    "operations_to_index",
    "opt_in",
    "opt_out",
    "reached_definitions",
    "remove_service",
    "save_spec",
    "service_identity",
]

_BATCH = 500
_SERVICES = """
SELECT s.service_id, s.name, s.kind, s.version, s.identity, s.title, s.description, s.source,
       (SELECT count(*) FROM operations o WHERE o.service_id = s.service_id) AS operations,
       s.opted_in, s.ingested_at
FROM services s WHERE s.removed_at IS NULL AND (%(name)s::text IS NULL OR s.name = %(name)s)
ORDER BY s.name
"""
_TOOLS = """
SELECT s.service_id, o.operation_id, s.name, o.name, o.protocol, o.binding, o.summary,
       o.description, o.tags, o.deprecated, o.content_hash,
       e.name, e.description, e.aliases, e.limits, e.content_hash
FROM services s JOIN operations o ON o.service_id = s.service_id
LEFT JOIN enrichments e
  ON e.service_id = o.service_id AND e.tool = o.name AND e.state = 'applied'
WHERE s.removed_at IS NULL AND (%(service)s::text IS NULL OR s.name = %(service)s)
  AND (%(tool)s::text IS NULL OR o.name = %(tool)s)
ORDER BY s.name, o.name
"""
_OPERATIONS = """
SELECT operation_id, content_hash, name, protocol, binding, summary, description, input_schema,
       output_schema, tags, deprecated
FROM operations WHERE service_id = %s AND operation_id > %s ORDER BY operation_id LIMIT %s
"""
_ONE_OPERATION = """
SELECT operation_id, content_hash, name, protocol, binding, summary, description, input_schema,
       output_schema, tags, deprecated
FROM operations WHERE service_id = %s AND operation_id = %s
"""
_COUNTS = """
SELECT (SELECT count(*) FROM services WHERE removed_at IS NULL) AS services,
       (SELECT count(*) FROM operations) AS operations,
       (SELECT count(*) FROM enrichments e WHERE state = 'applied' AND EXISTS (SELECT FROM
         operations o WHERE o.service_id = e.service_id AND o.name = e.tool)) AS enriched,
       (SELECT count(*) FROM enrichments e WHERE state = 'proposed' AND EXISTS (SELECT FROM
         operations o WHERE o.service_id = e.service_id AND o.name = e.tool)) AS proposed
"""


def list_services(conn: psycopg.Connection) -> list[ServiceRow]:
    return _services(conn, None)


def find_service(conn: psycopg.Connection, name: str) -> ServiceRow:
    found = _services(conn, name)
    if not found:
        raise _no_service(conn, name)
    return found[0]


def _services(conn: psycopg.Connection, name: str | None) -> list[ServiceRow]:
    with translated(), conn.cursor(row_factory=class_row(ServiceRow)) as cursor:
        return cursor.execute(_SERVICES, {"name": _asked(name)}).fetchall()


def _asked(name: str | None) -> str | None:
    """A name as people typed it; bytes that are no text reach us as lone surrogates."""
    return None if name is None else storable(name)[0]


def _no_service(conn: psycopg.Connection, name: str) -> NotFound:
    names = [service.name for service in list_services(conn)]
    hint = _near(name, names) or ("gloss services" if names else "gloss ingest SPEC…")
    return NotFound(f"no service named {name}", hint=hint)


def _near(wanted: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in names}
    close = get_close_matches(wanted.lower(), list(by_lower), n=3, cutoff=0.6)
    return f"did you mean {', '.join(by_lower[name] for name in close)}?" if close else ""


def service_identity(conn: psycopg.Connection, name: str) -> tuple[str, str] | None:
    """Identity and source of the service that has the name now; None when it is free."""
    with translated():
        return conn.execute(
            "SELECT identity, source FROM services WHERE name = %s AND removed_at IS NULL",
            (_asked(name),),
        ).fetchone()


def services_from(conn: psycopg.Connection, source: str) -> list[str]:
    """Names of the services that were read from a source, by name."""
    with translated():
        rows = conn.execute(
            "SELECT name FROM services WHERE source = %s AND removed_at IS NULL ORDER BY name",
            (_asked(source),),
        ).fetchall()
    return [name for (name,) in rows]


def list_tools(conn: psycopg.Connection, service: str | None = None) -> list[ToolRow]:
    """Tools by id; NotFound for a service that is not there, an empty list for one without."""
    if service is not None:
        find_service(conn, service)
    return _tools(conn, service, None)


def find_tool(conn: psycopg.Connection, tool_id: str) -> ToolRow:
    service, _, name = tool_id.partition("/")
    found = _tools(conn, service, name) if name else []
    if not found:
        raise _no_tool(conn, tool_id)
    return found[0]


def _no_tool(conn: psycopg.Connection, tool_id: str) -> NotFound:
    with translated(), conn.cursor(row_factory=scalar_row) as cursor:
        ids = cursor.execute(
            "SELECT s.name || '/' || o.name FROM operations o JOIN services s USING (service_id)"
            " WHERE s.removed_at IS NULL"
        ).fetchall()
    wanted = tool_id.rpartition("/")[2].lower()
    same_name = sorted(i for i in ids if i.rpartition("/")[2].lower() == wanted)[:3]
    hint = f"did you mean {', '.join(same_name)}?" if same_name else _near(tool_id, ids)
    return NotFound(f"no tool named {tool_id}", hint=hint or "gloss tools")


def _tools(conn: psycopg.Connection, service: str | None, tool: str | None) -> list[ToolRow]:
    with translated(), conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute(_TOOLS, {"service": _asked(service), "tool": _asked(tool)})
        return [_tool(row) for row in cursor]


def _tool(row: tuple[Any, ...]) -> ToolRow:
    service_id, operation_id, service, name, protocol, binding = row[:6]
    summary, description, tags, deprecated, content_hash = row[6:11]
    return ToolRow(
        service_id,
        operation_id,
        service,
        name,
        protocol,
        binding_from_json(protocol, binding),
        summary,
        description,
        tuple(tags),
        deprecated,
        content_hash,
        _enriched(row[11:], content_hash),
    )


def _enriched(columns: tuple[Any, ...], content_hash: str) -> Enriched | None:
    name, description, aliases, limits, written_for = columns
    if name is None:
        return None
    return Enriched(name, description, tuple(aliases), limits, written_for != content_hash)


def operation_of(conn: psycopg.Connection, tool_id: str) -> Operation:
    """The operation with its schemas, as the spec has it."""
    tool = find_tool(conn, tool_id)
    with translated():
        row = conn.execute(_ONE_OPERATION, (tool.service_id, tool.operation_id)).fetchone()
    if row is None:
        raise NotFound(f"{tool_id} was removed just now")
    return _operation(tool.service, row)


def _operation(service: str, row: Sequence[Any]) -> Operation:
    _, _, name, protocol, binding, summary, description, given, returned, tags, deprecated = row
    return Operation(
        service,
        name,
        protocol,
        binding_from_json(protocol, binding),
        summary,
        description,
        given,
        returned,
        tuple(tags),
        deprecated,
    )


def operations_to_index(
    conn: psycopg.Connection, service: str | None = None
) -> Iterator[tuple[ServiceRow, Operation, int, str]]:
    """Each operation with its id and content hash, read in batches as it is asked for."""
    services = list_services(conn) if service is None else [find_service(conn, service)]
    for owner in services:
        for row in _operation_rows(conn, owner.service_id):
            yield owner, _operation(owner.name, row), row[0], row[1]


def _operation_rows(conn: psycopg.Connection, service_id: int) -> Iterator[tuple[Any, ...]]:
    last = -1
    while True:
        with translated():
            rows = conn.execute(_OPERATIONS, (service_id, last, _BATCH)).fetchall()
        yield from rows
        if len(rows) < _BATCH:
            return
        last = rows[-1][0]


def definitions_of(
    conn: psycopg.Connection, service_id: int, names: Iterable[str] | None = None
) -> dict[str, Schema]:
    """Definitions of a service by name: all, or those of `names` that exist."""
    wanted = None if names is None else list(names)
    with translated():
        rows = conn.execute(
            "SELECT name, schema FROM definitions WHERE service_id = %s"
            " AND (%s::text[] IS NULL OR name = ANY(%s)) ORDER BY name",
            (service_id, wanted, wanted),
        ).fetchall()
    return dict(rows)


def reached_definitions(
    conn: psycopg.Connection, service_id: int, roots: Iterable[str]
) -> dict[str, Schema]:
    """The named definitions and all that they reach, one query a level."""
    found: dict[str, Schema] = {}
    level = set(roots)
    while level:
        fresh = definitions_of(conn, service_id, level)
        found.update(fresh)
        level = {name for schema in fresh.values() for name in references(schema)} - found.keys()
    return found


def remove_service(conn: psycopg.Connection, name: str) -> int:
    """How many tools went. Enrichments and samples stay for the day the service comes back."""
    service = find_service(conn, name)
    with translated(), conn.transaction():
        conn.execute("SET LOCAL lock_timeout = '30s'")
        conn.execute(
            "UPDATE services SET removed_at = now() WHERE service_id = %s", (service.service_id,)
        )
        conn.execute("DELETE FROM definitions WHERE service_id = %s", (service.service_id,))
        gone = conn.execute("DELETE FROM operations WHERE service_id = %s", (service.service_id,))
        return gone.rowcount


def opt_in(conn: psycopg.Connection, names: Iterable[str]) -> None:
    _opt(conn, names, True)


def opt_out(conn: psycopg.Connection, names: Iterable[str]) -> None:
    _opt(conn, names, False)


def _opt(conn: psycopg.Connection, names: Iterable[str], opted_in: bool) -> None:
    """All or none: an unknown name changes nothing."""
    ids = [find_service(conn, name).service_id for name in names]
    with translated():
        conn.execute(
            "UPDATE services SET opted_in = %s WHERE service_id = ANY(%s)", (opted_in, ids)
        )


def service_names(conn: psycopg.Connection, begun: str) -> list[str]:
    with translated():
        rows = conn.execute(
            "SELECT name FROM services WHERE removed_at IS NULL AND starts_with(name, %s)"
            " ORDER BY name",
            (begun,),
        ).fetchall()
    return [name for (name,) in rows]


def tool_ids(conn: psycopg.Connection, service: str, begun: str) -> list[str]:
    """The ids of one service's tools whose names begin so."""
    with translated():
        rows = conn.execute(
            "SELECT s.name || '/' || o.name FROM operations o JOIN services s USING (service_id)"
            " WHERE s.removed_at IS NULL AND s.name = %s AND starts_with(o.name, %s) ORDER BY 1",
            (service, begun),
        ).fetchall()
    return [tool_id for (tool_id,) in rows]


def catalog_counts(conn: psycopg.Connection) -> CatalogCounts:
    with translated(), conn.cursor(row_factory=class_row(CatalogCounts)) as cursor:
        counts = cursor.execute(_COUNTS).fetchone()
    assert counts is not None
    return counts
