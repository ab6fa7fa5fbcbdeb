"""Proposals decided one by one: each decision saved at once, the last ones taken back on request.

Nothing is held back for the end, so whatever stops a review leaves it where it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from psycopg import Connection

from enrichment.deciding import Change
from store.decisions import put_back
from store.enrichments import EnrichmentRow, apply, enrichments, reject

Decision = Literal["applied", "rejected", "skipped", "edited"]


@dataclass(frozen=True, slots=True)
class _Step:
    """What was decided, and the tool's live and open texts before."""

    at: int
    decision: Decision
    rows: tuple[EnrichmentRow, ...] = ()


@dataclass(slots=True)
class Review:
    """`at` is the proposal in hand, counted from 0 over all families; at the end it is `total`."""

    connection: Connection
    families: Sequence[tuple[Change, ...]]
    decided_by: str
    at: int = 0
    edited: dict[int, Change] = field(default_factory=dict)
    _steps: list[_Step] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(len(family) for family in self.families)

    @property
    def place(self) -> tuple[int, int]:
        """The family in hand, and the place in it."""
        before = 0
        for number, family in enumerate(self.families):
            if self.at < before + len(family):
                return number, self.at - before
            before += len(family)
        raise IndexError(self.at)

    @property
    def change(self) -> Change:
        family, place = self.place
        return self.edited.get(self.at, self.families[family][place])

    def counts(self) -> Counter[str]:
        return Counter(step.decision for step in self._steps)

    def apply(self) -> bool:
        """Whether the text is live now: not where somebody else decided on it meanwhile."""
        return self._decide("applied")

    def reject(self, reason: str = "") -> bool:
        return self._decide("rejected", reason)

    def skip(self) -> None:
        self._steps.append(_Step(self.at, "skipped"))
        self.at += 1

    def edit(self, keep: Callable[[], object]) -> None:
        """`keep` saves another proposal for the tool in hand, which then is the one to decide."""
        rows = tuple(self._standing())
        keep()
        self._steps.append(_Step(self.at, "edited", rows))
        self._reread()

    def _decide(self, decision: Decision, reason: str = "") -> bool:
        row = self.change.proposal
        rows = tuple(self._standing())
        if decision == "applied":
            done = apply(self.connection, [row], self.decided_by)
        else:
            done = reject(self.connection, [row], self.decided_by, reason)
        self._steps.append(_Step(self.at, decision, rows) if done else _Step(self.at, "skipped"))
        self.at += 1
        return bool(done)

    def undo(self) -> str:
        """Takes the last step back; the tool that is in hand again, or "" where there is none."""
        if not self._steps:
            return ""
        step = self._steps.pop()
        self.at = step.at
        row = self.change.proposal
        if step.rows:
            put_back(self.connection, row.service_id, row.tool, step.rows)
        self._reread()
        return row.tool_id

    def _reread(self) -> None:
        """The proposal in hand as the catalog has it now."""
        found = {row.state: row for row in self._standing()}
        if "proposed" in found:
            self.edited[self.at] = Change(found["proposed"], found.get("applied"))

    def _standing(self) -> list[EnrichmentRow]:
        tools = [self.change.proposal.tool_id]
        return enrichments(self.connection, ("proposed", "applied"), tools=tools)
