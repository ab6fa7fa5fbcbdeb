"""What an author wrote is kept: words of YAML, comments, long chains; but no secrets."""

from __future__ import annotations

import json

import pytest

from catalog.binding import HttpBinding
from parsers import parse
from parsers.document import Document
from tests.parsers.openapi.specs import read

GET = "{get: {operationId: a, responses: {}}}"


def _whole(text: str, name: str = "api.json"):
    return parse(Document(f"/specs/{name}", text.encode(), "api"))


def test_words_of_a_string_enum_stay_as_written() -> None:
    spec = read(
        """
        paths:
          /a:
            get:
              operationId: a
              parameters:
                - {name: m, in: query, schema: {type: string, enum: [0777, on, No, 0x1F, 0o17, +1,
                    12:30:45, 1.10, 1_000, 5]}}
              responses: {}
        """
    )

    (schema,) = (one.input_schema for one in spec.operations)
    assert isinstance(schema, dict)
    assert schema["properties"]["m"]["enum"] == (
        ["0777", "on", "No", "0x1F", "0o17", "+1", "12:30:45", "1.10", "1_000", "5"]
    )


def test_words_that_yaml_takes_for_booleans_stay_as_written() -> None:
    spec = read(
        """
        paths:
          /a:
            get:
              operationId: a
              parameters:
                - {name: m, in: query, schema: {type: string, enum: [True, FALSE], default: True}}
                - {name: n, in: query, schema: {type: string, enum: [true, false]}}
              responses: {}
        """
    )

    schema = spec.operations[0].input_schema
    assert isinstance(schema, dict)
    assert schema["properties"]["m"] == {
        "type": "string",
        "enum": ["True", "FALSE"],
        "default": "True",
    }
    assert schema["properties"]["n"]["enum"] == ["true", "false"]


def test_a_hexadecimal_number_is_a_number_where_one_is_wanted() -> None:
    spec = read(
        """
        paths:
          /a:
            get:
              operationId: a
              parameters: [{name: m, in: query, schema: {type: integer, enum: [0x1F, 1]}}]
              responses: {}
        """
    )

    text = json.dumps(spec.operations[0].input_schema)
    assert json.loads(text)["properties"]["m"]["enum"] == [31, 1]


@pytest.mark.parametrize("lead", ["// a\n", "/* a\n * b\n */\n// c\n", ""])
def test_json_with_comments_is_read_with_a_warning(lead: str) -> None:
    inside = '{"openapi": "3.0.3", // no "quotes"\n "paths": {"/a": {"get": {"operationId": "a",'
    spec = _whole(lead + inside + '"summary": "see http://x.test/*y*/", "responses": {}}}}}')

    assert spec.operations[0].summary == "see http://x.test/*y*/"
    assert [p.message for p in spec.problems if "comments" in p.message]


def test_yaml_in_braces_is_no_broken_json() -> None:
    spec = _whole(f'{{openapi: 3.0.3, info: {{title: t, version: "1"}}, paths: {{/a: {GET}}}}}')

    assert [one.name for one in spec.operations] == ["a"]
    assert not [p for p in spec.problems if "JSON" in p.message]


def test_a_chain_of_references_may_be_long() -> None:
    links = "".join(f"    s{n}: {{$ref: '#/components/schemas/s{n + 1}'}}\n" for n in range(500))
    text = (
        "paths:\n  /a:\n    post:\n      operationId: a\n      responses: {}\n"
        "      requestBody: {content: {application/json: {schema: "
        "{$ref: '#/components/schemas/s0'}}}}\n"
        f"components:\n  schemas:\n{links}"
        "    s500: {type: object, properties: {deep: {type: string}}}\n"
    )

    spec = read(text)

    schema = spec.operations[0].input_schema
    assert isinstance(schema, dict)
    assert list(schema["properties"]) == ["deep"]
    assert not spec.problems


def test_a_chain_of_parameters_may_be_long_and_a_ring_ends() -> None:
    links = "".join(f"    p{n}: {{$ref: '#/components/parameters/p{n + 1}'}}\n" for n in range(200))
    text = (
        "paths:\n  /a:\n    get:\n      operationId: a\n      responses: {}\n      parameters:\n"
        "        - {$ref: '#/components/parameters/p0'}\n"
        "        - {$ref: '#/components/parameters/r0'}\n"
        f"components:\n  parameters:\n{links}"
        "    p200: {name: q, in: query, schema: {type: string}}\n"
        "    r0: {$ref: '#/components/parameters/r1'}\n"
        "    r1: {$ref: '#/components/parameters/r0'}\n"
    )

    spec = read(text)

    schema = spec.operations[0].input_schema
    assert isinstance(schema, dict)
    assert list(schema["properties"]) == ["q"]
    assert any("back to itself" in problem.message for problem in spec.problems)


@pytest.mark.parametrize(
    ("version", "where"),
    [
        ("3.0.3", "servers: [{url: 'https://bob:s3cret@api.test/v1'}]"),
        (
            "3.1.0",
            "servers: [{url: 'https://{who}@api.test/v1',"
            " variables: {who: {default: 'bob:s3cret'}}}]",
        ),
        ("2.0", "host: bob:s3cret@api.test\nbasePath: /v1"),
        ("3.0.3", "servers: [{url: 'https://api.test/v1?api_key=s3cret'}]"),
    ],
    ids=["3.0", "variable", "2.0", "query"],
)
def test_credentials_in_an_address_are_left_out_with_a_warning(version: str, where: str) -> None:
    spec = read(f"{where}\npaths: {{/a: {GET}}}\n", version)

    binding = spec.operations[0].binding
    assert isinstance(binding, HttpBinding)
    assert binding.servers == ("https://api.test/v1",)
    assert [p.level for p in spec.problems if "password" in p.message] == ["warning"]
    assert "s3cret" not in repr(spec)
