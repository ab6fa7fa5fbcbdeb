"""End to end: a model is given the hits and picks one, or says that none fits."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from catalog.errors import BudgetReached, UsageError
from enrichment.endpoint import Endpoint
from enrichment.planning import cost
from evaluation.metrics import Measure, measure
from evaluation.picking import Picked, Unusable, pick
from evaluation.run import EvalEvent
from evaluation.suites import Judged
from search.picking import Option, PickFailed


@dataclass(frozen=True, slots=True)
class AgentMiss:
    """`picked` is empty where the model said that nothing fits."""

    query: str
    right: tuple[str, ...]
    picked: str
    offered: bool


@dataclass(frozen=True, slots=True)
class AgentReport:
    """`accuracy` is over all `n` cases: the right tool picked, or rightly none. `offered` is how
    often a right tool was among the hits; `cost_usd` None where the prices are not known.

    `stopped` says why the rest was not asked.
    """

    n: int
    accuracy: Measure
    offered: Measure
    answerable: int
    declined: int
    unanswerable: int
    rightly_declined: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    misses: tuple[AgentMiss, ...] = ()
    stopped: str = ""


class Offer(Protocol):
    """The hits of a case as the model is shown them."""

    def __call__(self, judged: Judged) -> Sequence[Option]: ...


class Asking(Protocol):
    """Puts one case to the model."""

    def __call__(
        self, endpoint: Endpoint, query: str, options: Sequence[Option], context: str = ""
    ) -> Picked: ...


@dataclass(slots=True)
class _Count:
    right: list[float] = field(default_factory=list)
    offered: list[float] = field(default_factory=list)
    declined: int = 0
    unanswerable: int = 0
    rightly: int = 0
    failed: int = 0
    given: int = 0
    written: int = 0
    misses: list[AgentMiss] = field(default_factory=list)

    def add(self, judged: Judged, options: Sequence[Option], picked: Picked | None) -> None:
        tool = "" if picked is None or picked.place is None else options[picked.place].tool_id
        none = picked is not None and picked.place is None
        offered = any(option.tool_id in judged.grades for option in options)
        if judged.answerable:
            right = tool in judged.grades
            self.offered.append(float(offered))
            self.declined += none
        else:
            right = none
            self.unanswerable += 1
            self.rightly += none
        self.right.append(float(right))
        if not right:
            wanted = (*judged.grades, *judged.missing)
            self.misses.append(AgentMiss(judged.case.query, wanted, tool, offered))

    def report(self, price: float | None, stopped: str) -> AgentReport:
        return AgentReport(
            n=len(self.right),
            accuracy=measure(self.right),
            offered=measure(self.offered),
            answerable=len(self.offered),
            declined=self.declined,
            unanswerable=self.unanswerable,
            rightly_declined=self.rightly,
            failed=self.failed,
            input_tokens=self.given,
            output_tokens=self.written,
            cost_usd=price,
            misses=tuple(self.misses),
            stopped=stopped,
        )


def select(
    endpoint: Endpoint,
    cases: Sequence[Judged],
    offer: Offer,
    max_cost: float | None = None,
    asking: Asking = pick,
) -> Generator[EvalEvent, None, AgentReport]:
    """Asks the model once a case. The next case is asked only while what the dearest one cost
    still fits below `max_cost` (USD)."""
    if max_cost is not None and cost(endpoint.settings, 1, 1) is None:
        raise UsageError(
            "a cost cap needs prices", hint="set [llm] price_in and price_out (USD per million)"
        )
    count = _Count()
    spent, dearest, stopped = 0.0, 0.0, ""
    for done, judged in enumerate(cases, 1):
        if max_cost is not None and spent + dearest > max_cost:
            told = f"after {done - 1} of {len(cases)} cases"
            stopped = f"the cap of ${max_cost:.2f} is reached {told}"
            break
        options = offer(judged)
        try:
            _ask(count, endpoint, judged, options, asking)
        except BudgetReached as reached:
            stopped = reached.message
            break
        before = spent
        spent = cost(endpoint.settings, count.given, count.written) or 0.0
        dearest = max(dearest, spent - before)
        yield EvalEvent(done, len(cases))
    return count.report(cost(endpoint.settings, count.given, count.written), stopped)


def _ask(
    count: _Count,
    endpoint: Endpoint,
    judged: Judged,
    options: Sequence[Option],
    asking: Asking,
) -> None:
    if not options:
        count.add(judged, options, Picked(None, 0, 0))
        return
    try:
        picked: Picked | None = asking(endpoint, judged.case.query, options, judged.case.context)
    except PickFailed as failure:
        picked = None
        count.failed += 1
        if isinstance(failure, Unusable):
            count.given += failure.input_tokens
            count.written += failure.output_tokens
    if picked is not None:
        count.given += picked.input_tokens
        count.written += picked.output_tokens
    count.add(judged, options, picked)
