"""Candidates in order: what both passes say, for the whole request and for each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from search.companions import companions, names_a_thing
from search.fields import ENRICHED_FIELDS, FIELDS
from search.fits import judge
from search.names import named
from search.pool import Pool
from search.question import Question
from search.verbs import nudges
from store.retrieval import TERM_LIMIT, Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors

LEXICAL_SHARE = 0.4
SURE = 0.35
"""The lexical list has its full share when its best tool has at least this much of what the words
asked for could weigh; less when they are hardly met. Measured on training halves of five suites,
ndcg@10 on average: .855 with the packaged model against .847 for a fixed share of .4 (metatool
.775 against .760); .805 against .813 with the untuned model."""

WHOLE_OF_TWO, WHOLE_OF_MANY = 0.7, 0.1
"""What the request as a whole counts beside its parts. Measured on training halves: two parts are
often one wish told at length, three and more are a list."""


@dataclass(frozen=True, slots=True)
class Ranked:
    candidate: Candidate
    score: float
    why: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """`chance` that the first hit is right; `fits` when that is enough to say so."""

    hits: list[Ranked]
    chance: float
    fits: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """Both lists spread between 0 and 1, and fused: a row a part, a column a candidate. `weight`
    is the share of the lexical list in each part."""

    weight: Vectors
    lexical: Vectors
    vector: Vectors | None
    fused: Vectors


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates with the packaged ranking's scores; `helped` says which tool each one that was
    raised finds an id for."""

    question: Question
    pool: Pool
    shares: Shares
    extra: tuple[float, ...]
    scores: list[float]
    helped: dict[int, int]


Reorder = Callable[[Scored], list[float]]
"""New scores for all candidates, from what the packaged ranking made of them."""


def rank(
    question: Question,
    pool: Pool,
    k: int,
    extra: Sequence[float] = (),
    *,
    rules: bool = True,
    reorder: Reorder | None = None,
) -> Answer:
    """The k best; equal scores in the order of their ids, so that a query always answers alike.

    `extra` is what the context adds to each candidate. Without `rules` only both lists count, and
    a query that is a name.
    """
    if not pool.candidates:
        return Answer([], 0.0, False)
    scored = score(question, pool, extra, rules=rules)
    shares, helped = scored.shares, scored.helped
    scores = reorder(scored) if reorder else list(scored.scores)
    meant = named(question.query, pool.candidates)
    ids = [f"{tool.service}/{tool.name}" for tool in pool.candidates]
    for i in meant:
        scores[i] = 1.0
    order = sorted(range(len(ids)), key=lambda i: (i not in meant, -scores[i], ids[i]))[:k]
    chance, fits = judge(question, pool, shares.fused)
    hits = []
    for i in order:
        why = _why(question, pool, shares, i)
        if i in helped:
            why["finds_id_for"] = ids[helped[i]]
        if i in meant:
            why["named"] = True
        hits.append(Ranked(pool.candidates[i], scores[i], why))
    return Answer(hits, 1.0 if meant else chance, fits or bool(meant))


def score(
    question: Question, pool: Pool, extra: Sequence[float] = (), *, rules: bool = True
) -> Scored:
    """What the packaged ranking makes of each candidate."""
    shares = _shares(question, pool)
    nudged = nudges(question.texts, pool.candidates) if rules else [0.0] * len(pool.candidates)
    scores = [
        min(max(float(fused) + nudge + more, 0.0), 1.0)
        for fused, nudge, more in zip(
            _over_parts(shares.fused), nudged, extra or [0.0] * len(nudged), strict=True
        )
    ]
    helped = _raise_companions(question, pool, scores) if rules else {}
    return Scored(question, pool, shares, tuple(extra), scores, helped)


def fuse(question: Question, pool: Pool) -> Vectors:
    """The fused score of each part and candidate, as `rank` begins with."""
    return _shares(question, pool).fused


def _shares(question: Question, pool: Pool) -> Shares:
    import numpy as np

    lexical = _spread(pool.lexical)
    if pool.cosine is None:
        return Shares(np.ones((len(lexical), 1), dtype=np.float32), lexical, None, lexical)
    vector = _spread(pool.cosine)
    possible = np.maximum(np.array(question.asked, dtype=np.float32) * TERM_LIMIT, 1e-6)
    sure = np.sqrt(np.minimum(pool.lexical.max(axis=1) / possible / SURE, 1))[:, None]
    weight = LEXICAL_SHARE * sure / (LEXICAL_SHARE * sure + 1 - LEXICAL_SHARE)
    return Shares(weight, lexical, vector, weight * lexical + (1 - weight) * vector)


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


def _raise_companions(question: Question, pool: Pool, scores: list[float]) -> dict[int, int]:
    """Raises tools that find what the best need; which one each of them helps."""
    if not names_a_thing(question.query):
        return {}
    raised = companions(pool.candidates, scores)
    for helper, (_, score) in raised.items():
        scores[helper] = score
    return {helper: needy for helper, (needy, _) in raised.items()}


def _why(question: Question, pool: Pool, shares: Shares, index: int) -> dict[str, Any]:
    """What is shown of a hit; scores and shares are of the part that it answers best."""
    part = int(shares.fused[1:, index].argmax()) + 1 if len(shares.fused) > 1 else 0
    matched = sorted(set(pool.weights[index]) & set(question.terms))
    why: dict[str, Any] = {
        "terms": matched,
        "fields": _fields(pool.candidates[index], matched),
        "lexical": {
            "rank": _place(pool.lexical[part], index),
            "score": round(float(pool.lexical[part, index]), 3),
            "share": round(float(shares.weight[part, 0] * shares.lexical[part, index]), 3),
        },
    }
    if shares.vector is not None and pool.cosine is not None:
        why["vector"] = {
            "rank": _place(pool.cosine[part], index),
            "cosine": round(float(pool.cosine[part, index]), 3),
            "share": round(float((1 - shares.weight[part, 0]) * shares.vector[part, index]), 3),
        }
    if part:
        why["part"] = question.texts[part]
    return why


def _place(scores: Any, index: int) -> int:
    return int((scores > scores[index]).sum()) + 1


def _fields(tool: Candidate, matched: list[str]) -> dict[str, list[str]]:
    """Which of the matched terms each field holds; enriched fields are marked as such."""
    held = list(zip((f.name for f in FIELDS), tool.terms, strict=False))
    if tool.enriched_terms:
        names = (f"enriched {f.name}" for f in ENRICHED_FIELDS)
        held += zip(names, tool.enriched_terms, strict=False)
    found = {name: [t for t in matched if t in set(text.split())] for name, text in held}
    return {name: terms for name, terms in found.items() if terms}
