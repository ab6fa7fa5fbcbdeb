"""What search reads, as it is asked: term statistics, both first passes, candidates in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import class_row

Key = tuple[int, int]
"""(service_id, operation_id)"""

K1 = 1.2
"""How soon more of the same word stops counting (Robertson & Zaragoza 2009)."""

TERM_LIMIT = K1 + 1
"""What a term can weigh at most in a tool, before its IDF."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of the original and the enriched text."""

    original: float = 0.3
    enriched: float = 0.7


@dataclass(frozen=True, slots=True)
class Found:
    """A tool found by one part of a query."""

    part: int
    service_id: int
    operation_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool as search weighs and shows it. `terms` holds the lexemes field by field."""

    service_id: int
    operation_id: int
    service: str
    name: str
    protocol: str
    summary: str
    description: str
    terms: list[str]
    enriched_terms: list[str] | None
    vector: list[float] | None
    wire: str
    method: str
    enriched_name: str | None
    enriched_description: str | None


def indexed_tools(conn: Connection, services: Sequence[int] | None) -> int:
    row = conn.execute(
        "SELECT coalesce(sum(tools), 0)::bigint FROM indexed_services"
        " WHERE %(services)s::bigint[] IS NULL OR service_id = ANY(%(services)s)",
        {"services": _array(services)},
    ).fetchone()
    return row[0] if row else 0


def tools_with_terms(
    conn: Connection, terms: Sequence[str], services: Sequence[int] | None
) -> dict[str, int]:
    """In how many tools each term occurs; terms of no tool are absent."""
    rows = conn.execute(
        "SELECT term, sum(tools)::bigint FROM terms WHERE term = ANY(%(terms)s)"
        " AND (%(services)s::bigint[] IS NULL OR service_id = ANY(%(services)s)) GROUP BY term",
        {"terms": list(terms), "services": _array(services)},
    ).fetchall()
    return dict(rows)


def bm25(
    conn: Connection,
    parts: Sequence[Mapping[str, float]],
    services: Sequence[int] | None,
    mix: Mix,
    limit: int,
) -> list[Found]:
    """The best tools for each part, given as terms and their weights (IDF): never all of the terms.

    A tool without enrichment has one text, which then counts in full.
    """
    flat = [(n, term, weight) for n, part in enumerate(parts) for term, weight in part.items()]
    if not flat:
        return []
    with conn.cursor(row_factory=class_row(Found)) as cursor:
        return cursor.execute(
            f"""
            SELECT part, service_id, operation_id, score FROM (
                SELECT part, service_id, operation_id, score::float8,
                       row_number() OVER (
                           PARTITION BY part ORDER BY score DESC, service_id, operation_id
                       ) AS place
                FROM (
                    SELECT q.part, p.service_id, p.operation_id,
                           sum(q.weight * {_SATURATED}) AS score
                    FROM unnest(%(parts)s::int[], %(terms)s::text[], %(weights)s::float8[])
                             AS q (part, term, weight)
                    JOIN postings p ON p.term = q.term
                    WHERE %(services)s::bigint[] IS NULL OR p.service_id = ANY(%(services)s)
                    GROUP BY q.part, p.service_id, p.operation_id
                ) scored
            ) placed
            WHERE place <= %(limit)s ORDER BY part, place
            """,
            {
                "parts": [n for n, _, _ in flat],
                "terms": [term for _, term, _ in flat],
                "weights": [weight for _, _, weight in flat],
                "services": _array(services),
                "limit": limit,
                **_shares(mix),
            },
        ).fetchall()


def term_weights(
    conn: Connection, keys: Sequence[Key], terms: Sequence[str], mix: Mix
) -> dict[Key, dict[str, float]]:
    """The saturated weight of each term in each of a few tools."""
    rows = conn.execute(
        f"""
        SELECT p.service_id, p.operation_id, p.term, ({_SATURATED})::float8
        FROM unnest(%(services)s::bigint[], %(operations)s::bigint[]) AS k (service, operation)
        JOIN postings p ON p.service_id = k.service AND p.operation_id = k.operation
        WHERE p.term = ANY(%(terms)s)
        """,
        {**_keys(keys), "terms": list(terms), **_shares(mix)},
    )
    found: dict[Key, dict[str, float]] = {}
    for service, operation, term, weight in rows:
        found.setdefault((service, operation), {})[term] = weight
    return found


def candidates(conn: Connection, keys: Sequence[Key], model: str | None) -> list[Candidate]:
    """The tools with these keys that are still in the catalog, in no order."""
    with conn.cursor(row_factory=class_row(Candidate)) as cursor:
        return cursor.execute(
            """
            SELECT o.service_id, o.operation_id, s.name AS service, o.name, o.protocol,
                   o.summary, o.description, d.terms, n.terms AS enriched_terms,
                   e.mixed::vector::real[] AS vector,
                   coalesce(o.binding->>'path', o.binding->>'operation', o.binding->>'method', '')
                       AS wire,
                   CASE o.protocol WHEN 'rest' THEN o.binding->>'method' ELSE '' END AS method,
                   r.name AS enriched_name, r.description AS enriched_description
            FROM unnest(%(services)s::bigint[], %(operations)s::bigint[]) AS k (service, operation)
            JOIN operations o ON o.service_id = k.service AND o.operation_id = k.operation
            JOIN services s ON s.service_id = o.service_id
            JOIN documents d ON d.service_id = o.service_id AND d.operation_id = o.operation_id
                AND d.kind = 'original'
            LEFT JOIN documents n ON n.service_id = o.service_id
                AND n.operation_id = o.operation_id AND n.kind = 'enriched'
            LEFT JOIN embeddings e ON e.service_id = o.service_id
                AND e.operation_id = o.operation_id AND e.model = %(model)s
            LEFT JOIN enrichments r ON r.service_id = o.service_id AND r.tool = o.name
                AND r.state = 'applied'
            """,
            {**_keys(keys), "model": model},
            binary=True,  # a hundred vectors as text would take longer than finding them
        ).fetchall()


def tools_named(
    conn: Connection, terms: Sequence[str], services: Sequence[int], limit: int
) -> list[Key]:
    """The tools of these services in which one of the terms weighs most, as it does in names."""
    return conn.execute(
        """
        SELECT service_id, operation_id FROM postings
        WHERE term = ANY(%s) AND service_id = ANY(%s)
        GROUP BY service_id, operation_id
        ORDER BY max(original) DESC, service_id, operation_id LIMIT %s
        """,
        (list(terms), list(services), limit),
    ).fetchall()


def tools_with_ids(conn: Connection, tool_ids: Sequence[str]) -> dict[str, Key]:
    rows = conn.execute(
        """
        SELECT given.id, o.service_id, o.operation_id FROM unnest(%s::text[]) AS given (id)
        JOIN services s ON s.name = split_part(given.id, '/', 1)
        JOIN operations o ON o.service_id = s.service_id
            AND o.name = substr(given.id, length(s.name) + 2)
        """,
        (list(tool_ids),),
    )
    return {tool_id: (service, operation) for tool_id, service, operation in rows}


def similar_words(conn: Connection, word: str, slack: int, limit: int) -> list[tuple[str, str]]:
    """(word, lexeme) pairs of about the same length that begin or end alike."""
    return conn.execute(
        r"""
        SELECT DISTINCT word, term FROM vocabulary
        WHERE length(word) BETWEEN %(low)s AND %(high)s
          AND (word LIKE %(head)s OR word LIKE %(tail)s) LIMIT %(limit)s
        """,
        {
            "low": len(word) - slack,
            "high": len(word) + slack,
            "head": word[:2] + "%",
            "tail": "%" + word[-3:],
            "limit": limit,
        },
    ).fetchall()


@dataclass(frozen=True, slots=True)
class Traits:
    """What tells look-alikes apart: `takes` are the names of a tool's arguments."""

    service_id: int
    operation_id: int
    takes: list[str]
    output_schema: Any
    limits: str


def traits(conn: Connection, keys: Sequence[Key]) -> list[Traits]:
    with conn.cursor(row_factory=class_row(Traits)) as cursor:
        return cursor.execute(
            """
            SELECT o.service_id, o.operation_id, o.output_schema, coalesce(r.limits, '') AS limits,
                   CASE WHEN json_typeof(o.input_schema::json->'properties') = 'object' THEN
                       ARRAY(SELECT json_object_keys(o.input_schema::json->'properties'))
                   ELSE '{}' END AS takes
            FROM unnest(%(services)s::bigint[], %(operations)s::bigint[]) AS k (service, operation)
            JOIN operations o ON o.service_id = k.service AND o.operation_id = k.operation
            LEFT JOIN enrichments r ON r.service_id = o.service_id AND r.tool = o.name
                AND r.state = 'applied'
            """,
            _keys(keys),
        ).fetchall()


_SATURATED = f"""(
    (%(a)s * p.original + %(b)s * p.enriched) * {K1 + 1}
    / ({K1} + %(a)s * p.original + %(b)s * p.enriched))"""


def _shares(mix: Mix) -> dict[str, float]:
    return {"a": mix.original, "b": mix.enriched}


def _array(services: Sequence[int] | None) -> list[int] | None:
    return None if services is None else list(services)


def _keys(keys: Sequence[Key]) -> dict[str, list[int]]:
    return {"services": [service for service, _ in keys], "operations": [op for _, op in keys]}
