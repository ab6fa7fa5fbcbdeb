"""The log of searches: what was asked, what was found, what was used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection
from psycopg.rows import class_row

from catalog.errors import NotFound, UsageError
from catalog.text import storable
from store.connection import translated

MAX_QUERY = 4000
AGAIN_WITHIN_S = 120
"""How soon a search must follow another of its session to count as asking again."""

NOTHING = ""
"""The choice of somebody who says that no tool fits."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One search. `tools` are ids in their order: the hits, or with `fits` False the nearest.

    `session` tells whose searches follow one another; without one, none asks another again.
    """

    origin: str
    query: str
    k: int
    took_ms: float
    tools: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    services: tuple[str, ...] = ()
    context: str = ""
    session: str = ""
    fits: bool = True
    chance: float | None = None
    search_id: UUID = field(default_factory=uuid4)


# A search waits for no disk: losing the last moment's log to a power cut is cheaper than that. The
# setting is the statement's own, so that it works behind a pooler and in one round trip.
_INSERT = """
WITH quick AS (SELECT set_config('synchronous_commit', 'off', true) AS done),
asked AS (
  SELECT tsvector_to_array(to_tsvector('english', %(query)s)) AS stems FROM quick
  WHERE done IS NOT NULL
),
last AS (
  SELECT search_id, query, stems FROM search_log
  WHERE origin = %(origin)s AND session = %(session)s
    AND searched_at > now() - make_interval(secs => %(within_s)s)
  ORDER BY searched_at DESC LIMIT 1
)
INSERT INTO search_log (search_id, origin, session, query, stems, context_hash, services, k,
  took_ms, fits, chance, tools, scores, again_of)
SELECT %(search_id)s::uuid, %(origin)s::text, %(session)s::text, %(query)s::text, asked.stems,
  %(context_hash)s::text, %(services)s::text[], %(k)s::int, %(took_ms)s::real, %(fits)s::boolean,
  %(chance)s::real, %(tools)s::text[], %(scores)s::real[],
  (SELECT search_id FROM last WHERE last.stems && asked.stems AND last.query <> %(query)s)
FROM asked
"""


def log_search(conn: Connection, searched: Searched) -> bool:
    """Writes down what was asked and found, the context only as a hash; False where the database
    takes no writes, as a replica: an answer is worth more than its log."""
    try:
        conn.execute(_INSERT, _values(searched))
    except (
        psycopg.errors.ReadOnlySqlTransaction,
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.DiskFull,
    ):
        return False
    return True


def _values(searched: Searched) -> dict[str, Any]:
    context = searched.context.encode("utf-8", "replace")
    return {
        "search_id": searched.search_id,
        "origin": searched.origin,
        "session": searched.session or None,
        "query": storable(searched.query[:MAX_QUERY])[0],
        "context_hash": sha256(context).hexdigest() if context else None,
        "services": list(searched.services),
        "k": searched.k,
        "took_ms": searched.took_ms,
        "fits": searched.fits,
        "chance": searched.chance,
        "tools": list(searched.tools),
        "scores": list(searched.scores),
        "within_s": AGAIN_WITHIN_S,
    }


@dataclass(frozen=True, slots=True)
class Choice:
    """`rank` is None for a tool that was not among the hits; `tool` empty: no tool fits."""

    search_id: UUID
    query: str
    tool: str
    rank: int | None
    before: str | None = None


_CHOOSE = """
UPDATE search_log l SET chosen = %(tool)s, chosen_at = now(),
  chosen_rank = CASE WHEN l.fits THEN array_position(l.tools, %(tool)s) END,
  context = coalesce(%(context)s, l.context)
FROM (SELECT search_id, chosen FROM search_log WHERE search_id = %(search_id)s FOR UPDATE) AS old
WHERE l.search_id = old.search_id
RETURNING l.search_id, l.query, l.chosen AS tool, l.chosen_rank AS rank, old.chosen AS before
"""


def choose(conn: Connection, search_id: UUID, tool: str, context: str = "") -> Choice:
    """Notes which tool was used for a search, in place of an earlier choice. `tool` is not checked;
    `context` is kept as it is, for whoever makes cases of it."""
    kept = storable(context)[0] if context else None
    wanted = {"search_id": search_id, "tool": tool, "context": kept}
    with translated(), conn.cursor(row_factory=class_row(Choice)) as cursor:
        made = cursor.execute(_CHOOSE, wanted).fetchone()
    if made is None:
        raise NotFound(f"no search {search_id} in the log", hint="gloss search QUERY --json")
    return made


def find_search(conn: Connection, written: str) -> UUID:
    """The search whose id is, or begins with, what somebody wrote."""
    digits = written.replace("-", "").lower()
    if not 4 <= len(digits) <= 32 or set(digits) - set("0123456789abcdef"):
        raise UsageError(f"{written}: no id of a search", hint="gloss search QUERY --json")
    first, last = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    with translated():
        rows = conn.execute(
            "SELECT search_id FROM search_log WHERE search_id BETWEEN %s AND %s LIMIT 2",
            (first, last),
        ).fetchall()
    if len(rows) > 1:
        raise UsageError(f"{written}: more than one search begins so", hint="write more of the id")
    if not rows:
        raise NotFound(f"no search {written} in the log", hint="gloss search QUERY --json")
    found: UUID = rows[0][0]
    return found


@dataclass(frozen=True, slots=True)
class ChosenCase:
    """A request and what was used for it, the most used first; none: nothing fits.

    `source_id` is that of the first search that asked it, so that a case keeps its split.
    """

    query: str
    relevant: tuple[str, ...]
    context: str | None
    source_id: UUID
    times: int


_CASES = """
WITH counted AS (
  SELECT l.query, l.context, l.chosen, count(*) AS times,
         (array_agg(l.search_id ORDER BY l.searched_at, l.search_id))[1] AS first_id,
         min(l.searched_at) AS first_at
  FROM search_log l
  WHERE l.chosen IS NOT NULL AND (%(since)s::timestamptz IS NULL OR l.searched_at >= %(since)s)
    AND (l.chosen = '' OR EXISTS (
      SELECT FROM services s JOIN operations o ON o.service_id = s.service_id
      WHERE s.removed_at IS NULL AND s.name = split_part(l.chosen, '/', 1)
        AND o.name = substr(l.chosen, strpos(l.chosen, '/') + 1)))
  GROUP BY l.query, l.context, l.chosen
)
SELECT query, coalesce(array_agg(chosen ORDER BY times DESC, chosen) FILTER (WHERE chosen <> ''),
         '{}') AS relevant,
       context, (array_agg(first_id ORDER BY first_at, first_id))[1] AS source_id,
       sum(times)::bigint AS times
FROM counted GROUP BY query, context ORDER BY min(first_at), min(first_id::text)
"""


def chosen_cases(conn: Connection, since: datetime | None = None) -> Iterator[ChosenCase]:
    """Labelled searches as cases, oldest first; what was chosen and has left the catalog is not
    among them."""
    with translated(), conn.cursor() as cursor:
        for query, relevant, context, source_id, times in cursor.execute(_CASES, {"since": since}):
            yield ChosenCase(query, tuple(relevant), context, source_id, times)


def count_choices(conn: Connection, since: datetime | None = None) -> int:
    with translated():
        row = conn.execute(
            "SELECT count(*) FROM search_log WHERE chosen IS NOT NULL"
            " AND (%(since)s::timestamptz IS NULL OR searched_at >= %(since)s)",
            {"since": since},
        ).fetchone()
    return row[0] if row else 0


_FORGET_BATCH = 20_000
_FORGET = """
DELETE FROM search_log WHERE search_id IN (
  SELECT search_id FROM search_log WHERE searched_at < %s ORDER BY searched_at LIMIT %s)
RETURNING chosen IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many searches left the log, and how many of them said what was used."""

    searches: int
    choices: int


def forget(conn: Connection, before: datetime) -> Forgotten:
    """Deletes the log before a time, in batches: nobody's search waits for it."""
    searches = choices = 0
    with translated():
        while True:
            rows: Sequence[tuple[bool]] = conn.execute(_FORGET, (before, _FORGET_BATCH)).fetchall()
            searches += len(rows)
            choices += sum(labelled for (labelled,) in rows)
            if len(rows) < _FORGET_BATCH:
                return Forgotten(searches, choices)
