"""Files that unfold cost a word each: refused by name or read, and no process dies of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.document import Document
from parsers.sandbox import Budget, Outcome, parse_all
from tests.parsers.bombs import bombs

BOMBS = bombs()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("bombs")
    documents = []
    for name, data in BOMBS.items():
        (folder / name).write_bytes(data)
        documents.append(Document(str(folder / name), data, "bomb", folder))
    budget = Budget(seconds=30, memory_bytes=2**30)
    return {Path(o.document.location).name: o for o in parse_all(documents, budget)}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_or_read_within_its_budget(
    name: str, outcomes: dict[str, Outcome]
) -> None:
    outcome = outcomes[name]

    assert not outcome.crashed, outcome.error
    if outcome.error:
        assert name in outcome.error.message
        assert "took longer" not in outcome.error.message
        assert "needs more than" not in outcome.error.message
