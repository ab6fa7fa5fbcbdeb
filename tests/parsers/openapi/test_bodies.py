"""Bodies flattened into the fields that a caller fills in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from catalog.assembly import assemble
from tests.parsers.openapi.specs import BROKEN, http, operation, places, read, read_file

PARTS = """
components:
  schemas:
    Base: {type: object, required: [name], properties: {name: {type: string}}}
    Card: {type: object, required: [card], properties: {kind: {const: c}, card: {type: string}}}
    Iban: {type: object, required: [iban], properties: {kind: {const: i}, iban: {type: string}}}
    List: {type: array, items: {$ref: '#/components/schemas/Base'}}
    Node: {allOf: [{$ref: '#/components/schemas/Node'}], properties: {x: {type: string}}}
"""


def given(schema: str, version: str = "3.1.0", required: str = "") -> Any:
    return read(
        f"""
paths:
  /x:
    post:
      requestBody: {{{required}content: {{application/json: {{schema: {schema}}}}}}}
{PARTS}
""",
        version,
    )


def accepts(spec: Any, value: object) -> bool:
    whole = assemble(spec.operations[0], spec.definitions).input_schema
    return bool(Draft202012Validator(whole).is_valid(value))


def test_all_of_is_merged() -> None:
    spec = given(
        "{allOf: [{$ref: '#/components/schemas/Base'},"
        " {required: [endpoints], properties: {endpoints: {type: array}}}]}"
    )

    assert spec.operations[0].input_schema == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "endpoints": {"type": "array"}},
        "required": ["name", "endpoints"],
    }


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_branches_show_all_fields_and_ask_for_one_set(keyword: str) -> None:
    spec = given(
        f"{{required: [amount], properties: {{amount: {{type: integer}}}}, {keyword}:"
        " [{$ref: '#/components/schemas/Card'}, {$ref: '#/components/schemas/Iban'}]}"
    )

    schema = spec.operations[0].input_schema
    assert list(schema["properties"]) == ["amount", "kind", "card", "iban"]
    assert schema["properties"]["kind"] == {"enum": ["c", "i"]}
    assert schema["required"] == ["amount"]
    assert schema[keyword] == [{"required": ["card"]}, {"required": ["iban"]}]
    assert accepts(spec, {"amount": 1, "card": "4"})
    assert accepts(spec, {"amount": 1, "iban": "DE"})
    assert not accepts(spec, {"amount": 1})
    assert accepts(spec, {"amount": 1, "iban": "DE", "card": "4"}) is (keyword == "anyOf")


def test_what_every_branch_asks_for_is_required() -> None:
    spec = given(
        "{oneOf: [{required: [a, b], properties: {a: {}, b: {}}},"
        " {required: [a], properties: {a: {}}}]}"
    )

    schema = spec.operations[0].input_schema
    assert schema["required"] == ["a"]
    assert not schema.keys() & {"oneOf", "anyOf"}


def test_branches_that_contain_each_other_are_any_of() -> None:
    spec = given(
        "{oneOf: [{required: [a], properties: {a: {}, b: {}}},"
        " {required: [a, b], properties: {a: {}, b: {}}}, {required: [c], properties: {c: {}}}]}"
    )

    assert accepts(spec, {"a": 1, "b": 2})
    assert accepts(spec, {"c": 1})
    assert not accepts(spec, {"b": 1})


def test_required_lists_in_branches_without_properties() -> None:
    spec = given("{properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}")

    assert list(spec.operations[0].input_schema["properties"]) == ["a", "b"]
    assert spec.operations[0].input_schema["anyOf"] == [{"required": ["a"]}, {"required": ["b"]}]


def test_alternatives_follow_renamed_keys() -> None:
    spec = read(
        """
        paths:
          /x/{a}:
            post:
              parameters: [{name: a, in: path, required: true, schema: {type: string}}]
              requestBody:
                content:
                  application/json:
                    schema: {properties: {a: {}, b: {}}, oneOf: [{required: [a]}, {required: [b]}]}
        """
    )

    assert spec.operations[0].input_schema["oneOf"] == [
        {"required": ["a_body"]},
        {"required": ["b"]},
    ]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("{type: array, items: {type: string}}", {"type": "array", "items": {"type": "string"}}),
        ("{type: object}", {"type": "object"}),
        (
            "{type: object, additionalProperties: {type: integer}}",
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        ("{$ref: '#/components/schemas/List'}", {"$ref": "#/$defs/List"}),
        ("{}", {}),
        ("{type: string}", {"type": "string"}),
        ("false", False),
        (
            "{oneOf: [{$ref: '#/components/schemas/Base'}, {$ref: '#/components/schemas/List'}]}",
            {"oneOf": [{"$ref": "#/$defs/Base"}, {"$ref": "#/$defs/List"}]},
        ),
    ],
)
def test_a_body_without_named_fields_is_one_property(schema: str, expected: object) -> None:
    spec = given(schema, required="required: true, ")

    one = spec.operations[0]
    assert one.input_schema == {
        "type": "object",
        "properties": {"body": expected},
        "required": ["body"],
    }
    assert places(one) == {"body": ("", "body")}


def test_a_body_that_may_be_left_out_is_not_asked_for() -> None:
    assert "required" not in given("{type: array}").operations[0].input_schema


def test_a_free_part_beside_named_fields_stays_free() -> None:
    schema = given("{properties: {a: {}}, additionalProperties: {type: integer}}").operations[0]

    assert schema.input_schema["additionalProperties"] == {"type": "integer"}


def test_read_only_fields_are_there_but_not_asked_for() -> None:
    spec = given(
        "{required: [id, in], properties: {id: {type: string, readOnly: true}, in:"
        " {type: object, required: [at], properties: {at: {readOnly: true}}}}}"
    )

    assert spec.operations[0].input_schema == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "in": {"type": "object", "properties": {"at": {"readOnly": True}}},
        },
        "required": ["in"],
    }


def test_a_nullable_object_is_flattened_too() -> None:
    spec = given('{type: [object, "null"], properties: {a: {}}}')

    assert list(spec.operations[0].input_schema["properties"]) == ["a"]


def test_a_type_made_of_itself_ends() -> None:
    spec = given("{$ref: '#/components/schemas/Node'}")

    assert spec.operations[0].input_schema["properties"] == {"body": {"$ref": "#/$defs/Node"}}


def test_fields_of_one_name_in_all_of_must_hold_both() -> None:
    spec = given("{allOf: [{properties: {a: {type: string}}}, {properties: {a: {minLength: 2}}}]}")

    assert spec.operations[0].input_schema["properties"]["a"] == {
        "allOf": [{"type": "string"}, {"minLength": 2}]
    }


@pytest.mark.parametrize(
    ("media_types", "first"),
    [
        (["application/xml", "application/json; charset=utf-8"], 1),
        (["application/x-www-form-urlencoded", "application/vnd.a.v2+json"], 1),
        (["text/plain", "multipart/form-data"], 1),
        (["application/octet-stream", "text/csv"], 1),
        (["*/*", "application/pdf"], 1),
        (["application/merge-patch+json", "application/json"], 1),
    ],
)
def test_json_is_read_before_other_media_types(media_types: list[str], first: int) -> None:
    content = ", ".join(f"'{one}': {{schema: {{title: {n}}}}}" for n, one in enumerate(media_types))

    one = read(f"paths: {{/x: {{post: {{requestBody: {{content: {{{content}}}}}}}}}}}").operations[
        0
    ]

    assert one.input_schema["properties"]["body"]["title"] == str(first)
    assert http(one).request_media_types == (media_types[1], media_types[0])


def test_forms_and_their_encoding() -> None:
    spec = read(
        """
        paths:
          /x:
            post:
              requestBody:
                description: the scan
                content:
                  multipart/form-data:
                    schema: {required: [f], properties: {f: {type: string, format: binary}}}
                    encoding: {f: {contentType: image/png, headers: {}}}
        """
    )

    one = spec.operations[0]
    assert [(a.name, a.place, a.options) for a in http(one).arguments] == [
        ("f", "form", {"contentType": "image/png"})
    ]
    assert one.input_schema["description"] == "the scan"
    assert one.input_schema["required"] == ["f"]


def test_forms_of_swagger_2() -> None:
    spec = read_file(BROKEN / "openapi-forms-of-swagger-2.yaml")

    post, put = operation(spec, "POST /a"), operation(spec, "PUT /b")
    assert places(post) == {
        "ids": ("ids", "query"),
        "X-Ids": ("X-Ids", "header"),
        "doc": ("doc", "form"),
        "tags": ("tags", "form"),
    }
    assert post.input_schema["properties"]["doc"] == {"type": "string", "format": "binary"}
    assert post.input_schema["required"] == ["doc"]
    assert http(post).request_media_types == ("multipart/form-data",)
    assert post.output_schema == {"type": "string", "format": "binary"}
    assert put.input_schema["properties"]["body"] == {
        "type": "array",
        "items": {"type": ["string", "null"]},
    }
    assert put.output_schema == {"$ref": "#/$defs/Thing"}
    assert spec.definitions["Thing"]["discriminator"] == {"propertyName": "kind"}


def test_shared_types_in_branches_do_not_multiply() -> None:
    below = [f"allOf: [{{$ref: '#/components/schemas/L{n + 1}'}}]" for n in range(25)]
    levels = "\n".join(
        f"    L{n}: {{oneOf: [{{required: [a{n}], {part}}}, {{required: [b{n}], {part}}}]}}"
        for n, part in enumerate(below)
    )

    spec = read(
        "paths: {/x: {post: {requestBody: {content: {application/json: {schema:"
        " {$ref: '#/components/schemas/L0'}}}}}}}\n"
        f"components:\n  schemas:\n{levels}\n    L25: {{properties: {{end: {{}}}}}}\n"
    )

    schema = spec.operations[0].input_schema
    assert "end" in schema["properties"]
    assert len(json.dumps(schema)) < 20_000


def test_a_name_that_only_a_required_list_knows_is_a_field() -> None:
    spec = given("{properties: {a: {}}, required: [z], anyOf: [{required: [a]}, {required: [b]}]}")

    assert spec.operations[0].input_schema["properties"] == {"a": {}, "z": {}, "b": {}}
    assert spec.operations[0].input_schema["required"] == ["z"]


@pytest.mark.parametrize(("types", "kept"), [(100, True), (101, False)])
def test_a_mapping_of_every_type_there_is_stands_not_in_every_tool(types: int, kept: bool) -> None:
    mapping = {f"t{number}": "Base" for number in range(types)}
    schema = {
        "type": "object",
        "properties": {"kind": {"type": "string"}},
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    found = given(json.dumps(schema)).operations[0].input_schema
    assert found["discriminator"]["propertyName"] == "kind"
    assert ("mapping" in found["discriminator"]) is kept
    assert found["discriminator"].get("x-mapping-left-out") == (None if kept else types)
    assert list(found["properties"]) == ["kind"]
