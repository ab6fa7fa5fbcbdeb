"""Leases: who may do a thing that only one process may do, until when. The database's clock rules.

A lease is a row, not a session lock: it outlives pooled sessions, and a holder that died loses it
when it expires.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from store.connection import translated

_ACQUIRE = """
INSERT INTO leases (name, owner, acquired_at, heartbeat_at, expires_at)
VALUES (%(name)s, %(owner)s, clock_timestamp(), clock_timestamp(),
        clock_timestamp() + make_interval(secs => %(ttl_s)s))
ON CONFLICT (name) DO UPDATE SET
  owner = excluded.owner, heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at,
  acquired_at = CASE WHEN leases.owner = excluded.owner THEN leases.acquired_at
                     ELSE excluded.acquired_at END
WHERE leases.owner = excluded.owner OR leases.expires_at <= clock_timestamp()
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


def acquire(conn: psycopg.Connection, name: str, owner: str, ttl_s: float) -> bool:
    """Whether the lease is ours now; `owner` must tell this process from every other."""
    return _one(conn, _ACQUIRE, name, owner, ttl_s)


def heartbeat(conn: psycopg.Connection, name: str, owner: str, ttl_s: float) -> bool:
    """Make the lease last from now on; False when it expired or went to another: stop working."""
    return _one(conn, _HEARTBEAT, name, owner, ttl_s)


def _one(conn: psycopg.Connection, query: str, name: str, owner: str, ttl_s: float) -> bool:
    with translated():
        row = conn.execute(
            query.encode(), {"name": name, "owner": owner, "ttl_s": ttl_s}
        ).fetchone()
    return row is not None


def release(conn: psycopg.Connection, name: str, owner: str) -> None:
    with translated():
        conn.execute("DELETE FROM leases WHERE name = %s AND owner = %s", (name, owner))


def holder(conn: psycopg.Connection, name: str) -> LeaseRow | None:
    """Who holds the lease now; None when it is free or has expired."""
    with translated(), conn.cursor(row_factory=class_row(LeaseRow)) as cursor:
        return cursor.execute(
            "SELECT name, owner, acquired_at, heartbeat_at, expires_at FROM leases"
            " WHERE name = %s AND expires_at > clock_timestamp()",
            (name,),
        ).fetchone()
