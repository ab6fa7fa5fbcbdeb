"""Decisions on texts that no person makes, the way back from others, and what a run took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

import psycopg
from psycopg.rows import class_row

from store.connection import translated
from store.enrichments import EnrichmentRow, set_state


def withdraw(conn: psycopg.Connection, row: EnrichmentRow, reason: str) -> int:
    """Take a live text out of discovery because its operation has changed under it."""
    with translated():
        return set_state(conn, row, "withdrawn", "ingest", reason)


def still_right(conn: psycopg.Connection, row: EnrichmentRow, content_hash: str) -> None:
    """Note that the operation changed in nothing that the text rests on."""
    with translated():
        conn.execute(
            "UPDATE enrichments SET content_hash = %s WHERE service_id = %s AND enrichment_id = %s",
            (content_hash, row.service_id, row.enrichment_id),
        )


def put_back(
    conn: psycopg.Connection, service_id: int, tool: str, rows: Sequence[EnrichmentRow]
) -> None:
    """Undo decisions on a tool: `rows` are its live and open texts as they were before."""
    kept = [row.enrichment_id for row in rows]
    with translated(), conn.transaction():
        conn.execute(
            "UPDATE enrichments SET state = CASE WHEN enrichment_id = ANY(%(kept)s)"
            " THEN 'replaced' ELSE 'reverted' END"
            " WHERE service_id = %(service)s AND tool = %(tool)s"
            " AND (state IN ('proposed', 'applied') OR enrichment_id = ANY(%(kept)s))",
            {"kept": kept, "service": service_id, "tool": tool},
        )
        for row in rows:
            conn.execute(
                "UPDATE enrichments SET state = %s, decided_at = %s, decided_by = %s, reason = %s"
                " WHERE service_id = %s AND enrichment_id = %s",
                (
                    row.state, row.decided_at, row.decided_by, row.reason,
                    service_id, row.enrichment_id,
                ),
            )  # fmt: skip


def judged(
    conn: psycopg.Connection,
    row: EnrichmentRow,
    gain: float | None,
    against: str,
    gate: str = "",
) -> None:
    """Note what a proposal gains in search; with words against it, it is rejected for them."""
    state = "rejected" if against else "proposed"
    with translated():
        conn.execute(
            "UPDATE enrichments SET gain = %s, gate = %s, state = %s, reason = %s,"
            " decided_at = CASE WHEN %s THEN now() END,"
            " decided_by = CASE WHEN %s THEN 'gate' ELSE '' END"
            " WHERE service_id = %s AND enrichment_id = %s AND state = 'proposed'",
            (
                gain, gate, state, against, bool(against), bool(against),
                row.service_id, row.enrichment_id,
            ),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run took, failures included. `cost_usd` is 0 where prices were not known."""

    run_id: UUID
    texts: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal


def spent(conn: psycopg.Connection, run_ids: Sequence[UUID]) -> list[Spent]:
    """The oldest run first."""
    query = (
        "SELECT run_id, count(*) AS texts, count(*) FILTER (WHERE state = 'failed') AS failed,"
        " sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,"
        " sum(cost_usd) AS cost_usd FROM enrichments WHERE run_id = ANY(%s)"
        " GROUP BY run_id ORDER BY min(created_at)"
    )
    with translated(), conn.cursor(row_factory=class_row(Spent)) as cursor:
        return cursor.execute(query, (list(run_ids),)).fetchall()
