"""One spec into the catalog, in one transaction: what was added, changed, left alone, removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, LiteralString

import orjson
import psycopg
from psycopg.types.json import Json

from catalog.binding import binding_from_json, binding_to_json
from catalog.hashing import canonical, content_hasher, digest
from catalog.spec import Kind, Operation, ParsedSpec, Problem, Schema
from catalog.text import storable
from store.connection import json_bytes, translated
from store.rows import SavedSpec

_WAIT = "30s"
_UPSERT_SERVICE = """
INSERT INTO services (name, kind, version, identity, title, description, source, problems, reading)
VALUES (%(name)s, %(kind)s, %(version)s, %(identity)s, %(title)s, %(description)s, %(source)s,
        %(problems)s, %(reading)s)
ON CONFLICT (name) DO UPDATE SET
  kind = excluded.kind, version = excluded.version, identity = excluded.identity,
  title = excluded.title, description = excluded.description, source = excluded.source,
  problems = excluded.problems, reading = excluded.reading, ingested_at = now(),
  removed_at = NULL
RETURNING service_id, next_operation_id
"""
_COPY_OPERATIONS = """
COPY operations (service_id, operation_id, name, protocol, binding, summary, description,
                 input_schema, output_schema, tags, deprecated, content_hash) FROM STDIN
"""
_UPDATE_OPERATION = """
UPDATE operations SET protocol = %s, binding = %s, summary = %s, description = %s,
  input_schema = %s, output_schema = %s, tags = %s, deprecated = %s, content_hash = %s,
  changed_at = now()
WHERE service_id = %s AND name = %s
"""
_READINGS = """
SELECT s.service_id, s.name, s.source, s.kind, s.version, s.problems, s.reading,
       array(SELECT o.name FROM operations o WHERE o.service_id = s.service_id ORDER BY o.name)
FROM services s
WHERE s.removed_at IS NULL AND s.reading IS NOT NULL AND s.source = ANY(%s)
ORDER BY s.name
"""
_COPY_DEFINITIONS = "COPY definitions (service_id, name, schema, schema_hash) FROM STDIN"


@dataclass(frozen=True, slots=True)
class _Fit:
    """A spec made fit to keep, hashed before any lock is taken."""

    service: Mapping[str, Any]
    operations: Mapping[str, Operation]
    hashes: Mapping[str, str]
    definitions: Mapping[str, Schema]
    definition_hashes: Mapping[str, str]
    mended: int


def save_spec(
    conn: psycopg.Connection,
    parsed: ParsedSpec,
    source: str,
    reading: Mapping[str, Any] | None = None,
) -> SavedSpec:
    """Make the service what the spec says. Two at once: the second waits, or gives up (TryLater).

    Enrichments and samples of a removed operation stay, and find it again should it come back.
    `reading` is what `readings_of` gives back, until the service is saved or removed.
    """
    fit = _fitted(parsed, source, reading)
    with translated(), conn.transaction():
        conn.execute(f"SET LOCAL lock_timeout = '{_WAIT}'")
        row = conn.execute(_UPSERT_SERVICE, fit.service).fetchone()
        assert row is not None
        service_id, next_id = row
        _save_definitions(conn, service_id, fit)
        saved = _save_operations(conn, service_id, next_id, fit)
    _analyze_if_much(conn, saved)
    return saved


def _fitted(parsed: ParsedSpec, source: str, reading: Mapping[str, Any] | None) -> _Fit:
    operations, in_operations = _storable_operations(parsed.operations)
    definitions, in_definitions = dict(parsed.definitions), 0
    if not _is_storable(definitions):
        definitions, in_definitions = storable(definitions)
    service, in_service = storable(_service_values(parsed, source))
    hasher = content_hasher(definitions)
    return _Fit(
        {
            **service,
            "problems": Json(service["problems"], json_bytes),
            "reading": None if reading is None else Json(storable(reading)[0], json_bytes),
        },
        operations,
        {name: hasher(operation) for name, operation in operations.items()},
        definitions,
        {name: digest(canonical(schema)) for name, schema in definitions.items()},
        in_operations + in_definitions + in_service,
    )


def _service_values(parsed: ParsedSpec, source: str) -> dict[str, Any]:
    problems = [
        {"level": problem.level, "location": problem.location, "message": problem.message}
        for problem in parsed.problems
    ]
    return {
        "name": parsed.service,
        "kind": parsed.kind,
        "version": parsed.version,
        "identity": parsed.identity,
        "title": parsed.title,
        "description": parsed.description,
        "source": source,
        "problems": problems,
    }


def _storable_operations(given: tuple[Operation, ...]) -> tuple[dict[str, Operation], int]:
    pairs = [(op, 0) if _is_storable(op) else _storable_operation(op) for op in given]
    by_name = {operation.name: operation for operation, _ in pairs}
    if len(by_name) != len(given):
        raise ValueError("two operations of a spec share a name: one would be lost")
    return by_name, sum(mended for _, mended in pairs)


def _is_storable(value: Any) -> bool:
    """Ten times quicker than a walk: orjson refuses lone surrogates and writes NUL as an escape."""
    try:
        return b"\\u0000" not in orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return False


def _storable_operation(operation: Operation) -> tuple[Operation, int]:
    parts, mended = storable(
        {
            "binding": binding_to_json(operation.binding),
            "summary": operation.summary,
            "description": operation.description,
            "input_schema": operation.input_schema,
            "output_schema": operation.output_schema,
            "tags": list(operation.tags),
        }
    )
    parts["binding"] = binding_from_json(operation.protocol, parts["binding"])
    parts["tags"] = tuple(parts["tags"])
    return replace(operation, **parts), mended


def _save_definitions(conn: psycopg.Connection, service_id: int, fit: _Fit) -> None:
    had = _hashes(
        conn, "SELECT name, schema_hash FROM definitions WHERE service_id = %s", service_id
    )
    stale = [name for name, was in had.items() if fit.definition_hashes.get(name) != was]
    new = [name for name, is_now in fit.definition_hashes.items() if had.get(name) != is_now]
    conn.execute(
        "DELETE FROM definitions WHERE service_id = %s AND name = ANY(%s)", (service_id, stale)
    )
    with conn.cursor() as cursor, cursor.copy(_COPY_DEFINITIONS) as copy:
        for name in new:
            schema = json_bytes(fit.definitions[name]).decode()
            copy.write_row((service_id, name, schema, fit.definition_hashes[name]))


def _hashes(conn: psycopg.Connection, query: LiteralString, service_id: int) -> dict[str, str]:
    return dict(conn.execute(query, (service_id,)).fetchall())


def _save_operations(
    conn: psycopg.Connection, service_id: int, next_id: int, fit: _Fit
) -> SavedSpec:
    had = _hashes(
        conn, "SELECT name, content_hash FROM operations WHERE service_id = %s", service_id
    )
    added = [name for name in fit.hashes if name not in had]
    changed = [name for name, is_now in fit.hashes.items() if had.get(name, is_now) != is_now]
    removed = [name for name in had if name not in fit.hashes]
    _remove(conn, service_id, removed)
    _update(conn, service_id, changed, fit)
    _add(conn, service_id, next_id, added, fit)
    touched = {*added, *changed}
    unchanged = tuple(sorted(name for name in fit.hashes if name not in touched))
    return SavedSpec(
        fit.service["name"],
        tuple(sorted(added)),
        tuple(sorted(changed)),
        unchanged,
        tuple(sorted(removed)),
        fit.mended,
    )


def _remove(conn: psycopg.Connection, service_id: int, names: list[str]) -> None:
    if names:
        conn.execute(
            "DELETE FROM operations WHERE service_id = %s AND name = ANY(%s)", (service_id, names)
        )


def _update(conn: psycopg.Connection, service_id: int, names: list[str], fit: _Fit) -> None:
    if names:
        with conn.cursor() as cursor:
            cursor.executemany(
                _UPDATE_OPERATION,
                [(*_values(fit, name), service_id, name) for name in names],
            )


def _add(
    conn: psycopg.Connection, service_id: int, next_id: int, names: list[str], fit: _Fit
) -> None:
    if not names:
        return
    with conn.cursor() as cursor, cursor.copy(_COPY_OPERATIONS) as copy:
        for operation_id, name in enumerate(names, next_id):
            copy.write_row((service_id, operation_id, name, *_values(fit, name)))
    conn.execute(
        "UPDATE services SET next_operation_id = %s WHERE service_id = %s",
        (next_id + len(names), service_id),
    )


def _values(fit: _Fit, name: str) -> tuple[Any, ...]:
    """The columns from `protocol` to `content_hash`, json as text."""
    operation = fit.operations[name]
    output = operation.output_schema
    return (
        operation.protocol,
        json_bytes(operation.binding).decode(),
        operation.summary,
        operation.description,
        json_bytes(operation.input_schema).decode(),
        None if output is None else json_bytes(output).decode(),
        list(operation.tags),
        operation.deprecated,
        fit.hashes[name],
    )


def _analyze_if_much(conn: psycopg.Connection, saved: SavedSpec) -> None:
    """Statistics for the planner: the embedded server often stops before autovacuum looks."""
    if len(saved.added) + len(saved.changed) + len(saved.removed) > 500:
        with translated():
            conn.execute("ANALYZE operations, definitions")


@dataclass(frozen=True, slots=True)
class KeptReading:
    """A service as its source was last read: what was said of it, and what that depended on."""

    service_id: int
    service: str
    source: str
    kind: Kind
    version: str
    problems: tuple[Problem, ...]
    reading: Mapping[str, Any]
    tools: tuple[str, ...]


def readings_of(conn: psycopg.Connection, sources: Iterable[str]) -> list[KeptReading]:
    """The services that were read from these sources, by name."""
    wanted = [storable(source)[0] for source in sources]
    with translated():
        rows = conn.execute(_READINGS, (wanted,)).fetchall()
    return [_kept(*row) for row in rows]


def _kept(
    service_id: int,
    service: str,
    source: str,
    kind: Kind,
    version: str,
    problems: list[dict[str, Any]],
    reading: dict[str, Any],
    tools: list[str],
) -> KeptReading:
    said = tuple(Problem(**problem) for problem in problems)
    return KeptReading(service_id, service, source, kind, version, said, reading, tuple(tools))


def note_read_again(conn: psycopg.Connection, service_ids: Iterable[int]) -> None:
    """The sources were looked at now, and are as they were."""
    with translated():
        conn.execute(
            "UPDATE services SET ingested_at = now() WHERE service_id = ANY(%s)",
            (list(service_ids),),
        )
