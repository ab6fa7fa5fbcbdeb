"""Nothing is dropped in silence: tools and named errors against a count of the raw document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import raw_counts
from parsers.sandbox import Outcome, parse_all
from parsers.sniffing import sniff
from parsers.sources import find_documents

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    found = find_documents([str(ROOT / "sample_specs"), str(ROOT / "tests/broken_specs")])
    return list(parse_all(found.documents))


def test_every_operation_of_our_own_specs_is_a_tool_or_a_named_error(
    outcomes: list[Outcome],
) -> None:
    assert len(outcomes) >= 4
    assert list(_losses(outcomes)) == []


def test_no_spec_of_ours_brings_a_parser_down(outcomes: list[Outcome]) -> None:
    assert [o.error for o in outcomes if o.crashed] == []


def _losses(outcomes: list[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        path = Path(outcome.document.location)
        data = path.read_bytes()
        try:
            raw = raw_counts.count(sniff(data).kind, path, data)
        except raw_counts.Unreadable:
            continue
        parsed = outcome.parsed
        errors = [p for p in parsed.problems if p.level == "error"] if parsed else []
        tools = len(parsed.operations) if parsed else 0
        if outcome.error is None and tools + len(errors) < raw:
            yield f"{path.name}: {raw} operations, {tools} tools, {len(errors)} errors"
