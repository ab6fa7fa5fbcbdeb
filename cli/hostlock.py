"""One run at a time on this host, found out before any server is started.

The kernel gives the lock back when its process ends, however that happens. It is the quick answer;
the lease in the database is the one that counts, also between hosts.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from catalog.errors import TryLater
from cli.settings import Settings


@contextmanager
def held(config: Settings) -> Iterator[None]:
    """TryLater where another process of this host has the lock; none where no folder takes it."""
    file = next((opened for path in _places(config) if (opened := _opened(path)) is not None), None)
    if file is None:
        yield
        return
    try:
        _lock(file)
        yield
    finally:
        os.close(file)


def _places(config: Settings) -> Iterator[Path]:
    """The data folder of an embedded server; else a file named after the address."""
    if not config.database_url:
        yield config.data_dir / "sync.lock"
        return
    from store.connection import shown

    address = shown(config.database_url)  # without its password
    name = sha256(address.encode("utf-8", "replace")).hexdigest()[:16]
    for folder in (config.runtime_dir, config.data_dir, Path(tempfile.gettempdir())):
        if folder is not None:
            yield folder / f"gloss-sync-{os.getuid()}-{name}.lock"


def _opened(path: Path) -> int | None:
    """None where there is no such folder yet, or not for us."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _lock(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise TryLater(
            f"another gloss sync is at work{_who(file)}", hint="gloss sync, when it has ended"
        ) from None
    now = datetime.now().astimezone()
    told = {"pid": os.getpid(), "since": now.isoformat(timespec="seconds")}
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(told).encode(), 0)


def _who(file: int) -> str:
    try:
        told = json.loads(os.pread(file, 500, 0))
        since = datetime.fromisoformat(told["since"])
        return f": process {int(told['pid'])} on this host, since {since:%Y-%m-%d %H:%M:%S %Z}"
    except (KeyError, TypeError, ValueError):
        return " on this host"
