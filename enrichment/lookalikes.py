"""Tools of a service that are easily taken for one another, and what tells them apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from catalog.words import split_identifier
from enrichment.evidence import Evidence, Fact

GROUP_SIZE = 4


def groups(tools: Sequence[Evidence]) -> list[tuple[Evidence, ...]]:
    """The tools of one service, look-alikes together, at most four to a group, in stable order.

    Alike are tools whose names differ only in digits and last words, and tools that return nearly
    the same fields.
    """
    by_stem: dict[tuple[str, ...], list[Evidence]] = defaultdict(list)
    for tool in sorted(tools, key=lambda tool: tool.name):
        by_stem[_stem(tool.name)].append(tool)
    return [tuple(chunk) for stem in sorted(by_stem) for chunk in _chunks(_by_shape(by_stem[stem]))]


def _stem(name: str) -> tuple[str, ...]:
    words = [word for word in split_identifier(name) if not word.isdigit()]
    return tuple(words[:2])


def _by_shape(tools: list[Evidence]) -> list[Evidence]:
    """Most similar shapes next to each other, so that a cut between groups parts the others."""
    rest = list(tools)
    ordered = rest[:1]
    rest = rest[1:]
    while rest:
        nearest = max(rest, key=lambda tool: (overlap(ordered[-1], tool), tool.name))
        ordered.append(nearest)
        rest.remove(nearest)
    return ordered


def _chunks(tools: list[Evidence]) -> Iterable[list[Evidence]]:
    return (tools[at : at + GROUP_SIZE] for at in range(0, len(tools), GROUP_SIZE))


def overlap(one: Evidence, other: Evidence) -> float:
    """Jaccard overlap of what two tools return: 1 for the same fields, 0 for none in common."""
    left, right = _field_names(one), _field_names(other)
    return len(left & right) / len(left | right) if left | right else 0.0


def _field_names(tool: Evidence) -> set[str]:
    return {fact.path for fact in tool.returned}


def indistinguishable(tools: Sequence[Evidence]) -> list[tuple[str, ...]]:
    """Ids of tools that nothing but their names tells apart: same text, parameters and response."""
    same: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for tool in tools:
        facts = tuple((fact.path, fact.type, fact.values) for fact in (*tool.given, *tool.returned))
        same[(tool.summary, tool.description, tool.protocol, facts)].append(tool.tool_id)
    return [tuple(ids) for ids in same.values() if len(ids) > 1]


def rarity(tools: Sequence[Evidence]) -> Mapping[str, float]:
    """How much each field name tells within the service: ln(1 + n / tools that have it)."""
    counts = Counter(name for tool in tools for name in {fact.name for fact in tool.returned})
    return {name: math.log(1 + len(tools) / count) for name, count in counts.items()}


def telling(facts: Sequence[Fact], weights: Mapping[str, float], limit: int) -> list[Fact]:
    """The facts that say most, rarest first within the same depth; in the order of the schema."""
    best = sorted(
        range(len(facts)),
        key=lambda at: (-weights.get(facts[at].name, 1.0) / (1 + facts[at].path.count(".")), at),
    )[:limit]
    return [facts[at] for at in sorted(best)]
