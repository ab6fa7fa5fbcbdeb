"""Tools that another one needs first: a request names a thing, the tool wants its id.

"Who directed Twilight?" is answered by `GET /movie/{movie_id}/credits` only after
`GET /search/movie` has told the id, so the latter belongs among the hits.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from catalog.words import split_identifier
from store.retrieval import Candidate

SHARE = 0.95
"""What the tool that finds the id gets of the score of the one that needs it. Measured on training
halves: restbench-tmdb ndcg@10 .648 → .727, the other seven suites within .001 or better."""

_NEEDY = 3
"""Tools at the top whose needs are looked at."""

_LOOKUPS = frozenset(("search", "find", "lookup", "query", "autocomplete", "suggest"))
LOOKUP_STEMS = ("search", "find", "lookup", "queri", "autocomplet", "suggest")
_UNTELLING = frozenset(("api", "v", "by", "name"))
_HAS_ID = re.compile(
    r"\b(?:ids?|gid|uuid|guid|identifiers?|key)\b|<\w+>|\b[A-Za-z]*\d{4,}\b|\b[a-z]+\d+\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|'[^']{3,}'")
_WORD = re.compile(r"[A-Za-z][\w'-]*|[.!?]")
_MYSELF = frozenset(("I", "I'm", "I've", "I'd", "I'll"))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a path tells: the resource whose id comes first, or that it looks things up by name."""

    wants: frozenset[str]
    is_lookup: bool
    nouns: frozenset[str]


def names_a_thing(query: str) -> bool:
    """Whether the request has a name in it (quoted, or capitalised within a sentence) but no id."""
    if _HAS_ID.search(query):
        return False
    if _QUOTED.search(query):
        return True
    words = _WORD.findall(query)
    return any(
        word[0].isupper() and not word.isupper() and word not in _MYSELF and before not in ".!?"
        for before, word in itertools.pairwise(words)
    )


def companions(tools: Sequence[Candidate], scores: Sequence[float]) -> dict[int, tuple[int, float]]:
    """For each tool that finds an id which one of the best needs: that one, and the score."""
    shapes = [_shape(tool) for tool in tools]
    best = sorted(range(len(tools)), key=lambda i: -scores[i])[:_NEEDY]
    found: dict[int, tuple[int, float]] = {}
    for needy in best:
        for helper, shape in enumerate(shapes):
            if not _helps(shape, shapes[needy]):
                continue
            if tools[helper].service_id != tools[needy].service_id:
                continue
            score = SHARE * scores[needy]
            if score > max(scores[helper], found.get(helper, (0, 0.0))[1]):
                found[helper] = (needy, score)
    return found


def _helps(helper: _Shape, needy: _Shape) -> bool:
    """A search without a noun of its own (`GET /search`) looks everything up."""
    return helper.is_lookup and bool(
        needy.wants and (not helper.nouns or helper.nouns & needy.wants)
    )


def _shape(tool: Candidate) -> _Shape:
    segments = [part for part in tool.wire.split("/") if part]
    fixed = [part for part in segments if "{" not in part]
    words = [word for part in fixed for word in split_identifier(part)]
    nouns = frozenset(
        _singular(word)
        for word in words
        if word not in _LOOKUPS and word not in _UNTELLING and not word.isdigit()
    )
    is_lookup = (
        tool.protocol == "rest"
        and tool.method in ("GET", "POST")
        and len(fixed) == len(segments)
        and not _LOOKUPS.isdisjoint(words)
    )
    return _Shape(_wanted(segments), is_lookup, nouns)


def _wanted(segments: Sequence[str]) -> frozenset[str]:
    """The words of the segment before the first placeholder: `/movie/{id}/credits` → movie."""
    for resource, holder in itertools.pairwise(segments):
        if "{" in holder and "{" not in resource:
            return frozenset(_singular(word) for word in split_identifier(resource))
    return frozenset()


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
