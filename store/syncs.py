"""What `gloss sync` did last for each service, so that a night without changes costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from store.connection import translated


@dataclass(frozen=True, slots=True)
class SyncState:
    """`probed` and `enriched` are marks of what was worked on; `…_tries` counts the nights on which
    a part of it failed, 0 where all went well. `succeeded_at` is None before the first success."""

    succeeded_at: datetime | None = None
    probed: str = ""
    probe_tries: int = 0
    enriched: str = ""
    enrich_tries: int = 0


def sync_state(conn: psycopg.Connection, service_id: int) -> SyncState:
    with translated(), conn.cursor(row_factory=class_row(SyncState)) as cursor:
        found = cursor.execute(
            "SELECT succeeded_at, probed, probe_tries, enriched, enrich_tries"
            " FROM synced_services WHERE service_id = %s",
            (service_id,),
        ).fetchone()
    return found or SyncState()


def note_probed(conn: psycopg.Connection, service_id: int, mark: str, tries: int) -> None:
    _note(conn, "probed = %(mark)s, probe_tries = %(tries)s", service_id, mark, tries)


def note_enriched(conn: psycopg.Connection, service_id: int, mark: str, tries: int) -> None:
    _note(conn, "enriched = %(mark)s, enrich_tries = %(tries)s", service_id, mark, tries)


def note_success(conn: psycopg.Connection, service_id: int) -> None:
    _note(conn, "succeeded_at = now()", service_id)


def _note(
    conn: psycopg.Connection, what: str, service_id: int, mark: str = "", tries: int = 0
) -> None:
    values = {"service": service_id, "mark": mark, "tries": tries}
    update = f"UPDATE synced_services SET {what} WHERE service_id = %(service)s"
    with translated(), conn.transaction():
        conn.execute(
            "INSERT INTO synced_services (service_id) VALUES (%(service)s) ON CONFLICT DO NOTHING",
            values,
        )
        conn.execute(update.encode(), values)


def synced_since(conn: psycopg.Connection, since: datetime | None) -> dict[str, datetime]:
    """Services by name with their last success, where that was at or after `since`."""
    with translated():
        rows = conn.execute(
            "SELECT s.name, y.succeeded_at FROM synced_services y JOIN services s USING"
            " (service_id) WHERE s.removed_at IS NULL AND y.succeeded_at IS NOT NULL"
            " AND (%(since)s::timestamptz IS NULL OR y.succeeded_at >= %(since)s) ORDER BY s.name",
            {"since": since},
        ).fetchall()
    return dict(rows)


def operations_mark(conn: psycopg.Connection, service_id: int) -> str:
    """The same as long as no operation of the service comes, goes or changes."""
    return _mark(
        conn,
        "SELECT md5(string_agg(name || ' ' || content_hash, ',' ORDER BY operation_id))"
        " FROM operations WHERE service_id = %s",
        service_id,
    )


def samples_mark(conn: psycopg.Connection, service_id: int) -> str:
    """The same as long as no new shape of an answer is known."""
    return _mark(
        conn,
        "SELECT md5(string_agg(tool || ' ' || shape_hash, ',' ORDER BY tool, shape_hash))"
        " FROM samples WHERE service_id = %s AND shape IS NOT NULL",
        service_id,
    )


def _mark(conn: psycopg.Connection, query: str, service_id: int) -> str:
    with translated():
        row = conn.execute(query.encode(), (service_id,)).fetchone()
    return (row[0] if row else None) or "none"


def waiting(conn: psycopg.Connection, services: Sequence[int]) -> dict[int, int]:
    """How many proposals of each service wait for a decision."""
    with translated():
        rows = conn.execute(
            "SELECT e.service_id, count(*) FROM enrichments e JOIN operations o"
            " ON o.service_id = e.service_id AND o.name = e.tool"
            " WHERE e.state = 'proposed' AND e.service_id = ANY(%s) GROUP BY e.service_id",
            (list(services),),
        ).fetchall()
    return dict(rows)


def searches_lately(conn: psycopg.Connection, hours: int) -> tuple[int, int]:
    """How many searches there were in the last hours, and how many of them nothing fitted."""
    with translated():
        row = conn.execute(
            "SELECT count(*), count(*) FILTER (WHERE NOT fits) FROM search_log"
            " WHERE searched_at >= now() - make_interval(hours => %s)",
            (hours,),
        ).fetchone()
    return (row[0], row[1]) if row else (0, 0)
