"""What calls, traces and the spec's own examples returned, as shapes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Json

from catalog.hashing import canonical, digest
from catalog.text import storable
from store.connection import json_bytes, translated

MAX_SHAPES = 10
"""Different shapes kept for a tool and origin; the oldest go first."""

_INSERT = """
INSERT INTO samples (service_id, tool, origin, outcome, detail, status_code, media_type, shape,
  shape_hash, values_kept, content_hash, elapsed_ms, size_bytes, run_id, responses, contradictions,
  retry_at)
VALUES (%(service_id)s, %(tool)s, %(origin)s, %(outcome)s, %(detail)s, %(status_code)s,
  %(media_type)s, %(shape)s, %(shape_hash)s, %(values_kept)s, %(content_hash)s, %(elapsed_ms)s,
  %(size_bytes)s, %(run_id)s, %(responses)s, %(contradictions)s,
  now() + make_interval(secs => %(retry_after_s)s))
"""
_SUPERSEDED = """
DELETE FROM samples WHERE service_id = %(service_id)s AND tool = %(tool)s AND origin = %(origin)s
  AND (shape_hash = '' OR shape_hash = %(shape_hash)s)
"""
_OLDEST = """
DELETE FROM samples WHERE service_id = %(service_id)s AND sample_id IN (
  SELECT sample_id FROM samples
  WHERE service_id = %(service_id)s AND tool = %(tool)s AND origin = %(origin)s
  ORDER BY recorded_at DESC, sample_id DESC OFFSET %(max)s)
"""
_SHAPES = """
SELECT s.tool, s.shape, s.content_hash IS NOT DISTINCT FROM o.content_hash
FROM samples s LEFT JOIN operations o ON o.service_id = s.service_id AND o.name = s.tool
WHERE s.service_id = %s AND s.shape IS NOT NULL
ORDER BY s.tool, s.recorded_at DESC, s.sample_id DESC
"""
_LAST = """
SELECT DISTINCT ON (tool) tool, origin, outcome, detail, status_code, media_type, content_hash,
  recorded_at, retry_at, values_kept, contradictions
FROM samples WHERE service_id = %s AND origin = ANY(%s)
ORDER BY tool, outcome = 'skipped', recorded_at DESC, sample_id DESC
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """One outcome to keep. `shape` None: nothing usable came back. `detail` is our own words.

    `values_kept`: the user asked for it, and `shape` holds a few values as `examples`.
    """

    service_id: int
    tool: str
    origin: str
    outcome: str
    content_hash: str
    detail: str = ""
    status_code: int | None = None
    media_type: str = ""
    shape: dict[str, Any] | None = None
    values_kept: bool = False
    elapsed_ms: float | None = None
    size_bytes: int | None = None
    run_id: UUID | None = None
    responses: int = 1
    contradictions: tuple[str, ...] = ()
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class LastSample:
    """The newest outcome of a tool, with the hash of the operation that it was of."""

    tool: str
    origin: str
    outcome: str
    detail: str
    status_code: int | None
    media_type: str
    content_hash: str
    recorded_at: datetime
    retry_at: datetime | None
    values_kept: bool
    contradictions: list[str]


def save_sample(conn: psycopg.Connection, sample: Sample) -> None:
    save_samples(conn, [sample])


def save_samples(conn: psycopg.Connection, samples: Iterable[Sample]) -> None:
    """Keep outcomes, all or none. One without a shape takes the place of the last such; a shape
    that is known already becomes the newest."""
    rows = [_columns(sample) for sample in samples]
    if rows:
        with translated(), conn.transaction(), conn.cursor() as cursor:
            for query in (_SUPERSEDED, _INSERT, _OLDEST):
                cursor.executemany(query, rows)


def _columns(sample: Sample) -> dict[str, Any]:
    values, _ = storable(asdict(sample) | {"contradictions": list(sample.contradictions)})
    columns: dict[str, Any] = values
    shape = columns["shape"]
    return columns | {
        "shape": None if shape is None else Json(shape, json_bytes),
        "shape_hash": "" if shape is None else digest(canonical(shape)),
        "contradictions": Json(columns["contradictions"], json_bytes),
        "max": MAX_SHAPES,
    }


def shapes_of(conn: psycopg.Connection, service_id: int) -> dict[str, list[dict[str, Any]]]:
    """Tool → the distinct shapes recorded for it, newest first; a shape is a JSON Schema.

    Shapes of an earlier form of the operation count only while there is none of the present one.
    """
    with translated():
        rows = conn.execute(_SHAPES, (service_id,)).fetchall()
    present = {tool for tool, _, is_present in rows if is_present}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for tool, shape, is_present in rows:
        if (is_present or tool not in present) and shape not in found[tool]:
            found[tool].append(shape)
    return dict(found)


def last_samples(
    conn: psycopg.Connection, service_id: int, origins: Sequence[str] = ("probe", "trace")
) -> dict[str, LastSample]:
    """Tool → its newest outcome from these origins; `skipped` only where nothing was ever asked."""
    with translated(), conn.cursor(row_factory=class_row(LastSample)) as cursor:
        rows = cursor.execute(_LAST, (service_id, list(origins))).fetchall()
    return {row.tool: row for row in rows}
