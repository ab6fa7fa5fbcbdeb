"""Imports are found from what the spec says of itself, and only inside its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.errors import SpecError
from catalog.spec import ParsedSpec
from parsers.document import Document
from parsers.proto import parse
from tests.parsers.proto.conftest import ReadFile, write_tree

_UNIT = 'syntax = "proto3"; package acme.common; enum Unit { NONE = 0; METER = 1; }'
_LENGTH = (
    'syntax = "proto3"; package acme.v1; import "acme/common/unit.proto"; '
    "message Length { double value = 1; acme.common.Unit unit = 2; }"
)
_RULER = (
    'syntax = "proto3"; package acme.v1; import "acme/v1/length.proto"; '
    "service Ruler { rpc Measure(Length) returns (Length); }"
)
_TREE = {
    "proto/acme/common/unit.proto": _UNIT,
    "proto/acme/v1/length.proto": _LENGTH,
    "proto/acme/v1/ruler.proto": _RULER,
}


def _measure_takes_unit(spec: ParsedSpec) -> bool:
    return spec.problems == () and "acme.common.Unit" in spec.definitions


@pytest.mark.parametrize("named", ["proto/acme/v1", "proto/acme", "proto", "."])
@pytest.mark.parametrize("cwd", [".", "proto/acme", "/"])
def test_the_root_is_found_from_whatever_folder_is_named(
    tmp_path: Path, read_file: ReadFile, monkeypatch: pytest.MonkeyPatch, named: str, cwd: str
) -> None:
    write_tree(tmp_path, _TREE)
    monkeypatch.chdir(tmp_path / cwd)

    spec = read_file(tmp_path / "proto/acme/v1/ruler.proto", tmp_path / named)

    assert _measure_takes_unit(spec)


def test_a_neighbour_is_found_by_its_bare_name(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(tmp_path, {"a.proto": _no_package("b.proto"), "b.proto": _message("M")})

    assert read_file(tmp_path / "a.proto").problems == ()


def test_a_sibling_folder_of_includes_is_found(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {"proto/a.proto": _no_package("lib/b.proto"), "include/lib/b.proto": _message("M")},
    )

    assert read_file(tmp_path / "proto/a.proto", tmp_path).problems == ()


def test_a_path_relative_to_the_importer_is_followed(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {
            "v1/a.proto": _no_package("../common/b.proto"),
            "common/b.proto": 'syntax = "proto3"; import "./c.proto"; message M { N n = 1; }',
            "common/c.proto": _message("N"),
        },
    )

    spec = read_file(tmp_path / "v1/a.proto", tmp_path)

    assert spec.problems == ()
    assert "N" in spec.definitions


def test_a_path_that_begins_with_a_repository_is_found(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {
            "svc/a.proto": _no_package("github.com/us/repo/lib/v1/b.proto"),
            "lib/v1/b.proto": _message("M"),
        },
    )

    assert read_file(tmp_path / "svc/a.proto", tmp_path).problems == ()


def test_one_file_under_two_names_is_one_file(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {
            "a.proto": 'syntax = "proto3"; import "lib/b.proto"; import "lib/c.proto"; '
            "service S { rpc Do(M) returns (C); }",
            "lib/b.proto": _message("M"),
            "lib/c.proto": 'syntax = "proto3"; import "b.proto"; message C { M m = 1; }',
        },
    )

    assert read_file(tmp_path / "a.proto").problems == ()


def test_two_apis_with_files_of_the_same_name(tmp_path: Path, read_file: ReadFile) -> None:
    api = (
        'syntax = "proto3"; package {0}; import "types.proto"; '
        "service S {{ rpc Do(M) returns (M); }}"
    )
    types = 'syntax = "proto3"; package {0}; message M {{ {1} a = 1; }}'
    write_tree(
        tmp_path,
        {
            "shop/api.proto": api.format("shop"),
            "shop/types.proto": types.format("shop", "bool"),
            "bank/api.proto": api.format("bank"),
            "bank/types.proto": types.format("bank", "string"),
        },
    )
    shop = read_file(tmp_path / "shop/api.proto", tmp_path)
    bank = read_file(tmp_path / "bank/api.proto", tmp_path)

    assert shop.definitions["shop.M"]["properties"]["a"] == {"type": "boolean"}  # type: ignore[index]
    assert bank.definitions["bank.M"]["properties"]["a"] == {"type": "string"}  # type: ignore[index]


def test_another_apis_file_of_the_same_name_is_not_taken(
    tmp_path: Path, read_file: ReadFile
) -> None:
    write_tree(
        tmp_path,
        {
            "shop/api.proto": 'syntax = "proto3"; package shop; import "types.proto"; '
            "service S { rpc Do(M) returns (M); }",
            "bank/types.proto": 'syntax = "proto3"; package bank; message M { string a = 1; }',
        },
    )

    spec = read_file(tmp_path / "shop/api.proto", tmp_path)

    assert len(spec.operations) == 1
    assert 'import "types.proto": not found' in spec.problems[0].message


def test_a_stated_root_is_used(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path, {"api/a.proto": _no_package("far/b.proto"), "away/far/b.proto": _message("M")}
    )

    spec = read_file(tmp_path / "api/a.proto", include=(tmp_path / "away",))

    assert spec.problems == ()


def test_what_is_missing_is_named_with_the_option_to_give(
    tmp_path: Path, read_file: ReadFile
) -> None:
    write_tree(tmp_path, {"a.proto": _no_package("far/b.proto")})

    (missing, unknown) = read_file(tmp_path / "a.proto").problems

    assert missing.location == f"{tmp_path / 'a.proto'}:1"
    assert 'import "far/b.proto": not found (name the folder' in missing.message
    assert "-I DIR" in missing.message
    assert unknown.message == 'type "M" is left open: "M" is not defined.'


def test_common_types_come_with_the_product(tmp_path: Path, read_file: ReadFile) -> None:
    path = tmp_path / "a.proto"
    path.write_text(
        'syntax = "proto3"; import "google/type/date.proto"; import "google/rpc/status.proto";'
        'import "google/longrunning/operations.proto"; import "google/protobuf/timestamp.proto";'
        "message A { google.type.Date day = 1; google.rpc.Status status = 2; "
        "google.protobuf.Timestamp at = 3; } "
        "service S { rpc Do(A) returns (google.longrunning.Operation); }"
    )
    spec = read_file(path)

    assert spec.problems == ()
    assert [operation.name for operation in spec.operations] == ["Do"]  # not those of imports
    assert "google.rpc.Status" in spec.definitions


def test_a_symbolic_link_out_of_the_folder_is_refused(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {"in/a.proto": _no_package("b.proto"), "out/secret.proto": _message("M")},
    )
    (tmp_path / "in/b.proto").symlink_to(tmp_path / "out/secret.proto")

    spec = read_file(tmp_path / "in/a.proto")

    assert "outside the folder of the spec" in spec.problems[0].message
    assert spec.definitions == {}


def test_a_file_above_is_not_taken_unless_the_spec_names_its_tree(
    tmp_path: Path, read_file: ReadFile
) -> None:
    write_tree(
        tmp_path,
        {"api/a.proto": _no_package("b.proto"), "b.proto": _message("M")},
    )

    assert 'import "b.proto": not found' in read_file(tmp_path / "api/a.proto").problems[0].message


@pytest.mark.parametrize("location", ["-", "https://example.test/apis/a.proto"])
def test_text_without_a_folder_still_has_the_common_imports(location: str) -> None:
    text = (
        'syntax = "proto3"; import "google/type/date.proto"; import "other.proto"; '
        "service S { rpc Do(google.type.Date) returns (google.type.Date); }"
    )

    spec = parse(Document(location, text.encode(), "x"))

    assert [operation.name for operation in spec.operations] == ["Do"]
    assert len(spec.problems) == 1


def test_a_broken_import_costs_its_types_and_is_named(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {
            "a.proto": _no_package("b.proto"),
            "b.proto": 'syntax = "proto3";\nmessage M { string a = ; }',
        },
    )
    spec = read_file(tmp_path / "a.proto")

    assert [operation.name for operation in spec.operations] == ["Do"]
    assert spec.problems[0].location == f"{tmp_path / 'b.proto'}:2"
    assert "Expected field number" in spec.problems[0].message


def test_an_import_of_a_newer_edition_costs_its_types(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {"a.proto": _no_package("b.proto"), "b.proto": 'edition = "2026"; message M {}'},
    )
    spec = read_file(tmp_path / "a.proto")

    assert [operation.name for operation in spec.operations] == ["Do"]
    assert "edition 2026 is newer than this product reads (2024)" in spec.problems[0].message


def test_files_that_import_each_other(tmp_path: Path, read_file: ReadFile) -> None:
    write_tree(
        tmp_path,
        {
            "a.proto": 'syntax = "proto3"; import "b.proto"; message A { B b = 1; } '
            "service S { rpc Do(A) returns (B); }",
            "b.proto": 'syntax = "proto3"; import "a.proto"; message B { A a = 1; }',
        },
    )
    spec = read_file(tmp_path / "a.proto")

    assert spec.definitions["B"]["properties"]["a"] == {"$ref": "#/$defs/A"}  # type: ignore[index]
    assert spec.definitions["A"]["properties"]["b"] == {"$ref": "#/$defs/B"}  # type: ignore[index]


def test_nothing_is_left_behind_and_no_message_shows_a_temporary_path(
    tmp_path: Path, read_file: ReadFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    write_tree(tmp_path / "spec", {"a.proto": 'syntax = "proto3";\nmessage M { ! '})

    with pytest.raises(SpecError) as caught:
        read_file(tmp_path / "spec/a.proto")

    assert caught.value.message.startswith(f"{tmp_path}/spec/a.proto:2:13: ")
    assert str(temporary) not in caught.value.message
    assert list(temporary.iterdir()) == []
    assert [path.name for path in (tmp_path / "spec").iterdir()] == ["a.proto"]


def _message(name: str) -> str:
    return f'syntax = "proto3"; message {name} {{ string a = 1; }}'


def _no_package(imported: str) -> str:
    return f'syntax = "proto3"; import "{imported}"; service S {{ rpc Do(M) returns (M); }}'
