"""The checks of `gloss doctor`: each says what it found and what mends it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from catalog.errors import GlossError
from cli import wiring
from cli.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

LOW_DISK_BYTES = 500 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finding:
    check: str
    state: Literal["ok", "warning", "failed"]
    found: str
    mend: str = ""


def run(load: Callable[[], Settings], llm: bool = False) -> Iterator[Finding]:
    """`llm`: also ask the endpoint a tiny question, which costs a few tokens."""
    yield Finding("python", "ok", sys.version.split()[0])
    try:
        config = load()
    except GlossError as error:
        yield _failed("settings", error)
        return
    yield Finding("settings", "ok", str(config.file or "no gloss.toml; all defaults"))
    yield _disk(config)
    if llm:
        yield from _endpoint(config)
    try:
        with wiring.open_catalog(config) as connection:
            yield from _database(connection, config)
    except GlossError as error:
        yield _failed("database", error)


def _disk(config: Settings) -> Finding:
    folder = config.data_dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    found = f"{free // 2**20:,} MB free at {folder}"
    if free < LOW_DISK_BYTES:
        return Finding("disk", "warning", found, "free some space, or set GLOSS_DATA_DIR")
    return Finding("disk", "ok", found)


def _database(connection: Connection, config: Settings) -> Iterator[Finding]:
    from store.catalog import catalog_counts
    from store.migrate import vector_version

    where = "your server" if config.database_url else "embedded"
    number = connection.info.server_version
    yield Finding("database", "ok", f"PostgreSQL {number // 10000}.{number % 10000}, {where}")
    yield Finding("pgvector", "ok", vector_version(connection))
    counts = catalog_counts(connection)
    if not counts.services:
        yield Finding("catalog", "warning", "empty", "gloss ingest specs/")
        return
    yield Finding("catalog", "ok", f"{counts.services} services, {counts.operations} tools")
    yield from _search(connection, config)


def _search(connection: Connection, config: Settings) -> Iterator[Finding]:
    from search.index import index_status

    try:
        encoder = wiring.open_encoder(config)
    except GlossError as error:
        yield _failed("embedding model", error)
        return
    yield Finding("embedding model", "ok", encoder.name)
    status = index_status(connection, encoder)
    if status.model_changed:
        yield Finding("index", "failed", f"made with {status.model}", "gloss index")
    elif status.pending:
        yield Finding("index", "warning", f"{status.pending} tools not indexed", "gloss index")
    else:
        yield Finding("index", "ok", f"{status.indexed} tools")


def _endpoint(config: Settings) -> Iterator[Finding]:
    from enrichment.trial import attempt

    name = "llm"
    try:
        endpoint = wiring.open_endpoint(config)
        if endpoint is None:
            mend = "set [llm] base_url and model for texts by a model"
            yield Finding(name, "ok", "none; the writer that needs no model", mend)
            return
        trial = attempt(endpoint)
    except GlossError as error:
        yield _failed(name, error)
        return
    found = f"{config.llm.model}, {trial.form}, {trial.took_ms:.0f} ms, {trial.requests} requests"
    if trial.fault:
        yield Finding(name, "failed", f"{found}: {trial.fault}", "try another model")
        return
    yield Finding(name, "ok", found)
    if not trial.reports_usage:
        yield Finding("llm usage", "warning", "not reported; counted by letters")
    if config.llm.price_in is None or config.llm.price_out is None:
        mend = "set [llm] price_in and price_out (USD per million) for --max-cost"
        yield Finding("llm prices", "warning", "not known", mend)


def _failed(check: str, error: GlossError) -> Finding:
    return Finding(check, "failed", error.message, error.hint)
