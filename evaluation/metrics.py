"""The measures: hit@k, recall@k, COMP@k, MRR, nDCG@k, with bootstrap intervals."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NAMES = ("hit@1", "hit@3", "recall@5", "recall@10", "comp@10", "mrr", "ndcg@10")
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean with its 95 % interval (percentile bootstrap over cases)."""

    mean: float
    low: float
    high: float


def score(found: Sequence[str], grades: Mapping[str, float]) -> dict[str, float]:
    """The measures of one case; `found` are tool ids, best first, each once.

    recall and COMP (all right tools among the first ten, Qin et al. 2024) count tools; nDCG uses
    the grades as gains (Järvelin & Kekäläinen 2002).
    """
    right = [tool in grades for tool in found]
    first = next((rank for rank, hit in enumerate(right, 1) if hit), None)
    total = max(len(grades), 1)
    return {
        "hit@1": float(any(right[:1])),
        "hit@3": float(any(right[:3])),
        "recall@5": sum(right[:5]) / total,
        "recall@10": sum(right[:10]) / total,
        "comp@10": float(sum(right[:10]) == len(grades)),
        "mrr": 1 / first if first else 0.0,
        "ndcg@10": _ndcg(found[:10], grades),
    }


def _ndcg(found: Sequence[str], grades: Mapping[str, float]) -> float:
    gained = _dcg([grades.get(tool, 0.0) for tool in found])
    ideal = _dcg(sorted(grades.values(), reverse=True)[:10])
    return gained / ideal if ideal else 0.0


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def measure(values: Sequence[float], seed: int = 0) -> Measure:
    """The mean of `values` and its interval; the same values give the same interval."""
    if not values:
        return Measure(math.nan, math.nan, math.nan)
    draw = random.Random(seed)
    means = sorted(
        sum(draw.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES)
    )
    low, high = means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES) - 1]
    return Measure(sum(values) / len(values), low, high)


def measures(scores: Sequence[Mapping[str, float]]) -> dict[str, Measure]:
    return {name: measure([score[name] for score in scores]) for name in NAMES}
