"""The embedded server before it is started: what another process left behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from cli.checks.finding import Finding, failed, ok, warning


def checks(data_dir: Path) -> Iterator[Finding]:
    from store.inspection import embedded_state

    try:
        found = embedded_state(data_dir)
    except OSError as error:
        told = f"{error.filename or data_dir}: {error.strerror}"
        yield failed("data folder", told, "export GLOSS_DATA_DIR=… of a folder of your own")
        return
    if found.open_folder:
        mode = found.open_folder.stat().st_mode & 0o777
        told = f"others may enter {found.open_folder} ({mode:04o}), which PostgreSQL refuses"
        yield failed("data folder", told, f"chmod 700 {quote(str(found.open_folder))}")
    if found.silent:
        who = f"process {found.silent_pid}" if found.silent_pid else "a process"
        mend = (
            f"kill {found.silent_pid}"
            if found.silent_pid
            else f"fuser {quote(str(data_dir))}/server.lock"
        )
        told = f"{who} holds the database and does not answer: it starts, stops or hangs"
        yield failed("embedded server", told, f"wait a minute; then {mend}")
    elif found.answers and not found.used and not found.kept:
        told = "left running by a process that was killed"
        yield warning("embedded server", told, "gloss db stop")
    elif found.remains:
        told = f"was killed (process {found.remains}); the next start clears what it left"
        yield warning("embedded server", told, f"tail {quote(str(data_dir / 'server.log'))}")
    elif found.answers:
        kept = "kept until gloss db stop" if found.kept else "used by another gloss process"
        yield ok("embedded server", f"runs, {kept}")
