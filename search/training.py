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
    SLICES,
    Example,
    LabelledCase,
    Memory,
    TrainEvent,
    gains_of,
    joined,
    lists,
    remembered,
    same_intents,
    seen,
    slices,
)
from search.training_fit import Lists, chance_of_luck, fit, quality
from store.rerankers import likeness, save_reranker
from store.retrieval import Mix

MIN_INTENTS = 60
"""Fewer different intents leave too few apart to tell a gain from luck."""
LUCK = 0.05
ROUNDS = 4
"""Each holds another quarter of the cases out, so that every case is judged once by a reranker
that has not seen its intent; of the rest a fifth stops the training."""


@dataclass(frozen=True, slots=True)
class TrainReport:
    """What became of it, and the model's card; ndcg@10 and hit@1 are of cases while held out.

    `kept` is "new" or "old", `old` what it was compared with: "builtin" or "trained". `p` is the
    chance that the gain is luck, `p_noise` that the labels have nothing to do with the questions:
    where some tools are right more often than others, that alone can be learnt.
    """

    kept: str
    saved: bool
    old: str
    cases: int
    intents: int
    train: int
    validation: int
    ndcg10_old: float
    ndcg10_new: float
    hit1_old: float
    hit1_new: float
    p: float
    p_noise: float
    seed: int
    data_hash: str
    model: str
    trained_at: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        figures = (
            f"ndcg@10 {self.ndcg10_old:.3f} → {self.ndcg10_new:.3f}, hit@1 {self.hit1_old:.3f} → "
            f"{self.hit1_new:.3f} on {self.cases} cases, each held out once, p = {self.p:.4f}"
        )
        if self.kept == "new":
            saved = "search uses the new one" if self.saved else "a dry run, so nothing changed"
            return f"the new reranker is better: {figures}; {saved}"
        if self.p < LUCK:
            return (
                "kept the old one: the right tools of these cases have nothing to do with their "
                f"questions: {figures}"
            )
        old = "the packaged ranking" if self.old == "builtin" else "the one trained before"
        return f"kept the old one: no proof that the new one beats {old}: {figures}"


def train(
    conn: Connection,
    encoder: Encoder,
    cases: Sequence[LabelledCase],
    mix: Mix,
    *,
    seed: int = 0,
    dry_run: bool = False,
) -> Generator[TrainEvent, None, TrainReport]:
    """Fits, compares on cases held out, and keeps the new one where it proves better there.

    The one that is kept is then fitted to all cases but those that stop the training.
    """
    answerable = [case for case in cases if case.grades]
    _enough(len(answerable), "cases with a right tool")
    examples = yield from seen(conn, encoder, answerable, mix)
    groups = same_intents(examples)
    _enough(len(set(groups)), "different intents")
    parts = slices(examples, groups, seed)
    rounds = [_round(conn, examples, groups, parts, n, encoder.model) for n in range(ROUNDS)]
    report = _report(examples, groups, rounds, encoder.model, seed)
    stop = SLICES // 5
    reranker, _ = _fitted(examples, groups, parts[stop:], parts[:stop], encoder.model)
    report = replace(
        report,
        saved=report.saved and not dry_run,
        train=sum(map(len, parts[stop:])),
        validation=sum(map(len, parts[:stop])),
        data_hash=_data_hash(answerable),
    )
    if report.saved:
        save_reranker(
            conn, encoder.model, reranker.as_json(), report.as_json(), remembered(examples)
        )
    return report


def _enough(found: int, of_what: str) -> None:
    if found < MIN_INTENTS:
        raise UsageError(
            f"{found} {of_what} are too few to train on: at least {MIN_INTENTS} are needed",
            hint="label more searches (gloss feedback SEARCH_ID TOOL) and take them with "
            "gloss feedback --export FILE",
        )


@dataclass(frozen=True, slots=True)
class _Round:
    """What the cases of a round's held-out part got: ndcg@10 and hit@1, old and new.

    `strange` is what the new ranking would get if each case had the right tools of another one.
    """

    held_out: list[int]
    old: str
    before: tuple[Any, Any]
    after: tuple[Any, Any]
    strange: Any


def _round(
    conn: Connection,
    examples: Sequence[Example],
    groups: Sequence[int],
    parts: Sequence[Sequence[int]],
    number: int,
    model: str,
) -> _Round:
    size = SLICES // ROUNDS
    turned = [*parts[number * size :], *parts[: number * size]]
    held_out, rest = joined(turned[:size]), turned[size:]
    stop = len(rest) // 5
    reranker, memory = _fitted(examples, groups, rest[stop:], rest[:stop], model)
    apart = lists(examples, groups, held_out, memory)
    old, before = _old_scores(conn, [examples[i] for i in held_out], apart, model)
    after = _scores(reranker, apart.base, apart.features)
    strange, _ = quality(after, _with_others_labels(apart, [examples[i] for i in held_out]))
    return _Round(held_out, old, quality(before, apart), quality(after, apart), strange)


def _with_others_labels(held_out: Lists, examples: Sequence[Example]) -> Lists:
    import numpy as np

    gains = np.zeros_like(held_out.gains)
    for row, example in enumerate(examples):
        gains[row, : len(example.keys)] = gains_of(example.keys, examples[row - 1].right)
    return replace(held_out, gains=gains, ideal=np.roll(held_out.ideal, 1))


def _fitted(
    examples: Sequence[Example],
    groups: Sequence[int],
    train_on: Sequence[Sequence[int]],
    stop_by: Sequence[Sequence[int]],
    model: str,
) -> tuple[Reranker, Memory]:
    places = joined(train_on)
    memory = Memory([examples[i] for i in places], [groups[i] for i in places])
    learnt = lists(examples, groups, places, memory)
    return fit(learnt, lists(examples, groups, joined(stop_by), memory), model), memory


def _report(
    examples: Sequence[Example],
    groups: Sequence[int],
    rounds: Sequence[_Round],
    model: str,
    seed: int,
) -> TrainReport:
    import numpy as np

    new = np.concatenate([r.after[0] for r in rounds])
    intents = np.array([groups[i] for r in rounds for i in r.held_out])
    p = chance_of_luck(new - np.concatenate([r.before[0] for r in rounds]), intents, seed)
    noise = chance_of_luck(new - np.concatenate([r.strange for r in rounds]), intents, seed)
    wins = p < LUCK and noise < LUCK / 5
    return TrainReport(
        kept="new" if wins else "old",
        saved=wins,
        old=rounds[0].old,
        cases=len(examples),
        intents=len(set(groups)),
        train=0,
        validation=0,
        ndcg10_old=_mean([r.before[0] for r in rounds]),
        ndcg10_new=_mean([r.after[0] for r in rounds]),
        hit1_old=_mean([r.before[1] for r in rounds]),
        hit1_new=_mean([r.after[1] for r in rounds]),
        p=round(p, 4),
        p_noise=round(noise, 4),
        seed=seed,
        data_hash="",
        model=model,
        trained_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _mean(values: Sequence[Any]) -> float:
    import numpy as np

    return round(float(np.concatenate(values).mean()), 4)


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
    features = np.array(held_out.features)
    for row, example in enumerate(examples):
        vectors = [vector.tolist() for vector in example.vectors]
        found = example_features(likeness(conn, example.keys, vectors, without))
        features[row, : len(example.keys)] = np.hstack([example.own, found])
    return "trained", _scores(trained.reranker, held_out.base, features)


def _data_hash(cases: Sequence[LabelledCase]) -> str:
    lines = sorted(repr((c.query, sorted(c.grades.items()), c.context)) for c in cases)
    return sha256("\n".join(lines).encode()).hexdigest()
