from __future__ import annotations

import psycopg

from store import runs


def test_a_run_from_start_to_end(conn: psycopg.Connection) -> None:
    run_id = runs.start_run(conn, "ingest", host="box", pid=7)
    [row] = runs.list_runs(conn)
    assert (row.command, row.host, row.pid, row.state) == ("ingest", "box", 7, "running")
    assert row.finished_at is None
    runs.finish_run(conn, run_id, "partial", exit_code=5, summary={"added": 3, "bad": "\0"})
    [row] = runs.list_runs(conn)
    assert (row.state, row.exit_code) == ("partial", 5)
    assert row.summary == {"added": 3, "bad": "\ufffd"}
    assert row.finished_at is not None


def test_latest_runs_come_first(conn: psycopg.Connection) -> None:
    for command in ("ingest", "index", "sync"):
        runs.start_run(conn, command, host="box", pid=7)
    assert [row.command for row in runs.list_runs(conn, limit=2)] == ["sync", "index"]
    assert [row.command for row in runs.list_runs(conn, command="ingest")] == ["ingest"]
