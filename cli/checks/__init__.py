"""The checks of `gloss doctor`: each says what it found and what mends it, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from catalog.errors import GlossError
from cli import wiring
from cli.checks import config as configured
from cli.checks import database, embedded, llm, machine, models, work
from cli.checks.finding import Finding, of_error, ok
from cli.settings import Settings

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["Finding", "run"]


def run(load: Callable[[], Settings], ask_llm: bool = False) -> Iterator[Finding]:
    """`ask_llm`: also ask the endpoint a tiny question, which costs a few tokens."""
    yield from machine.checks()
    try:
        config = load()
    except GlossError as error:
        yield of_error("settings", error)
        return
    yield ok("settings", str(config.file or "no gloss.toml; all defaults"))
    yield from configured.checks(config)
    yield machine.disk(config)
    if ask_llm:
        yield from llm.checks(config)
    yield from _catalog(config)


def _catalog(config: Settings) -> Iterator[Finding]:
    if not config.database_url:
        found = list(embedded.checks(config.data_dir))
        yield from found
        if any(finding.state == "failed" for finding in found):
            return  # it would be waited for
    try:
        with wiring.database_url(config) as url:
            from store.connection import connect, translated

            with connect(url) as connection, translated(url):
                yield from _opened(connection, config)
    except GlossError as error:
        error.hint = error.hint.replace("; `gloss doctor` looks closer", "")
        yield of_error("database", error)


def _opened(connection: Connection, config: Settings) -> Iterator[Finding]:
    yield from database.checks(connection, embedded=not config.database_url)
    if connection.closed:
        return  # by the pooler, which is told
    schema = database.schema(connection)
    yield from schema.findings
    if schema.usable:
        yield from models.checks(connection, config)
        yield from work.checks(connection)
