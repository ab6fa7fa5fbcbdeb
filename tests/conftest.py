"""What all tests share: one embedded server for the run, a fresh database for each test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from store import server
from store.connection import connect
from store.migrate import migrate

_TEMPLATE = "gloss_template"
_numbers = count(1)


def pytest_report_header() -> str:
    from store import cluster

    control = cluster.binaries().parent / "share/postgresql/extension/vector.control"
    version = next(line for line in control.read_text().splitlines() if "default_version" in line)
    return f"embedded PostgreSQL {cluster.MAJOR}, pgvector {version.split()[-1]}"


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The address of the run's embedded server: its superuser, no catalog."""
    folder = Path(tempfile.mkdtemp(prefix="gt-"))
    try:
        with server.embedded(folder / "data") as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
