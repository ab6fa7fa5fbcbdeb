"""The file that a Prometheus node exporter reads, for `gloss sync` and `gloss stats` alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cli import console, files

if TYPE_CHECKING:
    from psycopg import Connection

READABLE = 0o644  # the exporter is another user, whatever the umask of a cron job


def write(connection: Connection, file: Path, hint: str) -> None:
    """Whole or not at all: an exporter that reads meanwhile sees the last one."""
    from pipeline.metrics import exposition

    write_text(exposition(connection), file, hint)


def write_text(text: str, file: Path, hint: str) -> None:
    files.write(file, console.masked(text), hint, READABLE)
