"""What all tests share: one embedded server for the run, a fresh database for each test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from store import cluster, postmaster, server
from store.account import before_exec, server_account
from store.connection import connect
from store.migrate import migrate

_TEMPLATE = "gloss_template"
_numbers = count(1)

signal.signal(signal.SIGINT, signal.default_int_handler)
"""Children of a background job would ignore Ctrl-C, and tests that send it would wait for ever."""


def pytest_report_header() -> str:
    control = cluster.binaries().parent / "share/postgresql/extension/vector.control"
    version = next(line for line in control.read_text().splitlines() if "default_version" in line)
    return f"embedded PostgreSQL {cluster.MAJOR}, pgvector {version.split()[-1]}"


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The address of the run's embedded server: its superuser, no catalog."""
    folder = Path(tempfile.mkdtemp(prefix="gt-"))
    try:
        with server.embedded(folder / "data") as url:
            _hurry(url)
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _hurry(url: str) -> None:
    """Databases of a test need not survive a power cut, and there are hundreds of them."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("ALTER SYSTEM SET fsync = off")
        admin.execute("SELECT pg_reload_conf()")


@dataclass(frozen=True)
class PasswordServer:
    """A server on a TCP port that asks for passwords, as others run it."""

    admin_url: str
    host: str
    port: int

    def url(self, role: str, password: str, database: str) -> str:
        return f"postgresql://{role}:{quote(password, safe='')}@{self.host}:{self.port}/{database}"


@pytest.fixture(scope="session")
def password_server() -> Iterator[PasswordServer]:
    folder = Path(tempfile.mkdtemp(prefix="gt-"))
    try:
        yield from _password_server(folder / "data")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _password_server(place: Path) -> Iterator[PasswordServer]:
    with server.exclusive(place):
        cluster.create(place)
    pgdata = cluster.pgdata_of(place)
    (pgdata / "pg_hba.conf").write_text(
        "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
    )
    sockets = Path(tempfile.mkdtemp(prefix="gloss-"))
    if (account := server_account(pgdata)) is not None:
        os.chown(sockets, account.uid, account.gid)
    port = _free_port()
    program = cluster.binaries() / "postgres"
    words = [*cluster.settings(sockets), "-c", "listen_addresses=127.0.0.1", "-c", f"port={port}"]
    prepare = before_exec(account, pgdata, program.parent)
    postmaster.spawn(
        [str(program), "-D", str(pgdata), *words], place / "server.log", prepare=prepare
    )
    admin = f"postgresql://gloss@/postgres?host={quote(str(sockets), safe='')}&port={port}"
    try:
        _wait_for(admin)
        _hurry(admin)
        yield PasswordServer(admin, "127.0.0.1", port)
    finally:
        postmaster.stop_in(pgdata)
        shutil.rmtree(sockets, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "the password server did not start"
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session")
def template_database(server_url: str) -> str:
    """A migrated database, to be copied rather than migrated for each test."""
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {_TEMPLATE}")
    with connect(_to(server_url, _TEMPLATE)) as conn:
        migrate(conn)
    return _TEMPLATE


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """A database with nothing in it, for tests of the first start."""
    yield from _database(server_url, "template0")


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    yield from _database(server_url, template_database)


@pytest.fixture
def conn(database_url: str) -> Iterator[psycopg.Connection]:
    with connect(database_url) as conn:
        yield conn


def _database(server_url: str, template: str) -> Iterator[str]:
    name = f"gloss_test_{next(_numbers)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield _to(server_url, name)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _to(server_url: str, database: str) -> str:
    return server_url.replace("/postgres?", f"/{database}?")
