"""Fits the model that says "nothing fits", and writes search/models/fits.json with its card.

    python scripts/train_fits.py DATASETS

Answerable: the queries of each suite, asked of its own catalog, and our sample intents.
Unanswerable: queries of other suites asked of it, and the sample intents that no tool answers.
Trained on odd hashes of the source id. The threshold is the chance below which 3 % of the
answerable are, each judged by a model that it did not train, suites counting alike.
"Absent" asks a catalog of several services without the right one; it is measured and trains
nothing, for what is left there sometimes fits.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
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
from search.pool import gather
from search.question import ask
from search.ranking import fuse
from store import server
from store.catalog import list_tools, save_spec
from store.connection import connect
from store.migrate import migrate
from store.retrieval import Mix

ROOT = Path(__file__).parent.parent
CARD = ROOT / "search/models/fits.json"
SUITES = ("metatool", "restbench-tmdb", "socbench-d", "toolalpaca-real", "toolalpaca-simulated",
          "wapiibench")  # fmt: skip
ASKERS = (*SUITES, "seal-tools")
SAME_WORLD = {("metatool", "seal-tools")}  # broad catalogs: a foreign query often has an answer
OWN, FOREIGN, ABSENT = 200, 40, 100
FOLDS = 4
LOSS = 0.03


@dataclass(frozen=True, slots=True)
class Example:
    """`kind` is own, foreign, none or absent; `features` are by kind of search."""

    suite: str
    kind: str
    is_test: bool
    features: dict[str, list[float]]

    @property
    def answerable(self) -> bool:
        return self.kind == "own"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--model", default="builtin")
    parser.add_argument("--own", type=int, default=OWN, help="queries of each suite itself")
    parser.add_argument("--foreign", type=int, default=FOREIGN, help="of each other suite")
    options = parser.parse_args()
    examples = list(collect(options))
    print(f"{len(examples)} examples, {sum(e.answerable for e in examples)} answerable")
    models = {kind: fit(examples, kind) for kind in FEATURES}
    card = {
        "trained_by": "scripts/train_fits.py",
        "encoder": load_encoder(options.model).model,
        "features": {kind: list(names) for kind, names in FEATURES.items()},
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
                asked = list(questions(name, suites, groups, draw, options))
                for case, group, kind in asked:
                    services = [sid for sid, g in groups.items() if g == group]
                    yield example(conn, name, case, kind, encoder, services)
                own = [(case, group) for case, group, kind in asked if kind == "own"][:ABSENT]
                yield from absent(conn, suites[name], own, groups, encoder)
            print(f"  {name}", flush=True)
        with catalog(url, "samples") as conn:
            yield from samples(conn, encoder)


def questions(
    name: str,
    suites: dict[str, Suite],
    groups: dict[int, str],
    draw: random.Random,
    options: argparse.Namespace,
) -> Iterator[tuple[Case, str, str]]:
    present = sorted(set(groups.values()))
    own = [c for c in suites[name].cases if suites[name].group(c.source_id) in present]
    for case in draw.sample(own, min(options.own, len(own))):
        yield case, suites[name].group(case.source_id), "own"
    for other in ASKERS:
        if other != name and (name, other) not in SAME_WORLD:
            for case in draw.sample(suites[other].cases, options.foreign):
                yield case, draw.choice(present), "foreign"


def absent(
    conn: psycopg.Connection,
    suite: Suite,
    own: Sequence[tuple[Case, str]],
    groups: dict[int, str],
    encoder: Any,
) -> Iterator[Example]:
    """The suite's own questions, asked of its services but those that hold a right tool."""
    if len(groups) < 3:
        return
    holders: dict[str, set[int]] = {}
    for tool in list_tools(conn):
        operation = SimpleNamespace(binding=tool.binding)
        gold = suite.gold_id(groups[tool.service_id], tool.service, operation)  # type: ignore[arg-type]
        holders.setdefault(gold, set()).add(tool.service_id)
    for case, group in own:
        right = set[int]().union(*(holders.get(gold, set()) for gold in case.relevant))
        services = [sid for sid, g in groups.items() if g == group and sid not in right]
        if services:
            yield example(conn, suite.name, case, "absent", encoder, services)


def example(
    conn: psycopg.Connection,
    suite: str,
    case: Case,
    kind: str,
    encoder: Any,
    services: Sequence[int],
) -> Example:
    question = ask(conn, understand(case.query), services)
    pool = gather(conn, question, encoder, services, Mix(), approximate=False)
    pools = (pool, replace(pool, model=""), replace(pool, cosine=None, vectors=None))
    found = dict(fit_features(question, p, fuse(question, p)) for p in pools)
    return Example(suite, kind, case.is_test, found)


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
        yield example(conn, "samples", case, "own" if case.relevant else "none", encoder, services)


def fit(examples: Sequence[Example], kind: str) -> dict[str, Any]:
    train = [e for e in examples if not e.is_test and e.kind != "absent"]
    card, chances, threshold = _fitted(train, kind)
    print(f"{kind}: threshold {threshold:.3f}")
    totals: list[dict[str, float]] = []
    for suite in sorted({e.suite for e in examples}):
        _, unseen, limit = _fitted([e for e in train if e.suite != suite], kind)
        test = [e for e in examples if e.is_test and e.suite == suite]
        seen = _declined(test, chances(test) < threshold)
        apart = _declined(test, unseen(test) < limit)
        totals += [seen]
        print(f"  {suite:22s} {_words(seen)}   left out of training: {_words(apart)}")
    mean = {
        name: round(float(np.mean([t[name] for t in totals if name in t])), 3)
        for name in ("own", "foreign", "none", "absent")
    }
    print(f"  {'mean over suites':22s} {_words(mean)}")
    return {**card, "threshold": round(threshold, 4), "declined_of_test_halves": mean}


def _declined(examples: Sequence[Example], declined: Any) -> dict[str, float]:
    kinds = np.array([e.kind for e in examples])
    return {name: float(declined[kinds == name].mean()) for name in sorted(set(kinds.tolist()))}


def _words(shares: dict[str, float]) -> str:
    return " ".join(f"{name} {share:.3f}" for name, share in shares.items())


Chances = Callable[[Sequence[Example]], Any]


def _fitted(train: Sequence[Example], kind: str) -> tuple[dict[str, Any], Chances, float]:
    """(card, chances, threshold); the threshold from chances given by models trained on others."""
    fold = np.random.default_rng(0).integers(0, FOLDS, len(train))
    apart = np.zeros(len(train))
    for number in range(FOLDS):
        _, chances = _logistic([e for e, f in zip(train, fold, strict=True) if f != number], kind)
        held_out = np.flatnonzero(fold == number)
        apart[held_out] = chances([train[i] for i in held_out])
    right = np.array([e.answerable for e in train])
    order = np.argsort(apart[right])
    share = np.cumsum(_weights(train)[right][order]) / _weights(train)[right].sum()
    card, chances = _logistic(train, kind)
    return card, chances, float(apart[right][order][np.searchsorted(share, LOSS)])


def _weights(examples: Sequence[Example]) -> Any:
    """So that both answers count alike, and every suite and way of asking alike within each."""
    counts = Counter((e.suite, e.kind) for e in examples)
    ways = Counter(kind == "own" for _, kind in counts)
    return np.array(
        [0.5 / ways[e.answerable] / counts[e.suite, e.kind] for e in examples], dtype=float
    )


def _logistic(
    examples: Sequence[Example], kind: str, l2: float = 0.001
) -> tuple[dict[str, Any], Chances]:
    """By Newton's method."""

    def values(given: Sequence[Example]) -> Any:
        return np.array([e.features[kind] for e in given])

    x, weight = values(examples), _weights(examples)
    y = np.array([e.answerable for e in examples], dtype=float)
    means, scales = x.mean(0), np.where(x.std(0) > 1e-4, x.std(0), 1.0)
    z = np.c_[(x - means) / scales, np.ones(len(x))]
    pull = np.diag(np.r_[np.full(x.shape[1], l2), 1e-9])
    w = np.zeros(z.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-z @ w))
        bend = (z * (weight * p * (1 - p))[:, None]).T @ z + pull
        w -= np.linalg.solve(bend, z.T @ ((p - y) * weight) + pull @ w)

    def chances(given: Sequence[Example]) -> Any:
        g = (values(given) - means) / scales
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
