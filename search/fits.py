"""Whether anything fits: the chance that the best hit is right, judged by how it was found."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from search.question import Question
from store.retrieval import TERM_LIMIT

if TYPE_CHECKING:
    from search.encoder import Vectors
    from search.pool import Pool

_CARD = Path(__file__).parent / "models" / "fits.json"
_TENTH = 9
_PER_ROW = ("lexical", "lexical_best", "coverage", "coverage_best")
_PER_VECTOR = ("cosine", "cosine_best", "cosine_lead", "cosine_coverage")
FEATURES = (
    *(f"{name}_{of}" for of in ("whole", "part") for name in (*_PER_ROW, *_PER_VECTOR)),
    "words",
    "parts",
)


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
    """By kind of search: `hybrid`, and `lexical` where no vectors may be compared."""
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
    kind = "lexical" if pool.cosine is None else "hybrid"
    model = load_model()[kind]
    chance = model.chance(fit_features(question, pool, fused))
    return chance, chance >= model.threshold


def fit_features(question: Question, pool: Pool, fused: Vectors) -> list[float]:
    """Of the whole, then of whichever part was met best; in the order of FEATURES."""
    rows = [_row(question, pool, fused, n) for n in range(len(question.parts))]
    best = [max(values) for values in zip(*(rows[1:] or rows), strict=True)]
    words = math.log1p(len(question.texts[0].split()))
    return [*rows[0], *best, words, float(min(len(rows) - 1, 5))]


def _row(question: Question, pool: Pool, fused: Vectors, part: int) -> list[float]:
    import numpy as np

    top = int(fused[part].argmax())
    asked = max(question.asked[part], 1e-9)
    lexical = pool.lexical[part] / (asked * TERM_LIMIT)
    covered = [_covered(question.parts[part], terms) / asked for terms in pool.weights]
    values = [float(lexical[top]), float(lexical.max()), covered[top], max(covered)]
    if pool.cosine is None:
        return [*values, 0.0, 0.0, 0.0, 0.0]
    cosine = np.sort(pool.cosine[part])[::-1]
    own = float(pool.cosine[part, top])
    lead = float(cosine[0] - cosine[min(_TENTH, len(cosine) - 1)])
    return [*values, own, float(cosine[0]), lead, own * covered[top]]


def _covered(weights: dict[str, float], terms: dict[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)
