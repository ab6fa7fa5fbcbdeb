"""Search quality on suites that others wrote, beside plain BM25, plain vectors and their RRF.

    python bench/search_quality.py DATASETS [--suite NAME]… [--model FOLDER]

Plain BM25 (k1 1.2, b .75) reads the same words in one field, plain vectors are cosines of the same
embeddings, all over the same catalog in the same run. Figures on all cases and on the test halves.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench.suites import Case, Suite, load
from evaluation.metrics import measure as interval
from search.encoder import Encoder, load_encoder
from search.index import build_index
from search.query import Searcher
from search.text import lexical_fields, tool_text
from search.words import lexical
from store import server
from store.catalog import save_spec
from store.connection import connect
from store.index import lexemes
from store.migrate import migrate

DEPTH = 100
MEASURES = ("hit@1", "hit@3", "recall@5", "recall@10", "mrr", "ndcg@10", "ap")
BARS = {
    ("restbench-tmdb", "ndcg@10"): 0.62,
    ("metatool", "hit@1"): 0.62,
    ("socbench-d", "ndcg@10"): 0.90,
    ("wapiibench", "hit@1"): 0.86,
}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of the suite; `terms` are its lexemes as one field, `row` its place in `vectors`."""

    tool_id: str
    service: str
    group: str
    gold_id: str
    terms: dict[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--model", default="builtin")
    options = parser.parse_args()
    folders = sorted(p.parent for p in options.datasets.glob("*/queries.jsonl"))
    encoder = load_encoder(options.model)
    print(f"model {encoder.model}\n")
    with (
        tempfile.TemporaryDirectory(prefix="gb-") as folder,
        server.embedded(Path(folder) / "data") as url,
    ):
        for path in folders:
            if not options.suite or path.name in options.suite:
                report(load(path), url, encoder)


def report(suite: Suite, url: str, encoder: Encoder) -> None:
    """Prints a table of one suite."""
    name = "bench_" + suite.name.replace("-", "_")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    with connect(url.replace("/postgres?", f"/{name}?")) as conn:
        migrate(conn)
        tools = ingest(conn, suite)
        started = time.perf_counter()
        _finish(build_index(conn, encoder))
        indexed_s = time.perf_counter() - started
        modes, query_ms = answers(conn, suite, tools, encoder)
    print(f"{suite.name}: {len(tools)} tools, {len(suite.cases)} queries, "
          f"indexed in {indexed_s:.0f} s, {query_ms:.0f} ms a query")  # fmt: skip
    known = {tool.gold_id for tool in tools}
    missing = {gold for case in suite.cases for gold in case.relevant} - known
    if missing:
        print(f"  {len(missing)} gold ids are no tool of ours: {sorted(missing)[:3]}")
    for half, chosen in (("all", None), ("test", True)):
        cases = [c for c in suite.cases if chosen is None or c.is_test == chosen]
        print(f"  {half} (n={len(cases)})".ljust(18) + "".join(m.rjust(11) for m in MEASURES))
        for mode, ranked in modes.items():
            row = measure(cases, ranked)
            print(f"    {mode}".ljust(18) + "".join(f"{row[m]:.3f}".rjust(11) for m in MEASURES))
            _intervals(cases, ranked)
        _verdict(suite.name, half, {mode: measure(cases, ranked) for mode, ranked in modes.items()})
    print(flush=True)


def _intervals(cases: Sequence[Case], ranked: Ranking) -> None:
    """95 % bootstrap intervals of the two measures that the bars are set on."""
    rows = [score_case(case, ranked[case.source_id]) for case in cases]
    told = []
    for name in ("hit@1", "ndcg@10"):
        found = interval([row[name] for row in rows])
        told.append(f"{name} {found.low:.3f} to {found.high:.3f}")
    print("".ljust(18) + "   " + ", ".join(told))


def _verdict(suite: str, half: str, rows: dict[str, dict[str, float]]) -> None:
    best = max(rows["bm25"]["ndcg@10"], rows["vector"]["ndcg@10"])
    ours = rows["gloss"]["ndcg@10"]
    words = [f"ndcg@10 {ours - best:+.3f} against the better single method"]
    for (name, measured), bar in BARS.items():
        if name == suite and half == "all":
            reached = rows["gloss"][measured]
            words.append(f"bar {measured} {bar}: {'met' if reached >= bar else 'MISSED'}")
    print("    → " + "; ".join(words))


def ingest(conn: psycopg.Connection, suite: Suite) -> list[Tool]:
    rows = []
    for group, spec in suite.specs():
        save_spec(conn, spec, spec.service)
        for operation in spec.operations:
            words = " ".join(lexical_fields(tool_text(operation, spec.definitions)))
            gold = suite.gold_id(group, spec.service, operation)
            rows.append((operation.id, spec.service, group, gold, words))
    counted = [
        terms
        for start in range(0, len(rows), 1000)
        for terms in lexemes(conn, [row[4] for row in rows[start : start + 1000]])
    ]
    return [Tool(*row[:4], terms) for row, terms in zip(rows, counted, strict=True)]


Ranking = dict[str, list[str]]
"""Gold ids best first, by source id; an id that stands for several tools counts once."""


def answers(
    conn: psycopg.Connection, suite: Suite, tools: Sequence[Tool], encoder: Encoder
) -> tuple[dict[str, Ranking], float]:
    modes: dict[str, Ranking] = {"gloss": {}, "bm25": {}, "vector": {}, "rrf": {}}
    plain = Plain(conn, tools, encoder)
    gold = {tool.tool_id: tool.gold_id for tool in tools}
    services: dict[str, set[str]] = {}
    for tool in tools:
        services.setdefault(tool.group, set()).add(tool.service)
    searcher = Searcher(conn, lambda: encoder, log=False)
    spent = 0.0
    for case in suite.cases:
        group = suite.group(case.source_id)
        within = tuple(services[group]) if group else ()
        result = searcher.search(case.query, k=DEPTH, services=within)
        spent += result.took_ms
        modes["gloss"][case.source_id] = _unique(gold[hit.tool_id] for hit in result.hits)
        for mode, found in plain.rank(case.query, group).items():
            modes[mode][case.source_id] = _unique(found)
    return modes, spent / max(len(suite.cases), 1)


class Plain:
    """The baselines: one field, no tricks."""

    def __init__(self, conn: psycopg.Connection, tools: Sequence[Tool], encoder: Encoder) -> None:
        self._conn, self._tools, self._encoder = conn, tools, encoder
        by_id = dict(
            conn.execute(
                "SELECT s.name || '/' || o.name, e.mixed::vector::real[] FROM embeddings e"
                " JOIN operations o USING (service_id, operation_id)"
                " JOIN services s USING (service_id)"
            ).fetchall()
        )
        self._vectors = np.array([by_id[tool.tool_id] for tool in tools], dtype=np.float32)
        self._groups = np.array([tool.group for tool in tools])
        lengths = np.array([sum(tool.terms.values()) for tool in tools], dtype=np.float64)
        self._norm = 0.25 + 0.75 * lengths / max(lengths.mean(), 1)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for row, tool in enumerate(tools):
            for term, count in tool.terms.items():
                self._postings.setdefault(term, []).append((row, count))

    def rank(self, query: str, group: str) -> dict[str, list[str]]:
        within = np.flatnonzero(self._groups == group)
        words, cosines = self._bm25(query, within), self._cosines(query)[within]
        fused = 1 / (60 + _places(words)) + 1 / (60 + _places(cosines))
        scores = {"bm25": words, "vector": cosines, "rrf": fused}
        return {
            mode: [self._tools[within[i]].gold_id for i in np.argsort(-s, kind="stable")[:DEPTH]]
            for mode, s in scores.items()
        }

    def _bm25(self, query: str, within: Any) -> Any:
        scores = np.zeros(len(self._tools))
        inside = set(within.tolist())
        for term in lexemes(self._conn, [lexical(query)])[0]:
            rows = [(row, n) for row, n in self._postings.get(term, ()) if row in inside]
            idf = math.log(1 + (len(inside) - len(rows) + 0.5) / (len(rows) + 0.5))
            for row, count in rows:
                scores[row] += idf * count * 2.2 / (count + 1.2 * self._norm[row])
        return scores[within]

    def _cosines(self, query: str) -> Any:
        return self._vectors @ self._encoder.encode([query], queries=True)[0]


def _places(scores: Any) -> Any:
    return np.argsort(np.argsort(-scores, kind="stable"), kind="stable") + 1


def _unique(ids: Any) -> list[str]:
    return list(dict.fromkeys(ids))


def measure(cases: Sequence[Case], ranked: Ranking) -> dict[str, float]:
    rows = [score_case(case, ranked[case.source_id]) for case in cases]
    return {m: float(np.mean([row[m] for row in rows])) for m in MEASURES}


def score_case(case: Case, found: Sequence[str]) -> dict[str, float]:
    right = [tool in case.relevant for tool in found]
    first = right.index(True) + 1 if True in right else 0
    total = len(case.relevant)
    return {
        "hit@1": float(right[:1] == [True]),
        "hit@3": float(any(right[:3])),
        "recall@5": sum(right[:5]) / total,
        "recall@10": sum(right[:10]) / total,
        "mrr": 1 / first if first else 0.0,
        "ndcg@10": _ndcg(case.grades, found[:10]),
        "ap": sum(sum(right[: i + 1]) / (i + 1) for i, yes in enumerate(right) if yes) / total,
    }


def _ndcg(grades: dict[str, int], found: Sequence[str]) -> float:
    def gain(values: Sequence[int]) -> float:
        return sum(value / math.log2(place + 2) for place, value in enumerate(values))

    ideal = gain(sorted(grades.values(), reverse=True)[:10])
    return gain([grades.get(tool, 0) for tool in found]) / ideal if ideal else 0.0


def _finish(work: Any) -> None:
    for _ in work:
        pass


if __name__ == "__main__":
    main()
