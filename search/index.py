"""The index made to match the catalog: only what changed is read, embedded and written."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from psycopg import Connection

from catalog.errors import NotFound, UsageError
from search.batch import Batch, Tally
from search.encoder import Encoder
from search.fields import weights_card
from search.mixing import mix_of
from search.short_forms import learn
from search.text import TEXT_VERSION
from store import index as stored
from store import index_saving as saving
from store.catalog import catalog_counts, definitions_of, find_service, list_services
from store.connection import translated
from store.mixing import mix_again
from store.retrieval import Mix
from store.rows import ServiceRow
from store.vector_search import drop_approximate_indexes, make_approximate_index

BATCH = 128
"""Tools a transaction: some seconds of work, which is what an interrupted run loses."""


@dataclass(frozen=True, slots=True)
class IndexEvent:
    done: int
    total: int
    service: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """`embedded` counts texts that the model read; `reused` tools whose entry was right already or
    whose text was embedded before; `removed` tools that left the catalog since; `mixed_again` those
    whose vector was mixed anew because the weights changed."""

    model: str
    tools: int
    embedded: int
    reused: int
    removed: int
    model_changed: bool
    took_ms: float
    mixed_again: int = 0
    services: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"services": list(self.services), "took_ms": round(self.took_ms, 1)}

    def sentence(self) -> str:
        gone = f", {self.removed} removed" if self.removed else ""
        mixed = f", {self.mixed_again} mixed with other weights" if self.mixed_again else ""
        return (
            f"{self.tools} tools indexed with {self.model.partition('@')[0]}: "
            f"{self.embedded} texts embedded, {self.reused} unchanged{gone}{mixed} "
            f"({self.took_ms / 1000:.1f} s)"
        )


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """`model` made the vectors that are ranked; `pending` tools are new or changed since."""

    model: str
    model_changed: bool
    indexed: int
    pending: int


def index_status(conn: Connection, encoder: Encoder) -> IndexStatus:
    with translated():
        state = stored.index_state(conn)
        model = state.model if state else encoder.model
        indexed = stored.count_indexed(conn, model)
        return IndexStatus(
            model=model,
            model_changed=indexed > 0 and model != encoder.model,
            indexed=indexed,
            pending=stored.count_pending(conn, encoder.model, TEXT_VERSION),
        )


def build_index(
    conn: Connection,
    encoder: Encoder,
    services: Sequence[str] = (),
    rebuild: bool = False,
    mix: Mix | None = None,
) -> Generator[IndexEvent, None, IndexReport]:
    """Brings the named services, or all, up to date, a transaction a batch.

    Whatever stops it, the index stays usable and the next run goes on from there. With another
    model than last time every service is embedded anew, and the old vectors are ranked until the
    last new one is written. Without a `mix` the one that the index has is kept; another one mixes
    the vectors anew and embeds nothing.
    """
    started = time.perf_counter()
    with translated():
        state = stored.index_state(conn)
        shares = mix or mix_of(state)
        mixed = _prepare(conn, state, encoder, shares, rebuild)
        chosen, changed = _begin(conn, encoder, services, shares)
        tally = Tally()
        work = [
            (service, stored.pending_ids(
                conn, service.service_id, encoder.model, TEXT_VERSION, everything=rebuild
            ))
            for service in chosen
        ]  # fmt: skip
        total = sum(len(ids) for _, ids in work)
        yield IndexEvent(0, total, "")
        removed = _forget_removed(conn, chosen, {s.service_id for s, ids in work if ids})
        for service, ids in work:
            yield from _index_service(conn, encoder, shares, service, ids, tally, total, rebuild)
        _finish(conn, encoder, shares, changed)
        tools = stored.count_indexed(conn, encoder.model)
    return IndexReport(
        model=encoder.model,
        tools=tools,
        embedded=tally.embedded,
        reused=sum(service.operations for service in chosen) - tally.embedded_tools,
        removed=removed,
        model_changed=changed,
        took_ms=(time.perf_counter() - started) * 1000,
        services=tuple(service.name for service in chosen),
        mixed_again=mixed,
    )


def _prepare(
    conn: Connection,
    state: stored.IndexState | None,
    encoder: Encoder,
    mix: Mix,
    rebuild: bool,
) -> int:
    """Vectors as they must be before new ones join them; how many were mixed anew."""
    if state is None or state.model != encoder.model:
        return 0
    if state.width != encoder.width and stored.count_indexed(conn, encoder.model):
        _require_rebuild(encoder, state.width, rebuild)
        with conn.transaction():
            saving.forget_vectors(conn, encoder.model)
            saving.set_index_state(conn, _state(encoder, mix))
        drop_approximate_indexes(conn, keep_model="", width=0)
    with conn.transaction():
        return mix_again(conn, encoder.model, mix)


def _require_rebuild(encoder: Encoder, width: int, rebuild: bool) -> None:
    if not rebuild:
        raise UsageError(
            f"the embedding model {encoder.name} gives {encoder.width} numbers a text now, "
            f"and the index holds vectors of {width}",
            hint="gloss index --rebuild",
        )


def _begin(
    conn: Connection, encoder: Encoder, names: Sequence[str], mix: Mix
) -> tuple[list[ServiceRow], bool]:
    """The services to bring up to date, and whether the model is another one than before."""
    if not catalog_counts(conn).services:
        raise NotFound("the catalog is empty", hint="gloss ingest SPEC…")
    chosen = [find_service(conn, name) for name in names]
    state = stored.index_state(conn)
    changed = (
        state is not None
        and state.model != encoder.model
        and stored.count_indexed(conn, state.model) > 0
    )
    if not changed:
        saving.set_index_state(conn, _state(encoder, mix))
    if changed or not names:
        chosen = list_services(conn)
    return chosen, changed


def _state(encoder: Encoder, mix: Mix) -> stored.IndexState:
    return stored.IndexState(
        encoder.model, encoder.width, TEXT_VERSION, {"mix": asdict(mix), **weights_card()}
    )


def _forget_removed(conn: Connection, chosen: Sequence[ServiceRow], busy: set[int]) -> int:
    """Refreshes the counts of services that lost tools and have nothing new; how many were lost."""
    gone = stored.removed_since(conn)
    for service in chosen:
        if service.service_id in gone and service.service_id not in busy:
            with conn.transaction():
                saving.refresh_statistics(conn, service.service_id)
    present = {service.service_id for service in chosen}
    return sum(max(count, 0) for service_id, count in gone.items() if service_id in present)


def _index_service(
    conn: Connection,
    encoder: Encoder,
    mix: Mix,
    service: ServiceRow,
    ids: Sequence[int],
    tally: Tally,
    total: int,
    rebuild: bool,
) -> Generator[IndexEvent, None, None]:
    if not ids:
        return
    definitions = definitions_of(conn, service.service_id)
    for start in range(0, len(ids), BATCH):
        tools = stored.pending_tools(conn, service, ids[start : start + BATCH])
        Batch(conn, encoder, mix, tally, rebuild).index(tools, definitions)
        tally.done += len(tools)
        yield IndexEvent(tally.done, total, service.name)
    with conn.transaction():
        saving.refresh_statistics(conn, service.service_id)
        saving.drop_unused_vectors(conn, service.service_id)
        learn(conn, service.service_id, service.name)


def _finish(conn: Connection, encoder: Encoder, mix: Mix, changed: bool) -> None:
    """Makes the new model the one that is ranked, and an approximate index where it pays."""
    count = stored.count_indexed(conn, encoder.model)
    if count >= stored.HNSW_MIN_TOOLS:
        make_approximate_index(conn, encoder.model, encoder.width)
    with conn.transaction():
        mix_again(conn, encoder.model, mix)
        saving.set_index_state(conn, _state(encoder, mix))
        if changed:
            saving.drop_other_models(conn, encoder.model)
    if changed:
        drop_approximate_indexes(conn, keep_model=encoder.model, width=encoder.width)
