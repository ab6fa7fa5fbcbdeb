"""Whether anything fits: the chance that the best hit is right, judged by how it was found."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from search.background import Background, load_background
from search.question import Question
from store.retrieval import TERM_LIMIT

if TYPE_CHECKING:
    from search.encoder import Vectors
    from search.pool import Pool

_CARD = Path(__file__).parent / "models" / "fits.json"
_TENTH = 9
FAR = 0.15
"""With the packaged encoder, nothing that is less near than this answers, whatever words are met:
a guard for catalogs of a few tools, which training did not see."""
_PER_WORDS = ("lexical", "lexical_best", "coverage", "coverage_best")
_PER_VECTOR = ("cosine", "cosine_best", "cosine_lead", "cosine_coverage")
_PER_WORLD = ("likely", "likely_adjusted", "ahead_of_most", "rarity")
_OF_ALL = ("words", "parts", "tools")
_OF_WORLD = ("world_likeness", "world_adjusted")


def _both(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{name}_{of}" for of in ("whole", "part") for name in names)


FEATURES = {
    "lexical": (*_both(_PER_WORDS), *_OF_ALL),
    "plain": (*_both((*_PER_WORDS, *_PER_VECTOR)), *_OF_ALL),
    "hybrid": (*_both((*_PER_WORDS, *_PER_VECTOR, *_PER_WORLD)), *_OF_ALL, *_OF_WORLD),
}
"""By kind of search: without vectors, with those of any model, and with those of the packaged one,
which are compared with what the wide world looks like to it."""


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic regression. `threshold` is the chance below which nothing is said to fit."""

    weights: tuple[float, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    bias: float
    threshold: float

    def chance(self, values: list[float]) -> float:
        z = self.bias + sum(
            weight * (value - mean) / scale
            for weight, value, mean, scale in zip(
                self.weights, values, self.means, self.scales, strict=True
            )
        )
        return 1 / (1 + math.exp(-max(min(z, 50.0), -50.0)))


@cache
def load_model(path: Path = _CARD) -> dict[str, Model]:
    """By kind of search, as in FEATURES."""
    raw = json.loads(path.read_bytes())
    return {
        kind: Model(
            tuple(card["weights"]),
            tuple(card["means"]),
            tuple(card["scales"]),
            card["bias"],
            card["threshold"],
        )
        for kind, card in raw["models"].items()
    }


def judge(question: Question, pool: Pool, fused: Vectors) -> tuple[float, bool]:
    """(chance that the best candidate is right, whether that is enough)"""
    if not pool.candidates:
        return 0.0, False
    kind, values = fit_features(question, pool, fused)
    model = load_model()[kind]
    chance = model.chance(values)
    if kind == "hybrid" and pool.cosine is not None and float(pool.cosine.max()) < FAR:
        chance = min(chance, model.threshold / 2)
    return chance, chance >= model.threshold


def fit_features(question: Question, pool: Pool, fused: Vectors) -> tuple[str, list[float]]:
    """The kind of search and its features: of the whole, then of whichever part was met best."""
    background = load_background(pool.model) if pool.vectors is not None else None
    kind = "lexical" if pool.cosine is None else "hybrid" if background else "plain"
    world = _world(pool, background) if background else None
    rows = []
    for n in range(len(question.parts)):
        row = _row(question, pool, fused, n)
        rows.append(row + world.row(n) if world else row)
    best = [max(values) for values in zip(*(rows[1:] or rows), strict=True)]
    words = math.log1p(len(question.texts[0].split()))
    of_all = [words, float(min(len(rows) - 1, 5)), math.log1p(question.tools)]
    return kind, [*rows[0], *best, *of_all, *(world.usual if world else ())]


def _row(question: Question, pool: Pool, fused: Vectors, part: int) -> list[float]:
    import numpy as np

    top = int(fused[part].argmax())
    asked = max(question.asked[part], 1e-9)
    lexical = pool.lexical[part] / (asked * TERM_LIMIT)
    covered = [_covered(question.parts[part], terms) / asked for terms in pool.weights]
    values = [float(lexical[top]), float(lexical.max()), covered[top], max(covered)]
    if pool.cosine is None:
        return values
    cosine = np.sort(pool.cosine[part])[::-1]
    own = float(pool.cosine[part, top])
    lead = float(cosine[0] - cosine[min(_TENTH, len(cosine) - 1)])
    return [*values, own, float(cosine[0]), lead, own * covered[top]]


def _covered(weights: dict[str, float], terms: dict[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


@dataclass(frozen=True, slots=True)
class _World:
    """The best cosine of each part beside what the world's questions reach with these candidates,
    as it is and less how near each is to the tools of the world."""

    best: Any
    adjusted: Any
    others: Any
    others_adjusted: Any

    @property
    def usual(self) -> list[float]:
        return [float(self.others.mean()), float(self.others_adjusted.mean())]

    def row(self, part: int) -> list[float]:
        import numpy as np

        adjusted, others = float(self.adjusted[part]), self.others_adjusted
        return [
            float((self.best[part] - self.others.mean()) / max(self.others.std(), 1e-3)),
            float((adjusted - others.mean()) / max(others.std(), 1e-3)),
            float(adjusted - np.quantile(others, 0.9)),
            -math.log(float((others > adjusted).mean()) + 0.005),
        ]


def _world(pool: Pool, background: Background) -> _World:
    import numpy as np

    assert pool.vectors is not None
    assert pool.cosine is not None
    empty = [0.0] * pool.vectors.shape[1]
    rows = np.array([tool.vector or empty for tool in pool.candidates], dtype=np.float32)
    others = (background.questions @ rows.T).max(axis=1)
    best = pool.cosine.max(axis=1)
    adjusted = best - background.nearness(pool.vectors)
    return _World(best, adjusted, others, others - background.usual)
