"""A PostgreSQL server started on a data folder, and the socket folder it answers in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import GlossError
from store import cluster, postmaster
from store.account import Account, before_exec, server_account
from store.postmaster import Postmaster

_SOCKET_PATH_BYTES = 103  # the shortest sun_path among systems, less its NUL


@dataclass(frozen=True, slots=True)
class Launch:
    """What a start needs. `server_lock` is held by us, so no process of an older server lives."""

    place: Path
    pgdata: Path
    server_lock: int
    major: int = cluster.MAJOR
    runtime_dir: Path | None = None
    on_spawn: Callable[[int, Path], None] = lambda pid, socket_dir: None


def launch(plan: Launch) -> Postmaster:
    """Start the server and wait until it answers."""
    postmaster.clear_remains(plan.pgdata)
    account = server_account(plan.pgdata, plan.place)
    # A runtime folder is private to its user, which is not the one that the server runs as.
    socket_dir = _socket_dir(plan.place, None if account else plan.runtime_dir)
    try:
        if account is not None:
            os.chown(socket_dir, account.uid, account.gid)
        return _launched(plan, account, socket_dir)
    except BaseException:
        postmaster.remove_socket_dir(socket_dir)
        raise


def _launched(plan: Launch, account: Account | None, socket_dir: Path) -> Postmaster:
    log = plan.place / "server.log"
    log_start = postmaster.bounded(log)
    program = cluster.binaries(plan.major) / "postgres"
    words = [str(program), "-D", str(plan.pgdata), *cluster.settings(socket_dir, plan.major)]
    prepare = before_exec(account, plan.pgdata, program.parent)
    pid = postmaster.spawn(words, log, keep_open=(plan.server_lock,), prepare=prepare)
    plan.on_spawn(pid, socket_dir)
    return postmaster.wait_until_ready(plan.pgdata, pid, log, log_start)


def _socket_dir(place: Path, runtime_dir: Path | None) -> Path:
    """A fresh folder that only its owner may enter, its path short enough for a socket's name."""
    for base in (runtime_dir, Path("/tmp"), Path("/var/tmp"), place):
        if base is None or not _may_hold_socket(base):
            continue
        with suppress(OSError):
            return Path(tempfile.mkdtemp(prefix="gloss-", dir=base))
    raise GlossError(
        "there is no folder for the database socket: neither /tmp nor /var/tmp can be written"
    )


def _may_hold_socket(base: Path) -> bool:
    longest = os.fsencode(base / "gloss-12345678" / f".s.PGSQL.{postmaster.PORT}.lock")
    return base.is_absolute() and len(longest) <= _SOCKET_PATH_BYTES and b'"' not in longest
