"""One PostgreSQL server: found, started, stopped. Who may do so is for store.server to say."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import GlossError, TryLater
from store.account import owned_like_folder
from store.cluster import CHILD_ENV

PORT = 5432  # a name inside the socket folder; no port is opened
START_S = 120.0
_POLL_S = 0.01
_LOG_BYTES = 1_000_000
_LOG_PREFIX = re.compile(r"^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] (LOG|FATAL|PANIC): ")
_ROUTINE = ("starting PostgreSQL", "listening on", "database system")


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What `postmaster.pid` says (miscadmin.h, LOCK_FILE_LINE_*)."""

    pid: int
    socket_dir: Path
    ready: bool

    @property
    def socket(self) -> Path:
        return self.socket_dir / f".s.PGSQL.{PORT}"


def read(pgdata: Path) -> Postmaster | None:
    try:
        lines = os.fsdecode((pgdata / "postmaster.pid").read_bytes()).splitlines()
        ready = len(lines) > 7 and lines[7].strip() == "ready"
        return Postmaster(int(lines[0]), Path(lines[4]), ready)
    except (FileNotFoundError, IndexError, ValueError):
        return None


def listening(pgdata: Path) -> Postmaster | None:
    """The server that answers now. A process number proves nothing, it may be another's by now."""
    found = read(pgdata)
    if found is None or not found.ready:
        return None
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(found.socket))
    except OSError:
        return None
    return found


def spawn(
    words: list[str],
    log: Path | None,
    *,
    keep_open: tuple[int, ...] = (),
    prepare: Callable[[], None] | None = None,
) -> int:
    """Start a program that is nobody's child, what it says going to the log, and return its number.

    The shell between us leaves it to init, so that it never becomes a zombie of ours.
    """
    with (log or Path(os.devnull)).open("ab") as out:
        if log is not None:
            owned_like_folder(out.fileno(), log)
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *words],
                preexec_fn=prepare,
                env=CHILD_ENV,
                cwd="/",
                pass_fds=keep_open,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=out,
                start_new_session=True,
                check=True,
            )
        except subprocess.SubprocessError as error:
            raise GlossError(f"cannot run {words[0]}: {error}") from error
    return int(done.stdout)


def clear_remains(pgdata: Path) -> None:
    """Forget a server that was killed. Only for who knows that no process of it lives.

    PostgreSQL refuses to start when the dead server's number belongs to someone else by now.
    """
    left = read(pgdata)
    (pgdata / "postmaster.pid").unlink(missing_ok=True)
    if left is not None:
        remove_socket_dir(left.socket_dir)


def remove_socket_dir(folder: Path) -> None:
    if not folder.name.startswith("gloss-"):
        return
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError:
            return
    try:
        folder.rmdir()
    except OSError:
        return


def bounded(log: Path) -> int:
    """The log's size after an overlong one was cut to its last tenth."""
    try:
        size = log.stat().st_size
        if size > _LOG_BYTES:
            tail = log.read_bytes()[-_LOG_BYTES // 10 :]
            log.write_bytes(tail)
            return len(tail)
    except FileNotFoundError:
        return 0
    return size


def wait_until_ready(pgdata: Path, pid: int, log: Path, log_start: int) -> Postmaster:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if (found := listening(pgdata)) is not None:
            return found
        if not alive(pid):
            raise GlossError(
                f"the embedded server did not start: {_cause(log, log_start)}",
                hint=f"its log: {log}",
            )
        time.sleep(_POLL_S)
    raise TryLater(f"the embedded server is still starting after {START_S:.0f} s (log: {log})")


def _cause(log: Path, start: int) -> str:
    """The server's own last words since it was started, without what it says at every start."""
    with log.open("rb") as file:
        file.seek(start)
        lines = file.read().decode(errors="replace").splitlines()
    said = [_LOG_PREFIX.sub("", line).strip() for line in lines]
    told = [line for line in said if line and not line.startswith(_ROUTINE)]
    return "; ".join(told[-3:]) or "it said nothing"


def stop_in(pgdata: Path) -> None:
    """Stop the server of a data folder, whether it answers already or not."""
    found = read(pgdata)
    if found is not None and _serves(found.pid, pgdata):
        stop(found)


def _serves(pid: int, pgdata: Path) -> bool:
    """Whether the process is the server of the folder and not one that got its number later."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except FileNotFoundError:
        return listening(pgdata) is not None  # gone, or a system that has no /proc
    return os.fsencode(pgdata) in words


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state not in ("Z", "X")


def stop(server: Postmaster) -> None:
    """A clean stop; a server that hangs is ended harder, and recovers at its next start."""
    for number, patience_s in ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)):
        try:
            os.kill(server.pid, number)
        except ProcessLookupError:
            break
        if _gone_within(server.pid, patience_s):
            break
    remove_socket_dir(server.socket_dir)


def _gone_within(pid: int, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True
