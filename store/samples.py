"""What calls returned, as shapes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import psycopg

from store.connection import translated


def shapes_of(conn: psycopg.Connection, service_id: int) -> dict[str, list[dict[str, Any]]]:
    """Tool → the distinct shapes recorded for it, newest first; a shape is a JSON Schema."""
    query = (
        "SELECT tool, shape FROM samples WHERE service_id = %s AND shape IS NOT NULL"
        " ORDER BY tool, recorded_at DESC"
    )
    with translated():
        rows = conn.execute(query, (service_id,)).fetchall()
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for tool, shape in rows:
        if shape not in found[tool]:
            found[tool].append(shape)
    return dict(found)
