"""What leaving and coming back need to know of texts beyond their rows."""

from __future__ import annotations

from collections.abc import Sequence

import psycopg

from store.connection import translated


def written_for(conn: psycopg.Connection, services: Sequence[int]) -> dict[int, str]:
    """Enrichment id → content hash of the operation it was written for; live and open texts."""
    query = (
        "SELECT enrichment_id, content_hash FROM enrichments"
        " WHERE service_id = ANY(%s) AND state IN ('applied', 'proposed')"
    )
    with translated():
        return dict(conn.execute(query, (list(services),)).fetchall())


def ever_live(conn: psycopg.Connection, service_id: int) -> frozenset[str]:
    """Tools that have, or once had, a live text in this catalog."""
    query = (
        "SELECT DISTINCT tool FROM enrichments WHERE service_id = %s AND decided_at IS NOT NULL"
        " AND state IN ('applied', 'replaced', 'reverted', 'withdrawn')"
    )
    with translated():
        return frozenset(tool for (tool,) in conn.execute(query, (service_id,)))


def held(conn: psycopg.Connection, service_id: int, tool: str) -> int | None:
    """The id of the live text, 0 for none, None for a tool that is gone. Until the transaction
    ends nobody else who asks so gets an answer."""
    with translated():
        there = conn.execute(
            "SELECT 1 FROM operations WHERE service_id = %s AND name = %s FOR UPDATE",
            (service_id, tool),
        ).fetchone()
        if there is None:
            return None
        live = conn.execute(
            "SELECT enrichment_id FROM enrichments"
            " WHERE service_id = %s AND tool = %s AND state = 'applied'",
            (service_id, tool),
        ).fetchone()
    return int(live[0]) if live else 0
