"""From what the user names to documents: files, folders, globs, stdin, addresses."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from catalog.errors import CredentialsRefused, SpecError, TryLater, UsageError
from parsers.document import ParseOptions
from parsers.sources import Found, find_documents
from tests.parsers.servers import Server, closed_port

OPENAPI = b'{"openapi": "3.0.0", "info": {"title": "t", "version": "1"}, "paths": {}}'
PROTO = b'syntax = "proto3"; service S { rpc A(B) returns (B); } message B {}'
TYPES = b'syntax = "proto3"; message B {}'
WSDL = b'<definitions xmlns="http://schemas.xmlsoap.org/wsdl/">%s</definitions>'


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def services(found: Found) -> dict[str, str]:
    return {document.service: Path(document.location).name for document in found.documents}


def reasons(found: Found) -> dict[str, str]:
    return {Path(skipped.location).name: skipped.reason for skipped in found.skipped}


def test_a_folder_gives_its_specs_in_order(tmp_path: Path) -> None:
    lay(tmp_path, {"z/crm.json": OPENAPI, "a.yaml": b"openapi: 3.0.0", "b/c/pay.proto": PROTO})

    found = find_documents([str(tmp_path)])

    assert services(found) == {"a": "a.yaml", "pay": "pay.proto", "crm": "crm.json"}
    assert [d.location for d in found.documents] == sorted(d.location for d in found.documents)
    assert all(document.root == tmp_path for document in found.documents)
    assert found.documents[0].data == b"openapi: 3.0.0"
    assert found.failures == ()


def test_what_is_no_spec_in_a_folder_is_left_out_by_name(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "api.json": OPENAPI,
            "README.md": b"# openapi: 3.0.0",
            "picture.png": b"\x89PNG",
            "package.json": b"{}",
            "parts/pets.yaml": b"get: {}",
            "page.wsdl": b"<html>",
            "empty.yaml": b"",
            "types.proto": TYPES,
            "types.xml": b"<schema xmlns='http://www.w3.org/2001/XMLSchema'/>",
        },
    )

    found = find_documents([str(tmp_path)])

    assert list(services(found).values()) == ["api.json"]
    assert reasons(found) == {
        "package.json": "is JSON without an openapi or swagger key at its top, not an API spec",
        "pets.yaml": "is YAML without an openapi or swagger key at its top, not an API spec",
        "page.wsdl": "is an HTML page, not an API spec",
        "empty.yaml": "is an empty file, not an API spec",
        "types.proto": "has no service: it is read where another .proto imports it",
        "types.xml": "is an XML Schema, not an API spec",
    }
    assert found.failures == ()


def test_hidden_folders_and_packages_are_not_walked(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "api.json": OPENAPI,
            ".git/x.json": OPENAPI,
            "node_modules/p/x.json": OPENAPI,
            ".hidden.json": OPENAPI,
        },
    )

    assert len(find_documents([str(tmp_path)]).documents) == 1
    assert len(find_documents([f"{tmp_path}/**/*.json"]).documents) == 1


def test_links_that_turn_back_or_lead_out_end(tmp_path: Path) -> None:
    inside = lay(tmp_path / "in", {"api.json": OPENAPI, "deep/pay.json": OPENAPI})
    outside = lay(tmp_path / "out", {"secret.json": OPENAPI})
    (inside / "deep" / "back").symlink_to(inside)
    (inside / "away").symlink_to(outside)
    (inside / "file.json").symlink_to(outside / "secret.json")
    (inside / "alias.json").symlink_to(inside / "api.json")
    (inside / "gone.json").symlink_to(inside / "nothing.json")

    found = find_documents([str(inside)])

    assert sorted(Path(d.location).name for d in found.documents) == ["alias.json", "pay.json"]
    assert reasons(found)["away"] == "a link that leads out of the folder"
    assert reasons(found)["file.json"] == "a link that leads out of the folder"
    assert [Path(location).name for location, _ in found.failures] == ["gone.json"]


def test_a_glob_finds_files_at_any_depth(tmp_path: Path) -> None:
    lay(tmp_path, {"a/x.json": OPENAPI, "a/b/y.json": OPENAPI, "a/n.txt": b"x", "a/p.json": b"{}"})

    found = find_documents([f"{tmp_path}/a/**/*.json"])

    assert services(found) == {"x": "x.json", "y": "y.json"}
    assert {document.root for document in found.documents} == {tmp_path / "a"}
    assert list(reasons(found)) == ["p.json"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("**/*.json", ["a.json", "b.json", "c.json"]),
        ("**/b.*", ["b.json", "b.txt"]),
        ("x/**", ["b.json", "b.txt", "c.json"]),
        ("x/**/c.json", ["c.json"]),
        ("*/[bc].json", ["b.json"]),
        ("x", ["b.json", "c.json"]),
        ("?", ["b.json", "c.json"]),
        ("**/x/*.json", ["b.json"]),
        ("x/*/../*.json", ["b.json"]),
        ("../*/a.json", ["a.json"]),
    ],
)
def test_patterns_mean_what_shells_make_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, names: list[str]
) -> None:
    files = ("a.json", "x/b.json", "x/b.txt", "x/y/c.json", "x/.hidden/d.json")
    lay(tmp_path / "w", dict.fromkeys(files, OPENAPI))
    monkeypatch.chdir(tmp_path / "w")

    found = find_documents([pattern])

    assert sorted(Path(document.location).name for document in found.documents) == names


def test_links_that_turn_back_do_not_multiply(tmp_path: Path) -> None:
    lay(tmp_path, {"x/a.json": OPENAPI})
    for name in ("one", "two", "three"):
        (tmp_path / "x" / name).symlink_to(tmp_path)

    assert len(find_documents([f"{tmp_path}/**/*.json"]).documents) == 1


def test_a_name_that_is_no_text_is_read_all_the_same(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.json")).write_bytes(OPENAPI)

    [document] = find_documents([str(tmp_path)]).documents
    assert document.data == OPENAPI
    assert document.service == "caf"


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "file:///a%00b", "", " ", "http://", "x://y"])
def test_an_impossible_name_is_a_failure(name: str) -> None:
    [(_, error)] = find_documents([name]).failures

    assert isinstance(error, SpecError)


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    lay(tmp_path, {"api[1].json": OPENAPI})

    assert len(find_documents([f"{tmp_path}/api[1].json"]).documents) == 1


def test_a_file_is_taken_once_however_often_it_is_named(tmp_path: Path) -> None:
    lay(tmp_path, {"api.json": OPENAPI})
    names = [str(tmp_path), f"{tmp_path}/api.json", f"{tmp_path}/*.json", f"{tmp_path}/./api.json"]

    found = find_documents(names)

    assert len(found.documents) == 1
    assert found.failures == ()


def test_relative_names_are_taken_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, {"specs/api.json": OPENAPI})
    monkeypatch.chdir(tmp_path)

    for name in ("specs", "specs/api.json", "specs/*", "./specs/../specs"):
        assert find_documents([name]).documents[0].location == str(tmp_path / "specs/api.json")


@pytest.mark.parametrize(
    ("files", "name", "message"),
    [
        ({"x.html": b"<!doctype html>"}, "x.html", "x.html: is an HTML page, not an API spec"),
        ({"x.yaml": b"a: b"}, "x.yaml", "x.yaml: is YAML without"),
        ({"x.wsdl": b""}, "x.wsdl", "x.wsdl: is an empty file"),
        ({"d/x.txt": b"a"}, "d", "d: no spec in it"),
        ({"d/x.json": b"{}", "d/y.yml": b"a: b"}, "d", r"d: no spec in it \(2 files looked at\)"),
        ({}, "gone.json", "gone.json: no such file or folder"),
        ({}, "*.yaml", r"\*.yaml: matches no file"),
    ],
)
def test_a_name_without_a_spec_is_a_failure_with_a_hint(
    tmp_path: Path, files: dict[str, bytes], name: str, message: str
) -> None:
    lay(tmp_path, files)

    found = find_documents([str(tmp_path / name)])

    assert found.documents == ()
    [(_, error)] = found.failures
    assert isinstance(error, SpecError)
    assert re.search(message, error.message)
    assert error.hint


def test_a_bad_name_costs_only_itself(tmp_path: Path) -> None:
    lay(tmp_path, {"api.json": OPENAPI})

    found = find_documents([str(tmp_path / "gone"), str(tmp_path / "api.json"), "ftp://h/x"])

    assert len(found.documents) == 1
    assert len(found.failures) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    lay(tmp_path, {"api.json": OPENAPI})
    (tmp_path / "api.json").chmod(0)

    [(_, error)] = find_documents([str(tmp_path)]).failures

    assert "Permission denied" in error.message


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "api.json")

    [(_, error)] = find_documents([str(tmp_path / "api.json")]).failures

    assert "not a regular file" in error.message


def test_stdin_is_a_spec_with_the_name_given() -> None:
    found = find_documents(["-"], service="My CRM", stdin=io.BytesIO(OPENAPI))

    [document] = found.documents
    assert (document.service, document.location, document.root) == ("My_CRM", "stdin", None)
    assert document.data == OPENAPI


def test_stdin_that_is_no_spec_or_not_there_is_an_error() -> None:
    [(_, error)] = find_documents(["-"], stdin=io.BytesIO(b"")).failures
    assert error.message == "stdin: is an empty file, not an API spec"

    [(_, error)] = find_documents(["-"]).failures
    assert isinstance(error, UsageError)


def test_one_service_name_is_for_one_spec(tmp_path: Path) -> None:
    lay(tmp_path, {"a.json": OPENAPI, "b.json": OPENAPI})

    with pytest.raises(UsageError, match="2 specs were found"):
        find_documents([str(tmp_path)], service="crm")


def test_specs_of_one_name_are_told_apart_by_folder(tmp_path: Path) -> None:
    lay(tmp_path, {"eu/crm.json": OPENAPI, "us/crm.json": OPENAPI, "eu/hr.json": OPENAPI})

    found = find_documents([str(tmp_path / "us"), str(tmp_path / "eu")])

    assert sorted(services(found)) == ["eu_crm", "hr", "us_crm"]


def test_a_wsdl_that_another_one_imports_is_read_there(tmp_path: Path) -> None:
    imports = b'<import namespace="n" location="%s"/>'
    service = b'<service name="s"/>'
    lay(
        tmp_path,
        {
            "main.wsdl": WSDL % (imports % b"parts/types.wsdl" + service),
            "parts/types.wsdl": WSDL % (imports % b"deep.wsdl"),
            "parts/deep.wsdl": WSDL % b"",
            "own.wsdl": WSDL % (imports % b"served.wsdl" + service),
            "served.wsdl": WSDL % service,
            "alone.wsdl": WSDL % (b"<!-- " + imports % b"free.wsdl" + b" -->"),
            "free.wsdl": WSDL % b"",
            "ring1.wsdl": WSDL % (imports % b"ring2.wsdl"),
            "ring2.wsdl": WSDL % (imports % b"ring1.wsdl"),
        },
    )

    found = find_documents([str(tmp_path)])

    assert set(reasons(found)) == {"types.wsdl", "deep.wsdl", "ring2.wsdl"}
    assert reasons(found)["deep.wsdl"] == f"is read as part of {tmp_path}/main.wsdl"


def test_a_wsdl_outside_the_importers_folder_is_not_left_out(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "a/main.wsdl": WSDL % b'<import location="../b/part.wsdl"/><service/>',
            "b/part.wsdl": WSDL % b"",
        },
    )

    apart = find_documents([str(tmp_path / "a"), str(tmp_path / "b")])
    together = find_documents([str(tmp_path)])

    assert len(apart.documents) == 2
    assert len(together.documents) == 1


def test_an_address_is_fetched_with_the_headers_given() -> None:
    routes = {"/crm/openapi.json": (200, {}, OPENAPI)}
    with Server(routes) as server:
        found = find_documents([f"{server.url}/crm/openapi.json"], headers={"X-Key": "k"})

        [document] = found.documents
        assert document.location == f"{server.url}/crm/openapi.json"
        assert document.service == f"127_0_0_1_{server.port}"
        assert document.root is None
        assert server.requests[0][1]["X-Key"] == "k"


def test_an_address_with_a_page_behind_it_is_an_error() -> None:
    with Server({"/api": (200, {"Content-Type": "application/json"}, b"<html>sign in")}) as server:
        [(location, error)] = find_documents([f"{server.url}/api?token=s3cret"]).failures

    assert error.message.endswith("token=***: is an HTML page, not an API spec")
    assert "s3cret" not in location + error.message


def test_errors_of_addresses_keep_their_kind() -> None:
    with Server({"/secret": (401, {}, b"")}) as server:
        names = [f"{server.url}/secret", f"http://u:p4ss@127.0.0.1:{closed_port()}/x"]
        (_, refused), (location, down) = find_documents(names).failures

    assert isinstance(refused, CredentialsRefused)
    assert isinstance(down, TryLater)
    assert "p4ss" not in location + down.message


def test_naming_an_address_opens_no_other() -> None:
    with Server({"/": (200, {}, OPENAPI)}) as inner:
        moved = (302, {"Location": f"{inner.url}/"}, b"")
        with Server({"/api.json": moved}) as outer:
            closed = find_documents([f"{outer.url}/api.json"])
            options = ParseOptions(allow_hosts=("127.0.0.1",))
            opened = find_documents([f"{outer.url}/api.json"], options=options)

    assert "network is not used" in closed.failures[0][1].message
    assert opened.documents[0].location == f"{inner.url}/"


def test_a_grpc_server_that_is_down_is_tried_later() -> None:
    [(location, error)] = find_documents([f"grpc://u:p4ss@127.0.0.1:{closed_port()}"]).failures

    assert isinstance(error, TryLater)
    assert "p4ss" not in location + error.message
