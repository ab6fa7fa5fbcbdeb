"""What the index holds and what it lacks: state, changed tools, vectors known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import Connection
from psycopg.rows import class_row

from catalog.binding import binding_from_json
from catalog.spec import Operation
from store.rows import ServiceRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

HNSW_MIN_TOOLS = 20_000
"""Below this an exact scan is as fast as the approximate one, and loses nothing."""

MAX_INDEXED_WIDTH = 4000  # pgvector's limit for an HNSW index over halfvec


@dataclass(frozen=True, slots=True)
class IndexState:
    model: str
    width: int
    text_version: int
    weights: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    service_id: int
    operation_id: int
    kind: str
    content_hash: str
    text_hash: str
    text_version: int
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PostingRow:
    service_id: int
    operation_id: int
    term: str
    original: float
    enriched: float


@dataclass(frozen=True, slots=True)
class EmbeddingRow:
    service_id: int
    operation_id: int
    original_hash: str
    enriched_hash: str | None
    mixed: Vector
    phrase_hashes: tuple[str, ...] = ()
    original_share: float = 0.3


@dataclass(frozen=True, slots=True)
class WordRow:
    service_id: int
    word: str
    term: str
    in_names: bool


def index_state(conn: Connection) -> IndexState | None:
    with conn.cursor(row_factory=class_row(IndexState)) as cursor:
        return cursor.execute(
            "SELECT model, width, text_version, weights FROM index_state"
        ).fetchone()


def lexemes(conn: Connection, texts: Sequence[str]) -> list[dict[str, int]]:
    """For each text its stems and how often each occurs; stop words are gone."""
    found: list[dict[str, int]] = [{} for _ in texts]
    rows = conn.execute(
        """
        SELECT text.number, entry.lexeme, coalesce(cardinality(entry.positions), 1)
        FROM unnest(%s::text[]) WITH ORDINALITY AS text (body, number),
             LATERAL unnest(to_tsvector('english', text.body)) AS entry
        """,
        (list(texts),),
    )
    for number, lexeme, count in rows:
        found[number - 1][lexeme] = count
    return found


def stems(conn: Connection, words: Sequence[str]) -> dict[str, str]:
    """The lexeme of each word that has one."""
    rows = conn.execute(
        """
        SELECT word, (tsvector_to_array(to_tsvector('english', word)))[1]
        FROM unnest(%s::text[]) AS word
        """,
        (list(words),),
    )
    return {word: lexeme for word, lexeme in rows if lexeme is not None}


def known_vectors(
    conn: Connection, service_id: int, model: str, hashes: Sequence[str]
) -> dict[str, Vector]:
    """Vectors of texts that were embedded before."""
    rows = conn.execute(
        """
        SELECT text_hash, vector::vector::real[] FROM vectors
        WHERE service_id = %s AND model = %s AND text_hash = ANY(%s)
        """,
        (service_id, model, list(hashes)),
        binary=True,
    ).fetchall()
    if not rows:
        return {}
    import numpy as np

    return {key: np.asarray(values, dtype=np.float32) for key, values in rows}


def removed_since(conn: Connection) -> dict[int, int]:
    """Services whose counts no longer match, and how many tools each lost since they were made.

    0 where a run was cut off before it could count.
    """
    rows = conn.execute(
        """
        SELECT s.service_id, CASE WHEN s.dirty THEN 0 ELSE s.tools - coalesce(d.tools, 0) END
        FROM indexed_services s
        LEFT JOIN (
            SELECT service_id, count(*) AS tools FROM documents WHERE kind = 'original'
            GROUP BY service_id
        ) d USING (service_id)
        WHERE s.dirty OR s.tools <> coalesce(d.tools, 0)
        """
    )
    return dict(rows.fetchall())


@dataclass(frozen=True, slots=True)
class PendingTool:
    """A tool whose index entry is missing or of another text. `enriched` is the live text.

    `shapes` are of what calls returned; `content_hash` covers them.
    """

    operation: Operation
    service_id: int
    operation_id: int
    content_hash: str
    enriched: LiveText | None
    shapes: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class LiveText:
    name: str
    description: str
    aliases: tuple[str, ...]
    text_hash: str


def pending_ids(
    conn: Connection, service_id: int, model: str, text_version: int, *, everything: bool = False
) -> list[int]:
    """Tools of a service that are new, changed, enriched otherwise, or not embedded by `model`."""
    rows = conn.execute(
        f"""
        SELECT o.operation_id {_INDEXED}
        WHERE o.service_id = %(service)s AND (%(everything)s OR {_CHANGED})
        ORDER BY o.operation_id
        """,
        {
            "service": service_id,
            "model": model,
            "version": text_version,
            "everything": everything,
        },
    ).fetchall()
    return [operation for (operation,) in rows]


def count_pending(conn: Connection, model: str, text_version: int) -> int:
    row = conn.execute(
        f"SELECT count(*) {_INDEXED} WHERE {_CHANGED}", {"model": model, "version": text_version}
    ).fetchone()
    return row[0] if row else 0


def count_indexed(conn: Connection, model: str) -> int:
    row = conn.execute("SELECT count(*) FROM embeddings WHERE model = %s", (model,)).fetchone()
    return row[0] if row else 0


def pending_tools(
    conn: Connection, service: ServiceRow, operation_ids: Sequence[int]
) -> list[PendingTool]:
    rows = conn.execute(
        f"""
        SELECT o.operation_id, {_EVIDENCE_HASH}, o.name, o.protocol, o.binding, o.summary,
               o.description, o.input_schema, o.output_schema, o.tags,
               n.name, n.description, n.aliases, {_LIVE_HASH}, {_SHAPES}
        FROM operations o {_LIVE}
        WHERE o.service_id = %s AND o.operation_id = ANY(%s) ORDER BY o.operation_id
        """,
        (service.service_id, list(operation_ids)),
    ).fetchall()
    return [_pending(service, row) for row in rows]


def _pending(service: ServiceRow, row: tuple[Any, ...]) -> PendingTool:
    operation_id, content_hash, name, protocol, binding, summary, description = row[:7]
    given, returned, tags = row[7:10]
    operation = Operation(
        service.name,
        name,
        protocol,
        binding_from_json(protocol, binding),
        summary,
        description,
        given,
        returned,
        tuple(tags),
    )
    live = None if row[10] is None else LiveText(row[10], row[11], tuple(row[12]), row[13])
    shapes = tuple(row[14] or ())
    return PendingTool(operation, service.service_id, operation_id, content_hash, live, shapes)


_LIVE = """
LEFT JOIN enrichments n
    ON n.service_id = o.service_id AND n.tool = o.name AND n.state = 'applied'
"""
_SEEN = "FROM samples s WHERE s.service_id = o.service_id AND s.tool = o.name"
_SHAPES = f"(SELECT json_agg(s.shape ORDER BY s.recorded_at DESC) {_SEEN} AND s.shape IS NOT NULL)"
# What the operation says, and what was seen of it: a new shape makes the entry stale.
_EVIDENCE_HASH = f"""(o.content_hash || coalesce(
    (SELECT '+' || md5(string_agg(DISTINCT s.shape_hash, ',' ORDER BY s.shape_hash))
     {_SEEN} AND s.shape IS NOT NULL), ''))"""
_LIVE_HASH = "md5(concat_ws(chr(31), n.name, n.description, array_to_string(n.aliases, chr(31))))"
_INDEXED = f"""
FROM operations o {_LIVE}
LEFT JOIN documents d ON d.service_id = o.service_id AND d.operation_id = o.operation_id
    AND d.kind = 'original'
LEFT JOIN documents l ON l.service_id = o.service_id AND l.operation_id = o.operation_id
    AND l.kind = 'enriched'
LEFT JOIN embeddings e ON e.service_id = o.service_id AND e.operation_id = o.operation_id
    AND e.model = %(model)s
"""
_CHANGED = f"""(
    d.content_hash IS DISTINCT FROM {_EVIDENCE_HASH}
    OR d.text_version IS DISTINCT FROM %(version)s
    OR e.model IS NULL
    OR l.content_hash IS DISTINCT FROM CASE WHEN n.name IS NOT NULL THEN {_LIVE_HASH} END
)"""
