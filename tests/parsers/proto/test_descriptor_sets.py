"""Compiled descriptor sets, with and without their imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from catalog.errors import SpecError
from parsers.document import Document
from parsers.proto import is_descriptor_set, parse
from tests.parsers.proto.conftest import write_tree

_FILES = {
    "shop/api.proto": """
        syntax = "proto3";
        package shop;
        import "shop/types.proto";
        import "google/api/annotations.proto";
        // Sells.
        service Till {
          // Takes money.
          rpc Charge(Money) returns (Money) { option (google.api.http) = { get: "/v1/m" }; }
        }
    """,
    "shop/types.proto": 'syntax = "proto3"; package shop; message Money { int64 in_cents = 1; }',
}


def _compiled(root: Path, *options: str) -> bytes:
    write_tree(root, _FILES)
    common = Path(parse.__code__.co_filename).parent / "include"
    target = root / "set.pb"
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{root}", f"-I{common}", *options]
    subprocess.run([*command, f"--descriptor_set_out={target}", "shop/api.proto"], check=True)
    return target.read_bytes()


def test_a_whole_set_says_what_its_text_says(tmp_path: Path) -> None:
    data = _compiled(tmp_path, "--include_imports", "--include_source_info")

    spec = parse(Document("/x/set.pb", data, "x"))

    (operation,) = spec.operations
    assert is_descriptor_set(data)
    assert (operation.name, operation.description) == ("Charge", "Takes money.")
    assert list(operation.input_schema["properties"]) == ["inCents"]  # type: ignore[index]
    assert operation.binding.http_path == "/v1/m"  # type: ignore[union-attr]
    assert (spec.problems, spec.operations_in_source, spec.version) == ((), 1, "proto3")


def test_a_set_without_imports_leaves_their_types_open(tmp_path: Path) -> None:
    spec = parse(Document("/x/set.pb", _compiled(tmp_path), "x"))

    (operation,) = spec.operations
    assert list(operation.input_schema["properties"]) == ["body"]  # type: ignore[index]
    assert [problem.message for problem in spec.problems] == [
        'type "shop.Money" is in none of the files'
    ]


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_set_that_ends_early_is_an_error_or_text(tmp_path: Path, cut: int) -> None:
    data = _compiled(tmp_path, "--include_imports")[:-cut]

    with pytest.raises(SpecError, match=r"/x/set\.pb"):
        parse(Document("/x/set.pb", data, "x"))


def test_text_is_no_set() -> None:
    assert not is_descriptor_set(b'\n\nsyntax = "proto3";\n')
    assert not is_descriptor_set(b"")
    assert not is_descriptor_set(b"\n\x05hello\x00")
