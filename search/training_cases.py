"""Labelled cases as a reranker learns from them: what search saw, which are alike, who is apart."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from psycopg import Connection

from search.context import context_nudges
from search.encoder import Encoder
from search.intents import understand
from search.pool import gather
from search.question import ask
from search.ranking import Scored, score
from search.rerank import best, example_features, own_features
from search.training_fit import Lists, ideal_gain, padded
from search.words import lexical
from store.rerankers import VOTE, Likeness, Remembered
from store.retrieval import Key, Mix
from store.vector_search import has_approximate_index

if TYPE_CHECKING:
    from search.encoder import Vectors

ALIKE = 0.9
"""Cosine from which two questions are one intent in other words."""
SLICES = 20
"""Parts that cases are dealt into; what trains and what is held out are so many of them."""
PER_TOOL = 200
"""Questions that are remembered of one tool."""


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """A question and its right tools with grades."""

    query: str
    grades: Mapping[Key, float]
    context: str = ""


@dataclass(frozen=True, slots=True)
class TrainEvent:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Example:
    """A case as search saw it: its best candidates and what is known of each. `right` tools may be
    missing from them."""

    query_hash: str
    right: Mapping[Key, float]
    vectors: Vectors
    keys: list[Key]
    base: Vectors
    own: Vectors

    @property
    def service(self) -> int:
        return min(self.right)[0]


def seen(
    conn: Connection, encoder: Encoder, cases: Sequence[LabelledCase], mix: Mix
) -> Generator[TrainEvent, None, list[Example]]:
    """Asks the packaged ranking for every case."""
    approximate = has_approximate_index(conn, encoder.model, encoder.width)
    examples = []
    for done, case in enumerate(cases, 1):
        question = ask(conn, understand(case.query), None)
        pool = gather(conn, question, encoder, None, mix, approximate)
        extra = context_nudges(case.context, pool, encoder)
        examples.append(_example(case, score(question, pool, extra)))
        yield TrainEvent(done, len(cases))
    return examples


def _example(case: LabelledCase, scored: Scored) -> Example:
    import numpy as np

    chosen = best(scored)
    tools = [scored.pool.candidates[i] for i in chosen]
    assert scored.pool.vectors is not None
    return Example(
        hash_of(case.query),
        case.grades,
        scored.pool.vectors,
        [(tool.service_id, tool.operation_id) for tool in tools],
        np.array([scored.scores[i] for i in chosen], dtype=np.float32),
        own_features(scored, chosen),
    )


def hash_of(query: str) -> str:
    return sha256(lexical(query).encode()).hexdigest()


def same_intents(examples: Sequence[Example]) -> list[int]:
    """A number for each case; the same for those that ask the same in other words."""
    import numpy as np

    rows = np.array([example.vectors[0] for example in examples])
    parent = list(range(len(rows)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i in range(1, len(rows)):
        for j in np.flatnonzero(rows[:i] @ rows[i] >= ALIKE):
            parent[root(int(j))] = root(i)
    return [root(i) for i in range(len(rows))]


def slices(examples: Sequence[Example], groups: Sequence[int], seed: int) -> list[list[int]]:
    """Places of the cases in SLICES parts of like size: intents whole, services spread evenly."""
    members: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    service = {group: examples[group].service for group in groups}
    for i, group in enumerate(groups):
        members[service[group]][group].append(i)
    parts: list[list[int]] = [[] for _ in range(SLICES)]
    draw = random.Random(seed)
    intents: list[list[int]] = []
    for name in sorted(members):
        found = list(members[name].values())
        draw.shuffle(found)
        intents += found
    for place, places in enumerate(intents):
        parts[place % SLICES] += places
    return parts


def joined(parts: Sequence[Sequence[int]]) -> list[int]:
    return sorted(place for part in parts for place in part)


class Memory:
    """Questions whose right tools are known, and how like others are to them."""

    def __init__(self, examples: Sequence[Example], groups: Sequence[int]) -> None:
        import numpy as np

        self._rows = np.array([example.vectors[0] for example in examples])
        self._groups = np.array(groups)
        by_tool: dict[Key, list[int]] = defaultdict(list)
        for row, example in enumerate(examples):
            for key in example.right:
                by_tool[key].append(row)
        self._by_tool = {key: np.array(rows[:PER_TOOL]) for key, rows in by_tool.items()}

    def likeness(self, example: Example, group: int) -> list[Likeness]:
        """As `store.rerankers.likeness` will tell, without the questions of its own intent."""
        alike = (example.vectors @ self._rows.T).max(axis=0)
        others = self._groups != group
        return [self._of_tool(key, alike, others) for key in example.keys]

    def _of_tool(self, key: Key, alike: Any, others: Any) -> Likeness:
        import numpy as np

        rows = self._by_tool.get(key, np.zeros(0, dtype=np.int64))
        near = np.sort(alike[rows[others[rows]]])[::-1]
        if not len(near):
            return Likeness(*key, 0.0, 0.0, 0.0, 0)
        mass = float(np.exp(VOTE * (near - 1)).sum())
        return Likeness(*key, float(near[0]), float(near[:3].sum()) / 3, mass, len(near))


def lists(
    examples: Sequence[Example], groups: Sequence[int], places: Sequence[int], memory: Memory
) -> Lists:
    import numpy as np

    chosen = [examples[i] for i in places]
    features = [
        np.hstack([e.own, example_features(memory.likeness(e, groups[i]))])
        for i, e in zip(places, chosen, strict=True)
    ]
    gains = [gains_of(e.keys, e.right) for e in chosen]
    ideal = [ideal_gain(list(e.right.values())) for e in chosen]
    return padded([e.base for e in chosen], features, gains, ideal)


def gains_of(keys: Sequence[Key], right: Mapping[Key, float]) -> Vectors:
    import numpy as np

    return np.array([right.get(key, 0.0) for key in keys], dtype=np.float32)


def remembered(examples: Sequence[Example]) -> list[Remembered]:
    """Every case, at most PER_TOOL of a tool."""
    kept: dict[Key, int] = defaultdict(int)
    found = []
    for example in examples:
        for key in example.right:
            kept[key] += 1
            if kept[key] <= PER_TOOL:
                vector = [round(float(value), 5) for value in example.vectors[0]]
                found.append(Remembered(*key, example.query_hash, vector))
    return found
