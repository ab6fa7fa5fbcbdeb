"""What the log of searches says, counted by the database: tools, services, queries, time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from psycopg import Connection
from psycopg.rows import class_row

from store.connection import translated

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Window:
    """Which searches count: those at or after `since`, if any, that touched one of the services.

    A search touches a service that it names, or one of whose tools is among its hits or, where
    nothing fitted, among the nearest. No services means all searches.
    """

    since: datetime | None = None
    services: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        names = [re.sub(r"([%_\\])", r"\\\1", name) for name in self.services]
        return {
            "since": self.since,
            "services": list(self.services) or None,
            "of_them": [f"%,{name}/%" for name in names],
        }


@dataclass(frozen=True, slots=True)
class Counts:
    """One tool, a service (`tool` None), or all (`service` None too).

    `returned` counts the searches that had the tool among their hits; `first` those that had it as
    hit 1; `passed_over` those that had it and used another, `above` those of them that ranked it
    above the one used; `missed` those that used it though it was not among the hits; `near_empty`
    those that nothing fitted and that it came nearest to; `asked_again` those that had it, used
    nothing, and were asked again in other words.
    """

    service: str | None
    tool: str | None
    tools: int
    found: int
    returned: int
    rank_sum: int
    best_rank: int | None
    first: int
    chosen: int
    chosen_first: int
    passed_over: int
    above: int
    missed: int
    near_empty: int
    asked_again: int
    enriched: int
    stale: int
    waiting: int
    undescribed: int

    @property
    def ignored(self) -> int:
        """Returned, and another tool was used or none is known to have been."""
        return self.returned - self.chosen

    @property
    def mean_rank(self) -> float | None:
        return self.rank_sum / self.returned if self.returned else None


SINCE = "(%(since)s::timestamptz IS NULL OR l.searched_at >= %(since)s)"
# The searches of the window; `again` where another one asked the same in other words.
_SEARCHES = f"""
search_log l LEFT JOIN (
  SELECT DISTINCT again_of FROM search_log l WHERE again_of IS NOT NULL AND {SINCE}
) AS later ON later.again_of = l.search_id AND l.chosen IS NULL
"""
# Three times as fast as looking at each tool of the list.
_TOUCHING = """
  (%(services)s::text[] IS NULL OR l.services && %(services)s
   OR ',' || array_to_string(l.tools, ',') LIKE ANY(%(of_them)s::text[]))
"""
_COUNTS = f"""
WITH hits AS (
  SELECT hit.tool,
         count(*) FILTER (WHERE fits) AS returned,
         sum(hit.rank::int) FILTER (WHERE fits) AS rank_sum,
         min(hit.rank) FILTER (WHERE fits) AS best_rank,
         count(*) FILTER (WHERE fits AND hit.rank = 1) AS first,
         count(*) FILTER (WHERE hit.rank = chosen_rank) AS chosen,
         count(*) FILTER (WHERE hit.rank = 1 AND chosen_rank = 1) AS chosen_first,
         count(*) FILTER (WHERE fits AND chosen <> '' AND hit.rank IS DISTINCT FROM chosen_rank)
           AS passed_over,
         count(*) FILTER (WHERE hit.rank < chosen_rank) AS above,
         count(*) FILTER (WHERE NOT fits AND hit.rank = 1) AS near_empty,
         count(*) FILTER (WHERE fits AND later.again_of IS NOT NULL) AS asked_again
  FROM {_SEARCHES} CROSS JOIN LATERAL unnest(l.tools) WITH ORDINALITY AS hit (tool, rank)
  WHERE {SINCE} AND {_TOUCHING} GROUP BY hit.tool
), missed AS (
  SELECT chosen AS tool, count(*) AS missed FROM search_log l
  WHERE chosen <> '' AND chosen_rank IS NULL AND {SINCE} GROUP BY chosen
), tools AS (
  SELECT s.name AS service, s.name || '/' || o.name AS tool, h.returned, h.rank_sum, h.best_rank,
         h.first, h.chosen, h.chosen_first, h.passed_over, h.above, m.missed, h.near_empty,
         h.asked_again,
         live.tool IS NOT NULL AS enriched, live.content_hash <> o.content_hash AS stale,
         open.tool IS NOT NULL AS waiting, o.summary = '' AND o.description = '' AS undescribed
  FROM services s JOIN operations o ON o.service_id = s.service_id
  LEFT JOIN enrichments live
    ON live.service_id = o.service_id AND live.tool = o.name AND live.state = 'applied'
  LEFT JOIN enrichments open
    ON open.service_id = o.service_id AND open.tool = o.name AND open.state = 'proposed'
  LEFT JOIN hits h ON h.tool = s.name || '/' || o.name
  LEFT JOIN missed m ON m.tool = s.name || '/' || o.name
  WHERE s.removed_at IS NULL
    AND (%(services)s::text[] IS NULL OR s.name = ANY(%(services)s))
)
SELECT service, tool, count(*) AS tools, count(*) FILTER (WHERE returned > 0) AS found,
       coalesce(sum(returned), 0)::bigint AS returned,
       coalesce(sum(rank_sum), 0)::bigint AS rank_sum, min(best_rank) AS best_rank,
       coalesce(sum(first), 0)::bigint AS first, coalesce(sum(chosen), 0)::bigint AS chosen,
       coalesce(sum(chosen_first), 0)::bigint AS chosen_first,
       coalesce(sum(passed_over), 0)::bigint AS passed_over,
       coalesce(sum(above), 0)::bigint AS above,
       coalesce(sum(missed), 0)::bigint AS missed,
       coalesce(sum(near_empty), 0)::bigint AS near_empty,
       coalesce(sum(asked_again), 0)::bigint AS asked_again,
       count(*) FILTER (WHERE enriched) AS enriched, count(*) FILTER (WHERE stale) AS stale,
       count(*) FILTER (WHERE waiting) AS waiting,
       count(*) FILTER (WHERE undescribed AND NOT enriched) AS undescribed
FROM tools GROUP BY GROUPING SETS ((service, tool), (service))
ORDER BY service, tool NULLS FIRST
"""


def counts(conn: Connection, window: Window) -> list[Counts]:
    """Each service, then its tools, by name; tools that nobody found are there with zeros."""
    return rows(conn, Counts, _COUNTS, window.values)


@dataclass(frozen=True, slots=True)
class Totals:
    """All searches in the window, or (`origin` not None) those that came from one place.

    `times_ms` are the 50th, 95th and 99th percentile; None where there is no search.
    `choices` says how often it is known what was used; of these `first` were hit 1, `missed` were
    not among the hits, and in `none` cases somebody said that no tool fits.
    """

    origin: str | None
    searches: int
    empty: int
    asked_again: int
    choices: int
    first: int
    missed: int
    none: int
    times_ms: list[float] | None
    oldest: datetime | None

    @property
    def p50_ms(self) -> float | None:
        return self.times_ms[0] if self.times_ms else None

    @property
    def p95_ms(self) -> float | None:
        return self.times_ms[1] if self.times_ms else None

    @property
    def p99_ms(self) -> float | None:
        return self.times_ms[2] if self.times_ms else None


_TOTALS = f"""
SELECT origin, count(*) AS searches, count(*) FILTER (WHERE NOT fits) AS empty,
       count(later.again_of) AS asked_again, count(chosen) AS choices,
       count(*) FILTER (WHERE chosen_rank = 1) AS first,
       count(*) FILTER (WHERE chosen <> '' AND chosen_rank IS NULL) AS missed,
       count(*) FILTER (WHERE chosen = '') AS none,
       percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY took_ms) AS times_ms,
       min(searched_at) AS oldest
FROM {_SEARCHES} WHERE {SINCE} AND {_TOUCHING}
GROUP BY GROUPING SETS ((), (origin)) ORDER BY origin NULLS FIRST
"""


def totals(conn: Connection, window: Window) -> list[Totals]:
    """All searches first, then those of each origin."""
    return rows(conn, Totals, _TOTALS, window.values)


@dataclass(frozen=True, slots=True)
class Slice:
    """The searches of one stretch of time."""

    start: datetime
    searches: int
    empty: int
    p95_ms: float


_SLICES = f"""
SELECT date_bin(make_interval(secs => %(width_s)s), l.searched_at, %(start)s) AS start,
       count(*) AS searches, count(*) FILTER (WHERE NOT fits) AS empty,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY took_ms) AS p95_ms
FROM search_log l WHERE {SINCE} AND {_TOUCHING}
GROUP BY 1 ORDER BY 1
"""


def slices(conn: Connection, window: Window, start: datetime, width_s: float) -> list[Slice]:
    """Searches in stretches of a width, counted from `start`; those without any are left out."""
    return rows(conn, Slice, _SLICES, {**window.values, "start": start, "width_s": width_s})


@dataclass(frozen=True, slots=True)
class EmptyQuery:
    """A query that nothing fitted, how often, and the tool that came nearest most often."""

    query: str
    times: int
    nearest: str | None
    latest: datetime


_EMPTY = f"""
SELECT min(l.query) AS query, count(*) AS times,
       mode() WITHIN GROUP (ORDER BY l.tools[1]) AS nearest, max(l.searched_at) AS latest
FROM search_log l
WHERE NOT l.fits AND {SINCE} AND {_TOUCHING}
GROUP BY lower(l.query) ORDER BY times DESC, latest DESC LIMIT %(limit)s
"""


def empty_queries(conn: Connection, window: Window, limit: int) -> list[EmptyQuery]:
    return rows(conn, EmptyQuery, _EMPTY, {**window.values, "limit": limit})


@dataclass(frozen=True, slots=True)
class AgainQuery:
    """A query that was asked again in other words before anything was used, and what it became."""

    query: str
    times: int
    then: str


_AGAIN = f"""
SELECT min(l.query) AS query, count(*) AS times,
       mode() WITHIN GROUP (ORDER BY later.query) AS "then"
FROM search_log later JOIN search_log l ON l.search_id = later.again_of
WHERE later.again_of IS NOT NULL AND l.chosen IS NULL
  AND {SINCE} AND {_TOUCHING}
GROUP BY lower(l.query) ORDER BY times DESC, query LIMIT %(limit)s
"""


def again_queries(conn: Connection, window: Window, limit: int) -> list[AgainQuery]:
    return rows(conn, AgainQuery, _AGAIN, {**window.values, "limit": limit})


def rows(
    conn: Connection, kind: type[Row], query: LiteralString, values: dict[str, Any]
) -> list[Row]:
    with translated(), conn.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query, values).fetchall()
