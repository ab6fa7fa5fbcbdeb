"""Work that waits or was left: proposals, stale texts, runs that died, a long log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cli.checks.finding import Finding, ok, warning

if TYPE_CHECKING:
    from psycopg import Connection

LONG_LOG = 2_000_000


def checks(connection: Connection) -> Iterator[Finding]:
    yield from _texts(connection)
    yield from _runs(connection)
    yield from _leases(connection)
    yield from _log(connection)


def _texts(connection: Connection) -> Iterator[Finding]:
    from store.inspection import texts

    for row in texts(connection):
        if row.waiting:
            days = (datetime.now(UTC) - row.oldest).days if row.oldest else 0
            age = f", the oldest for {days} days" if days else ""
            found = f"{row.service}: {row.waiting} wait{age}"
            yield warning("proposals", found, f"gloss diff {row.service}")
        if row.waiting_stale:
            found = f"{row.service}: {row.waiting_stale} are for tools that changed since"
            yield warning("proposals", found, f"gloss enrich {row.service}")
        if row.live_stale:
            found = f"{row.service}: {row.live_stale} live ones are for tools that changed since"
            yield warning("enriched texts", found, f"gloss enrich {row.service}")


def _runs(connection: Connection) -> Iterator[Finding]:
    """Only of this machine: of another we cannot know whether the process lives."""
    from store.inspection import unfinished_runs
    from store.postmaster import alive

    for run in unfinished_runs(connection):
        if run.host == os.uname().nodename and not alive(run.pid):
            when = run.started_at.astimezone().strftime("%Y-%m-%d %H:%M")
            found = f"{run.command} of {when} (process {run.pid}) died before it could say how"
            yield warning("runs", found, f"gloss {run.command}")


def _leases(connection: Connection) -> Iterator[Finding]:
    from store.holders import holder_from, is_dead
    from store.inspection import all_leases

    for lease in all_leases(connection):
        holder = holder_from(lease.holder)
        left = (lease.expires_at - datetime.now(UTC)).total_seconds()
        found = f"{lease.name} is held by {holder or lease.owner}, {max(left, 0):.0f} s more"
        if holder and is_dead(holder):
            yield warning("lease", f"{found}, and that has died", f"gloss {lease.name}")
        else:
            yield ok("lease", found)


def _log(connection: Connection) -> Iterator[Finding]:
    from store.inspection import log_rows

    rows = log_rows(connection)
    if rows > LONG_LOG:
        mend = "gloss stats --forget 90d"
        yield warning("search log", f"about {rows:,} searches, which gloss stats reads", mend)
