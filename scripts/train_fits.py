"""Fits the model that says "nothing fits", and writes search/models/fits.json with its card.

    python scripts/train_fits.py DATASETS

Answerable: the queries of each suite, asked of its own catalog, and our sample intents.
Unanswerable: queries of other suites asked of it, and the sample intents that no tool answers.
Trained on odd hashes of the source id; the threshold loses at most 3 % of the answerable there.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench.suites import Case, Suite, load
from parsers import parse
from parsers.document import Document
from search.encoder import load_encoder
from search.fits import FEATURES, fit_features
from search.index import build_index
from search.intents import understand
from search.pool import Pool, gather
from search.question import ask
from search.ranking import fuse
from store import server
from store.catalog import save_spec
from store.connection import connect
from store.migrate import migrate
from store.retrieval import Mix

ROOT = Path(__file__).parent.parent
CARD = ROOT / "search/models/fits.json"
SUITES = ("metatool", "restbench-tmdb", "socbench-d", "toolalpaca-real", "toolalpaca-simulated",
          "wapiibench")  # fmt: skip
ASKERS = (*SUITES, "seal-tools")
SAME_WORLD = {("metatool", "seal-tools")}  # broad catalogs: a foreign query often has an answer
OWN, FOREIGN = 120, 30
LOSS = 0.03


@dataclass(frozen=True, slots=True)
class Example:
    suite: str
    answerable: bool
    is_test: bool
    hybrid: list[float]
    lexical: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--model", default="builtin")
    parser.add_argument("--own", type=int, default=OWN, help="queries of each suite itself")
    parser.add_argument("--foreign", type=int, default=FOREIGN, help="of each other suite")
    options = parser.parse_args()
    examples = list(collect(options))
    print(f"{len(examples)} examples, {sum(e.answerable for e in examples)} answerable")
    models = {
        "hybrid": fit(examples, lambda e: e.hybrid, "hybrid"),
        "lexical": fit(examples, lambda e: e.lexical, "lexical"),
    }
    card = {
        "trained_by": "scripts/train_fits.py",
        "encoder": load_encoder(options.model).model,
        "features": list(FEATURES),
        "examples": len(examples),
        "models": models,
    }
    CARD.write_text(json.dumps(card, indent=1) + "\n")


def collect(options: argparse.Namespace) -> Iterator[Example]:
    encoder = load_encoder(options.model)
    suites = {name: load(options.datasets / name) for name in ASKERS}
    draw = random.Random(7)
    with (
        tempfile.TemporaryDirectory(prefix="tf-") as folder,
        server.embedded(Path(folder) / "data") as url,
    ):
        for name in SUITES:
            with catalog(url, name) as conn:
                groups = fill(conn, suites[name])
                _finish(build_index(conn, encoder))
                for case, group, answerable in questions(name, suites, groups, draw, options):
                    services = [sid for sid, g in groups.items() if g == group]
                    yield example(conn, name, case, answerable, encoder, services)
            print(f"  {name}", flush=True)
        with catalog(url, "samples") as conn:
            yield from samples(conn, encoder)


def questions(
    name: str,
    suites: dict[str, Suite],
    groups: dict[int, str],
    draw: random.Random,
    options: argparse.Namespace,
) -> Iterator[tuple[Case, str, bool]]:
    present = sorted(set(groups.values()))
    own = [c for c in suites[name].cases if suites[name].group(c.source_id) in present]
    for case in draw.sample(own, min(options.own, len(own))):
        yield case, suites[name].group(case.source_id), True
    for other in ASKERS:
        if other != name and (name, other) not in SAME_WORLD:
            for case in draw.sample(suites[other].cases, options.foreign):
                yield case, draw.choice(present), False


def example(
    conn: psycopg.Connection,
    suite: str,
    case: Case,
    answerable: bool,
    encoder: Any,
    services: Sequence[int],
) -> Example:
    question = ask(conn, understand(case.query), services)
    pool = gather(conn, question, encoder, services, Mix(), approximate=False)
    words = Pool(pool.candidates, pool.weights, pool.lexical, None)
    return Example(
        suite,
        answerable,
        case.is_test,
        fit_features(question, pool, fuse(question, pool)),
        fit_features(question, words, fuse(question, words)),
    )


def catalog(url: str, name: str) -> psycopg.Connection:
    database = "fits_" + name.replace("-", "_")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {database}")  # type: ignore[call-overload]
    conn = connect(url.replace("/postgres?", f"/{database}?"))
    migrate(conn)
    return conn


def fill(conn: psycopg.Connection, suite: Suite) -> dict[int, str]:
    """Saves the specs; the group of each service id. Of socbench-d one instance is enough."""
    for group, spec in suite.specs():
        if suite.name != "socbench-d" or group.startswith("i1/"):
            save_spec(conn, spec, group)
    rows = conn.execute("SELECT service_id, source FROM services").fetchall()
    return dict(rows)


def samples(conn: psycopg.Connection, encoder: Any) -> Iterator[Example]:
    folder = ROOT / "sample_specs"
    for path in ("crm.wsdl", "billing.openapi.yaml", "hr.swagger.json", "inventory.proto"):
        file = folder / path
        document = Document(str(file), file.read_bytes(), path.partition(".")[0], folder)
        save_spec(conn, parse(document), path)
    _finish(build_index(conn, encoder))
    services = [sid for (sid,) in conn.execute("SELECT service_id FROM services")]
    for line in (folder / "intents.jsonl").read_text().splitlines():
        row = json.loads(line)
        case = Case(row.get("source_id") or row["query"], row["query"],
                    frozenset(row["relevant"]), {})  # fmt: skip
        yield example(conn, "samples", case, bool(case.relevant), encoder, services)


def fit(
    examples: Sequence[Example], values: Callable[[Example], list[float]], kind: str
) -> dict[str, Any]:
    train = [e for e in examples if not e.is_test]
    card, chances = _logistic(train, values)
    right = np.array([e.answerable for e in train])
    threshold = float(np.quantile(chances(train)[right], LOSS))
    print(f"{kind}: threshold {threshold:.3f}")
    for suite in sorted({e.suite for e in examples}):
        rest = [e for e in train if e.suite != suite]
        _, unseen = _logistic(rest, values)
        limit = float(np.quantile(unseen(rest)[[e.answerable for e in rest]], LOSS))
        test = [e for e in examples if e.is_test and e.suite == suite]
        print(f"  {suite:22s} {_trade(test, chances(test) < threshold)}"
              f"   left out of training: {_trade(test, unseen(test) < limit)}")  # fmt: skip
    test = [e for e in examples if e.is_test]
    print(f"  {'all':22s} {_trade(test, chances(test) < threshold)}")
    return {
        **card,
        "threshold": round(threshold, 4),
        "test": _trade(test, chances(test) < threshold),
    }


def _trade(examples: Sequence[Example], declined: Any) -> str:
    right = np.array([e.answerable for e in examples])
    return f"declined {declined[~right].mean():.3f}, lost {declined[right].mean():.3f}"


def _logistic(
    examples: Sequence[Example], values: Callable[[Example], list[float]], l2: float = 0.01
) -> tuple[dict[str, Any], Callable[[Sequence[Example]], Any]]:
    """Weighted so that both answers count alike, and every suite alike within each."""
    x = np.array([values(e) for e in examples])
    y = np.array([e.answerable for e in examples], dtype=float)
    counts: dict[tuple[str, bool], int] = {}
    for e in examples:
        counts[e.suite, e.answerable] = counts.get((e.suite, e.answerable), 0) + 1
    weight = np.array([1 / counts[e.suite, e.answerable] for e in examples])
    weight /= weight.sum()
    means, scales = x.mean(0), np.where(x.std(0) > 1e-4, x.std(0), 1.0)
    z = np.c_[(x - means) / scales, np.ones(len(x))]
    w = np.zeros(z.shape[1])
    for _ in range(3000):
        p = 1 / (1 + np.exp(-z @ w))
        w -= 0.5 * (z.T @ ((p - y) * weight) + l2 * np.r_[w[:-1], 0] / 10)

    def chances(given: Sequence[Example]) -> Any:
        g = (np.array([values(e) for e in given]) - means) / scales
        return 1 / (1 + np.exp(-(g @ w[:-1] + w[-1])))

    card = {
        "weights": [round(float(v), 5) for v in w[:-1]],
        "means": [round(float(v), 5) for v in means],
        "scales": [round(float(v), 5) for v in scales],
        "bias": round(float(w[-1]), 5),
    }
    return card, chances


def _finish(work: Any) -> None:
    for _ in work:
        pass


if __name__ == "__main__":
    main()
