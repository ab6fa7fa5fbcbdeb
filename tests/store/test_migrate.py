from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from catalog.errors import TryLater, UsageError
from store import migrate
from store.connection import connect

NEWEST = migrate.migrations()[-1].version


def test_first_start_makes_the_tables(empty_database_url: str) -> None:
    with connect(empty_database_url) as conn:
        assert migrate.migrate(conn) == tuple(m.version for m in migrate.migrations())
        assert migrate.schema_version(conn) == NEWEST


def test_up_to_date_costs_one_query(conn: psycopg.Connection) -> None:
    assert migrate.migrate(conn) == ()


def test_numbers_leave_no_gap() -> None:
    assert [m.version for m in migrate.migrations()] == list(range(1, NEWEST + 1))


def test_starters_at_once_apply_each_file_once(empty_database_url: str) -> None:
    program = (
        "import sys; from store.migrate import open_catalog; input();"
        "print(len(open_catalog(sys.argv[1]).execute('SELECT FROM gloss_schema').fetchall()))"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", program, empty_database_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for _ in range(4)
    ]
    results = [starter.communicate("go\n", timeout=60) for starter in starters]
    assert results == [(f"{NEWEST + 1}\n", "")] * 4


def test_newer_schema_is_refused(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO gloss_schema (version, name) VALUES (%s, 'of tomorrow')", (NEWEST + 2,)
    )
    with pytest.raises(UsageError) as caught:
        migrate.migrate(conn)
    assert caught.value.message == (
        f"the catalog was written by a newer gloss (schema {NEWEST + 2},"
        f" this program knows {NEWEST})"
    )
    assert "upgrade" in caught.value.hint


def test_an_older_catalog_gets_what_it_misses(empty_database_url: str, tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_text("CREATE TABLE first (a int);")
    with connect(empty_database_url) as conn:
        assert migrate.migrate(conn, tmp_path) == (1,)
        (tmp_path / "0002_second.sql").write_text("CREATE TABLE second (b int);")
        migrate.migrations.cache_clear()
        assert migrate.migrate(conn, tmp_path) == (2,)


def test_a_file_that_fails_leaves_nothing(empty_database_url: str, tmp_path: Path) -> None:
    (tmp_path / "0001_half.sql").write_text("CREATE TABLE half (a int); SELECT 1/0;")
    with connect(empty_database_url) as conn:
        with pytest.raises(Exception, match="division by zero"):
            migrate.migrate(conn, tmp_path)
        assert migrate.schema_version(conn) == 0
        assert conn.execute("SELECT to_regclass('half')").fetchone() == (None,)


def test_tables_of_another_program_are_left_alone(empty_database_url: str) -> None:
    with connect(empty_database_url) as conn:
        conn.execute("CREATE TABLE services (mine int)")
        with pytest.raises(UsageError, match="another program") as caught:
            migrate.migrate(conn)
        assert "CREATE DATABASE gloss" in caught.value.hint


def test_old_pgvector_is_refused(conn: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "MIN_VECTOR", (99, 0, 0))
    with pytest.raises(UsageError, match="pgvector 0"):
        migrate.require_vector(conn)


def test_pgvector_out_of_reach(empty_database_url: str) -> None:
    with connect(empty_database_url) as conn:
        conn.execute("CREATE SCHEMA hidden; CREATE EXTENSION vector SCHEMA hidden")
        with pytest.raises(UsageError, match="search_path"):
            migrate.migrate(conn)


def test_a_starter_that_hangs_makes_others_try_later(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "_WAIT", "20ms")
    with connect(empty_database_url) as first, connect(empty_database_url) as second:
        migrate._prepare_lock(first)
        with first.transaction():
            first.execute("SELECT FROM gloss_schema WHERE version = 0 FOR UPDATE")
            with pytest.raises(TryLater):
                migrate.migrate(second)


FORBIDDEN = re.compile(
    r"GENERATED ALWAYS AS \(|CREATE (OR REPLACE )?(TRIGGER|RULE|FUNCTION)|LOCK TABLE"
    r"|pg_advisory|CREATE EXTENSION|UNLOGGED|SERIAL\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("migration", migrate.migrations(), ids=lambda m: m.name)
def test_migrations_are_portable(migration: migrate.Migration) -> None:
    assert not FORBIDDEN.findall(migration.path.read_text())


def test_service_id_leads_every_key_of_what_belongs_to_a_service(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        """
        SELECT i.indrelid::regclass::text, (SELECT attname FROM pg_attribute a
               WHERE a.attrelid = i.indrelid AND a.attnum = i.indkey[0])
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_attribute s ON s.attrelid = c.oid AND s.attname = 'service_id'
        WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace
          AND c.relname <> 'services'
        """
    ).fetchall()
    assert rows
    assert {column for _, column in rows} == {"service_id"}
