"""Decisions on texts that no person makes, the way back from others, and what a run took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, slots=True)
class Measured:
    """What questions of the suite `gate` say of a proposal: the mean change of the reciprocal rank,
    None where none asks for its tool, and the middle rank, None where it is not among the hits."""

    gate: str
    cases: int = 0
    gain: float | None = None
    rank_before: int | None = None
    rank_after: int | None = None


def judged(conn: psycopg.Connection, row: EnrichmentRow, found: Measured, against: str) -> None:
    """Note what a proposal gains in search; with words against it, it is rejected for them."""
    values = asdict(found) | {
        "state": "rejected" if against else "proposed",
        "against": against,
        "no": bool(against),
        "service": row.service_id,
        "text": row.enrichment_id,
    }
    with translated():
        conn.execute(
            "UPDATE enrichments SET gain = %(gain)s, gate = %(gate)s, gate_cases = %(cases)s,"
            " rank_before = %(rank_before)s, rank_after = %(rank_after)s,"
            " state = %(state)s, reason = %(against)s,"
            " decided_at = CASE WHEN %(no)s THEN now() END,"
            " decided_by = CASE WHEN %(no)s THEN 'gate' ELSE '' END"
            " WHERE service_id = %(service)s AND enrichment_id = %(text)s AND state = 'proposed'",
            values,
        )


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
