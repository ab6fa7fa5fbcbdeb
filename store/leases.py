"""Leases: who may do a thing that only one process may do, until when. The database's clock rules.

A lease is a row, not a session lock: it outlives pooled sessions, and a holder that died loses it
when it expires.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from store.connection import translated

_ACQUIRE = """
INSERT INTO leases (name, owner, acquired_at, heartbeat_at, expires_at, holder)
VALUES (%(name)s, %(owner)s, clock_timestamp(), clock_timestamp(),
        clock_timestamp() + make_interval(secs => %(ttl_s)s), %(holder)s)
ON CONFLICT (name) DO UPDATE SET
  owner = excluded.owner, heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at,
  holder = excluded.holder,
  acquired_at = CASE WHEN leases.owner = excluded.owner THEN leases.acquired_at
                     ELSE excluded.acquired_at END
WHERE leases.owner IN (excluded.owner, %(dead)s) OR leases.expires_at <= clock_timestamp()
RETURNING name
"""
_HEARTBEAT = """
UPDATE leases SET heartbeat_at = clock_timestamp(),
  expires_at = clock_timestamp() + make_interval(secs => %(ttl_s)s)
WHERE name = %(name)s AND owner = %(owner)s AND expires_at > clock_timestamp()
RETURNING name
"""


@dataclass(frozen=True, slots=True)
class LeaseRow:
    name: str
    owner: str
    acquired_at: datetime
    heartbeat_at: datetime
    expires_at: datetime
    holder: Mapping[str, Any] = field(default_factory=dict)


def acquire(
    conn: psycopg.Connection,
    name: str,
    owner: str,
    ttl_s: float,
    holder: Mapping[str, Any] | None = None,
    dead: str | None = None,
) -> bool:
    """Whether the lease is ours now; `owner` must tell this process from every other.

    `holder` says who that is; `dead` is an owner known to have died, whose lease need not expire.
    """
    given = {"holder": Jsonb(dict(holder or {})), "dead": dead}
    return _one(conn, _ACQUIRE, {"name": name, "owner": owner, "ttl_s": ttl_s, **given})


def heartbeat(conn: psycopg.Connection, name: str, owner: str, ttl_s: float) -> bool:
    """Make the lease last from now on; False when it expired or went to another: stop working."""
    return _one(conn, _HEARTBEAT, {"name": name, "owner": owner, "ttl_s": ttl_s})


def _one(conn: psycopg.Connection, query: str, values: Mapping[str, Any]) -> bool:
    with translated():
        row = conn.execute(query.encode(), values).fetchone()
    return row is not None


def release(conn: psycopg.Connection, name: str, owner: str) -> None:
    with translated():
        conn.execute("DELETE FROM leases WHERE name = %s AND owner = %s", (name, owner))


def holder(conn: psycopg.Connection, name: str) -> LeaseRow | None:
    """Who holds the lease now; None when it is free or has expired."""
    with translated(), conn.cursor(row_factory=class_row(LeaseRow)) as cursor:
        return cursor.execute(
            "SELECT name, owner, acquired_at, heartbeat_at, expires_at, holder FROM leases"
            " WHERE name = %s AND expires_at > clock_timestamp()",
            (name,),
        ).fetchone()
