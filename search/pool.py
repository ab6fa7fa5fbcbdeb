"""The candidates of a query: what either first pass found, with all that both know of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import Connection

from search.companions import LOOKUP_STEMS, names_a_thing
from search.encoder import Encoder
from search.question import Question
from store.retrieval import Candidate, Key, Mix, bm25, candidates, term_weights, tools_named
from store.vector_search import nearest, phrase_scores

if TYPE_CHECKING:
    from search.encoder import Vectors

PER_LIST = 60
"""Tools that each first pass hands over for each part."""

WHOLE, TOLD, NAMED = 0.2, 0.4, 0.4
"""What the mixed vector, the enriched description and the nearest of its names count for a tool
with live text (docs/decisions/0003-search.md)."""

_NEAR_SERVICES = 5
"""Services whose look-up tools are fetched beside what the passes found."""


@dataclass(frozen=True, slots=True)
class Pool:
    """`lexical` and `cosine` have a row a part and a column a candidate, `vectors` one a part;
    the latter two are None without an encoder."""

    candidates: list[Candidate]
    weights: list[dict[str, float]]
    lexical: Vectors
    cosine: Vectors | None
    vectors: Vectors | None = None
    model: str = ""


def gather(
    conn: Connection,
    question: Question,
    encoder: Encoder | None,
    services: Sequence[int] | None,
    mix: Mix,
    approximate: bool,
    vectors: Vectors | None = None,
) -> Pool:
    """Both passes for each part; then every candidate scored by both, whoever found it.

    `vectors` are those of the question, where the caller has them already.
    """
    import numpy as np

    if encoder is not None and vectors is None:
        vectors = encoder.encode(question.spoken, queries=True)
    found = bm25(conn, question.scanned(), services, mix, PER_LIST)
    for service_id in question.widened.within:
        found += bm25(conn, question.asked_of(service_id), [service_id], mix, PER_LIST)
    model = None
    if encoder is not None and vectors is not None:
        model = encoder.model
        found += nearest(conn, model, list(vectors), services, PER_LIST, approximate=approximate)
    keys: list[Key] = list(dict.fromkeys((f.service_id, f.operation_id) for f in found))
    if names_a_thing(question.query):
        near = list(dict.fromkeys(f.service_id for f in found if f.part == 0))[:_NEAR_SERVICES]
        keys = list(dict.fromkeys([*keys, *tools_named(conn, LOOKUP_STEMS, near, PER_LIST)]))
    tools = candidates(conn, keys, model)
    by_key = term_weights(conn, keys, question.terms, mix)
    weights = [by_key.get((tool.service_id, tool.operation_id), {}) for tool in tools]
    lexical = np.array(
        [
            [_score(part, terms) for part in question.asked_of(tool.service_id)]
            for tool, terms in zip(tools, weights, strict=True)
        ],
        dtype=np.float32,
    )
    cosine = None
    if vectors is not None:
        width = vectors.shape[1]
        empty = [0.0] * width
        rows = np.array([tool.vector or empty for tool in tools], dtype=np.float32)
        cosine = vectors @ rows.reshape(-1, width).T
        if mix.enriched:
            _read_phrases(conn, model or "", tools, vectors, cosine)
    lexical = lexical.reshape(len(tools), len(question.parts)).T
    return Pool(tools, weights, lexical, cosine, vectors, model or "")


def _read_phrases(
    conn: Connection, model: str, tools: Sequence[Candidate], vectors: Vectors, cosine: Vectors
) -> None:
    """Weighs in how near the pieces of enriched text are, each read by itself."""
    keys = [(tool.service_id, tool.operation_id) for tool in tools if tool.enriched_name]
    column = {(tool.service_id, tool.operation_id): i for i, tool in enumerate(tools)}
    for near in phrase_scores(conn, keys, model, list(vectors)) if keys else ():
        i = column[near.service_id, near.operation_id]
        whole = cosine[near.part, i]
        cosine[near.part, i] = WHOLE * whole + TOLD * near.told + NAMED * near.named


def _score(part: dict[str, float], terms: dict[str, float]) -> float:
    return sum(weight * terms[term] for term, weight in part.items() if term in terms)
