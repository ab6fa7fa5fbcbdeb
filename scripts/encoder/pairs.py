"""Questions with the text that answers them, made of the suites' training halves."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .suites import Query, Suites

if TYPE_CHECKING:
    from .tower import Vectors

PER_TOOL = {"metatool": 12, "sawsdl-tc3": 4}
WHOLE_REQUESTS = ("sawsdl-tc3", "metatool", "restbench-tmdb")  # several tools, but one intent


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, its right text, and everything else that would be right as well."""

    suite: str
    query: str
    text: str
    rights: frozenset[str]
    catalogue: str


def suite_pairs(suites: Suites, chooser: random.Random) -> list[Pair]:
    pairs: list[Pair] = []
    for query in suites.queries:
        if query.trains and not suites.is_held_out(query):
            pairs += _query_pairs(query, suites.catalogues[query.catalogue], chooser)
    chooser.shuffle(pairs)
    return list(_capped(pairs))


def _query_pairs(query: Query, texts: Sequence[str], chooser: random.Random) -> Iterator[Pair]:
    rights = frozenset(texts[place] for place in query.relevant)
    chosen = sorted(rights)
    if query.suite == "sawsdl-tc3":
        chosen = chooser.sample(chosen, min(8, len(chosen)))
    for text in chosen:
        yield Pair(query.suite, query.text, text, rights, query.catalogue)


def _capped(pairs: Iterable[Pair]) -> Iterator[Pair]:
    seen: dict[tuple[str, str], int] = defaultdict(int)
    for pair in pairs:
        seen[pair.suite, pair.text] += 1
        if seen[pair.suite, pair.text] <= PER_TOOL.get(pair.suite, 40):
            yield pair


def part_pairs(pairs: Sequence[Pair], vectors: Vectors) -> list[Pair]:
    """Requests with several intents cut at commas and `and`; a part goes to the right tool it is
    nearest to, when that is clear."""
    several = [p for p in pairs if len(p.rights) > 1 and p.suite not in WHOLE_REQUESTS]
    vectors.add(part for pair in several for part in _parts(pair.query))
    made: dict[tuple[str, str], Pair] = {}
    for pair in several:
        for part in _parts(pair.query):
            text = _nearest(part, sorted(pair.rights), vectors)
            if text is not None:
                made[part, text] = replace(pair, query=part, text=text)
    return list(made.values())


def _parts(query: str) -> list[str]:
    parts = re.split(r"[,;.?!]\s+(?:and |then |also )?|\s+and\s+(?:then |also )?", query)
    return [part.strip(" .?!") for part in parts if len(part.split()) >= 3]


def _nearest(part: str, rights: Sequence[str], vectors: Vectors) -> str | None:
    scores = vectors[rights] @ vectors[[part]][0]
    best, second = np.argsort(-scores)[:2]
    clear = scores[best] > 0.45 and scores[best] - scores[second] > 0.1
    return rights[best] if clear else None
