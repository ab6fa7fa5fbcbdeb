"""Requests to an endpoint, several at once and none beyond what the run may cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

from catalog.errors import BudgetReached, GlossError, UsageError
from enrichment.endpoint import Endpoint, EndpointSettings
from enrichment.planning import cost

Job = TypeVar("Job")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class Purse:
    """USD of one run; `spent` is None where the endpoint's prices are not known."""

    settings: EndpointSettings | None
    most: float | None = None
    spent: float | None = 0.0
    reserved: float = 0.0

    def __post_init__(self) -> None:
        if self.most is not None and self.price(1, 1) is None:
            raise UsageError(
                "a cost cap needs prices", hint="set [llm] price_in and price_out (USD per million)"
            )

    def price(self, input_tokens: int, output_tokens: int) -> float | None:
        return cost(self.settings, input_tokens, output_tokens) if self.settings else 0.0

    def pay(self, input_tokens: int, output_tokens: int) -> None:
        price = self.price(input_tokens, output_tokens)
        if self.spent is not None:
            self.spent = None if price is None else self.spent + price

    def reserve(self, usd: float) -> None:
        """Raises BudgetReached where it would go beyond the cap."""
        if self.most is not None and (self.spent or 0.0) + self.reserved + usd > self.most:
            raise BudgetReached(
                f"the cap of ${self.most:.2f} a run is reached; the rest waits for the next",
                hint="gloss enrich again, or raise --max-cost",
            )
        self.reserved += usd


@dataclass(slots=True)
class Flight(Generic[Job, Answer]):
    """`prepare` makes the request of a job, `take` keeps its answer: both in the caller's thread.

    `ended_by` is the error that ended it early; what was in flight then has landed all the same.
    """

    endpoint: Endpoint
    purse: Purse
    prepare: Callable[[Job], Callable[[], Answer]]
    take: Callable[[Job, Answer], None]
    worst_case: Callable[[Job], tuple[int, int]]
    ended_by: GlossError | None = None

    def run(self, jobs: Iterable[Job]) -> Iterator[None]:
        """Answers in the order they come."""
        with ThreadPoolExecutor(self.endpoint.settings.max_concurrency) as pool:
            try:
                yield from self._in_flight(iter(jobs), pool)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _in_flight(self, jobs: Iterator[Job], pool: ThreadPoolExecutor) -> Iterator[None]:
        flying: dict[Future[Answer], tuple[Job, float]] = {}
        more = True
        while more or flying:
            while more and len(flying) < self.endpoint.settings.max_concurrency:
                more = self._launch(jobs, pool, flying)
            done, _ = wait(flying, return_when=FIRST_COMPLETED)
            for future in done:
                job, reserved = flying.pop(future)
                self.purse.reserved -= reserved
                more = self._land(job, future) and more
                yield

    def _launch(
        self,
        jobs: Iterator[Job],
        pool: ThreadPoolExecutor,
        flying: dict[Future[Answer], tuple[Job, float]],
    ) -> bool:
        """Send the next job if the budget allows its worst case; False when there is no next."""
        job = next(jobs, None)
        if job is None or self.ended_by is not None:
            return False
        reserved = self.purse.price(*self.worst_case(job)) or 0.0
        try:
            self.purse.reserve(reserved)
        except BudgetReached as reached:
            self.ended_by = reached
            return False
        flying[pool.submit(self.prepare(job))] = (job, reserved)
        return True

    def _land(self, job: Job, future: Future[Answer]) -> bool:
        try:
            self.take(job, future.result())
        except GlossError as error:
            self.ended_by = self.ended_by or error
        return self.ended_by is None
