"""The database: versions, what stands between it and us, its clock, its letters, its tables."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.checks.finding import Finding, failed, ok, warning

if TYPE_CHECKING:
    from psycopg import Connection

    from store.inspection import DatabaseFacts

SKEW_S = 30.0


def checks(connection: Connection, *, embedded: bool) -> Iterator[Finding]:
    from store.inspection import database_facts

    facts = database_facts(connection)
    here = time.time()
    number = connection.info.server_version
    where = "embedded" if embedded else "your server"
    yield ok("database", f"PostgreSQL {number // 10000}.{number % 10000}, {where}")
    yield from _pooler(connection, facts)
    if connection.closed:
        return
    yield from _writes(facts, connection.info.dbname)
    yield _vector(facts)
    yield _clock(facts.clock.timestamp() - here)
    yield from _collation(connection, facts)


def _pooler(connection: Connection, facts: DatabaseFacts) -> Iterator[Finding]:
    """A pooler gives a process number of its own in place of the server's."""
    from store.inspection import transactions_work

    if not transactions_work(connection):
        found = "it pools statements: a transaction is refused"
        yield failed("pooler", found, "pool_mode = transaction, then reload the pooler")
    elif connection.info.backend_pid != facts.backend_pid:
        yield ok("pooler", "one in between; gloss needs no session of its own")


def _writes(facts: DatabaseFacts, name: str) -> Iterator[Finding]:
    if facts.replica:
        found = "a replica: it answers searches and logs none"
        yield warning("writes", found, "export GLOSS_DATABASE_URL=… of the primary, to change")
    elif facts.read_only:
        alter = f'ALTER DATABASE "{name}" SET default_transaction_read_only = off'
        # else this command is refused by what it is to change
        able = 'PGOPTIONS="-c default_transaction_read_only=off"'
        found = "the database takes none: searches are not logged"
        yield warning("writes", found, f"{able} {_psql(alter)}")


def _vector(facts: DatabaseFacts) -> Finding:
    from store.migrate import MIN_VECTOR

    least = ".".join(map(str, MIN_VECTOR))
    update = "gloss db upgrade"
    if facts.vector is None and facts.vector_here is None:
        return failed("pgvector", "not on the server", f"install pgvector {least} or newer there")
    here = facts.vector_here or facts.vector or ""
    if facts.vector is None:
        if _version(here) < MIN_VECTOR:
            return failed("pgvector", f"{here} on the server", f"install {least} or newer there")
        if facts.may_create:
            return ok("pgvector", f"{here}; the first command takes it into this database")
        found = f"{here}, not in this database, and our role may not create it"
        return failed("pgvector", found, "ask an administrator for: CREATE EXTENSION vector")
    if _version(facts.vector) < MIN_VECTOR:
        first = "" if _version(here) >= MIN_VECTOR else f"install {least} or newer there; "
        return failed("pgvector", f"{facts.vector}, gloss needs {least}", first + update)
    if _version(here) > _version(facts.vector):
        return warning("pgvector", f"{facts.vector}, the server has {here}", update)
    return ok("pgvector", facts.vector)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _clock(ahead_s: float) -> Finding:
    if abs(ahead_s) < SKEW_S:
        return ok("clock", "as the database's")
    way = "ahead of" if ahead_s > 0 else "behind"
    found = f"the database's is {abs(ahead_s):,.0f} s {way} ours"
    return warning("clock", found, "timedatectl set-ntp true, on both machines")


def _collation(connection: Connection, facts: DatabaseFacts) -> Iterator[Finding]:
    if facts.collation != facts.collation_now:
        name = connection.info.dbname
        found = f"the system sorts by {facts.collation_now}, {name} was made with {facts.collation}"
        reindex, refresh = f'REINDEX DATABASE "{name}"', f'ALTER DATABASE "{name}" REFRESH'
        yield warning("database locale", found, _psql(reindex, f"{refresh} COLLATION VERSION"))


def _psql(*statements: str) -> str:
    """A -c each: together they would be one transaction, which REINDEX DATABASE refuses."""
    words = " ".join(f"-c {shlex.quote(statement)}" for statement in statements)
    return f'psql "$(gloss db url)" {words}'


@dataclass(frozen=True, slots=True)
class Schema:
    """`usable`: the tables are as this program knows them, and there is something in them."""

    findings: tuple[Finding, ...]
    usable: bool


def schema(connection: Connection) -> Schema:
    from store.migrate import migrations, schema_version

    applied, newest = schema_version(connection), migrations()[-1].version
    if applied > newest:
        found = f"made by a newer gloss (schema {applied}, this one knows {newest})"
        return Schema((failed("tables", found, "pip install --upgrade apigloss"),), False)
    if 0 < applied < newest:
        found = f"of an older gloss (schema {applied} of {newest}); any command updates them"
        return Schema((warning("tables", found, "gloss services"),), False)
    if not applied:
        return Schema((warning("catalog", "empty", "gloss ingest specs/"),), False)
    tables = ok("tables", f"schema {applied}")
    found_catalog = _catalog(connection)
    return Schema((tables, found_catalog), found_catalog.state == "ok")


def _catalog(connection: Connection) -> Finding:
    from store.catalog import catalog_counts

    counts = catalog_counts(connection)
    if not counts.services:
        return warning("catalog", "empty", "gloss ingest specs/")
    return ok("catalog", f"{counts.services} services, {counts.operations} tools")
