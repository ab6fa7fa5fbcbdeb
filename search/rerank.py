"""The trained reranker: the packaged ranking, corrected by what labelled cases taught."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import Connection

from search.fields import ENRICHED_FIELDS, FIELDS
from search.pool import Pool
from search.question import Question
from search.verbs import nudges
from store.rerankers import Likeness, likeness, stored_reranker
from store.retrieval import Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors
    from search.ranking import Scored, Shares

DEPTH = 60
"""Candidates that are put in a new order: the best of the packaged ranking."""

_READ = tuple(field.name for field in FIELDS)
_READ_ENRICHED = tuple(f"enriched_{field.name}" for field in ENRICHED_FIELDS)
OWN_FEATURES = (
    "base",
    "lead",
    "lead_in_service",
    "lexical",
    "lexical_part",
    "lexical_place",
    "covered",
    *(f"in_{name}" for name in (*_READ, *_READ_ENRICHED)),
    "name_met",
    "vector",
    "vector_part",
    "vector_place",
    "cosine",
    "verb",
    "context",
    "path_depth",
    "path_holders",
    "text_length",
)
EXAMPLE_FEATURES = (
    "like_best",
    "like_three",
    "like_lead",
    "like_vote",
    "has_examples",
    "tool_share",
    "service_share",
)
FEATURES = (*OWN_FEATURES, *EXAMPLE_FEATURES)


@dataclass(frozen=True, slots=True)
class Reranker:
    """`scale` turns the packaged score into odds; `weights` belong to FEATURES. `model` names the
    embedding model of its examples."""

    weights: tuple[float, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    scale: float
    model: str

    def scores(self, base: Sequence[float], features: Vectors) -> list[float]:
        """Between 0 and 1, for candidates with these packaged scores."""
        import numpy as np

        values = (features - np.array(self.means)) / np.array(self.scales)
        odds = self.scale * (np.array(base) - 0.5) + values @ np.array(self.weights)
        return [float(value) for value in 1 / (1 + np.exp(-np.clip(odds, -30, 30)))]

    def as_json(self) -> dict[str, Any]:
        named = zip(FEATURES, self.weights, self.means, self.scales, strict=True)
        return {
            "scale": self.scale,
            "features": {name: [weight, mean, scale] for name, weight, mean, scale in named},
        }


def from_json(value: Mapping[str, Any], model: str) -> Reranker:
    """A feature that the stored one did not know counts nothing."""
    known = [value["features"].get(name, (0.0, 0.0, 1.0)) for name in FEATURES]
    weights, means, scales = zip(*known, strict=True)
    return Reranker(weights, means, scales, value["scale"], model)


@dataclass(frozen=True, slots=True)
class Trained:
    """The reranker of a catalog at work."""

    conn: Connection
    reranker: Reranker

    def __call__(self, scored: Scored) -> list[float]:
        """New scores for the best; the others stay behind them in their order."""
        chosen = best(scored)
        features = self._features(scored, chosen)
        new = self.reranker.scores([scored.scores[i] for i in chosen], features)
        lowest = min(new, default=0.0)
        scores = [score * lowest for score in scored.scores]
        for i, score in zip(chosen, new, strict=True):
            scores[i] = score
        return scores

    def _features(self, scored: Scored, chosen: Sequence[int]) -> Vectors:
        import numpy as np

        tools = [scored.pool.candidates[i] for i in chosen]
        keys = [(tool.service_id, tool.operation_id) for tool in tools]
        vectors = scored.pool.vectors
        rows = [] if vectors is None else [row.tolist() for row in vectors]
        found = likeness(self.conn, keys, rows)
        return np.hstack([own_features(scored, chosen), example_features(found)])


def load_trained(conn: Connection, model: str) -> Trained | None:
    """What `gloss train` kept for this catalog; None where nothing, or for another model."""
    stored = stored_reranker(conn)
    if stored is None or stored.model != model:
        return None
    return Trained(conn, from_json(stored.weights, stored.model))


def best(scored: Scored) -> list[int]:
    """The candidates that are put in a new order, best first."""
    tools = scored.pool.candidates
    ids = [f"{tool.service}/{tool.name}" for tool in tools]
    return sorted(range(len(tools)), key=lambda i: (-scored.scores[i], ids[i]))[:DEPTH]


def own_features(scored: Scored, chosen: Sequence[int]) -> Vectors:
    """A row for each chosen candidate, in the order of OWN_FEATURES."""
    import numpy as np

    per_tool = _per_tool(scored, chosen)
    per_list = _per_list(scored.pool, scored.shares)
    rows = np.zeros((len(chosen), len(OWN_FEATURES)), dtype=np.float32)
    for row, i in enumerate(chosen):
        values = per_tool[row] | {name: float(column[i]) for name, column in per_list.items()}
        rows[row] = [values[name] for name in OWN_FEATURES]
    return rows


def _per_list(pool: Pool, shares: Shares) -> dict[str, Any]:
    """Columns over all candidates: how each list sees them."""
    import numpy as np

    none = np.zeros(len(pool.candidates), dtype=np.float32)
    found = {
        "lexical": shares.lexical[0],
        "lexical_part": shares.lexical.max(axis=0),
        "lexical_place": _places(pool.lexical[0]),
        "vector": none,
        "vector_part": none,
        "vector_place": none,
        "cosine": none,
    }
    if shares.vector is not None and pool.cosine is not None:
        found["vector"] = shares.vector[0]
        found["vector_part"] = shares.vector.max(axis=0)
        found["vector_place"] = _places(pool.cosine[0])
        found["cosine"] = pool.cosine.max(axis=0)
    return found


def _places(scores: Any) -> Any:
    """1 for the best, then 1/2, 1/3 …"""
    import numpy as np

    places = np.empty(len(scores), dtype=np.float32)
    places[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return 1 / places


def _per_tool(scored: Scored, chosen: Sequence[int]) -> list[dict[str, float]]:
    question, pool = scored.question, scored.pool
    tools = [pool.candidates[i] for i in chosen]
    scores = [scored.scores[i] for i in chosen]
    columns = {
        "base": scores,
        "lead": _leads(scores, [""] * len(tools)),
        "lead_in_service": _leads(scores, [tool.service for tool in tools]),
        "verb": nudges(question.texts, tools),
        "context": [scored.extra[i] if scored.extra else 0.0 for i in chosen],
    }
    return [
        {name: values[row] for name, values in columns.items()}
        | _words(question, pool.weights[i], tool)
        | _shape(tool)
        for row, (i, tool) in enumerate(zip(chosen, tools, strict=True))
    ]


def _leads(scores: Sequence[float], groups: Sequence[str]) -> list[float]:
    """How far each is ahead of the best other one of its group; negative when behind."""
    by_group: dict[str, list[float]] = defaultdict(list)
    for score, group in zip(scores, groups, strict=True):
        by_group[group].append(score)
    two = {group: sorted(found, reverse=True)[:2] for group, found in by_group.items()}
    leads = []
    for score, group in zip(scores, groups, strict=True):
        first, *second = two[group]
        other = (second or [0.0])[0] if score == first else first
        leads.append(score - other)
    return leads


def _words(question: Question, weights: Mapping[str, float], tool: Candidate) -> dict[str, float]:
    """The share of what was asked that the tool has, and that each field has."""
    asked = max(question.asked[0], 1e-9)
    worth = {term: idf for term, idf in question.parts[0].items() if term in weights}
    found = {"covered": sum(worth.values()) / asked, "name_met": 0.0}
    for names, texts in ((_READ, tool.terms), (_READ_ENRICHED, tool.enriched_terms or ())):
        for field, text in zip(names, [*texts, *[""] * len(names)], strict=False):
            terms = set(text.split())
            found[f"in_{field}"] = sum(idf for t, idf in worth.items() if t in terms) / asked
    own_name = set(tool.terms[0].split()) if tool.terms else set()
    if own_name:
        found["name_met"] = len(own_name & weights.keys()) / len(own_name)
    return found


def _shape(tool: Candidate) -> dict[str, float]:
    return {
        "path_depth": min(tool.wire.count("/"), 8) / 8,
        "path_holders": min(tool.wire.count("{"), 4) / 4,
        "text_length": math.log1p(len(tool.description) + len(tool.summary)) / 8,
    }


def example_features(likeness: Sequence[Likeness]) -> Vectors:
    """A row for each candidate, in the order of EXAMPLE_FEATURES."""
    import numpy as np

    total = sum(found.examples for found in likeness) or 1
    mass = sum(found.mass for found in likeness) or 1.0
    by_service: dict[int, int] = defaultdict(int)
    for found in likeness:
        by_service[found.service_id] += found.examples
    leads = _leads([found.best for found in likeness], ["" for _ in likeness])
    return np.array(
        [
            [
                found.best,
                found.three,
                lead,
                found.mass / mass,
                float(found.examples > 0),
                found.examples / total,
                by_service[found.service_id] / total,
            ]
            for found, lead in zip(likeness, leads, strict=True)
        ],
        dtype=np.float32,
    ).reshape(len(likeness), len(EXAMPLE_FEATURES))
