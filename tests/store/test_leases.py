from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg

from store import leases
from store.connection import connect


def test_only_one_owner_holds_a_lease(conn: psycopg.Connection) -> None:
    assert leases.acquire(conn, "sync", "a", 60)
    assert not leases.acquire(conn, "sync", "b", 60)
    assert leases.acquire(conn, "index", "b", 60)
    held = leases.holder(conn, "sync")
    assert held is not None
    assert held.owner == "a"


def test_a_released_lease_is_free(conn: psycopg.Connection) -> None:
    leases.acquire(conn, "sync", "a", 60)
    leases.release(conn, "sync", "b")
    assert not leases.acquire(conn, "sync", "b", 60)
    leases.release(conn, "sync", "a")
    assert leases.holder(conn, "sync") is None
    assert leases.acquire(conn, "sync", "b", 60)


def test_an_expired_lease_goes_to_the_next(conn: psycopg.Connection) -> None:
    assert leases.acquire(conn, "sync", "crashed", 0)
    assert leases.holder(conn, "sync") is None
    assert not leases.heartbeat(conn, "sync", "crashed", 60)
    assert leases.acquire(conn, "sync", "b", 60)
    assert not leases.heartbeat(conn, "sync", "crashed", 60)


def test_a_heartbeat_prolongs(conn: psycopg.Connection) -> None:
    leases.acquire(conn, "sync", "a", 5)
    before = leases.holder(conn, "sync")
    assert leases.heartbeat(conn, "sync", "a", 600)
    after = leases.holder(conn, "sync")
    assert before is not None
    assert after is not None
    assert after.expires_at > before.expires_at
    assert after.acquired_at == before.acquired_at


def test_of_many_at_once_one_wins(database_url: str) -> None:
    def attempt(owner: int) -> bool:
        with connect(database_url) as conn:
            return leases.acquire(conn, "sync", str(owner), 60)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == [False, False, False, True]
