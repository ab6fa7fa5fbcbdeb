"""What short forms are learnt from: the indexed words of a service's operations."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg import Connection


def indexed_terms(
    conn: Connection, service_id: int
) -> Iterator[tuple[list[str], list[str] | None]]:
    """The lexemes of each operation field by field, and of its live text."""
    yield from conn.execute(
        """
        SELECT o.terms, e.terms FROM documents o
        LEFT JOIN documents e ON e.service_id = o.service_id
          AND e.operation_id = o.operation_id AND e.kind = 'enriched'
        WHERE o.service_id = %s AND o.kind = 'original'
        """,
        (service_id,),
    )


def spellings(conn: Connection, service_id: int) -> dict[str, str]:
    """A word for each lexeme: the shortest that the service writes."""
    rows = conn.execute(
        "SELECT term, word FROM vocabulary WHERE service_id = %s"
        " ORDER BY length(word) DESC, word DESC",
        (service_id,),
    )
    return dict(rows.fetchall())
