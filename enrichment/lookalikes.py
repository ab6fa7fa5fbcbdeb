"""Tools of a service that are easily taken for one another, and what tells them apart."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog.words import split_identifier
from enrichment.evidence import Evidence, Fact
from enrichment.vocabulary import READING, WRITING, verb_of

GROUP_SIZE = 4
ALIKE = 0.45
"""Likeness from which tools are asked about together."""
_VERBS = READING | WRITING
_COMMON = 60
"""A word or field that more tools than this have says nothing of kinship."""


def groups(tools: Sequence[Evidence], size: int = GROUP_SIZE) -> list[tuple[Evidence, ...]]:
    """The tools of one service, at most `size` to a group, look-alikes together, in stable order.

    Small families share a group.
    """
    return _packed(families(tools, size), size)


def families(tools: Sequence[Evidence], size: int = GROUP_SIZE) -> list[tuple[Evidence, ...]]:
    """Look-alikes, at most `size` of them together; a tool that has none stands alone.

    Alike are tools with nearly the same words in their names or nearly the same fields in what
    they return.
    """
    ordered = sorted(tools, key=lambda tool: tool.name)
    near = _neighbours(ordered)
    found: list[tuple[Evidence, ...]] = []
    taken: set[str] = set()
    for tool in ordered:
        if tool.tool_id not in taken:
            others = [other for other in near(tool) if other.tool_id not in taken]
            found.append((tool, *others[: size - 1]))
            taken |= {member.tool_id for member in found[-1]}
    return found


@dataclass(frozen=True, slots=True)
class _Marks:
    """What likeness looks at: words of the name, the nouns among them, fields, effect."""

    words: frozenset[str]
    things: frozenset[str]
    fields: frozenset[str]
    writes: bool

    @property
    def rare(self) -> Iterator[str]:
        yield from (f"word {word}" for word in self.words)
        yield from self.fields


def _marks(tool: Evidence) -> _Marks:
    words = frozenset(word for word in split_identifier(tool.name) if not word.isdigit())
    fields = frozenset(fact.path for fact in tool.returned)
    return _Marks(words, words - _VERBS, fields, verb_of(tool.name) in WRITING)


def _neighbours(tools: Sequence[Evidence]) -> Callable[[Evidence], list[Evidence]]:
    """For a tool its look-alikes, nearest first, found through the rare things they share."""
    marks = {tool.tool_id: _marks(tool) for tool in tools}
    by_id = {tool.tool_id: tool for tool in tools}
    holders: dict[str, list[str]] = defaultdict(list)
    for tool_id, own in marks.items():
        for mark in own.rare:
            holders[mark].append(tool_id)

    def near(tool: Evidence) -> list[Evidence]:
        own = marks[tool.tool_id]
        rare = (holders[mark] for mark in own.rare if len(holders[mark]) <= _COMMON)
        others = {other for found in rare for other in found} - {tool.tool_id}
        scored = ((_likeness(own, marks[other]), by_id[other]) for other in others)
        close = [(score, other) for score, other in scored if score >= ALIKE]
        return [other for _, other in sorted(close, key=lambda pair: (-pair[0], pair[1].name))]

    return near


def likeness(one: Evidence, other: Evidence) -> float:
    """From 0 to 1: how easily one is taken for the other, by name, answer and effect."""
    return _likeness(_marks(one), _marks(other))


def _likeness(one: _Marks, other: _Marks) -> float:
    named = (_jaccard(one.words, other.words) + _jaccard(one.things, other.things)) / 2
    fields = _jaccard(one.fields, other.fields)
    return 0.5 * named + 0.3 * fields + 0.2 * (one.writes == other.writes)


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left | right else 0.0


def _packed(families: Sequence[tuple[Evidence, ...]], size: int) -> list[tuple[Evidence, ...]]:
    """Small families side by side in one group: the instructions are paid for once."""
    packed: list[tuple[Evidence, ...]] = []
    for family in sorted(families, key=len, reverse=True):
        fits = next((n for n, group in enumerate(packed) if len(group) + len(family) <= size), None)
        if fits is None:
            packed.append(family)
        else:
            packed[fits] += family
    return packed


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
