"""The nightly run's texts: written for services that are opted in, applied where they say so."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from psycopg import Connection

from catalog.errors import BudgetReached, GlossError
from enrichment.deciding import applicable
from enrichment.prompt import PROMPT_VERSION
from pipeline.keeping import LeaseLost
from pipeline.sync_night import Means, Night, SyncEvent, SyncRequest, settled, tries_after
from pipeline.sync_report import ServiceReport
from store import syncs
from store.enrichments import EnrichmentRow, apply
from store.rows import ServiceRow

if TYPE_CHECKING:
    from enrichment.endpoint import Endpoint
    from enrichment.planning import ServiceWork
    from enrichment.run import EnrichReport

DECIDED_BY = "sync auto_apply"


class Writing:
    """The stages `enrich` and `apply` of one service; what they did goes into its report."""

    def __init__(self, night: Night, request: SyncRequest, report: ServiceReport) -> None:
        self._night, self._request, self._connection = night, request, night.connection
        self.report = report

    def enrich(self, row: ServiceRow) -> Generator[SyncEvent, None, None]:
        if not row.opted_in:
            return
        mark = self.mark(self._connection, row, self._night.means)
        state = syncs.sync_state(self._connection, row.service_id)
        if settled(mark, state.enriched, state.enrich_tries):
            return
        from enrichment.planning import plan

        means = self._night.means
        yield SyncEvent(row.name, "enrich")
        (work,) = plan(self._connection, [row], means.writer, group_size=means.group_size)
        if work.tools and not (yield from self._write(work)):
            return
        tries = tries_after(
            bool(self.report.failed_texts), mark, state.enriched, state.enrich_tries
        )
        syncs.note_enriched(self._connection, row.service_id, mark, tries)

    @staticmethod
    def mark(connection: Connection, row: ServiceRow, means: Means) -> str:
        """The same as long as the service's evidence and the writer are."""
        parts = (
            syncs.operations_mark(connection, row.service_id),
            syncs.samples_mark(connection, row.service_id),
            means.writer,
            PROMPT_VERSION,
        )
        return " ".join(map(str, parts))

    @staticmethod
    def to_apply(connection: Connection, row: ServiceRow) -> list[EnrichmentRow]:
        """Also what an earlier night proposed and did not come to apply; never a person's draft."""
        found = applicable(connection, [row.name]).rows
        return [entry for entry in found if not entry.by_hand]

    def _write(self, work: ServiceWork) -> Generator[SyncEvent, None, bool]:
        """Whether all was asked about that there was."""
        night = self._night
        if night.stopped is None:
            try:
                endpoint = night.endpoint()
                before = endpoint.requests if endpoint else 0
                report = yield from self._asked(work, endpoint)
                self.report.requests = (endpoint.requests if endpoint else 0) - before
            except LeaseLost:
                raise
            except GlossError as error:  # settings that the endpoint cannot be asked with
                if self._connection.closed:
                    raise
                night.stop(error)
            else:
                self._count(report, endpoint is not None)
                self._note_end(report, endpoint)
                self.report.left_for_later = self._unasked(work, report)
                return report.ended_by is None
        self.report.left_for_later = work.tools
        return False

    def _asked(
        self, work: ServiceWork, endpoint: Endpoint | None
    ) -> Generator[SyncEvent, None, EnrichReport]:
        from enrichment.run import enrich

        caps = [cap for cap in (self._night.left_usd(), self._request.max_cost) if cap is not None]
        cap = min(caps) if caps and endpoint else None
        events = enrich(self._connection, [work], endpoint, cap)
        return (yield from self._night.through(self._request.name, "enrich", events))

    def _count(self, report: EnrichReport, by_model: bool) -> None:
        mine = self.report
        mine.proposed = len(report.proposed) + len(report.reused)
        if by_model:
            mine.failed_texts = len(report.failed)
        else:
            mine.too_little = len(report.failed)
        mine.input_tokens, mine.output_tokens = report.input_tokens, report.output_tokens
        mine.cost_usd = report.cost_usd
        self._night.spent_usd += report.cost_usd or 0.0

    def _note_end(self, report: EnrichReport, endpoint: Endpoint | None) -> None:
        """A cap of ours ends the service's turn; what the endpoint itself says, the night's."""
        ended = report.ended_by
        theirs = endpoint is not None and endpoint.settings.base_url
        if isinstance(ended, BudgetReached) and theirs and not ended.message.startswith(theirs):
            self._night.budget = ended
        elif ended is not None:
            self._night.stop(ended)

    def _unasked(self, work: ServiceWork, report: EnrichReport) -> int:
        if report.ended_by is None:
            return 0
        done = len(report.proposed) + len(report.reused) + len(report.left) + len(report.failed)
        return max(work.tools - done, 0)

    def apply(self, row: ServiceRow) -> Generator[SyncEvent, None, None]:
        if not self._request.auto_apply:
            return
        yield SyncEvent(row.name, "apply")
        rows = self.to_apply(self._connection, row)
        self.report.applied = apply(self._connection, rows, DECIDED_BY)
