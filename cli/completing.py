"""Names from the catalog behind the tab key: quick, and silent whatever goes wrong."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli import settings, wiring

if TYPE_CHECKING:
    from psycopg import Connection

LIMIT_S = 3.0


def services(incomplete: str) -> list[str]:
    from store.catalog import service_names

    return _answer(lambda connection: service_names(connection, incomplete))


def tools(incomplete: str) -> list[str]:
    """Services first; the tools of one when it is the only one left."""
    return _answer(lambda connection: _tools(connection, incomplete, services_too=False))


def services_and_tools(incomplete: str) -> list[str]:
    return _answer(lambda connection: _tools(connection, incomplete, services_too=True))


def _tools(connection: Connection, incomplete: str, *, services_too: bool) -> list[str]:
    from store.catalog import service_names, tool_ids

    service, slash, begun = incomplete.partition("/")
    if slash:
        return tool_ids(connection, service, begun)
    found = service_names(connection, service)
    if len(found) != 1:
        return found if services_too else [f"{name}/" for name in found]
    return (found if services_too else []) + tool_ids(connection, found[0], "")


def _answer(ask: Callable[[Connection], list[str]]) -> list[str]:
    try:
        with _limited(), _catalog() as connection:
            return ask(connection) if connection else []
    except Exception:  # noqa: BLE001 - a shell shows whatever a completion says
        return []


@contextmanager
def _catalog() -> Iterator[Connection | None]:
    """The catalog as it is: a server may be started for it, nothing is made or brought up to date.

    Starting the embedded server takes a fraction of a second, and without it the tab key would
    know nothing between two commands.
    """
    from store.connection import connect

    config = settings.load()
    if not config.database_url and not _is_there(config):
        yield None
        return
    with wiring.database_url(config) as url, connect(url) as connection:
        yield connection


def _is_there(config: settings.Settings) -> bool:
    from store import cluster

    return cluster.major_of(cluster.pgdata_of(config.data_dir)) is not None


@contextmanager
def _limited() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _too_slow(_signal: int, _frame: object) -> None:
    raise TimeoutError
