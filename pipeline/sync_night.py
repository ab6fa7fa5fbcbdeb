"""What the services of one nightly run share, and what is known of each before its turn."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Connection

from catalog.errors import BudgetReached, GlossError
from pipeline.sync_report import Stage

if TYPE_CHECKING:
    from enrichment.endpoint import Endpoint
    from pipeline.ingest import IngestRequest
    from pipeline.probe import ProbeRequest
    from search.encoder import Encoder
    from store.retrieval import Mix

MOST_TRIES = 3
"""Nights on which what failed is tried again; then it waits until something changes."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SyncEvent:
    """How far a stage of a service is."""

    service: str
    stage: Stage
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """One declared service. `ingest` and `probe` are called when their turn comes: they read
    credentials, and one that is missing must not cost another service.

    `probe_rules` tells these rules from others; empty: the service is not called.
    """

    name: str
    source: str
    ingest: Callable[[], IngestRequest]
    probe: Callable[[Connection], ProbeRequest]
    probe_rules: str = ""
    owner: str = ""
    opt_in: bool = False
    auto_apply: bool = False
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """What the run works with. Encoder and endpoint (None: the writer without a model) are made
    when they are needed; `masked` takes secrets out of what is kept."""

    encoder: Callable[[], Encoder]
    endpoint: Callable[[], Endpoint | None]
    writer: str
    group_size: int
    max_cost: float | None = None
    mix: Mix | None = None
    masked: Callable[[str], str] = str


@dataclass(slots=True)
class Night:
    """What the services of a run share. `stopped`: the model is asked no more, for this reason."""

    connection: Connection
    means: Means
    require: Callable[[], None] = lambda: None
    spent_usd: float = 0.0
    stopped: GlossError | None = None
    budget: BudgetReached | None = None
    _endpoint: list[Endpoint | None] = field(default_factory=list)
    _encoder: list[Encoder] = field(default_factory=list)

    def endpoint(self) -> Endpoint | None:
        if not self._endpoint:
            self._endpoint.append(self.means.endpoint())
        return self._endpoint[0]

    def encoder(self) -> Encoder:
        if not self._encoder:
            self._encoder.append(self.means.encoder())
        return self._encoder[0]

    def stop(self, error: GlossError) -> None:
        """Ask the model no more; endpoints quote keys in what they say."""
        error.message, error.hint = self.means.masked(error.message), self.means.masked(error.hint)
        self.stopped = error

    def left_usd(self) -> float | None:
        cap = self.means.max_cost
        return None if cap is None else max(cap - self.spent_usd, 0.0)

    def through(
        self, service: str, stage: Stage, work: Generator[Any, None, Result]
    ) -> Generator[SyncEvent, None, Result]:
        """The work with its events as ours; stops between two of them when the lease is lost."""
        try:
            while True:
                event = next(work)
                self.require()
                yield SyncEvent(service, stage, event.done, event.total)
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            work.close()


def settled(mark: str, before: str, tries: int) -> bool:
    """Whether the last night worked on the same, and nothing of it is worth another try."""
    return mark == before and (tries == 0 or tries >= MOST_TRIES)


def tries_after(failed: bool, mark: str, before: str, tries: int) -> int:
    if not failed:
        return 0
    return tries + 1 if mark == before else 1
