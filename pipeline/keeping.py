"""A lease kept alive while work goes on, by a thread with a connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import uuid4

import psycopg

from catalog.errors import GlossError, TryLater
from store import leases
from store.connection import connect
from store.holders import Holder, holder_from, is_dead, this_process

LEASE_S = 90.0
"""How long a holder that fell silent keeps others out; each heartbeat begins it anew."""


class LeaseLost(TryLater):
    """Somebody else may be at work by now: stop, and leave the rest."""


class Keeper:
    """The lease while it is ours; `gone` is set when it went to another."""

    def __init__(self, url: str, name: str, owner: str, lease_s: float) -> None:
        self._url, self._name, self._owner, self._lease_s = url, name, owner, lease_s
        self._until = time.monotonic() + lease_s
        self._ended = threading.Event()
        self.gone = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)

    def require(self) -> None:
        """LeaseLost when the lease went to another, or could not be kept alive in time."""
        if self.gone.is_set() or time.monotonic() > self._until:
            raise LeaseLost(
                "this run was out of touch with the database for too long and has stopped;"
                " another may have gone on in its place",
                hint="gloss sync again; what was done stays done",
            )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10)

    def _beat(self) -> None:
        """Three heartbeats a lease; the database may be away for two of them."""
        connection: psycopg.Connection | None = None
        while not self._ended.wait(self._lease_s / 3):
            asked = time.monotonic()
            try:
                if connection is None or connection.closed:
                    connection = connect(self._url, application_name="gloss lease")
                if not leases.heartbeat(connection, self._name, self._owner, self._lease_s):
                    self.gone.set()
                    break
                self._until = asked + self._lease_s
            except GlossError:
                _close(connection)
                connection = None
        _close(connection)


def _close(connection: psycopg.Connection | None) -> None:
    if connection is not None:
        with suppress(psycopg.Error):
            connection.close()


@contextmanager
def kept(
    connection: psycopg.Connection, url: str, name: str, lease_s: float = LEASE_S
) -> Iterator[Keeper]:
    """The lease of that name for as long as the block lasts; TryLater where another has it."""
    owner = str(uuid4())
    _acquire(connection, name, owner, lease_s)
    keeper = Keeper(url, name, owner, lease_s)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.stop()
        with suppress(GlossError):  # a lease that cannot be given back expires
            leases.release(connection, name, owner)


def _acquire(connection: psycopg.Connection, name: str, owner: str, lease_s: float) -> None:
    me = this_process().as_json()
    if leases.acquire(connection, name, owner, lease_s, me):
        return
    held = leases.holder(connection, name)
    by = holder_from(held.holder) if held else None
    if held is None or (by is not None and is_dead(by)):
        if leases.acquire(connection, name, owner, lease_s, me, held.owner if held else None):
            return
        held = leases.holder(connection, name)
    raise _busy(held, by)


def _busy(held: leases.LeaseRow | None, by: Holder | None) -> TryLater:
    if held is None:
        return TryLater("another gloss sync has just begun", hint="gloss sync, when it has ended")
    who = str(by) if by else "another process"
    return TryLater(
        f"another gloss sync is at work: {who}, since {_time(held.acquired_at)}"
        f" (last heard of at {_time(held.heartbeat_at)})",
        hint=f"gloss sync, when it has ended; its lease runs until {_time(held.expires_at)}",
    )


def _time(when: object) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S %Z}"
