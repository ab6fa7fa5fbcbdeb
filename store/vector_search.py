"""Vectors compared: an exact scan of a small catalog, pgvector's HNSW index over a large one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from psycopg import Connection
from psycopg.rows import class_row

from store.index import MAX_INDEXED_WIDTH
from store.index_saving import literal
from store.retrieval import Found, Key

if TYPE_CHECKING:
    from store.index import Vector


@dataclass(frozen=True, slots=True)
class PhraseScore:
    """How near a part of the query is to what the enriched text tells, and to its nearest name."""

    part: int
    service_id: int
    operation_id: int
    told: float
    named: float


_SERVICES = "AND service_id = ANY(%(services)s)"


def nearest(
    conn: Connection,
    model: str,
    vectors: Sequence[Vector],
    services: Sequence[int] | None,
    limit: int,
    *,
    approximate: bool,
) -> list[Found]:
    """The tools whose ranked vector is nearest to each given one, by cosine (all have length one).

    With the approximate index, the scan goes on until the filter has let `limit` rows through
    (pgvector's iterative scan), so a rare service loses nothing.
    """
    found: list[Found] = []
    model_sql = _quoted(model).replace("%", "%%")  # a literal, or no partial index is used
    where = f"model = {model_sql} {_SERVICES if services is not None else ''}"
    scope = conn.transaction() if approximate else nullcontext()
    with scope, conn.cursor(row_factory=class_row(Found)) as cursor:
        if approximate:
            cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {min(max(4 * limit, 100), 1000)}")
        for part, vector in enumerate(vectors):
            column = f"mixed::halfvec({len(vector)})" if approximate else "mixed"
            found += cursor.execute(
                f"""
                SELECT %(part)s::int AS part, service_id, operation_id,
                       -({column} <#> %(vector)s::halfvec) AS score
                FROM embeddings
                WHERE {where}
                ORDER BY {column} <#> %(vector)s::halfvec LIMIT %(limit)s
                """,
                {
                    "part": part,
                    "vector": literal(vector),
                    "services": None if services is None else list(services),
                    "limit": limit,
                },
            ).fetchall()
    return found


def phrase_scores(
    conn: Connection, keys: Sequence[Key], model: str, vectors: Sequence[Vector]
) -> list[PhraseScore]:
    """How near the pieces of enriched text are to each vector; nothing for tools without."""
    with conn.cursor(row_factory=class_row(PhraseScore)) as cursor:
        return cursor.execute(
            """
            SELECT q.part::int - 1 AS part, k.service AS service_id, k.operation AS operation_id,
                   max(-(v.vector <#> q.vector)) FILTER (WHERE piece.place = 1) AS told,
                   max(-(v.vector <#> q.vector)) FILTER (WHERE piece.place > 1) AS named
            FROM unnest(%(services)s::bigint[], %(operations)s::bigint[]) AS k (service, operation)
            JOIN embeddings e ON e.service_id = k.service AND e.operation_id = k.operation
                AND e.model = %(model)s
            CROSS JOIN LATERAL unnest(e.phrase_hashes) WITH ORDINALITY AS piece (hash, place)
            JOIN vectors v ON v.service_id = k.service AND v.model = e.model
                AND v.text_hash = piece.hash
            CROSS JOIN unnest(%(vectors)s::halfvec[]) WITH ORDINALITY AS q (vector, part)
            GROUP BY 1, 2, 3
            """,
            {
                "services": [service for service, _ in keys],
                "operations": [operation for _, operation in keys],
                "model": model,
                "vectors": [literal(vector) for vector in vectors],
            },
        ).fetchall()


def has_approximate_index(conn: Connection, model: str, width: int) -> bool:
    row = conn.execute(
        "SELECT FROM pg_indexes WHERE schemaname = current_schema() AND indexname = %s",
        (_index_name(model, width),),
    ).fetchone()
    return row is not None


def make_approximate_index(conn: Connection, model: str, width: int) -> None:
    """An HNSW index over the vectors of one model; the caller decides whether it pays."""
    if width > MAX_INDEXED_WIDTH:
        return
    with conn.transaction():
        conn.execute("SET LOCAL maintenance_work_mem = '512MB'")
        conn.execute(
            f"CREATE INDEX IF NOT EXISTS {_index_name(model, width)} ON embeddings"
            f" USING hnsw ((mixed::halfvec({width})) halfvec_ip_ops)"
            f" WHERE model = {_quoted(model)}"
        )


def drop_approximate_indexes(conn: Connection, *, keep_model: str, width: int) -> None:
    """Drops the indexes over the vectors of every model but one."""
    rows = conn.execute(
        "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
        " AND indexname LIKE 'embeddings_hnsw_%%' AND indexname <> %s",
        (_index_name(keep_model, width),),
    ).fetchall()
    for (name,) in rows:
        conn.execute(f"DROP INDEX IF EXISTS {name}")


def _index_name(model: str, width: int) -> str:
    return f"embeddings_hnsw_{sha256(model.encode()).hexdigest()[:12]}_{width}"


def _quoted(model: str) -> str:
    """As a literal: an index over the rows of one model is used only if the plan can see which."""
    from psycopg.sql import Literal

    return Literal(model).as_string(None)
