"""How long `gloss stats` counts over a long log, and what writing the log costs a search.

    python bench/statistics_speed.py [ROWS] [TOOLS]

The log is made by the database from a seed: four hits a search drawn from a skewed choice of
tools, a tenth without a hit, a tenth asked again, a third with a choice.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from psycopg import Connection

from store import server, statistics
from store.live_texts import live_texts
from store.migrate import open_catalog
from store.searches import Searched, log_search

SERVICES = 50
MAKE_CATALOG = """
WITH s AS (
  INSERT INTO services (name, kind, version, identity, title, description, source)
  SELECT 'service' || n, 'openapi', '3', 'x', '', '', '' FROM generate_series(1, %(services)s) n
  RETURNING service_id
)
INSERT INTO operations (service_id, operation_id, name, protocol, binding, summary, description,
  input_schema, tags, deprecated, content_hash)
SELECT service_id, n, 'tool' || n, 'http', '{}', '', '', '{}', '{}', false, ''
FROM s, generate_series(1, %(each)s) n
"""
MAKE_LOG = """
INSERT INTO search_log (search_id, searched_at, origin, session, query, stems, k, took_ms, fits,
  chance, tools, scores, again_of, chosen, chosen_rank)
SELECT md5(n::text)::uuid, now() - make_interval(secs => n * 2), 'cli', 's' || n %% 97,
  'query number ' || n %% 50000, '{query,number}', 4, 20 + 100 * random(), n %% 10 <> 0, 0.5,
  found.t, '{0.9,0.8,0.7,0.6}', CASE WHEN n %% 10 = 3 THEN md5((n + 1)::text)::uuid END,
  CASE WHEN n %% 3 = 0 AND n %% 10 <> 0 THEN found.t[1 + n %% 4] END,
  CASE WHEN n %% 3 = 0 AND n %% 10 <> 0 THEN 1 + n %% 4 END
FROM generate_series(1, %(rows)s) n, LATERAL (
  SELECT array_agg('service' || 1 + (x / 7) %% %(services)s || '/tool' || 1 + x %% %(each)s) AS t
  FROM (SELECT (power(random(), 3) * %(tools)s)::int + n * 0 AS x FROM generate_series(1, 4)) d
) AS found
"""


def main() -> None:
    rows, tools = (int(word) for word in (*sys.argv[1:], "1000000", "10000")[:2])
    folder = Path(tempfile.mkdtemp(prefix="gs-"))
    try:
        with server.embedded(folder / "data") as url, open_catalog(url) as conn:
            measure(conn, rows, tools)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(conn: Connection, rows: int, tools: int) -> None:
    given = {"rows": rows, "tools": tools, "services": SERVICES, "each": tools // SERVICES}
    timed("make the catalog", lambda: conn.execute(MAKE_CATALOG, given))
    write(conn, "log one search, empty log")
    timed("make the log", lambda: conn.execute(MAKE_LOG, given))
    conn.execute("ANALYZE")
    write(conn, f"log one search, {rows:,} rows")
    for name, since in (("all", None), ("7d", datetime.now(UTC) - timedelta(days=7))):
        count(conn, name, statistics.Window(since))
    count(conn, "all, one service", statistics.Window(None, ("service7",)))


def count(conn: Connection, name: str, window: statistics.Window) -> None:
    start = window.since or datetime.now(UTC) - timedelta(days=30)
    timed(f"{name}: counts", lambda: statistics.counts(conn, window))
    timed(f"{name}: totals", lambda: statistics.totals(conn, window))
    timed(f"{name}: slices", lambda: statistics.slices(conn, window, start, 86400))
    timed(f"{name}: empty", lambda: statistics.empty_queries(conn, window, 20))
    timed(f"{name}: again", lambda: statistics.again_queries(conn, window, 20))
    timed(f"{name}: live", lambda: live_texts(conn, window, 500))


def write(conn: Connection, name: str) -> None:
    tools = tuple(f"service{n}/tool{n}" for n in range(1, 5))
    started = time.perf_counter()
    for n in range(200):
        log_search(conn, Searched("cli", f"find thing {n}", 4, 1.0, tools, session="bench"))
    print(f"{name:<40}{(time.perf_counter() - started) * 5:8.2f} ms")


def timed(name: str, work: Callable[[], Any]) -> None:
    started = time.perf_counter()
    work()
    print(f"{name:<40}{time.perf_counter() - started:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
