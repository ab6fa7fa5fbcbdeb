from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.sample_specs.reading import intents, tool_ids

CASES = intents()


def of_group(name: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["group"] == name]


def test_every_right_tool_exists_and_every_tool_is_right_for_some_case(tmp_path: Path) -> None:
    assert {tool for case in CASES for tool in case["relevant"]} == tool_ids(tmp_path)


def test_cases_are_distinct() -> None:
    asked = Counter((case["query"].lower(), case.get("context")) for case in CASES)

    assert [question for question, count in asked.items() if count > 1] == []
    assert len({case["source_id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("group", "least"),
    [("look-alike", 40), ("opaque", 60), ("unanswerable", 30), ("context", 40), ("typo", 5)],
)
def test_groups_are_large_enough(group: str, least: int) -> None:
    assert len(of_group(group)) >= least


@pytest.mark.parametrize("service", ["crm", "hr"])
def test_opaque_services_have_thirty_cases_each(service: str) -> None:
    cases = [c for c in of_group("opaque") if c["relevant"][0].startswith(f"{service}/")]

    assert len(cases) >= 30


def test_exactly_the_unanswerable_have_no_right_tool() -> None:
    assert of_group("unanswerable") == [case for case in CASES if not case["relevant"]]


def test_wrong_context_leaves_the_answer_and_telling_context_decides_it() -> None:
    by_query: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in of_group("context"):
        by_query[case["query"]].append(case)

    for cases in by_query.values():
        kinds = sorted(case["context_kind"] for case in cases)
        answers = {tuple(case["relevant"]) for case in cases}
        assert (kinds, len(answers)) in (
            (["hostile", "irrelevant", "right"], 1),
            (["decides", "decides"], 2),
        )


def test_some_cases_need_two_tools() -> None:
    assert sum(len(case["relevant"]) == 2 for case in CASES) >= 6
