"""The embedded server: up while any gloss process uses it, gone when the last one ends.

Two lock files in the data folder say who lives; a lock vanishes with its process, however it ends.
`users.lock` is shared by every process that uses the server; who can have it alone is the last
and stops the server. `server.lock` is held by the server itself, through a file it inherits: while
it is taken, some process of the server lives.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from catalog.errors import GlossError, TryLater
from store import cluster, postmaster
from store.account import owned_like_folder, server_account
from store.launching import Launch, launch
from store.postmaster import Postmaster

DATABASE = "postgres"
_PATIENCE_S = 90.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """`kept`: the server stays up until `stop`; `version` is None before the first start."""

    running: bool
    pid: int | None
    kept: bool
    url: str | None
    version: int | None
    data_dir: Path
    size_bytes: int


def default_data_dir(home: str | None, xdg_data_home: str | None, is_root: bool) -> Path | None:
    """Where the catalog lives when nobody says; None without a home to put it in.

    Root's is its home too, which its server reaches however closed it is; without one, /var/lib.
    """
    if xdg_data_home and Path(xdg_data_home).is_absolute():
        return Path(xdg_data_home) / "apigloss"
    if home:
        return Path(home) / ".local" / "share" / "apigloss"
    return Path("/var/lib/apigloss") if is_root else None


@contextmanager
def embedded(data_dir: Path, *, runtime_dir: Path | None = None) -> Iterator[str]:
    """The address of a running server, which stays up at least until the block ends."""
    place = _prepared(data_dir)
    users = _joined(place)
    try:
        yield url_of(_running(place, runtime_dir))
    finally:
        _leave(place, users)


def start(data_dir: Path, *, keep: bool = True, runtime_dir: Path | None = None) -> ServerStatus:
    """A server that stays up until `stop` (or, without `keep`, until its last user leaves)."""
    place = _prepared(data_dir)
    users = _joined(place)
    try:
        _running(place, runtime_dir)
        if keep:
            _open_lock(_keep_file(place), close=True)
        return status(place)
    finally:
        _leave(place, users)


def stop(data_dir: Path) -> ServerStatus:
    """Stop the server, or where others use it let it end with the last of them (still running)."""
    place = data_dir.resolve()
    if not place.is_dir():
        return status(place)
    with _errors_of(place):
        _keep_file(place).unlink(missing_ok=True)
        _leave(place, _open_lock(place / "users.lock"))
        if (used := postmaster.listening(cluster.pgdata_of(place))) is not None:
            _watch(place, used.pid, used.socket_dir)
    return status(place)


def status(data_dir: Path) -> ServerStatus:
    place = data_dir.resolve()
    with _errors_of(place):
        found = postmaster.listening(cluster.pgdata_of(place))
        return ServerStatus(
            running=found is not None,
            pid=found.pid if found else None,
            kept=_keep_file(place).exists(),
            url=url_of(found) if found else None,
            version=cluster.major_of(cluster.pgdata_of(place)),
            data_dir=place,
            size_bytes=_size_of(place),
        )


@contextmanager
def exclusive(data_dir: Path) -> Iterator[int]:
    """The data folder to ourselves, its server stopped; what is yielded keeps others from it."""
    place = _prepared(data_dir)
    with _errors_of(place):
        users, server_lock = _open_lock(place / "users.lock"), _open_lock(place / "server.lock")
    try:
        if not _locked(users, fcntl.LOCK_EX):
            raise TryLater(f"another gloss process uses the database in {place}")
        postmaster.stop_in(cluster.pgdata_of(place))
        if not _locked(server_lock, fcntl.LOCK_EX):
            raise TryLater(f"the server in {place} has not ended yet", hint="try again")
        yield server_lock
    finally:
        os.close(server_lock)
        os.close(users)


def url_of(server: Postmaster) -> str:
    host = quote(os.fsencode(server.socket_dir), safe="")
    return f"postgresql://{cluster.SUPERUSER}@/{DATABASE}?host={host}&port={postmaster.PORT}"


def _prepared(data_dir: Path) -> Path:
    """The data folder, made if it is missing: ours alone, or the server's when we are root."""
    place = data_dir.resolve()
    with _errors_of(place):
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(mode=0o700, exist_ok=True)
            if (account := server_account()) is not None:
                os.chown(place, account.uid, account.gid)
    return place


@contextmanager
def _errors_of(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise GlossError(
            f"cannot use the data folder {place}: {error.strerror or error}",
            hint="choose another with GLOSS_DATA_DIR",
        ) from error


def _keep_file(place: Path) -> Path:
    return place / "keep"


def _open_lock(path: Path, *, close: bool = False) -> int:
    """A lock file open for locking; one made by root in a user's folder is the user's."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    owned_like_folder(file, path)
    if close:
        os.close(file)
    return file


def _joined(place: Path) -> int:
    """Our share of `users.lock`. Whoever holds it alone is stopping the server: wait for that."""
    with _errors_of(place):
        users = _open_lock(place / "users.lock")
    deadline = time.monotonic() + _PATIENCE_S
    while not _locked(users, fcntl.LOCK_SH):
        if time.monotonic() > deadline:
            os.close(users)
            raise TryLater(f"another process has been stopping the server in {place} for too long")
        time.sleep(_POLL_S)
    return users


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _leave(place: Path, users: int) -> None:
    """Give up our share; the last to leave stops the server unless it is to be kept."""
    try:
        if _locked(users, fcntl.LOCK_EX) and not _keep_file(place).exists():
            postmaster.stop_in(cluster.pgdata_of(place))
    finally:
        os.close(users)


def _running(place: Path, runtime_dir: Path | None) -> Postmaster:
    """The server that answers, started by us if nobody else is starting it."""
    deadline = time.monotonic() + _PATIENCE_S
    with _errors_of(place):
        while (found := postmaster.listening(cluster.pgdata_of(place))) is None:
            server_lock = _open_lock(place / "server.lock")
            try:
                if _locked(server_lock, fcntl.LOCK_EX):
                    return _started(place, server_lock, runtime_dir)
            finally:
                os.close(server_lock)
            if time.monotonic() > deadline:
                raise TryLater(f"another process holds the database in {place} and does not answer")
            time.sleep(_POLL_S)
    return found


def _started(place: Path, server_lock: int, runtime_dir: Path | None) -> Postmaster:
    cluster.require_cluster(place)
    return launch(
        Launch(
            place,
            cluster.pgdata_of(place),
            server_lock,
            runtime_dir=runtime_dir,
            on_spawn=lambda pid, socket_dir: _watch(place, pid, socket_dir),
        )
    )


def _watch(place: Path, pid: int, socket_dir: Path) -> None:
    """A small process that stops the server when its last user is killed before it can."""
    if not sys.executable:
        return
    script = Path(__file__).with_name("watch.py")
    users = _open_lock(place / "users.lock")
    try:
        words = [str(users), str(pid), str(_keep_file(place)), str(socket_dir)]
        postmaster.spawn(
            [sys.executable, "-I", "-S", str(script), *words],
            None,
            keep_open=(users,),
        )
    finally:
        os.close(users)


def _size_of(place: Path) -> int:
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                total += (Path(folder) / name).lstat().st_size
    return total
