"""The catalog as a file and back, and the embedded server's data taken to a newer PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import make_conninfo

from catalog.errors import GlossError, NotFound, UsageError
from store import cluster, postmaster, server
from store.cluster import run_program
from store.connection import connect, masked
from store.launching import Launch, launch
from store.migrate import migrate, migrations, require_vector, schema_version

_CREATED = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Upgraded:
    """`backup` is the folder of the old version, kept; None when there was nothing to do."""

    was: int
    now: int
    backup: Path | None


def catalog_tables() -> tuple[str, ...]:
    """Every table that the migrations make."""
    scripts = (migration.path.read_text("utf-8") for migration in migrations())
    return ("gloss_schema", *(name for script in scripts for name in _CREATED.findall(script)))


def dump(conninfo: str, target: Path) -> None:
    """The catalog in pg_dump's custom format; the file appears whole or not at all."""
    tables = [word for name in catalog_tables() for word in ("-t", name)]
    with connect(conninfo) as conn:
        if not schema_version(conn):
            raise NotFound("the database holds no catalog yet", hint="gloss ingest specs/")
    with _part_of(target) as part:
        _run(conninfo, "pg_dump", ["-Fc", "--no-owner", "--no-privileges", *tables, "-f", part])
        with _cannot_write(target):
            _put(Path(part), target)


def _put(part: Path, target: Path) -> None:
    """A file is replaced, through a link too; a device or a pipe is written to."""
    if not _is_special(target):
        part.replace(target.resolve())
        return
    with part.open("rb") as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink)


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def restore(conninfo: str, source: Path, *, replace: bool = False) -> None:
    """Make the database what a dump says, in one transaction, then bring its tables up to date."""
    if not source.is_file():
        raise UsageError(f"there is no file {source}", hint="gloss db dump FILE makes one")
    with connect(conninfo) as conn:
        require_vector(conn)
        if schema_version(conn) and not replace:
            raise UsageError(
                "the database already holds a catalog", hint="restore with --replace to drop it"
            )
    _restore(conninfo, source)
    with connect(conninfo) as conn:
        migrate(conn)


def _restore(conninfo: str, source: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="gloss-") as folder:
        drops, script = Path(folder) / "drops.sql", Path(folder) / "restore.sql"
        names = ", ".join(catalog_tables())
        drops.write_text(
            f"SET client_min_messages = error; DROP TABLE IF EXISTS {names} CASCADE;", "utf-8"
        )
        words = ["--no-owner", "--no-privileges", "-f", str(script), str(source.resolve())]
        _run(None, "pg_restore", words)
        once = ["-X", "-q", "-1", "-v", "ON_ERROR_STOP=1"]
        _run(conninfo, "psql", [*once, "-f", str(drops), "-f", str(script)])


def _run(conninfo: str | None, program: str, words: list[str]) -> None:
    """One of PostgreSQL's programs; the password goes by the environment, not the arguments."""
    where, env = ([], {}) if conninfo is None else _as_connected(conninfo)
    done = run_program([str(cluster.binaries() / program), *where, *words], extra_env=env)
    if done.returncode != 0:
        said = masked(done.stderr.strip(), conninfo or "")
        raise GlossError(f"{program} failed: {(said.splitlines() or ['it said nothing'])[0]}")


def _as_connected(conninfo: str) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment that lead a program to where our own connection went."""
    with connect(conninfo) as conn:
        where = make_conninfo("", **conn.info.get_parameters())
        env = {"PGPASSWORD": conn.info.password}
    with suppress(RuntimeError):
        env["HOME"] = str(Path.home())  # certificates lie below it
    return ["-d", where], env


@contextmanager
def _part_of(target: Path) -> Iterator[str]:
    with _cannot_write(target):
        folder = None if _is_special(target) else target.resolve().parent
        file, part = tempfile.mkstemp(prefix=f".{target.name}-", dir=folder)
    os.close(file)
    try:
        yield part
    finally:
        Path(part).unlink(missing_ok=True)


@contextmanager
def _cannot_write(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GlossError(f"cannot write {target}: {error.strerror}") from error


def upgrade(data_dir: Path) -> Upgraded:
    """Take the embedded data to this program's PostgreSQL by dump and restore; keep the old."""
    pgdata = cluster.pgdata_of(data_dir.resolve())
    was = cluster.major_of(pgdata)
    if was is None:
        raise UsageError(f"{data_dir} holds no database yet", hint="gloss ingest SPEC…")
    if was == cluster.MAJOR:
        return Upgraded(was, was, None)
    if was not in cluster.known_majors():
        raise UsageError(
            f"{data_dir} holds a PostgreSQL {was} database; this gloss has the programs of "
            f"{', '.join(map(str, cluster.known_majors()))} only",
            hint=f"dump it with a gloss that runs PostgreSQL {was}, then `gloss db restore`",
        )
    with server.exclusive(data_dir) as lock:
        return _upgraded(data_dir.resolve(), pgdata, was, lock)


def _upgraded(place: Path, pgdata: Path, was: int, lock: int) -> Upgraded:
    fresh, copy = cluster.upgraded_of(place), place / "upgrade.dump"
    shutil.rmtree(fresh, ignore_errors=True)
    backup = _free_name(place / f"postgres-{was}")
    with _serving(place, pgdata, lock, was) as url:
        dump(url, copy)
    cluster.create(place, fresh)
    with _serving(place, fresh, lock, cluster.MAJOR) as url:
        restore(url, copy)
    pgdata.rename(backup)
    fresh.rename(pgdata)
    copy.unlink()
    return Upgraded(was, cluster.MAJOR, backup)


@contextmanager
def _serving(place: Path, pgdata: Path, lock: int, major: int) -> Iterator[str]:
    running = launch(Launch(place, pgdata, lock, major))
    try:
        yield server.url_of(running)
    finally:
        postmaster.stop(running)


def _free_name(path: Path) -> Path:
    numbered = (path.with_name(f"{path.name}-{number}") for number in range(2, 1000))
    return path if not path.exists() else next(name for name in numbered if not name.exists())
