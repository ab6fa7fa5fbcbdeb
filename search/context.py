"""What the agent did or said lately, as a small weight on the services that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from search.encoder import Encoder
from store.retrieval import Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors
    from search.pool import Pool

WEIGHT = 0.16
"""The most that context may add to a score; half of it where the query is clear by itself. With the
bounds below, on 464 questions: docs/decisions/0003-search.md."""

_APART = 0.2
"""How far apart the nearest tools of two services must be to the context, for it to count in full:
talk that is about neither is about as far from both."""
_VAGUE, _CLEAR = 0.3, 0.6
"""Cosines of a query with its nearest tool that leave most to the context, and least."""
_RECENT = 800
_TOOL_ID = re.compile(r"[\w.-]+/[\w-]+")


def context_nudges(context: str, pool: Pool, encoder: Encoder | None) -> list[float]:
    """What to add to each candidate's score, 0 to WEIGHT, the same for all tools of a service: by
    how near the last 800 letters of the context are to it, in full where they name its tool ids.

    Of what was done last the service is told, not the tool: another one is wanted next.
    """
    recent = context[-_RECENT:].strip()
    if not recent or not pool.candidates:
        return [0.0] * len(pool.candidates)
    near = _nearness(recent, pool.candidates, encoder) if encoder else {}
    near |= {found.partition("/")[0]: 1.0 for found in _TOOL_ID.findall(recent)}
    weight = WEIGHT * (0.5 + 0.5 * _vagueness(pool))
    return [weight * near.get(tool.service, 0.0) for tool in pool.candidates]


def _vagueness(pool: Pool) -> float:
    if pool.cosine is None:
        return 0.0
    clear = (float(pool.cosine[0].max()) - _VAGUE) / (_CLEAR - _VAGUE)
    return 1 - min(max(clear, 0.0), 1.0)


def _nearness(text: str, candidates: Sequence[Candidate], encoder: Encoder) -> dict[str, float]:
    """Of each service's nearest tool, spread between 0, the farthest service, and 1."""
    context: Vectors = encoder.encode([text], queries=True)[0]
    best: dict[str, float] = {}
    for tool in candidates:
        cosine = float(context @ tool.vector) if tool.vector else 0.0
        best[tool.service] = max(best.get(tool.service, cosine), cosine)
    least = min(best.values())
    reach = max(max(best.values()) - least, _APART)
    return {service: (cosine - least) / reach for service, cosine in best.items()}
