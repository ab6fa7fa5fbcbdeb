"""What the agent did or said lately, as a small weight on tools that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from search.encoder import Encoder
from store.retrieval import Candidate

if TYPE_CHECKING:
    from search.encoder import Vectors

WEIGHT = 0.12
"""The most that context may add to a score: enough to part look-alikes, too little to bring up a
tool that the query does not ask for."""
_RECENT = 800
_TOOL_ID = re.compile(r"[\w.-]+/[\w-]+")


def context_nudges(
    context: str, candidates: Sequence[Candidate], encoder: Encoder | None
) -> list[float]:
    """What to add to each candidate's score, 0 to WEIGHT: by likeness to the last 800 letters of
    the context, and in full for tools of a service whose tool ids it names."""
    recent = context[-_RECENT:].strip()
    if not recent or not candidates:
        return [0.0] * len(candidates)
    named = {found.partition("/")[0] for found in _TOOL_ID.findall(recent)}
    alike = _likeness(recent, candidates, encoder) if encoder else [0.0] * len(candidates)
    return [
        WEIGHT * max(likeness, float(tool.service in named))
        for likeness, tool in zip(alike, candidates, strict=True)
    ]


def _likeness(text: str, candidates: Sequence[Candidate], encoder: Encoder) -> list[float]:
    """Cosines with the context spread between 0, the least of the candidates, and 1, the best."""
    import numpy as np

    context: Vectors = encoder.encode([text], queries=True)[0]
    empty = [0.0] * len(context)
    rows = np.array([tool.vector or empty for tool in candidates], dtype=np.float32)
    cosines = rows @ context
    reach = float(cosines.max() - cosines.min())
    if reach < 1e-6:
        return [0.0] * len(candidates)
    return [float(value) for value in (cosines - cosines.min()) / reach]
