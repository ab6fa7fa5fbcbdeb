"""The log of runs: which command ran where, when, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from catalog.text import storable
from store.connection import json_bytes, translated

RunState = Literal["running", "done", "partial", "failed", "killed"]

_COLUMNS = "run_id, command, host, pid, state, exit_code, summary, started_at, finished_at"


@dataclass(frozen=True, slots=True)
class RunRow:
    """`exit_code` and `finished_at` are None while it runs, and for one that was killed."""

    run_id: UUID
    command: str
    host: str
    pid: int
    state: RunState
    exit_code: int | None
    summary: Mapping[str, Any]
    started_at: datetime
    finished_at: datetime | None


def start_run(conn: psycopg.Connection, command: str, *, host: str, pid: int) -> UUID:
    run_id = uuid4()
    with translated():
        conn.execute(
            "INSERT INTO runs (run_id, command, host, pid, state)"
            " VALUES (%s, %s, %s, %s, 'running')",
            (run_id, storable(command)[0], storable(host)[0], pid),
        )
    return run_id


def finish_run(
    conn: psycopg.Connection,
    run_id: UUID,
    state: RunState,
    *,
    exit_code: int,
    summary: Mapping[str, Any] | None = None,
) -> None:
    kept, _ = storable(dict(summary or {}))
    with translated():
        conn.execute(
            "UPDATE runs SET state = %s, exit_code = %s, summary = %s, finished_at = now()"
            " WHERE run_id = %s",
            (state, exit_code, Jsonb(kept, json_bytes), run_id),
        )


def note_killed(conn: psycopg.Connection, command: str) -> list[RunRow]:
    """Runs that never said how they ended; for who knows that none of them goes on."""
    with translated(), conn.cursor(row_factory=class_row(RunRow)) as cursor:
        return cursor.execute(
            f"UPDATE runs SET state = 'killed' WHERE command = %s AND state = 'running'"
            f" RETURNING {_COLUMNS}",
            (command,),
        ).fetchall()


def last_run(conn: psycopg.Connection, command: str, *, succeeded: bool = False) -> RunRow | None:
    """The latest run that came to its end; with `succeeded` the latest with exit code 0."""
    with translated(), conn.cursor(row_factory=class_row(RunRow)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE command = %s AND finished_at IS NOT NULL"
            " AND (exit_code = 0 OR NOT %s) ORDER BY finished_at DESC LIMIT 1",
            (command, succeeded),
        ).fetchone()


def list_runs(
    conn: psycopg.Connection, *, command: str | None = None, limit: int = 20
) -> list[RunRow]:
    """The latest runs first."""
    with translated(), conn.cursor(row_factory=class_row(RunRow)) as cursor:
        return cursor.execute(
            f"SELECT {_COLUMNS}"
            " FROM runs WHERE %(command)s::text IS NULL OR command = %(command)s"
            " ORDER BY started_at DESC, run_id LIMIT %(limit)s",
            {"command": command, "limit": limit},
        ).fetchall()
