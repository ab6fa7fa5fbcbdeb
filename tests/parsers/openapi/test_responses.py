"""Which answer is shown, and where a call goes."""

from __future__ import annotations

import pytest

from tests.parsers.openapi.specs import http, operation, read


def responses(text: str, version: str = "3.0.3") -> tuple[str, str, object]:
    one = read(f"paths: {{/x: {{get: {{responses: {{{text}}}}}}}}}", version).operations[0]
    return http(one).response_status, http(one).response_media_type, one.output_schema


def body(title: str, media_type: str = "application/json") -> str:
    return f"{{description: d, content: {{{media_type}: {{schema: {{title: {title}}}}}}}}}"


@pytest.mark.parametrize(
    ("given", "status", "title"),
    [
        (f"default: {body('d')}, 2XX: {body('x')}, 202: {body('b')}, 200: {body('a')}", "200", "a"),
        (f"202: {body('b')}, 201: {body('c')}, 2XX: {body('x')}", "201", "c"),
        (f"206: {body('b')}, 203: {body('c')}, default: {body('d')}", "203", "c"),
        (f"2XX: {body('x')}, default: {body('d')}", "2XX", "x"),
        (f"400: {body('e')}, default: {body('d')}", "default", "d"),
        (f"200: {{description: d}}, 202: {body('b')}", "202", "b"),
    ],
)
def test_the_answer_of_success_is_chosen(given: str, status: str, title: str) -> None:
    assert responses(given) == (status, "application/json", {"title": title})


def test_an_answer_without_body_is_not_replaced_by_an_error() -> None:
    assert responses(f"204: {{description: d}}, default: {body('error')}") == ("204", "", None)


def test_json_is_shown_before_other_media_types() -> None:
    content = "text/csv: {schema: {type: string}}, application/hal+json: {schema: {title: j}}"

    assert responses(f"200: {{content: {{{content}}}}}") == (
        "200",
        "application/hal+json",
        {"title": "j"},
    )


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/plain", {"type": "string"}),
        ("application/pdf", {"type": "string", "format": "binary"}),
        ("application/json", None),
    ],
)
def test_a_media_type_without_schema_says_what_its_name_says(
    media_type: str, expected: object
) -> None:
    assert responses(f"200: {{content: {{{media_type}: {{}}}}}}") == ("200", media_type, expected)


def test_a_stream_of_items_is_a_list() -> None:
    content = "application/jsonl: {itemSchema: {type: integer}}"

    assert responses(f"200: {{content: {{{content}}}}}", "3.2.0")[2] == {
        "type": "array",
        "items": {"type": "integer"},
    }


def servers(text: str, version: str = "3.0.3", location: str = "/specs/a.yaml") -> tuple[str, ...]:
    spec = read(f"{text}\npaths: {{/x: {{get: {{operationId: get}}}}}}", version, location)
    return http(operation(spec, "get")).servers


def test_variables_are_filled_in_and_no_slash_is_left_at_the_end() -> None:
    text = """servers:
  - url: "https://{r}.example.test:{port}/base/"
    variables: {r: {default: eu}, port: {enum: ["1"]}}
  - {url: /api/v2/}
  - {url: "//other.example.test/"}
  - {url: /}"""

    assert servers(text) == (
        "https://eu.example.test:1/base",
        "/api/v2",
        "//other.example.test",
        "/",
    )


def test_a_document_from_the_network_says_where_relative_servers_are() -> None:
    location = "https://docs.example.test/v3/openapi.json"

    assert servers("servers: [{url: /api}, {url: '//b.test/x'}]", location=location) == (
        "https://docs.example.test/api",
        "https://b.test/x",
    )


def test_servers_of_an_operation_beat_those_of_its_path_and_of_the_document() -> None:
    spec = read(
        """
        servers: [{url: https://doc.test}]
        paths:
          /a:
            servers: [{url: https://path.test}]
            get: {operationId: a}
            put: {operationId: b, servers: [{url: https://own.test}]}
          /c: {get: {operationId: c}}
        """
    )

    assert [http(one).servers for one in spec.operations] == [
        ("https://path.test",),
        ("https://own.test",),
        ("https://doc.test",),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("host: a.test\nbasePath: /v1/", ("https://a.test/v1",)),
        ("host: a.test\nschemes: [http, https]", ("http://a.test", "https://a.test")),
        ("basePath: /v1", ("/v1",)),
        ("x-none: 1", ()),
    ],
)
def test_the_address_of_swagger_2(text: str, expected: tuple[str, ...]) -> None:
    assert servers(text, "2.0") == expected


def test_security_schemes_are_named() -> None:
    spec = read(
        """
        security: [{key: []}, {oauth: [read], tenant: []}]
        paths:
          /a: {get: {operationId: a}, put: {operationId: b, security: []}}
          /c: {get: {operationId: c, security: [{}, {key: []}]}}
        """
    )

    assert [http(one).security for one in spec.operations] == [
        ("key", "oauth + tenant"),
        (),
        ("none", "key"),
    ]
