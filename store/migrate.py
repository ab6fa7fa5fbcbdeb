"""The catalog's tables brought up to date: numbered SQL files, forward only, each applied once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psycopg
from psycopg import errors

from catalog.errors import UsageError
from store.connection import connect, in_our_words, translated

MIN_VECTOR = (0, 8, 4)
_FOLDER = Path(__file__).with_name("migrations")
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_LOCK_ROW = 0  # the row of gloss_schema that starters lock; migrations count from 1
_WAIT = "60s"


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    path: Path


@cache
def migrations(folder: Path = _FOLDER) -> tuple[Migration, ...]:
    found = [(m, path) for path in sorted(folder.iterdir()) if (m := _FILE.fullmatch(path.name))]
    return tuple(Migration(int(m[1]), m[2], path) for m, path in found)


def open_catalog(conninfo: str, *, application_name: str = "gloss") -> psycopg.Connection:
    """A connection to a catalog whose tables are up to date."""
    conn = connect(conninfo, application_name=application_name)
    try:
        migrate(conn)
    except BaseException:
        conn.close()
        raise
    return conn


def migrate(conn: psycopg.Connection, folder: Path = _FOLDER) -> tuple[int, ...]:
    """The versions applied now; one query and none when the tables are up to date."""
    known = migrations(folder)
    with translated():
        if _is_current(conn, known):
            return ()
        require_vector(conn)
        _prepare_lock(conn)
        return _apply_missing(conn, known)


def schema_version(conn: psycopg.Connection) -> int:
    """The newest migration applied; 0 for a database that holds no catalog."""
    try:
        row = conn.execute("SELECT coalesce(max(version), 0) FROM gloss_schema").fetchone()
    except errors.UndefinedTable:
        return 0
    return int(row[0]) if row else 0


def _is_current(conn: psycopg.Connection, known: tuple[Migration, ...]) -> bool:
    applied = schema_version(conn)
    newest = known[-1].version
    if applied > newest:
        raise UsageError(
            f"the catalog was written by a newer gloss (schema {applied}, "
            f"this program knows {newest})",
            hint="pip install --upgrade apigloss",
        )
    return applied == newest


def require_vector(conn: psycopg.Connection) -> None:
    """pgvector, new enough and within reach; created where our role may."""
    version = vector_version(conn) or _create_vector(conn)
    if tuple(int(part) for part in re.findall(r"\d+", version)[:3]) < MIN_VECTOR:
        raise UsageError(
            f"the database has pgvector {version}, gloss needs 0.8.4 or newer",
            hint="ask an administrator for: ALTER EXTENSION vector UPDATE",
        )
    reachable = conn.execute("SELECT to_regtype('vector') IS NOT NULL").fetchone()
    if reachable is None or not reachable[0]:
        raise UsageError(
            "the type vector is in a schema that the role's search_path does not name",
            hint="ALTER ROLE … SET search_path = public, SCHEMA_OF_VECTOR",
        )


def vector_version(conn: psycopg.Connection) -> str:
    row = conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    return row[0] if row else ""


def update_vector(conn: psycopg.Connection) -> None:
    """pgvector in the database brought to the version that its server has."""
    row = conn.execute(
        "SELECT installed_version <> default_version FROM pg_available_extensions"
        " WHERE name = 'vector'"
    ).fetchone()
    if row and row[0]:
        try:
            conn.execute("ALTER EXTENSION vector UPDATE")
        except errors.InsufficientPrivilege:
            raise UsageError(
                f"the role {conn.info.user} may not update the extension vector",
                hint="ask an administrator for: ALTER EXTENSION vector UPDATE",
            ) from None


def _create_vector(conn: psycopg.Connection) -> str:
    try:
        conn.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (errors.UniqueViolation, errors.DuplicateObject):
        pass  # another process creates it at this moment
    except errors.InsufficientPrivilege:
        raise UsageError(
            f"the database {conn.info.dbname} lacks the extension vector, and the role "
            f"{conn.info.user} may not create it",
            hint="ask an administrator for: CREATE EXTENSION vector",
        ) from None
    except (errors.UndefinedFile, errors.FeatureNotSupported):
        raise UsageError(
            "the database server has no pgvector",
            hint="install pgvector 0.8.4 or newer on the server",
        ) from None
    return vector_version(conn)


def _prepare_lock(conn: psycopg.Connection) -> None:
    """The table of versions and its row 0, whichever of several starters makes them."""
    create = (
        "CREATE TABLE IF NOT EXISTS gloss_schema (version int PRIMARY KEY, name text NOT NULL,"
        " applied_at timestamptz NOT NULL DEFAULT now())"
    )
    try:
        conn.execute(create)
    except (errors.UniqueViolation, errors.DuplicateTable):
        conn.execute(create)  # lost a race: IF NOT EXISTS does not see what is being made
    except errors.InsufficientPrivilege as error:
        raise UsageError(
            f"{in_our_words(error).message}",
            hint=f'GRANT CREATE ON SCHEMA public TO "{conn.info.user}", or a schema of its own',
        ) from None
    conn.execute(
        "INSERT INTO gloss_schema (version, name) VALUES (%s, 'lock') ON CONFLICT DO NOTHING",
        (_LOCK_ROW,),
    )


def _apply_missing(conn: psycopg.Connection, known: tuple[Migration, ...]) -> tuple[int, ...]:
    with conn.transaction():
        conn.execute(f"SET LOCAL lock_timeout = '{_WAIT}'")
        conn.execute("SELECT FROM gloss_schema WHERE version = %s FOR UPDATE", (_LOCK_ROW,))
        rows = conn.execute("SELECT version FROM gloss_schema").fetchall()
        applied = {row[0] for row in rows}
        missing = [m for m in known if m.version not in applied]
        for migration in missing:
            _apply(conn, migration)
    return tuple(m.version for m in missing)


def _apply(conn: psycopg.Connection, migration: Migration) -> None:
    try:
        conn.execute(migration.path.read_bytes())
    except errors.DuplicateTable as error:
        raise UsageError(
            f"the database {conn.info.dbname} has tables of another program: "
            f"{error.diag.message_primary}",
            hint="give gloss a database of its own: CREATE DATABASE gloss",
        ) from None
    conn.execute(
        "INSERT INTO gloss_schema (version, name) VALUES (%s, %s)",
        (migration.version, migration.name),
    )
