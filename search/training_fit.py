"""The arithmetic of training a reranker: weights by gradient, ndcg, and whether a gain is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from search.rerank import FEATURES, Reranker

if TYPE_CHECKING:
    from search.encoder import Vectors

SCALE = 12.0
"""Odds for one point of the packaged score, to begin with; weights are corrections to it."""
DECAYS = (0.003, 0.03, 0.3)
"""How strongly weights are pulled to zero, that is to the packaged ranking; validation chooses."""
RATE, STEPS, PATIENCE = 0.05, 400, 40
FLIPS = 10_000
CUT = 10


@dataclass(frozen=True, slots=True)
class Lists:
    """Cases as arrays: a row a case, a column a candidate, padded; `mask` tells what is real.

    `ideal` is the best that a case's grades could gain, right tools not found included.
    """

    base: Vectors
    features: Vectors
    gains: Vectors
    mask: Vectors
    ideal: Vectors


def padded(
    base: Sequence[Vectors],
    features: Sequence[Vectors],
    gains: Sequence[Vectors],
    ideal: Sequence[float],
) -> Lists:
    import numpy as np

    shape = (len(base), max((len(row) for row in base), default=0))
    wide = np.zeros((*shape, len(FEATURES)), dtype=np.float32)
    flat = [np.zeros(shape, dtype=np.float32) for _ in range(3)]
    for row, (scores, values, gained) in enumerate(zip(base, features, gains, strict=True)):
        real = slice(len(scores))
        wide[row, real] = values
        flat[0][row, real], flat[1][row, real], flat[2][row, real] = scores, gained, 1
    return Lists(flat[0], wide, flat[1], flat[2], np.array(ideal, dtype=np.float32))


def fit(train: Lists, validation: Lists, model: str) -> Reranker:
    """List-wise softmax over each case's candidates, stopped when validation gets no better."""
    import numpy as np

    real = train.features[train.mask > 0]
    means, deviations = real.mean(axis=0), real.std(axis=0)
    scales = np.where(deviations > 1e-4, deviations, 1.0)
    of_train = _standard(train, means, scales)
    of_validation = _standard(validation, means, scales)
    tried = [_descend(train, of_train, validation, of_validation, decay) for decay in DECAYS]
    _, weights, scale = min(tried, key=lambda found: found[0])
    return Reranker(_plain(weights), _plain(means), _plain(scales), round(float(scale), 5), model)


def _standard(lists: Lists, means: Any, scales: Any) -> Any:
    import numpy as np

    return ((lists.features - means) / scales).astype(np.float32)


def _plain(values: Any) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in values)


def _descend(
    train: Lists, values: Any, validation: Lists, checked: Any, decay: float
) -> tuple[float, Any, float]:
    """Adam (Kingma & Ba 2015) over all cases at once; (validation loss, weights, scale)."""
    import numpy as np

    point = np.append(np.zeros(len(FEATURES)), SCALE)
    first, second = np.zeros_like(point), np.zeros_like(point)
    best = (_loss(validation, checked, point)[0], np.array(point))
    waited = 0
    for step in range(1, STEPS + 1):
        _, slope = _loss(train, values, point)
        slope[:-1] += decay * point[:-1]
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        even = first / (1 - 0.9**step), second / (1 - 0.999**step)
        point = point - RATE * even[0] / (np.sqrt(even[1]) + 1e-8)
        loss, _ = _loss(validation, checked, point)
        waited = 0 if loss < best[0] - 1e-5 else waited + 1
        if loss < best[0]:
            best = (loss, np.array(point))
        if waited >= PATIENCE:
            break
    return best[0], best[1][:-1], float(best[1][-1])


def _loss(lists: Lists, values: Any, point: Any) -> tuple[float, Any]:
    """Mean cross entropy between grades and the softmax over candidates, and its gradient."""
    import numpy as np

    point = point.astype(np.float32)  # else every product copies the features
    odds = point[-1] * lists.base + values @ point[:-1]
    odds = np.where(lists.mask > 0, odds, -1e9)
    odds -= odds.max(axis=1, keepdims=True)
    chances = np.exp(odds) * lists.mask
    chances /= chances.sum(axis=1, keepdims=True)
    total = np.maximum(lists.gains.sum(axis=1, keepdims=True), 1e-9)
    wanted = lists.gains / total
    counts = (lists.gains.sum(axis=1) > 0).astype(np.float32)
    cases = max(float(counts.sum()), 1.0)
    loss = -(wanted * np.log(np.maximum(chances, 1e-12))).sum(axis=1)
    off = (chances - wanted) * counts[:, None] / cases
    slope = np.append(off.ravel() @ values.reshape(-1, len(point) - 1), (off * lists.base).sum())
    return float((loss * counts).sum() / cases), slope


def quality(scores: Any, lists: Lists) -> tuple[Any, Any]:
    """(ndcg@10, hit@1) of each case for these scores, candidates in their packaged order first."""
    import numpy as np

    order = np.argsort(-np.where(lists.mask > 0, scores, -1e9), axis=1, kind="stable")
    gained = np.take_along_axis(lists.gains, order, axis=1)[:, :CUT]
    worth = 1 / np.log2(np.arange(2, gained.shape[1] + 2))
    return (gained * worth).sum(axis=1) / np.maximum(lists.ideal, 1e-9), gained[:, 0] > 0


def ideal_gain(grades: Sequence[float]) -> float:
    import numpy as np

    best = np.array(sorted(grades, reverse=True)[:CUT])
    return float((best / np.log2(np.arange(2, len(best) + 2))).sum())


def chance_of_luck(differences: Any, groups: Any, seed: int) -> float:
    """One-sided sign-flip permutation over groups of like cases (Smucker et al. 2007): how often
    differences of random sign would gain as much in sum."""
    import numpy as np

    sums = np.bincount(np.unique(groups, return_inverse=True)[1], weights=differences)
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(FLIPS, len(sums)))
    reached = (signs @ sums >= sums.sum() - 1e-12).sum()
    return float(reached + 1) / (FLIPS + 1)
