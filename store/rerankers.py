"""The reranker of a catalog and the labelled questions that it remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from store.retrieval import Key

_BATCH = 2000
VOTE = 20.0
"""How fast a remembered question's voice fades with its distance."""


@dataclass(frozen=True, slots=True)
class StoredReranker:
    model: str
    weights: Mapping[str, Any]
    card: Mapping[str, Any]
    trained_at: datetime


@dataclass(frozen=True, slots=True)
class Remembered:
    """A question, known by its hash, and the tool that is right for it."""

    service_id: int
    operation_id: int
    query_hash: str
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like a question is to those that a tool is known to be right for: the best cosine, the
    mean of the best three (the missing count 0), and the sum of exp(VOTE · (cosine − 1))."""

    service_id: int
    operation_id: int
    best: float
    three: float
    mass: float
    examples: int


def stored_reranker(conn: Connection) -> StoredReranker | None:
    with conn.cursor(row_factory=class_row(StoredReranker)) as cursor:
        return cursor.execute("SELECT model, weights, card, trained_at FROM reranker").fetchone()


def save_reranker(
    conn: Connection,
    model: str,
    weights: Mapping[str, Any],
    card: Mapping[str, Any],
    examples: Sequence[Remembered],
) -> None:
    """Takes the place of the one before in one transaction."""
    with conn.transaction():
        forget_reranker(conn)
        conn.execute(
            "INSERT INTO reranker (id, model, weights, card) VALUES (1, %s, %s, %s)",
            (model, Jsonb(weights), Jsonb(card)),
        )
        for start in range(0, len(examples), _BATCH):
            _save_examples(conn, examples[start : start + _BATCH])


def forget_reranker(conn: Connection) -> bool:
    """Back to the packaged ranking; False when it was so already."""
    with conn.transaction():
        conn.execute("DELETE FROM reranker_examples")
        return conn.execute("DELETE FROM reranker").rowcount > 0


def _save_examples(conn: Connection, examples: Sequence[Remembered]) -> None:
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO reranker_examples (service_id, operation_id, query_hash, vector)"
            " VALUES (%s, %s, %s, %s::real[]::halfvec) ON CONFLICT DO NOTHING",
            [(e.service_id, e.operation_id, e.query_hash, list(e.vector)) for e in examples],
        )


def likeness(
    conn: Connection,
    keys: Sequence[Key],
    vectors: Sequence[Sequence[float]],
    without: Sequence[str] = (),
) -> list[Likeness]:
    """For each tool, in the order of `keys`; of several vectors (a request and its parts) the
    nearest counts. Examples whose hash is in `without` are passed over."""
    with conn.cursor(row_factory=class_row(Likeness)) as cursor:
        rows = cursor.execute(
            _LIKENESS,
            {
                "services": [service for service, _ in keys],
                "operations": [operation for _, operation in keys],
                "vectors": [f"[{','.join(map(str, vector))}]" for vector in vectors],
                "without": list(without),
            },
        ).fetchall()
    found = {(row.service_id, row.operation_id): row for row in rows}
    return [found.get(key) or Likeness(*key, 0.0, 0.0, 0.0, 0) for key in keys]


_LIKENESS = f"""
SELECT service_id, operation_id, max(cosine)::float8 AS best,
       (sum(cosine) FILTER (WHERE place <= 3) / 3)::float8 AS three,
       sum(exp({VOTE} * (cosine - 1)))::float8 AS mass, count(*)::int AS examples
FROM (
    SELECT service_id, operation_id, cosine, row_number() OVER (
        PARTITION BY service_id, operation_id ORDER BY cosine DESC) AS place
    FROM (
        SELECT e.service_id, e.operation_id, e.query_hash,
               max(1 - (e.vector <=> q.vector::halfvec)) AS cosine
        FROM unnest(%(services)s::bigint[], %(operations)s::bigint[]) AS k (service, operation)
        JOIN reranker_examples e
            ON e.service_id = k.service AND e.operation_id = k.operation
        CROSS JOIN unnest(%(vectors)s::text[]) AS q (vector)
        WHERE NOT e.query_hash = ANY(%(without)s::text[])
        GROUP BY e.service_id, e.operation_id, e.query_hash
    ) near
) placed
GROUP BY service_id, operation_id
"""
