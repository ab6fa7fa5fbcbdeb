"""The nightly run: every declared service in turn, under a lease, with a row in the log of runs."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from uuid import UUID

from psycopg import Connection

from catalog.errors import Exit, GlossError
from pipeline.keeping import LEASE_S, kept
from pipeline.sync_night import Means, Night, SyncEvent, SyncRequest
from pipeline.sync_report import ServiceReport, SyncReport
from pipeline.sync_service import sync_service
from store import leases, runs, syncs
from store.holders import holder_from, is_dead, this_process
from store.runs import RunRow, RunState

COMMAND = "sync"
"""The name of the lease, and of the runs in their log."""

News = SyncEvent | ServiceReport | RunRow
"""How far a stage is, what became of a service, or an earlier run that was found to be killed."""


def sync(
    connection: Connection,
    url: str,
    requests: Sequence[SyncRequest],
    means: Means,
    since: datetime | None = None,
    lease_s: float = LEASE_S,
) -> Generator[News, None, SyncReport]:
    """TryLater where another run holds the lease; LeaseLost when it went to another meanwhile.

    Services that succeeded at or after `since` are skipped; None skips none. Whatever ends the
    run, what was done before stays, and the next one goes on from there.
    """
    with kept(connection, url, COMMAND, lease_s) as keeper:
        yield from runs.note_killed(connection, COMMAND)
        me = this_process()
        run_id = runs.start_run(connection, COMMAND, host=me.host, pid=me.pid)
        log = _Log(connection, run_id, Night(connection, means, keeper.require))
        try:
            yield from log.services(requests, since)
        except BaseException as error:
            log.close(_code_of(error))
            raise
        return log.close()


def is_going_on(connection: Connection) -> bool:
    """Whether some process holds the lease and is not known to have died."""
    held = leases.holder(connection, COMMAND)
    by = holder_from(held.holder) if held else None
    return held is not None and not (by is not None and is_dead(by))


class _Log:
    """The run so far; `close` writes it down."""

    def __init__(self, connection: Connection, run_id: UUID, night: Night) -> None:
        self._connection, self._run_id, self._night = connection, run_id, night
        self._started, self._clock = datetime.now(UTC), time.perf_counter()
        self._reports: list[ServiceReport] = []

    def services(
        self, requests: Sequence[SyncRequest], since: datetime | None
    ) -> Generator[News, None, None]:
        fresh = syncs.synced_since(self._connection, since) if since else {}
        for request in requests:
            if request.name in fresh:
                report = _skipped(request, fresh)
            else:
                report = yield from sync_service(self._night, request)
            self._reports.append(report)
            yield report

    def close(self, code: int | None = None) -> SyncReport:
        """`code` is that of an error which ended the run early."""
        report = SyncReport(
            self._run_id,
            self._started,
            time.perf_counter() - self._clock,
            tuple(self._reports),
            self._night.stopped or self._night.budget,
            self._night.left_usd(),
        )
        ended = report.exit_code if code is None else code
        with suppress(GlossError):  # without its row the run counts as killed
            runs.finish_run(
                self._connection,
                self._run_id,
                _state(ended),
                exit_code=ended,
                summary=report.as_json() | {"exit_code": ended},
            )
        return report


def _skipped(request: SyncRequest, fresh: Mapping[str, datetime]) -> ServiceReport:
    when = f"{fresh[request.name]:%Y-%m-%d %H:%M %Z}"
    return ServiceReport(request.name, request.owner, skipped=f"in step since {when}")


def _state(code: int) -> RunState:
    if code == Exit.OK:
        return "done"
    return "partial" if code in (Exit.PARTIAL, Exit.BUDGET) else "failed"


def _code_of(error: BaseException) -> int:
    if isinstance(error, GlossError):
        return int(error.exit_code)
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        return error.code
    return Exit.INTERRUPTED if isinstance(error, KeyboardInterrupt) else Exit.FAILED
