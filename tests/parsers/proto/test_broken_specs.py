"""Each fault in `broken_specs/proto-*.proto` costs what it is about, and is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.assembly import assemble
from catalog.errors import SpecError
from parsers.document import Document
from parsers.proto import parse

_FOLDER = Path(__file__).parents[2] / "broken_specs"
_EXPECTED: dict[str, Any] = json.loads((Path(__file__).parent / "broken_specs.json").read_text())


def _outcome(path: Path) -> dict[str, Any]:
    """What a person is told; operations must add up to what the file has."""
    try:
        spec = parse(Document(str(path), path.read_bytes(), "x", path.parent))
    except SpecError as error:
        return {"error": error.message.replace(f"{path.parent}/", "")}
    left_out = [problem for problem in spec.problems if problem.level == "error"]
    assert spec.operations_in_source == len(spec.operations) + len(left_out)
    for operation in spec.operations:
        whole = assemble(operation, spec.definitions)
        assert json.loads(json.dumps(whole.input_schema)) == whole.input_schema
    shown = [
        f"{p.level} {p.location.replace(f'{path.parent}/', '')}: {p.message}" for p in spec.problems
    ]
    return {"operations": [operation.name for operation in spec.operations], "problems": shown}


@pytest.mark.parametrize("name", sorted(_EXPECTED))
def test_fault(name: str) -> None:
    assert _outcome(_FOLDER / f"{name}.proto") == _EXPECTED[name]


def test_every_file_has_an_expectation() -> None:
    assert sorted(path.stem for path in _FOLDER.glob("proto-*.proto")) == sorted(_EXPECTED)
