"""Candidates in order: what both passes say, for the whole request and for each of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from search.companions import companions, names_a_thing
from search.fields import ENRICHED_FIELDS, FIELDS
from search.pool import Pool
from search.question import Question
from store.retrieval import Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors

LEXICAL_SHARE = 0.5
WHOLE_OF_TWO, WHOLE_OF_MANY = 0.7, 0.1
"""What the request as a whole counts beside its parts. Measured on training halves: two parts are
often one wish told at length, three and more are a list."""

_FITS_COSINE = 0.25
_FITS_COVERAGE = 0.3


@dataclass(frozen=True, slots=True)
class Ranked:
    candidate: Candidate
    score: float
    fits: bool
    why: dict[str, Any]


def rank(question: Question, pool: Pool) -> list[Ranked]:
    """Best first; equal scores in the order of their ids, so that a query always answers alike."""
    import numpy as np

    if not pool.candidates:
        return []
    lexical = _spread(pool.lexical)
    vector = None if pool.cosine is None else _spread(pool.cosine)
    fused = lexical if vector is None else LEXICAL_SHARE * (lexical + vector)
    scores = [float(score) for score in np.clip(_over_parts(fused), 0, 1)]
    helped = _raise_companions(question, pool, scores)
    ids = [f"{tool.service}/{tool.name}" for tool in pool.candidates]
    order = sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))
    places = {
        "lexical": _places(pool.lexical[0]),
        "vector": None if pool.cosine is None else _places(pool.cosine[0]),
    }
    best = np.argmax(fused[1:], axis=0) + 1 if len(fused) > 1 else np.zeros(len(ids), dtype=int)
    return [
        Ranked(
            pool.candidates[i],
            scores[i],
            _fits(question, pool, i),
            _why(question, pool, i, int(best[i]), lexical, vector, places)
            | ({"finds_id_for": ids[helped[i]]} if i in helped else {}),
        )
        for i in order
    ]


def _raise_companions(question: Question, pool: Pool, scores: list[float]) -> dict[int, int]:
    """Raises tools that find what the best need; which one each of them helps."""
    if not names_a_thing(question.texts[0]):
        return {}
    raised = companions(pool.candidates, scores)
    for helper, (_, score) in raised.items():
        scores[helper] = score
    return {helper: needy for helper, (needy, _) in raised.items()}


def _spread(scores: Vectors) -> Vectors:
    """Each part's scores between 0, the least of its candidates, and 1, the best."""
    import numpy as np

    low = scores.min(axis=1, keepdims=True)
    reach = scores.max(axis=1, keepdims=True) - low
    return np.where(reach > 1e-6, (scores - low) / np.maximum(reach, 1e-6), 0.0)


def _over_parts(fused: Vectors) -> Any:
    """The whole and the best part; the more parts there are, the less the whole says."""
    parts = len(fused) - 1
    if not parts:
        return fused[0]
    whole = WHOLE_OF_TWO if parts == 2 else WHOLE_OF_MANY
    return whole * fused[0] + (1 - whole) * fused[1:].max(axis=0)


def _places(scores: Any) -> Any:
    import numpy as np

    return np.argsort(np.argsort(-scores, kind="stable"), kind="stable") + 1


def _fits(question: Question, pool: Pool, index: int) -> bool:
    possible = sum(question.parts[0].values())
    covered = sum(w for t, w in question.parts[0].items() if t in pool.weights[index])
    if pool.cosine is None:
        return possible > 0 and covered / possible >= _FITS_COVERAGE
    return bool(
        float(pool.cosine[:, index].max()) >= _FITS_COSINE
        or (possible > 0 and covered / possible >= _FITS_COVERAGE)
    )


def _why(
    question: Question,
    pool: Pool,
    index: int,
    part: int,
    lexical: Vectors,
    vector: Vectors | None,
    places: dict[str, Any],
) -> dict[str, Any]:
    """What is shown of a hit; shares are of the part that it answers best."""
    matched = sorted(set(pool.weights[index]) & set(question.terms))
    why: dict[str, Any] = {
        "terms": matched,
        "fields": _fields(pool.candidates[index], matched),
        "lexical": {
            "rank": int(places["lexical"][index]),
            "score": round(float(pool.lexical[part, index]), 3),
            "share": round(LEXICAL_SHARE * float(lexical[part, index]), 3),
        },
    }
    if vector is not None and pool.cosine is not None:
        why["vector"] = {
            "rank": int(places["vector"][index]),
            "cosine": round(float(pool.cosine[part, index]), 3),
            "share": round((1 - LEXICAL_SHARE) * float(vector[part, index]), 3),
        }
    if part:
        why["part"] = question.texts[part]
    return why


def _fields(tool: Candidate, matched: list[str]) -> dict[str, list[str]]:
    """Which of the matched terms each field holds; enriched fields are marked as such."""
    held = list(zip((f.name for f in FIELDS), tool.terms, strict=False))
    if tool.enriched_terms:
        names = (f"enriched {f.name}" for f in ENRICHED_FIELDS)
        held += zip(names, tool.enriched_terms, strict=False)
    found = {name: [t for t in matched if t in set(text.split())] for name, text in held}
    return {name: terms for name, terms in found.items() if terms}
