"""Live texts beside their originals, and what they did to the rank of their tools."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg import Connection

from store.statistics import SINCE, Window, rows


@dataclass(frozen=True, slots=True)
class LiveText:
    """An enrichment that is live, beside the original, and where its tool was ranked on average
    before and since. Ranks are None where it was not among the hits; `gain` where the gate did not
    measure it."""

    tool: str
    original: str
    name: str
    description: str
    aliases: tuple[str, ...]
    provider: str
    model: str
    since: datetime
    gain: float | None
    returned_before: int
    rank_before: float | None
    returned_since: int
    rank_since: float | None


_LIVE = f"""
WITH live AS (
  SELECT s.name || '/' || e.tool AS tool, e.name, e.description, e.aliases, e.provider, e.model,
         e.gain, coalesce(e.decided_at, e.created_at) AS since,
         coalesce(nullif(o.description, ''), o.summary) AS original
  FROM enrichments e JOIN services s USING (service_id)
  JOIN operations o ON o.service_id = e.service_id AND o.name = e.tool
  WHERE e.state = 'applied' AND s.removed_at IS NULL
    AND (%(services)s::text[] IS NULL OR s.name = ANY(%(services)s))
), ids AS (SELECT array_agg(tool) AS ids FROM live), ranks AS (
  SELECT live.tool, count(*) FILTER (WHERE before) AS returned_before,
         avg(rank) FILTER (WHERE before) AS rank_before,
         count(*) FILTER (WHERE NOT before) AS returned_since,
         avg(rank) FILTER (WHERE NOT before) AS rank_since
  FROM ids, search_log l, unnest(l.tools) WITH ORDINALITY AS hit (tool, rank)
  JOIN live ON live.tool = hit.tool, LATERAL (SELECT l.searched_at < live.since) AS b (before)
  WHERE l.fits AND l.tools && ids.ids
    AND {SINCE}
  GROUP BY live.tool
)
SELECT live.tool, live.original, live.name, live.description, live.aliases, live.provider,
       live.model, live.since, live.gain,
       coalesce(r.returned_before, 0) AS returned_before, r.rank_before::float AS rank_before,
       coalesce(r.returned_since, 0) AS returned_since, r.rank_since::float AS rank_since
FROM live LEFT JOIN ranks r USING (tool) ORDER BY live.tool LIMIT %(limit)s
"""


def live_texts(conn: Connection, window: Window, limit: int) -> list[LiveText]:
    return rows(conn, LiveText, _LIVE, {**window.values, "limit": limit})
