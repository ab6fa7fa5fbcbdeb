"""One service through the night: read, probe, enrich what changed, apply, index.

A stage that fails costs the service its own result and no other stage, except that a service whose
spec cannot be read is not called and not written about. What is unchanged is not looked at: marks
of the last night say what was worked on.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING

from catalog.errors import CredentialsRefused, Exit, GlossError, NotFound, TryLater
from catalog.words import safe_name
from pipeline.keeping import LeaseLost
from pipeline.sync_night import Night, SyncEvent, SyncRequest, settled, tries_after
from pipeline.sync_report import Fault, ServiceReport, Stage
from pipeline.sync_writing import Writing
from store import syncs
from store.catalog import find_service, opt_in
from store.connection import translated
from store.rows import ServiceRow

if TYPE_CHECKING:
    from pipeline.probe import ProbeReport


def sync_service(night: Night, request: SyncRequest) -> Generator[SyncEvent, None, ServiceReport]:
    started = time.perf_counter()
    work = _ServiceNight(night, request)
    yield from work.run()
    work.report.took_s = time.perf_counter() - started
    return work.report


class _ServiceNight:
    def __init__(self, night: Night, request: SyncRequest) -> None:
        self._night, self._request = night, request
        self._connection = night.connection
        self._row: ServiceRow | None = None
        self.report = ServiceReport(request.name, request.owner)

    def run(self) -> Generator[SyncEvent, None, None]:
        yield from self._guarded("read", self._read())
        self._row = self._found()
        if self._row is None:
            return
        self.report.tools = self._row.operations
        writing = Writing(self._night, self._request, self.report)
        if not self.report.faults:
            yield from self._guarded("probe", self._probe(self._row))
            yield from self._guarded("enrich", writing.enrich(self._row))
            yield from self._guarded("apply", writing.apply(self._row))
        yield from self._guarded("index", self._index(self._row))
        service_id = self._row.service_id
        waiting = syncs.waiting(self._connection, [service_id])
        self.report.proposals_waiting = waiting.get(service_id, 0)
        if self.report.state in ("changed", "unchanged"):
            syncs.note_success(self._connection, service_id)

    def _guarded(
        self, stage: Stage, work: Generator[SyncEvent, None, None]
    ) -> Generator[SyncEvent, None, None]:
        try:
            yield from work
        except LeaseLost:
            raise
        except GlossError as error:
            self._fail(stage, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this service, no other
            self._fail(stage, GlossError(f"a fault of gloss: {type(error).__name__}: {error}"))

    def _fail(self, stage: Stage, error: GlossError) -> None:
        if self._connection.closed:
            raise error
        masked = self._night.means.masked
        self.report.faults.append(
            Fault(stage, masked(error.message), masked(error.hint), int(error.exit_code))
        )

    # --- read ----------------------------------------------------------------------------------

    def _read(self) -> Generator[SyncEvent, None, None]:
        from pipeline.ingest import ingest

        self._night.require()
        yield SyncEvent(self._request.name, "read")
        saved = False
        for source in ingest(self._connection, [self._request.ingest()]):
            self._night.require()
            if source.error is not None:
                raise _declared(source.error)
            self.report.lost += source.lost
            if source.saved is not None:
                saved = True
                self.report.added += len(source.saved.added)
                self.report.changed += len(source.saved.changed)
                self.report.removed += len(source.saved.removed)
        if not saved:
            raise NotFound(f"{self._request.source}: no spec in it", hint="mend spec in gloss.toml")

    def _found(self) -> ServiceRow | None:
        try:
            row = find_service(self._connection, safe_name(self._request.name, fallback="service"))
        except NotFound:
            return None
        if self._request.opt_in and not row.opted_in:
            opt_in(self._connection, [row.name])
            row = find_service(self._connection, row.name)
        return row

    # --- probe ---------------------------------------------------------------------------------

    def _probe(self, row: ServiceRow) -> Generator[SyncEvent, None, None]:
        if not self._request.probe_rules:
            return
        mark = f"{syncs.operations_mark(self._connection, row.service_id)} "
        mark += self._request.probe_rules
        state = syncs.sync_state(self._connection, row.service_id)
        if settled(mark, state.probed, state.probe_tries):
            return
        from pipeline.probe import plan, probe
        from probing.limits import Limits

        plans = plan(self._connection, [self._request.probe(self._connection)], date.today())
        report = yield from self._night.through(
            self._request.name, "probe", probe(self._connection, plans, Limits())
        )
        self.report.sent = report.sent
        self.report.seen = sum(result.shape is not None for result in report.results)
        _require_answers(report)
        self.report.failed_calls = _failed(report)
        if report.stopped:
            return  # the rest of the calls is for the next night
        again = self.report.failed_calls or report.counts["slow-down"]
        tries = tries_after(bool(again), mark, state.probed, state.probe_tries)
        syncs.note_probed(self._connection, row.service_id, mark, tries)

    # --- index ---------------------------------------------------------------------------------

    def _index(self, row: ServiceRow) -> Generator[SyncEvent, None, None]:
        from search.index import build_index
        from search.text import TEXT_VERSION
        from store.index import index_state, pending_ids, removed_since

        encoder = self._night.encoder()
        with translated():
            ids = pending_ids(self._connection, row.service_id, encoder.model, TEXT_VERSION)
            lost = row.service_id in removed_since(self._connection)
            state = index_state(self._connection)
        mix = self._night.means.mix
        other_mix = mix is not None and state is not None and state.weights["mix"] != asdict(mix)
        if ids or lost or other_mix:
            events = build_index(self._connection, encoder, [row.name], mix=mix)
            yield from self._night.through(row.name, "index", events)
            self.report.indexed = len(ids)


def _declared(error: GlossError) -> GlossError:
    """What to type next is not on the command line: the source stands in gloss.toml."""
    if error.hint.startswith("name "):
        error.hint = "mend spec in gloss.toml: one file, folder, glob or address with one spec"
    return error


def _failed(report: ProbeReport) -> int:
    from probing.outcomes import FAILED

    return sum(report.counts[outcome] for outcome in FAILED)


def _require_answers(report: ProbeReport) -> None:
    """Raises where not one call was answered: the service is down, or does not know us."""
    code = report.exit_code
    said = ", ".join(sorted(report.counts))
    if code == Exit.TRY_LATER:
        raise TryLater(f"nothing answers ({said})", hint="check base_url in gloss.toml")
    if code == Exit.CREDENTIALS:
        raise CredentialsRefused(
            "every call was refused for want of credentials", hint="check headers in gloss.toml"
        )
