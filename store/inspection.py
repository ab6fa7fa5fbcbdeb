"""What may be wrong with a database and with what is kept in it; looks, and changes nothing."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import LiteralString, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import class_row

from store import cluster, postmaster
from store.connection import translated
from store.leases import LeaseRow
from store.runs import RunRow

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class EmbeddedState:
    """The embedded server as it was found, before we join its users.

    `used`: some gloss process uses it. `remains`: the number of a server that was killed.
    `silent`: a process holds the database and does not answer; its number where it is known.
    """

    answers: bool
    used: bool
    kept: bool
    remains: int | None
    silent: bool
    silent_pid: int | None
    open_folder: Path | None


def embedded_state(data_dir: Path) -> EmbeddedState:
    place = data_dir.resolve()
    pgdata = cluster.pgdata_of(place)
    found = postmaster.read(pgdata)
    answers = postmaster.listening(pgdata) is not None
    lives = found is not None and postmaster.alive(found.pid)
    silent = not answers and _is_locked(place / "server.lock")
    return EmbeddedState(
        answers=answers,
        used=_is_locked(place / "users.lock"),
        kept=(place / "keep").exists(),
        remains=found.pid if found and not lives else None,
        silent=silent,
        silent_pid=found.pid if found and silent else None,
        open_folder=next((folder for folder in (place, pgdata) if _is_open(folder)), None),
    )


def _is_locked(path: Path) -> bool:
    """Whether another process has the lock; we let go of it at once."""
    with suppress(OSError):
        file = os.open(path, os.O_RDWR)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
    return False


def _is_open(folder: Path) -> bool:
    """PostgreSQL refuses a folder that others may enter or write."""
    try:
        return bool(folder.stat().st_mode & 0o027)
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """`vector` is the version in the database, `vector_here` the newest on its machine; None where
    there is none; `may_create`: our role may bring it in. `collation` is None where it does not
    change with the system."""

    clock: datetime
    backend_pid: int
    replica: bool
    read_only: bool
    may_create: bool
    vector: str | None
    vector_here: str | None
    collation: str | None
    collation_now: str | None


_FACTS = """
SELECT clock_timestamp() AS clock, pg_backend_pid() AS backend_pid,
       pg_is_in_recovery() AS replica, current_setting('transaction_read_only') = 'on' AS read_only,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS vector_here,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
         OR has_database_privilege(current_database(), 'CREATE')
            AND EXISTS (
              SELECT FROM pg_available_extension_versions WHERE name = 'vector' AND trusted)
         AS may_create,
       d.datcollversion AS collation, pg_database_collation_actual_version(d.oid) AS collation_now
FROM pg_database d WHERE d.datname = current_database()
"""


def database_facts(conn: Connection) -> DatabaseFacts:
    return _rows(conn, DatabaseFacts, _FACTS)[0]


def transactions_work(conn: Connection) -> bool:
    """False behind a pooler that hands out a server for one statement only."""
    try:
        with conn.transaction():
            conn.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


def vector_widths(conn: Connection, model: str) -> list[int]:
    """The widths of the vectors that are ranked; more than one is wrong."""
    with translated():
        rows = conn.execute(
            "SELECT DISTINCT vector_dims(mixed) FROM embeddings WHERE model = %s ORDER BY 1",
            (model,),
        ).fetchall()
    return [width for (width,) in rows]


@dataclass(frozen=True, slots=True)
class Texts:
    """Proposals that wait, those and live texts whose tool has changed since, by service."""

    service: str
    waiting: int
    waiting_stale: int
    live_stale: int
    oldest: datetime | None


_TEXTS = """
SELECT s.name AS service, count(*) FILTER (WHERE e.state = 'proposed') AS waiting,
       count(*) FILTER (WHERE e.state = 'proposed' AND e.content_hash <> o.content_hash)
         AS waiting_stale,
       count(*) FILTER (WHERE e.state = 'applied' AND e.content_hash <> o.content_hash)
         AS live_stale,
       min(e.created_at) FILTER (WHERE e.state = 'proposed') AS oldest
FROM enrichments e JOIN services s ON s.service_id = e.service_id
JOIN operations o ON o.service_id = e.service_id AND o.name = e.tool
WHERE e.state IN ('proposed', 'applied') AND s.removed_at IS NULL
GROUP BY s.name ORDER BY s.name
"""


def texts(conn: Connection) -> list[Texts]:
    return _rows(conn, Texts, _TEXTS)


def all_leases(conn: Connection) -> list[LeaseRow]:
    """Leases that are held now."""
    return _rows(
        conn,
        LeaseRow,
        "SELECT name, owner, acquired_at, heartbeat_at, expires_at, holder FROM leases"
        " WHERE expires_at > clock_timestamp() ORDER BY name",
    )


def unfinished_runs(conn: Connection) -> list[RunRow]:
    """Runs that have not said how they ended, the latest first."""
    return _rows(
        conn,
        RunRow,
        "SELECT run_id, command, host, pid, state, exit_code, summary, started_at, finished_at"
        " FROM runs WHERE state = 'running' ORDER BY started_at DESC LIMIT 20",
    )


def log_rows(conn: Connection) -> int:
    """About how many searches the log holds."""
    with translated():
        row = conn.execute(
            "SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'search_log'::regclass"
        ).fetchone()
    return row[0] if row else 0


def _rows(conn: Connection, kind: type[Row], query: LiteralString) -> list[Row]:
    with translated(), conn.cursor(row_factory=class_row(kind)) as cursor:
        return cursor.execute(query).fetchall()
