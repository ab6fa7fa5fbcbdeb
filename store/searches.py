"""The log of searches: what was asked, what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import uuid4

from psycopg import Connection
from psycopg.types.json import Jsonb

from catalog.text import storable


def log_search(
    conn: Connection,
    origin: str,
    query: str,
    services: Sequence[str],
    k: int,
    context: str,
    hits: Sequence[Mapping[str, Any]],
    took_ms: float,
) -> str:
    """Writes down what was asked and found; the context only as a hash. Returns the search's id."""
    search_id = uuid4()
    hashed = sha256(context.encode("utf-8", "replace")).hexdigest() if context else None
    text, _ = storable(query)
    conn.execute(
        "INSERT INTO search_log"
        " (search_id, origin, query, context_hash, services, k, took_ms, hits)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        (search_id, origin, text, hashed, list(services), k, took_ms, Jsonb(list(hits))),
    )
    return str(search_id)
