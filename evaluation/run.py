"""A suite asked in each mode, and what came of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.metrics import Measure, measures, score
from evaluation.suites import Judged

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """`found` are tool ids, best first; `declined` when the search says that nothing fits."""

    found: tuple[str, ...]
    declined: bool = False


Ask = Callable[[Judged, int], Answer]


@dataclass(frozen=True, slots=True)
class EvalEvent:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Miss:
    """A case whose first hit was not right, and what came instead."""

    query: str
    right: tuple[str, ...]
    found: tuple[str, ...]
    rank: int | None


@dataclass(frozen=True, slots=True)
class ModeReport:
    """`n` answerable cases were scored; `declined` of them got no answer (lost), and of the
    `unanswerable` ones `rightly_declined` did."""

    mode: str
    n: int
    values: Mapping[str, Measure]
    groups: Mapping[str, Mapping[str, Measure]] = field(default_factory=dict)
    group_sizes: Mapping[str, int] = field(default_factory=dict)
    declined: int = 0
    unanswerable: int = 0
    rightly_declined: int = 0
    misses: tuple[Miss, ...] = ()


def evaluate(
    mode: str, cases: Sequence[Judged], ask: Ask
) -> Generator[EvalEvent, None, ModeReport]:
    """Scores every case. One with right tools that the catalog lacks is scored with those missing:
    they count as not found."""
    scores: list[dict[str, float]] = []
    by_group: dict[str, list[dict[str, float]]] = defaultdict(list)
    misses: list[Miss] = []
    declined = rightly = 0
    for done, judged in enumerate(cases, 1):
        answer = ask(judged, DEPTH)
        if not judged.answerable:
            rightly += answer.declined
        else:
            result = score(answer.found, _all_grades(judged))
            scores.append(result)
            by_group[judged.case.group].append(result)
            declined += answer.declined
            if not result["hit@1"]:
                misses.append(_miss(judged, answer))
        yield EvalEvent(done, len(cases))
    named = {group: rows for group, rows in by_group.items() if group}
    return ModeReport(
        mode=mode,
        n=len(scores),
        values=measures(scores),
        groups={group: measures(rows) for group, rows in sorted(named.items())},
        group_sizes={group: len(rows) for group, rows in sorted(named.items())},
        declined=declined,
        unanswerable=sum(not judged.answerable for judged in cases),
        rightly_declined=rightly,
        misses=tuple(sorted(misses, key=lambda miss: (-(miss.rank or 99), miss.query))),
    )


def _all_grades(judged: Judged) -> dict[str, float]:
    return {**judged.grades, **{f"missing:{name}": 1.0 for name in judged.missing}}


def _miss(judged: Judged, answer: Answer) -> Miss:
    rank = next((n for n, tool in enumerate(answer.found, 1) if tool in judged.grades), None)
    right = (*judged.grades, *judged.missing)
    return Miss(judged.case.query, right, answer.found[:3], rank)
