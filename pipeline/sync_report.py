"""What one nightly run did: a report a service, and what becomes of the run as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from catalog.errors import BudgetReached, Exit, GlossError

Stage = Literal["read", "probe", "enrich", "apply", "index"]
State = Literal["changed", "unchanged", "waiting", "partial", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a stage of a service came to nothing."""

    stage: Stage
    message: str
    hint: str = ""
    code: int = Exit.FAILED


@dataclass(slots=True)
class ServiceReport:
    """Counts of tools, except `sent` and `requests`: calls to the service and to the model.

    `lost` operations of the spec became no tool; `failed_calls` answered with a failure, and
    `failed_texts` could not be written about; `too_little` say too little for the writer without a
    model, which is no failure; `left_for_later` are those that the budget or the endpoint did not
    allow. `cost_usd` is None where prices are not known.
    """

    service: str
    owner: str = ""
    tools: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    lost: int = 0
    sent: int = 0
    seen: int = 0
    failed_calls: int = 0
    requests: int = 0
    proposed: int = 0
    failed_texts: int = 0
    too_little: int = 0
    left_for_later: int = 0
    applied: int = 0
    proposals_waiting: int = 0
    indexed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    took_s: float = 0.0
    skipped: str = ""
    faults: list[Fault] = field(default_factory=list)

    @property
    def has_news(self) -> bool:
        news = (self.added, self.changed, self.removed, self.seen, self.proposed, self.applied)
        return any(news) or bool(self.indexed)

    @property
    def state(self) -> State:
        if self.skipped:
            return "skipped"
        if self.faults:
            return "failed"
        if self.left_for_later:
            return "waiting"
        if self.failed_calls or self.failed_texts:
            return "partial"
        return "changed" if self.has_news else "unchanged"

    def sentence(self) -> str:
        """What happened, in the words of one line."""
        if self.skipped:
            return self.skipped
        return "; ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        yield from (f"{_STAGES[fault.stage]}: {fault.message}" for fault in self.faults)
        if any(fault.stage == "read" for fault in self.faults):
            yield f"its {self.tools} tools stay" if self.tools else "nothing of it is known yet"
        if self.state == "unchanged":
            yield f"{self.tools} tools, nothing new"
        spec = _counted(added=self.added, changed=self.changed, removed=self.removed)
        if spec:
            yield f"{self.tools} tools: {spec}"
        if self.lost:
            yield f"{self.lost} operations cannot be read"
        if self.sent:
            failed = f", {self.failed_calls} failed" if self.failed_calls else ""
            yield f"{self.sent} calls: {self.seen} shapes{failed}"
        yield from self._texts()
        if self.indexed:
            yield f"{self.indexed} indexed"

    def _texts(self) -> Iterator[str]:
        if self.proposed:
            yield f"{self.proposed} proposals{self._price()}"
        if self.failed_texts:
            yield f"{self.failed_texts} tools could not be written about"
        if self.too_little:
            yield f"{self.too_little} tools say too little to write about without a model"
        if self.left_for_later:
            yield f"{self.left_for_later} tools wait to be written about"
        if self.applied:
            yield f"{self.applied} applied"
        if self.proposals_waiting:
            yield f"{self.proposals_waiting} proposals wait for a decision"

    def _price(self) -> str:
        if not self.requests:
            return ""
        return " (price not known)" if self.cost_usd is None else f" (${self.cost_usd:.4f})"

    def as_json(self) -> dict[str, Any]:
        return {"service": self.service, "state": self.state, **asdict(self)}


_STAGES = {
    "read": "reading the spec",
    "probe": "probing",
    "enrich": "enriching",
    "apply": "applying",
    "index": "indexing",
}


def _counted(**counts: int) -> str:
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


@dataclass(frozen=True, slots=True)
class SyncReport:
    """`stopped` is why the model was asked no more: its endpoint, or the budget.

    `budget_left_usd` is None where there is no budget.
    """

    run_id: UUID
    started_at: datetime
    took_s: float
    services: tuple[ServiceReport, ...]
    stopped: GlossError | None = None
    budget_left_usd: float | None = None

    @property
    def failed(self) -> list[ServiceReport]:
        return [report for report in self.services if report.faults]

    @property
    def changed(self) -> list[ServiceReport]:
        return [report for report in self.services if report.has_news]

    @property
    def tried(self) -> list[ServiceReport]:
        return [report for report in self.services if not report.skipped]

    @property
    def cost_usd(self) -> float | None:
        costs = [report.cost_usd for report in self.services]
        return None if None in costs else sum(cost for cost in costs if cost)

    @property
    def exit_code(self) -> int:
        if self.failed:
            codes = {fault.code for report in self.failed for fault in report.faults}
            if self.stopped is not None:
                codes.add(self.stopped.exit_code)
            if len(self.failed) < len(self.tried):
                return Exit.PARTIAL
            return codes.pop() if codes in ({Exit.TRY_LATER}, {Exit.CREDENTIALS}) else Exit.FAILED
        if any(report.failed_calls or report.failed_texts for report in self.services):
            return Exit.PARTIAL
        if self.stopped is not None and not isinstance(self.stopped, BudgetReached):
            return self.stopped.exit_code
        if self.stopped is not None or any(report.left_for_later for report in self.services):
            return Exit.BUDGET
        return Exit.OK

    def as_json(self) -> dict[str, Any]:
        """The form of `gloss sync --json`, of the row in the log of runs, and of the metrics."""
        return {
            "run": str(self.run_id),
            "started_at": self.started_at.isoformat(),
            "took_s": round(self.took_s, 3),
            "exit_code": int(self.exit_code),
            "changed": len(self.changed),
            "failed": len(self.failed),
            "input_tokens": sum(report.input_tokens for report in self.services),
            "output_tokens": sum(report.output_tokens for report in self.services),
            "requests": sum(report.requests for report in self.services),
            "cost_usd": self.cost_usd,
            "budget_left_usd": self.budget_left_usd,
            "stopped": self.stopped.message if self.stopped else None,
            "services": [report.as_json() for report in self.services],
        }
