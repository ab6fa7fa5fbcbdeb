"""What a nightly run would do, as far as can be told without a call: nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from psycopg import Connection

from catalog.errors import GlossError, NotFound
from catalog.words import safe_name
from pipeline.sync_night import Means, SyncRequest, settled
from pipeline.sync_writing import Writing
from store import syncs
from store.catalog import find_service
from store.connection import translated
from store.rows import ServiceRow

if TYPE_CHECKING:
    from enrichment.endpoint import EndpointSettings

_REMOTE = ("http://", "https://", "grpc://", "grpcs://")


@dataclass(frozen=True, slots=True)
class Planned:
    """One service. `spec` says how its spec compares, `calls` and `texts` count what the catalog as
    it is now would have sent and written about; a spec that changed adds to both."""

    service: str
    owner: str
    spec: str
    calls: int = 0
    texts: int = 0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    to_apply: int = 0
    to_index: int = 0
    faults: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        parts = [f"spec {self.spec}", *self.faults]
        if self.calls:
            parts.append(f"at most {self.calls} calls")
        if self.texts:
            price = "price not known" if self.cost_usd is None else f"${self.cost_usd:.4f}"
            asked = f" in {self.requests} requests, {price}" if self.requests else ""
            parts.append(f"{self.texts} tools to write about{asked}")
        if self.to_apply:
            parts.append(f"{self.to_apply} proposals to apply")
        if self.to_index:
            parts.append(f"{self.to_index} to index")
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def plan_sync(
    connection: Connection,
    requests: Sequence[SyncRequest],
    means: Means,
    prices: EndpointSettings | None,
    since: datetime | None = None,
) -> Iterator[Planned]:
    fresh = syncs.synced_since(connection, since) if since else {}
    for request in requests:
        if request.name in fresh:
            yield Planned(request.name, request.owner, "is not looked at: in step lately")
        else:
            yield _planned(connection, request, means, prices)


def _planned(
    connection: Connection,
    request: SyncRequest,
    means: Means,
    prices: EndpointSettings | None,
) -> Planned:
    planned = Planned(request.name, request.owner, _spec(connection, request))
    try:
        row = find_service(connection, safe_name(request.name, fallback="service"))
    except NotFound:
        return planned
    for step in (_with_calls, _with_texts, _with_rest):
        try:
            planned = step(connection, request, row, means, prices, planned)
        except GlossError as error:
            planned.faults.append(means.masked(error.message))
    return planned


def _spec(connection: Connection, request: SyncRequest) -> str:
    if request.source.startswith(_REMOTE):
        return "is not looked at: it would have to be fetched"
    from pipeline.ingest import ingest

    counts = {"added": 0, "changed": 0, "removed": 0}
    try:
        for source in ingest(connection, [replace(request.ingest(), dry_run=True)]):
            if source.error is not None:
                return f"cannot be read: {source.error.message}"
            if source.saved is not None:
                for name in counts:
                    counts[name] += len(getattr(source.saved, name))
    except GlossError as error:
        return f"cannot be read: {error.message}"
    news = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    return f"changed: {news}" if news else "unchanged"


def _with_calls(
    connection: Connection,
    request: SyncRequest,
    row: ServiceRow,
    means: Means,
    prices: EndpointSettings | None,
    planned: Planned,
) -> Planned:
    """Types of a server that describes itself would have to be fetched: it is not asked."""
    mark = f"{syncs.operations_mark(connection, row.service_id)} {request.probe_rules}"
    state = syncs.sync_state(connection, row.service_id)
    done = settled(mark, state.probed, state.probe_tries)
    if not request.probe_rules or done or row.source.startswith(_REMOTE):
        return planned
    from pipeline.probe import plan

    found = plan(connection, [request.probe(connection)], date.today())
    return replace(planned, calls=sum(len(service.calls) for service in found))


def _with_texts(
    connection: Connection,
    request: SyncRequest,
    row: ServiceRow,
    means: Means,
    prices: EndpointSettings | None,
    planned: Planned,
) -> Planned:
    state = syncs.sync_state(connection, row.service_id)
    opted_in = row.opted_in or request.opt_in
    mark = Writing.mark(connection, row, means)
    if not opted_in or settled(mark, state.enriched, state.enrich_tries):
        return planned
    from enrichment.planning import estimate, plan

    work = plan(connection, [row], means.writer, group_size=means.group_size)
    expected = estimate(work, prices)
    return replace(
        planned,
        texts=expected.tools,
        requests=expected.requests,
        input_tokens=expected.input_tokens,
        output_tokens=expected.output_tokens,
        cost_usd=expected.cost_usd,
    )


def _with_rest(
    connection: Connection,
    request: SyncRequest,
    row: ServiceRow,
    means: Means,
    prices: EndpointSettings | None,
    planned: Planned,
) -> Planned:
    from search.text import TEXT_VERSION
    from store.index import pending_ids

    with translated():
        ids = pending_ids(connection, row.service_id, means.encoder().model, TEXT_VERSION)
    to_apply = len(Writing.to_apply(connection, row)) if request.auto_apply else 0
    return replace(planned, to_apply=to_apply, to_index=len(ids))
