"""Proposals that have to earn their place: asked about before and after, kept where search gains.

All proposals are tried together, in a transaction that is rolled back: nothing is live before it
is decided. First to go are those whose own tool is found later than before; once there are none,
those that cost their neighbours more than they bring, or, where no neighbour may fall, anything at
all. The rest are tried again until none has to go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from psycopg import Connection

from evaluation.suites import Judged, Names, Suite
from search.index import build_index
from search.query import Searcher
from store.catalog import list_tools
from store.decisions import Measured, judged
from store.enrichments import EnrichmentRow, apply

if TYPE_CHECKING:
    from search.encoder import Encoder, Vectors
    from store.retrieval import Mix

DEPTH = 10
_ROUNDS = 8
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class GateEvent:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """`against` says why a proposal was dropped."""

    row: EnrichmentRow
    measured: Measured
    against: str = ""


@dataclass(frozen=True, slots=True)
class GateReport:
    """`before` and `after` are mean reciprocal ranks over the suite's answerable cases."""

    cases: int
    before: float
    after: float
    verdicts: tuple[Verdict, ...] = field(default=())

    @property
    def kept(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if not verdict.against]

    @property
    def unasked(self) -> list[Verdict]:
        """Kept, but no case asks for their tool."""
        return [verdict for verdict in self.kept if not verdict.measured.cases]


def gate(
    connection: Connection,
    encoder: Encoder,
    suite: Suite,
    rows: Sequence[EnrichmentRow],
    min_gain: float = 0.0,
    no_falls: bool = False,
    mix: Mix | None = None,
) -> Generator[GateEvent, None, GateReport]:
    """Decide on the proposals: gains are noted on those kept, the others are rejected. With
    `no_falls` also those that put a neighbour's right tool further down, whatever they bring."""
    names = Names(list_tools(connection))
    cases = [case for case in map(names.judge, suite.cases) if case.grades]
    trial = _Trial(connection, _Remembering(encoder), cases, mix)
    before = after = trial.rankings(())
    verdicts: dict[str, Verdict] = {}
    kept = list(rows)
    for done in range(1, _ROUNDS + 1):
        yield GateEvent(done, _ROUNDS)
        after = trial.rankings(kept) if kept else before
        fresh = _Round(suite.name, cases, before, after).verdicts(kept, min_gain, no_falls)
        verdicts |= fresh
        left = [row for row in kept if not fresh[row.tool_id].against]
        if len(left) == len(kept):
            break
        kept = left
    _note(connection, verdicts.values())
    means = [sum(_ranks(cases, found)) / max(len(cases), 1) for found in (before, after)]
    return GateReport(len(cases), means[0], means[1], tuple(verdicts.values()))


Rankings = list[tuple[str, ...]]


class _Trial:
    """The suite asked with some proposals live, in a transaction that leaves no trace."""

    def __init__(
        self, connection: Connection, encoder: Encoder, cases: Sequence[Judged], mix: Mix | None
    ) -> None:
        self.connection, self.encoder, self.cases, self.mix = connection, encoder, cases, mix

    def rankings(self, rows: Sequence[EnrichmentRow]) -> Rankings:
        with self.connection.transaction(force_rollback=True):
            apply(self.connection, rows, "gate")
            _exhaust(build_index(self.connection, self.encoder, mix=self.mix))
            searcher = Searcher(self.connection, lambda: self.encoder, log=False)
            return [self._ask(searcher, judged) for judged in self.cases]

    def _ask(self, searcher: Searcher, judged: Judged) -> tuple[str, ...]:
        case = judged.case
        result = searcher.search(case.query, k=DEPTH, context=case.context)
        return tuple(hit.tool_id for hit in result.hits)


def _exhaust(events: Generator[object, None, object]) -> None:
    for _ in events:
        pass


class _Remembering:
    """An encoder that reads no text twice: every trial indexes the same ones."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._known: dict[tuple[str, bool], Vectors] = {}
        self.name, self.model, self.width = encoder.name, encoder.model, encoder.width

    def encode(self, texts: Sequence[str], *, queries: bool = False) -> Vectors:
        import numpy

        new = [text for text in dict.fromkeys(texts) if (text, queries) not in self._known]
        made: Any = self._encoder.encode(new, queries=queries) if new else []
        self._known.update(
            ((text, queries), vector) for text, vector in zip(new, made, strict=True)
        )
        return numpy.array([self._known[text, queries] for text in texts])


class _Round:
    """The same cases asked without and with some proposals."""

    def __init__(
        self, gate: str, cases: Sequence[Judged], before: Rankings, after: Rankings
    ) -> None:
        self.gate, self.cases, self.before, self.after = gate, cases, before, after
        self.old, self.new = _ranks(cases, before), _ranks(cases, after)
        self.own: dict[str, list[int]] = defaultdict(list)
        for at, case in enumerate(cases):
            for tool in case.grades:
                self.own[tool].append(at)

    def verdicts(
        self, rows: Sequence[EnrichmentRow], min_gain: float, no_falls: bool
    ) -> dict[str, Verdict]:
        measured = {row.tool_id: self._measured(row.tool_id) for row in rows}
        against = {
            tool: f"search finds its tool no better (gain {found.gain:+.3f})"
            for tool, found in measured.items()
            if found.gain is not None and found.gain < min_gain - _SAME
        }
        against = against or self._takers(measured, no_falls)
        return {
            row.tool_id: Verdict(row, measured[row.tool_id], against.get(row.tool_id, ""))
            for row in rows
        }

    def _measured(self, tool: str) -> Measured:
        """Of one tool, over the cases that it is right for."""
        own = self.own.get(tool)
        if not own:
            return Measured(self.gate)
        changes = [self.new[at] - self.old[at] for at in own]
        return Measured(
            gate=self.gate,
            cases=len(own),
            gain=sum(changes) / len(changes),
            rank_before=_middle([self.old[at] for at in own]),
            rank_after=_middle([self.new[at] for at in own]),
        )

    def _takers(self, measured: Mapping[str, Measured], no_falls: bool) -> dict[str, str]:
        """Proposals that cost their neighbours more than they bring their own tool, or anything
        where none may fall: what a case loses is shared by those that newly stand above its right
        tool."""
        cost: dict[str, float] = defaultdict(float)
        for at, (case, then, now) in enumerate(
            zip(self.cases, self.before, self.after, strict=True)
        ):
            takers = (_above(now, case) - _above(then, case)) & measured.keys()
            for taker in takers:
                cost[taker] += max(self.old[at] - self.new[at], 0.0) / len(takers)
        worth = {tool: (found.gain or 0.0) * found.cases for tool, found in measured.items()}
        return {
            tool: f"it costs its neighbours {cost[tool]:.3f} and brings {worth[tool]:.3f}"
            for tool in measured
            if cost[tool] > (0.0 if no_falls else worth[tool]) + _SAME
        }


def _ranks(cases: Sequence[Judged], found: Rankings) -> list[float]:
    """Reciprocal rank of the first right tool of each case; 0 where it is not among the hits."""
    return [
        next((1 / n for n, tool in enumerate(tools, 1) if tool in case.grades), 0.0)
        for case, tools in zip(cases, found, strict=True)
    ]


def _middle(reciprocals: Sequence[float]) -> int | None:
    """The middle rank, of two the worse; None where it is not among the hits."""
    middle = sorted(reciprocals, reverse=True)[len(reciprocals) // 2]
    return round(1 / middle) if middle else None


def _above(tools: Sequence[str], case: Judged) -> set[str]:
    """What stands before the first right tool."""
    first = next((n for n, tool in enumerate(tools) if tool in case.grades), len(tools))
    return set(tools[:first])


def _note(connection: Connection, verdicts: Iterable[Verdict]) -> None:
    with connection.transaction():
        for verdict in verdicts:
            judged(connection, verdict.row, verdict.measured, verdict.against)
