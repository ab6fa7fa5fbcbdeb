"""Plain vector search, one text a tool, each query in its own catalogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.metrics import measure as interval
from evaluation.metrics import score

from .suites import Query, Suites, digest, first_by_hash
from .tower import Rows

MOST = 500
MOST_HELD_OUT = 60
POOL = 300
TOO_FEW = "sawsdl-tc3"  # two held-out requests decide nothing

Encode = Callable[[Sequence[str]], Rows]


Quality = tuple[float, float]  # ndcg@10, hit@1
Scores = dict[str, list[Quality]]  # by suite, a row a query


@dataclass(frozen=True, slots=True)
class Questions:
    catalogues: dict[str, list[str]]
    queries: list[Query]


def test_halves(suites: Suites, names: Collection[str]) -> Questions:
    """For the last measurement only; nothing is chosen by it."""
    return _whole(suites, lambda query: not query.trains and query.suite in names)


def development(suites: Suites, names: Collection[str]) -> Questions:
    """Training halves of suites that are left out of every run compared."""
    return _whole(suites, lambda query: query.trains and query.suite in names)


def _whole(suites: Suites, wanted: Callable[[Query], bool]) -> Questions:
    return Questions(suites.catalogues, first_by_hash(filter(wanted, suites.queries), MOST))


def held_out(suites: Suites) -> Questions:
    """Queries of the training halves about tools that trained nothing, over small catalogues: all
    right tools and others by hash."""
    queries = first_by_hash(
        (q for q in suites.queries if q.trains and suites.is_held_out(q) and q.suite != TOO_FEW),
        MOST_HELD_OUT,
    )
    wanted: dict[str, set[int]] = defaultdict(set)
    for query in queries:
        wanted[query.catalogue].update(query.relevant)
    kept = {name: _drawn(suites.catalogues[name], right) for name, right in wanted.items()}
    return Questions(
        {name: [suites.catalogues[name][i] for i in places] for name, places in kept.items()},
        [
            replace(q, relevant=tuple(kept[q.catalogue].index(i) for i in q.relevant))
            for q in queries
        ],
    )


def _drawn(texts: Sequence[str], right: set[int]) -> list[int]:
    others = sorted(set(range(len(texts))) - right, key=lambda i: digest(texts[i]))
    return sorted(right) + others[: max(0, POOL - len(right))]


def measure(encode: Encode, questions: Questions) -> Scores:
    matrices: dict[str, Rows] = {}
    scores: Scores = defaultdict(list)
    rows = encode([query.text for query in questions.queries])
    for query, row in zip(questions.queries, rows, strict=True):
        if query.catalogue not in matrices:
            matrices[query.catalogue] = encode(questions.catalogues[query.catalogue])
        ranked = np.argsort(-(matrices[query.catalogue] @ row), kind="stable")[:10]
        scores[query.suite].append(_quality(ranked, query.relevant))
    return scores


def _quality(ranked: Iterable[int], relevant: Iterable[int]) -> Quality:
    found = score([str(place) for place in ranked], {str(place): 1.0 for place in relevant})
    return found["ndcg@10"], found["hit@1"]


def report(models: dict[str, Scores]) -> str:
    """Two tables: each model, and what the last one gains on the others with 95 % intervals."""
    *others, last = models
    gains = {
        f"{last} − {name}": {
            suite: _gains(models[name][suite], rows) for suite, rows in models[last].items()
        }
        for name in others
    }
    return "\n\n".join((_table(models, _plain), _table(gains, _with_interval)))


def _gains(one: Sequence[Quality], other: Sequence[Quality]) -> list[Quality]:
    return [(b[0] - a[0], b[1] - a[1]) for a, b in zip(one, other, strict=True)]


def _table(models: dict[str, Scores], cell: Callable[[Sequence[Quality]], str]) -> str:
    first = next(iter(models.values()))
    head = ["ndcg@10 / hit@1", *(f"{suite} (n={len(rows)})" for suite, rows in first.items())]
    body = [
        [name, *map(cell, scores.values()), _plain([_mean(rows) for rows in scores.values()])]
        for name, scores in models.items()
    ]
    rows = ([*head, "mean"], ["---"] * (len(head) + 1), *body)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _mean(rows: Sequence[Quality]) -> Quality:
    ndcg10, hit1 = np.mean(rows, axis=0)
    return float(ndcg10), float(hit1)


def _plain(rows: Sequence[Quality]) -> str:
    return " / ".join(f"{value:.3f}" for value in _mean(rows))


def _with_interval(rows: Sequence[Quality]) -> str:
    found = [interval(values) for values in zip(*rows, strict=True)]
    return " / ".join(f"{f.mean:+.3f} [{f.low:.3f}, {f.high:.3f}]" for f in found)
