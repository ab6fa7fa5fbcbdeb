"""The gate's own suite: questions that the model drafted from the evidence of the tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evaluation.suites import Case, Suite

NAME = "drafted"


def drafted_suite(
    questions: Mapping[str, Sequence[str]], alike: Iterable[Sequence[str]] = ()
) -> Suite:
    """A case for each question, asked once; tools that nothing but the name tells apart (`alike`),
    and those that the same question was drafted for, are right alike."""
    twins = {tool: ids for ids in alike for tool in ids}
    right: dict[str, dict[str, float]] = defaultdict(dict)
    for tool, asked in questions.items():
        for question in asked:
            right[question].update(dict.fromkeys(twins.get(tool, (tool,)), 1.0))
    return Suite(NAME, tuple(Case(query, grades) for query, grades in right.items()))
