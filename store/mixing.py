"""One vector a tool, mixed of its original and its enriched text: made anew when shares change."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import Connection

from store.retrieval import Mix


def mixed_with(conn: Connection, model: str) -> list[float]:
    """The original's shares that the ranked vectors were made with: one, unless a change of
    weights was cut off; none where no tool has live text."""
    row = conn.execute(
        """
        SELECT min(original_share), max(original_share) FROM embeddings
        WHERE model = %s AND enriched_hash IS NOT NULL
        """,
        (model,),
    ).fetchone()
    return [] if row is None or row[0] is None else sorted({row[0], row[1]})


def is_mixed(conn: Connection, model: str, mix: Mix) -> bool:
    return all(abs(share - mix.original) < 1e-6 for share in mixed_with(conn, model))


def mix_again(conn: Connection, model: str, mix: Mix) -> int:
    """How many vectors were mixed anew, from those of both texts, in one statement."""
    return conn.execute(
        f"""
        UPDATE embeddings e SET mixed = {_MIXED}, original_share = %(original)s
        FROM vectors o, vectors n
        WHERE e.model = %(model)s AND e.enriched_hash IS NOT NULL
          AND abs(e.original_share - %(original)s) > 1e-6 AND {_BOTH}
        """,
        _values(model, mix),
    ).rowcount


def try_mix_again(conn: Connection, model: str, mix: Mix) -> int | None:
    """As `mix_again`; None where the database takes no writes."""
    try:
        with conn.transaction():
            return mix_again(conn, model, mix)
    except (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.InsufficientPrivilege):
        return None


def mix_aside(conn: Connection, model: str, mix: Mix) -> None:
    """For this connection alone, until `forget_aside`: vectors as another mix would have them.

    A temporary table is found before the one that it is named after.
    """
    forget_aside(conn)
    conn.execute(
        f"""
        CREATE TEMPORARY TABLE embeddings AS
        SELECT e.service_id, e.operation_id, e.model, e.original_hash, e.enriched_hash,
               CASE WHEN n.vector IS NULL THEN e.mixed ELSE {_MIXED} END AS mixed,
               e.phrase_hashes, %(original)s::real AS original_share
        FROM embeddings e
        LEFT JOIN (vectors o JOIN vectors n USING (service_id, model))
            ON {_BOTH}
        WHERE e.model = %(model)s
        """,
        _values(model, mix),
    )


def forget_aside(conn: Connection) -> None:
    conn.execute("DROP TABLE IF EXISTS pg_temp.embeddings")


def _values(model: str, mix: Mix) -> dict[str, Any]:
    return {"model": model, "original": mix.original, "enriched": mix.enriched}


_SCALED = "{0}.vector::vector * array_fill(%({1})s::real, ARRAY[vector_dims({0}.vector)])::vector"
_MIXED = f"({_SCALED.format('o', 'original')} + {_SCALED.format('n', 'enriched')})::halfvec"
_BOTH = """o.service_id = e.service_id AND o.model = e.model AND o.text_hash = e.original_hash
          AND n.service_id = e.service_id AND n.model = e.model AND n.text_hash = e.enriched_hash"""
