"""Schemas of every dialect as JSON Schema 2020-12 (its core and validation documents)."""

from __future__ import annotations

import pytest

from tests.parsers.openapi.specs import BROKEN, read, read_file, said, schema_of

PET = "Pet: {type: object, properties: {id: {type: integer}}}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{type: string, nullable: true}", {"type": ["string", "null"]}),
        ("{type: string, nullable: false}", {"type": "string"}),
        (
            "{type: string, nullable: true, enum: [a]}",
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ("{nullable: true, enum: [a, null]}", {"enum": ["a", None]}),
        ("{nullable: true}", {}),
        (
            "{nullable: true, oneOf: [{type: string}]}",
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
        ),
        (
            "{nullable: true, description: d, allOf: [{type: string}]}",
            {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}], "description": "d"},
        ),
        ("{minimum: 5, exclusiveMinimum: true}", {"exclusiveMinimum": 5}),
        ("{maximum: 5, exclusiveMaximum: false}", {"maximum": 5}),
        ("{type: string, example: a}", {"type": "string", "examples": ["a"]}),
        (
            "{type: object, additionalProperties: false}",
            {"type": "object", "additionalProperties": False},
        ),
        ("{type: string, x-mine: 1, xml: {name: n}}", {"type": "string"}),
        ("{type: string, default: null}", {"type": "string", "default": None}),
        (
            "{type: integer, minimum: 0, multipleOf: 2.5}",
            {"type": "integer", "minimum": 0, "multipleOf": 2.5},
        ),
    ],
)
def test_openapi_3_0_is_said_as_2020_12(given: str, expected: object) -> None:
    assert schema_of(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            '{type: [string, "null"], examples: [a]}',
            {"type": ["string", "null"], "examples": ["a"]},
        ),
        ("{const: 3}", {"const": 3}),
        ("true", True),
        ("false", False),
        ("{type: number, exclusiveMinimum: 0}", {"type": "number", "exclusiveMinimum": 0}),
        (
            "{type: array, prefixItems: [{type: string}, true], items: false}",
            {"type": "array", "prefixItems": [{"type": "string"}, True], "items": False},
        ),
        (
            "{if: {required: [a]}, then: {required: [b]}, else: false}",
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": False},
        ),
        ("{dependentRequired: {a: [b]}}", {"dependentRequired": {"a": ["b"]}}),
        ("{contentEncoding: base64}", {"contentEncoding": "base64"}),
        ("{propertyNames: {pattern: ^x}}", {"propertyNames": {"pattern": "^x"}}),
    ],
)
def test_openapi_3_1_stays_as_it_is(given: str, expected: object) -> None:
    assert schema_of(given, "3.1.0") == expected


def test_what_explains_a_reference_stays_beside_it_in_3_0() -> None:
    given = "{$ref: '#/components/schemas/Pet', description: mine, minProperties: 1}"

    assert schema_of(given, "3.0.3", PET) == {"$ref": "#/$defs/Pet", "description": "mine"}


def test_all_that_stands_beside_a_reference_counts_in_3_1() -> None:
    given = "{$ref: '#/components/schemas/Pet', description: mine, minProperties: 1}"

    assert schema_of(given, "3.1.0", PET) == {
        "$ref": "#/$defs/Pet",
        "description": "mine",
        "minProperties": 1,
    }


def test_nullable_beside_a_reference_gives_two_alternatives() -> None:
    given = "{$ref: '#/components/schemas/Pet', nullable: true, description: mine}"

    assert schema_of(given, "3.0.3", PET) == {
        "anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}],
        "description": "mine",
    }


def test_a_discriminator_names_schemas_and_leaves_no_reference_dangling() -> None:
    given = """{oneOf: [{$ref: '#/components/schemas/Pet'}], discriminator: {propertyName: kind,
      mapping: {p: '#/components/schemas/Pet', q: 'cat.yaml'}}}"""

    assert schema_of(given, "3.0.3", PET) == {
        "oneOf": [{"$ref": "#/$defs/Pet"}],
        "discriminator": {"propertyName": "kind", "mapping": {"p": "Pet", "q": "cat"}},
    }


def test_a_chain_of_references_ends_at_the_last_name() -> None:
    components = f"{PET}, Alias: {{$ref: '#/components/schemas/Pet'}}"

    assert schema_of("{$ref: '#/components/schemas/Alias'}", "3.0.3", components) == {
        "$ref": "#/$defs/Pet"
    }


def test_bent_keywords_are_mended() -> None:
    spec = read_file(BROKEN / "openapi-schemas-that-are-none.yaml")

    assert spec.operations[0].input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 3},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "many": {"type": "array", "prefixItems": [{"type": "integer"}, {}]},
            "odd": {},
            "any": {"default": 1},
            "low": {"type": "integer", "format": "int64", "minimum": 4, "allOf": [{"maximum": 9}]},
        },
        "required": ["name"],
    }


def test_a_type_that_names_a_schema_is_a_reference() -> None:
    assert schema_of("{type: Pet}", "3.0.3", PET) == {"$ref": "#/$defs/Pet"}


def test_a_fault_that_stands_everywhere_is_told_once_it_is_clear() -> None:
    names = ", ".join(f"p{n}: {{type: varchar}}" for n in range(50))

    spec = read(
        f"""
        paths:
          /x:
            get:
              responses:
                "200":
                  description: ok
                  content:
                    application/json: {{schema: {{type: object, properties: {{{names}}}}}}}
        """
    )

    assert len(spec.problems) == 21
    assert said(spec)[-1] == ("warning", "#", "30 more like this: name of a type mended")


def test_a_schema_that_goes_too_deep_is_cut_and_said() -> None:
    deep = "{type: array, items: " * 120 + "{}" + "}" * 120

    spec = read(
        f"""
        paths:
          /x:
            get:
              responses:
                "200": {{description: d, content: {{application/json: {{schema: {deep}}}}}}}
        """
    )

    assert len(spec.operations) == 1
    assert [level for level, _, message in said(spec) if "cut here" in message] == ["warning"]


def test_a_text_has_the_words_of_the_file_and_a_number_its_value() -> None:
    spec = read_file(BROKEN / "openapi-texts-that-yaml-makes-numbers.yaml")

    (tool,) = spec.operations
    assert tool.input_schema["properties"] == {
        "v": {"type": "string", "enum": ["1.10", "1.20", "1e3", "7"], "default": "1.10"},
        "on": {"type": ["string", "null"], "enum": ["true", None]},
        "n": {"type": "number", "enum": [1.1, 2], "examples": [1.1]},
    }
    assert tool.output_schema["required"] == ["1", "2.50"]
