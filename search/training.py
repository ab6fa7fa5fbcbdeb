"""`gloss train`: a reranker from labelled cases, kept only when it proves better on cases apart."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from psycopg import Connection

from catalog.errors import UsageError
from search.encoder import Encoder
from search.rerank import Reranker, example_features, load_trained
from search.training_cases import (
    Example,
    LabelledCase,
    Memory,
    TrainEvent,
    lists,
    remembered,
    same_intents,
    seen,
    split,
)
from search.training_fit import Lists, chance_of_luck, fit, quality
from store.rerankers import likeness, save_reranker
from store.retrieval import Mix

MIN_INTENTS = 60
"""Fewer different intents leave too few apart to tell a gain from luck."""
LUCK = 0.05


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What became of it, and the model's card; ndcg@10 and hit@1 are of the cases held out.

    `kept` is "new" or "old", `old` what it was compared with: "builtin" or "trained".
    """

    kept: str
    saved: bool
    old: str
    cases: int
    intents: int
    train: int
    validation: int
    held_out: int
    held_out_intents: int
    ndcg10_old: float
    ndcg10_new: float
    hit1_old: float
    hit1_new: float
    p: float
    seed: int
    data_hash: str
    model: str
    trained_at: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        figures = (
            f"ndcg@10 {self.ndcg10_old:.3f} → {self.ndcg10_new:.3f}, hit@1 {self.hit1_old:.3f} → "
            f"{self.hit1_new:.3f} on {self.held_out} cases held out, p = {self.p:.4f}"
        )
        if self.kept == "new":
            saved = "search uses the new one" if self.saved else "a dry run, so nothing changed"
            return f"the new reranker is better: {figures}; {saved}"
        old = "the packaged ranking" if self.old == "builtin" else "the one trained before"
        return f"kept the old one: no proof that the new one beats {old}: {figures}"


def train(
    conn: Connection,
    encoder: Encoder,
    cases: Sequence[LabelledCase],
    *,
    mix: Mix | None = None,
    seed: int = 0,
    dry_run: bool = False,
) -> Generator[TrainEvent, None, TrainReport]:
    """Fits, compares on cases apart, and keeps the new one where it proves better there.

    Weights come from the training part; the questions of all parts are remembered with them.
    """
    answerable = [case for case in cases if case.grades]
    _enough(len(answerable), "cases with a right tool")
    examples = yield from seen(conn, encoder, answerable, mix or Mix())
    groups = same_intents(examples)
    _enough(len(set(groups)), "different intents")
    parts = split(examples, groups, seed)
    memory = Memory([examples[i] for i in parts[0]], [groups[i] for i in parts[0]])
    made = [lists(examples, groups, part, memory) for part in parts]
    reranker = fit(made[0], made[1], encoder.model)
    report = _compared(conn, examples, groups, parts, made[2], reranker, seed)
    report = replace(report, data_hash=_data_hash(answerable), saved=report.saved and not dry_run)
    if report.saved:
        save_reranker(conn, encoder.model, reranker.as_json(), report.as_json(),
                      remembered(examples))  # fmt: skip
    return report


def _enough(found: int, of_what: str) -> None:
    if found < MIN_INTENTS:
        raise UsageError(
            f"{found} {of_what} are too few to train on: at least {MIN_INTENTS} are needed",
            hint="label more searches (gloss feedback SEARCH_ID TOOL) and take them with "
            "gloss feedback --export FILE",
        )


def _compared(
    conn: Connection,
    examples: Sequence[Example],
    groups: Sequence[int],
    parts: Sequence[Sequence[int]],
    held_out: Lists,
    reranker: Reranker,
    seed: int,
) -> TrainReport:
    import numpy as np

    old, before = _old_scores(conn, [examples[i] for i in parts[2]], held_out, reranker.model)
    after = _scores(reranker, held_out.base, held_out.features)
    (ndcg_old, hit_old), (ndcg_new, hit_new) = quality(before, held_out), quality(after, held_out)
    apart = np.array([groups[i] for i in parts[2]])
    gains = ndcg_new - ndcg_old
    p = chance_of_luck(gains, apart, seed)
    wins = bool(p < LUCK and gains.mean() > 0)
    return TrainReport(
        kept="new" if wins else "old",
        saved=wins,
        old=old,
        cases=len(examples),
        intents=len(set(groups)),
        train=len(parts[0]),
        validation=len(parts[1]),
        held_out=len(parts[2]),
        held_out_intents=len(set(apart.tolist())),
        ndcg10_old=round(float(ndcg_old.mean()), 4),
        ndcg10_new=round(float(ndcg_new.mean()), 4),
        hit1_old=round(float(hit_old.mean()), 4),
        hit1_new=round(float(hit_new.mean()), 4),
        p=round(p, 4),
        seed=seed,
        data_hash="",
        model=reranker.model,
        trained_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _scores(reranker: Reranker, base: Any, features: Any) -> Any:
    import numpy as np

    return np.array([reranker.scores(b, f) for b, f in zip(base, features, strict=True)])


def _old_scores(
    conn: Connection, examples: Sequence[Example], held_out: Lists, model: str
) -> tuple[str, Any]:
    """What ranks today. A reranker trained before may remember the very cases held out now, so
    it is asked without them."""
    import numpy as np

    trained = load_trained(conn, model)
    if trained is None:
        return "builtin", held_out.base
    without = [example.query_hash for example in examples]
    features = held_out.features.copy()
    for row, example in enumerate(examples):
        vectors = [vector.tolist() for vector in example.vectors]
        found = example_features(likeness(conn, example.keys, vectors, without))
        features[row, : len(example.keys)] = np.hstack([example.own, found])
    return "trained", _scores(trained.reranker, held_out.base, features)


def _data_hash(cases: Sequence[LabelledCase]) -> str:
    lines = sorted(repr((c.query, sorted(c.grades.items()), c.context)) for c in cases)
    return sha256("\n".join(lines).encode()).hexdigest()
