"""The description as a whole: what it says of itself, its names, its isolation, its speed."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from parsers.document import ParseOptions
from parsers.openapi.bodies import Bodies
from parsers.openapi.node import Node
from tests.parsers.openapi.specs import BROKEN, http, operation, read, read_file, said


def test_what_a_description_says_of_itself() -> None:
    spec = read("paths: {}\n", "3.1.1")

    assert (spec.service, spec.kind, spec.version, spec.title) == ("api", "openapi", "3.1.1", "T")


def test_texts_come_from_the_operation_or_its_path() -> None:
    spec = read(
        """
        paths:
          /a:
            summary: of the path
            get: {summary: own, description: more, tags: [x, y], deprecated: true}
            put: {description: 7}
        """
    )

    get, put = spec.operations
    assert (get.summary, get.description, get.tags, get.deprecated) == (
        "own",
        "more",
        ("x", "y"),
        True,
    )
    assert (put.summary, put.description, put.deprecated) == ("of the path", "7", False)


@pytest.mark.parametrize(
    ("head", "version"),
    [
        ('openapi: "3.0"', "3.0"),
        ("openapi: 3.0", "3.0"),
        ("openapi: v3.1.0-rc1", "3.1"),
        ("swagger: 2", "2.0"),
        ("swagger: '2'", "2.0"),
        ("openapi: 2.0", "2.0"),
        ("swagger: 3.0.1", "3.0"),
        ("openapi: ${version}", "3.0"),
        ("host: a.test", "2.0"),
        ("servers: []", "3.0"),
    ],
)
def test_versions_as_people_write_them(head: str, version: str, tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(
        f"{head}\ninfo: {{title: T}}\npaths: {{/x: {{get: {{parameters: [{{name: q, in: query,"
        " type: array, schema: {type: array}}]}}}\n"
    )

    spec = read_file(path)

    options = http(spec.operations[0]).arguments[0].options
    assert len(spec.operations) == 1
    assert options == {}
    assert version in ("2.0", "3.0", "3.1")


def test_what_is_no_tool_is_counted() -> None:
    spec = read(
        """
        paths:
          /a:
            post:
              callbacks:
                done: {'{$request.body#/url}': {post: {responses: {}}, put: {responses: {}}}}
                other: {$ref: '#/components/callbacks/Other'}
        webhooks: {made: {post: {}}}
        components: {callbacks: {Other: {'{$url}': {get: {}}}}}
        """,
        "3.1.0",
    )

    assert len(spec.operations) == 1
    assert spec.not_tools == {"callbacks": 3, "webhooks": 1}


def test_a_fault_of_ours_costs_one_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Bodies.of_operation

    def broken(self: Bodies, node: Node) -> object:
        if node.child("operationId").value == "b":
            raise ZeroDivisionError("boom")
        return whole(self, node)

    monkeypatch.setattr(Bodies, "of_operation", broken)

    spec = read("paths: {/a: {get: {operationId: a}}, /b: {get: {operationId: b}}}\n")

    assert [one.name for one in spec.operations] == ["a"]
    assert said(spec) == [
        ("error", "#/paths/~1b/get", "GET /b: could not be read (ZeroDivisionError: boom) (line 3)")
    ]


def test_names_do_not_depend_on_the_order_of_the_file() -> None:
    spec = read_file(BROKEN / "openapi-ids-double-empty-missing.yaml")

    assert all(len(one.name) <= 64 for one in spec.operations)
    assert operation(spec, "GET /a").name.startswith("read_")
    assert operation(spec, "POST /a").name.startswith("Read_")
    assert operation(spec, "GET /c/{id}/parts-list").name == "get_c_id_parts_list"
    assert http(operation(spec, "PUT /d")).operation_id.endswith("writing")


def test_strict_adds_what_the_validator_says_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_text("openapi: 3.0.3\ninfo: {title: T}\npaths: {/a: {get: {operationId: a}}}\n")

    plain, strict = read_file(path), read_file(path, ParseOptions(strict=True))

    assert said(plain) == []
    assert strict.operations == plain.operations
    assert {(level, place) for level, place, _ in said(strict)} == {
        ("warning", "#/info"),
        ("warning", "#/paths/~1a/get"),
    }
    assert all(message.startswith("strict: ") for _, _, message in said(strict))


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0", "3.2.0"])
def test_strict_knows_every_version_we_read(version: str, tmp_path: Path) -> None:
    key = "swagger" if version == "2.0" else "openapi"
    path = tmp_path / "api.yaml"
    path.write_text(f'{key}: "{version}"\ninfo: {{title: T, version: "1"}}\npaths: {{}}\n')

    spec = read_file(path, ParseOptions(strict=True))

    assert not [message for _, _, message in said(spec) if message.startswith("strict")]


def test_a_diamond_of_types_is_read_in_step_with_its_size() -> None:
    types = "\n".join(
        f"    L{n}: {{type: object, properties: {{a: {{$ref: '#/components/schemas/L{n + 1}'}},"
        f" b: {{allOf: [{{$ref: '#/components/schemas/L{n + 1}'}}]}}}}}}"
        for n in range(25)
    )
    begun = time.process_time()

    spec = read(
        "paths: {/x: {post: {requestBody: {content: {application/json: {schema:"
        " {$ref: '#/components/schemas/L0'}}}}}}}\n"
        f"components:\n  schemas:\n{types}\n    L25: {{type: string}}\n"
    )

    assert len(spec.definitions) == 25
    assert time.process_time() - begun < 1


def test_strict_says_what_no_schema_can_say(tmp_path: Path) -> None:
    """A parameter of the path that nobody declares is valid by the schema of OpenAPI 3.0."""
    path = tmp_path / "undeclared.yaml"
    path.write_text(
        'openapi: 3.0.3\ninfo: {title: t, version: "1"}\n'
        "paths: {'/a/{id}': {get: {responses: {default: {description: ok}}}}}\n"
    )

    messages = [message for _, _, message in said(read_file(path, ParseOptions(strict=True)))]

    assert any(message.startswith("strict: ") and "'id'" in message for message in messages)
