"""What search reads, written: documents, postings and vectors of a batch, counts of a service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from psycopg import Connection
from psycopg.types.json import Jsonb

from store.index import DocumentRow, EmbeddingRow, IndexState, PostingRow, WordRow

if TYPE_CHECKING:
    from store.index import Vector


def set_index_state(conn: Connection, state: IndexState) -> None:
    conn.execute(
        """
        INSERT INTO index_state (id, model, width, text_version, weights)
        VALUES (1, %s, %s, %s, %s)
        ON CONFLICT (id) DO UPDATE SET
            model = excluded.model, width = excluded.width, weights = excluded.weights,
            text_version = excluded.text_version, indexed_at = now()
        """,
        (state.model, state.width, state.text_version, Jsonb(state.weights)),
    )


def claim_tools(conn: Connection, service_id: int, operation_ids: Sequence[int]) -> set[int]:
    """Those of the tools that exist, held until the transaction ends; one writer a service."""
    _mark_dirty(conn, {service_id})
    rows = conn.execute(
        "SELECT operation_id FROM operations WHERE service_id = %s AND operation_id = ANY(%s)"
        " ORDER BY operation_id FOR KEY SHARE",
        (service_id, list(operation_ids)),
    ).fetchall()
    return {operation for (operation,) in rows}


def replace_documents(
    conn: Connection, documents: Sequence[DocumentRow], postings: Iterable[PostingRow]
) -> None:
    """New documents and postings in place of whatever the index held of the same tools."""
    keys = list(dict.fromkeys((row.service_id, row.operation_id) for row in documents))
    if not keys:
        return
    _delete(conn, "documents", keys)
    _delete(conn, "postings", keys)
    with conn.cursor().copy(
        "COPY documents (service_id, operation_id, kind, content_hash, text_hash, text_version, "
        "terms) FROM STDIN"
    ) as copy:
        for row in documents:
            copy.write_row(
                (row.service_id, row.operation_id, row.kind, row.content_hash, row.text_hash,
                 row.text_version, list(row.terms))
            )  # fmt: skip
    with conn.cursor().copy(
        "COPY postings (service_id, operation_id, term, original, enriched) FROM STDIN"
    ) as copy:
        for posting in postings:
            copy.write_row(
                (posting.service_id, posting.operation_id, posting.term, posting.original,
                 posting.enriched)
            )  # fmt: skip


def save_vectors(
    conn: Connection, service_id: int, model: str, vectors: Mapping[str, Vector]
) -> None:
    with conn.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO vectors (service_id, model, text_hash, vector) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            [(service_id, model, key, literal(vector)) for key, vector in vectors.items()],
        )


def save_embeddings(conn: Connection, model: str, rows: Sequence[EmbeddingRow]) -> None:
    with conn.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO embeddings
                (service_id, operation_id, model, original_hash, enriched_hash, mixed,
                 phrase_hashes, original_share)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
            ON CONFLICT (service_id, operation_id, model) DO UPDATE SET
                original_hash = excluded.original_hash,
                enriched_hash = excluded.enriched_hash, mixed = excluded.mixed,
                phrase_hashes = excluded.phrase_hashes,
                original_share = excluded.original_share
            """,
            [
                (row.service_id, row.operation_id, model, row.original_hash, row.enriched_hash,
                 literal(row.mixed), list(row.phrase_hashes), row.original_share)
                for row in rows
            ],
        )  # fmt: skip


def literal(vector: Vector) -> str:
    """A vector as Postgres reads it; half precision keeps four digits, so five are written."""
    return "[" + ",".join(f"{value:.5g}" for value in vector.tolist()) + "]"


def refresh_statistics(conn: Connection, service_id: int) -> None:
    """Counts of a service made anew from its postings."""
    conn.execute("DELETE FROM terms WHERE service_id = %s", (service_id,))
    conn.execute(
        """
        INSERT INTO terms (service_id, term, tools)
        SELECT service_id, term, count(*) FROM postings WHERE service_id = %s
        GROUP BY service_id, term
        """,
        (service_id,),
    )
    conn.execute(
        """
        INSERT INTO indexed_services (service_id, tools, dirty)
        SELECT %(service)s, count(*), false FROM documents
        WHERE service_id = %(service)s AND kind = 'original'
        ON CONFLICT (service_id) DO UPDATE SET tools = excluded.tools, dirty = false
        """,
        {"service": service_id},
    )


def save_words(conn: Connection, words: Iterable[WordRow]) -> None:
    with conn.cursor() as cursor:
        cursor.executemany(
            """
            INSERT INTO vocabulary (service_id, word, term, in_names) VALUES (%s, %s, %s, %s)
            ON CONFLICT (service_id, word)
            DO UPDATE SET in_names = vocabulary.in_names OR excluded.in_names
            """,
            [(row.service_id, row.word, row.term, row.in_names) for row in words],
        )


def drop_other_models(conn: Connection, model: str) -> None:
    """Forgets the vectors of every other model; called once the new ones are complete."""
    conn.execute("DELETE FROM embeddings WHERE model <> %s", (model,))
    conn.execute("DELETE FROM vectors WHERE model <> %s", (model,))


def forget_vectors(conn: Connection, model: str) -> None:
    """Of a model whose vectors are of no use any more; search by words goes on."""
    conn.execute("DELETE FROM embeddings WHERE model = %s", (model,))
    conn.execute("DELETE FROM vectors WHERE model = %s", (model,))


def drop_unused_vectors(conn: Connection, service_id: int) -> None:
    conn.execute(
        """
        DELETE FROM vectors v WHERE v.service_id = %s AND NOT EXISTS (
            SELECT FROM embeddings e
            WHERE e.service_id = v.service_id AND e.model = v.model
              AND (v.text_hash IN (e.original_hash, e.enriched_hash)
                   OR v.text_hash = ANY(e.phrase_hashes))
        )
        """,
        (service_id,),
    )


def _delete(conn: Connection, table: str, keys: Sequence[tuple[int, int]]) -> None:
    conn.execute(
        f"""
        DELETE FROM {table} USING unnest(%s::bigint[], %s::bigint[]) AS gone (service, operation)
        WHERE service_id = gone.service AND operation_id = gone.operation
        """,
        ([service for service, _ in keys], [operation for _, operation in keys]),
    )


def _mark_dirty(conn: Connection, services: set[int]) -> None:
    conn.execute(
        """
        INSERT INTO indexed_services (service_id, tools, dirty)
        SELECT service, 0, true FROM unnest(%s::bigint[]) AS service
        ON CONFLICT (service_id) DO UPDATE SET dirty = true
        """,
        (sorted(services),),
    )
