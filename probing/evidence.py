"""What is known of a tool's response: the shape of its samples, and tools that have nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from probing.merging import merged
from probing.opaque import is_opaque
from store.catalog import definitions_of, find_service, list_services, operations_to_index
from store.samples import last_samples, shapes_of


def shapes(connection: Connection, service_id: int) -> dict[str, dict[str, Any]]:
    """Tool → one shape for all its samples."""
    found = shapes_of(connection, service_id).items()
    return {tool: whole for tool, listed in found if (whole := merged(listed)) is not None}


def missing(connection: Connection, service: str | None = None) -> list[dict[str, str]]:
    """Tools with neither a response type that says something nor a sample, and what was tried."""
    chosen = [find_service(connection, service)] if service else list_services(connection)
    found = []
    for row in chosen:
        known = shapes_of(connection, row.service_id)
        definitions = definitions_of(connection, row.service_id)
        last = last_samples(connection, row.service_id)
        for _, operation, _, _ in operations_to_index(connection, row.name):
            if operation.name not in known and is_opaque(operation, definitions):
                tried = last.get(operation.name)
                found.append(
                    {
                        "id": operation.id,
                        "outcome": tried.outcome if tried else "",
                        "detail": tried.detail if tried else "never probed",
                    }
                )
    return found


def outcome_of(connection: Connection, service_id: int, tool: str) -> dict[str, Any] | None:
    """The newest outcome of a probe or trace, as it is shown."""
    last = last_samples(connection, service_id).get(tool)
    if last is None:
        return None
    return {
        "origin": last.origin,
        "outcome": last.outcome,
        "detail": last.detail,
        "recorded_at": last.recorded_at.isoformat(),
        "values_kept": last.values_kept,
        "contradictions": list(last.contradictions),
    }


def sentence(outcome: dict[str, Any]) -> str:
    parts: Sequence[str] = (outcome["outcome"], outcome["detail"])
    return ", ".join(part for part in parts if part)
