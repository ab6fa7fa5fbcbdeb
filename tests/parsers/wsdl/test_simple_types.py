"""XML Schema part 2 as JSON Schema: values worked out by hand from the standard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.parsers.wsdl.samples import ask, asked, field, typed

INT = {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}
TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("string", TEXT),
        ("QName", TEXT),
        ("ID", TEXT),
        ("gYearMonth", TEXT),
        ("boolean", {"type": "boolean"}),
        ("int", INT),
        ("short", {"type": "integer", "minimum": -32768, "maximum": 32767}),
        ("unsignedByte", {"type": "integer", "minimum": 0, "maximum": 255}),
        ("unsignedLong", {"type": "integer", "minimum": 0, "maximum": 18446744073709551615}),
        ("positiveInteger", {"type": "integer", "minimum": 1}),
        ("negativeInteger", {"type": "integer", "maximum": -1}),
        ("integer", {"type": "integer"}),
        ("decimal", {"type": "number"}),
        ("double", {"type": "number"}),
        ("dateTime", {"type": "string", "format": "date-time"}),
        ("date", {"type": "string", "format": "date"}),
        ("duration", {"type": "string", "format": "duration"}),
        ("anyURI", {"type": "string", "format": "uri-reference"}),
        ("base64Binary", {"type": "string", "contentEncoding": "base64"}),
        ("hexBinary", {"type": "string", "contentEncoding": "base16"}),
        ("anyType", {}),
        ("NMTOKENS", {"type": "array", "items": TEXT, "xml": {"list": True}}),
    ],
)
def test_a_built_in_type(name: str, expected: dict[str, Any]) -> None:
    assert field(f'<xs:element name="f" type="xs:{name}"/>') == expected


def restricted(base: str, facets: str) -> Any:
    body = f'<xs:simpleType><xs:restriction base="xs:{base}">{facets}</xs:restriction>'
    return field(f'<xs:element name="f">{body}</xs:simpleType></xs:element>')


@pytest.mark.parametrize(
    ("base", "facets", "expected"),
    [
        ("string", '<xs:enumeration value="a"/><xs:enumeration value="b"/>', {"enum": ["a", "b"]}),
        ("int", '<xs:enumeration value="1"/><xs:enumeration value="02"/>', {"enum": [1, 2]}),
        ("string", '<xs:length value="3"/>', {"minLength": 3, "maxLength": 3}),
        ("string", '<xs:maxLength value="9"/>', {"maxLength": 9}),
        ("int", '<xs:minInclusive value="1"/><xs:maxExclusive value="5"/>', {"minimum": 1}),
        ("decimal", '<xs:maxInclusive value="9.5"/>', {"maximum": 9.5}),
        ("string", '<xs:pattern value="[A-Z]{3}"/>', {"pattern": "^(?:[A-Z]{3})$"}),
        (
            "string",
            '<xs:pattern value="a+"/><xs:pattern value="b"/>',
            {"pattern": "^(?:(?:a+)|(?:b))$"},
        ),
        ("string", r'<xs:pattern value="\i\c*"/>', {"description": r"pattern \i\c*"}),
        ("string", '<xs:pattern value="[a-z-[aeiou]]"/>', {"description": "pattern [a-z-[aeiou]]"}),
        ("decimal", '<xs:fractionDigits value="2"/>', {"description": "fractionDigits 2"}),
        ("date", '<xs:minInclusive value="2000-01-01"/>', {"format": "date"}),
        ("double", '<xs:maxInclusive value="INF"/>', {"description": "maxInclusive INF"}),
        ("double", '<xs:enumeration value="NaN"/>', {"enum": ["NaN"]}),
    ],
)
def test_a_facet(base: str, facets: str, expected: dict[str, Any]) -> None:
    found = restricted(base, facets)

    assert {key: found[key] for key in expected} == expected


def test_an_enumeration_explains_its_values() -> None:
    note = "<xs:annotation><xs:documentation>Account closed</xs:documentation></xs:annotation>"
    found = restricted("string", f'<xs:enumeration value="C">{note}</xs:enumeration>')

    assert found == {"type": "string", "enum": ["C"], "description": "C: Account closed"}


def test_a_named_simple_type_is_a_definition_that_others_narrow() -> None:
    spec = typed(
        ask('<xs:sequence><xs:element name="f" type="t:Short"/></xs:sequence>')
        + '<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:minLength value="2"/>'
        '<xs:pattern value="[0-9]+"/></xs:restriction></xs:simpleType>'
        '<xs:simpleType name="Short"><xs:restriction base="t:Code"><xs:maxLength value="4"/>'
        '<xs:pattern value="4.*"/></xs:restriction></xs:simpleType>'
    )

    assert spec.definitions == {
        "Short": {
            "type": "string",
            "minLength": 2,
            "maxLength": 4,
            "pattern": "^(?:4.*)$",
            "allOf": [{"pattern": "^(?:[0-9]+)$"}],
        }
    }


def test_a_list_and_a_union() -> None:
    numbers = '<xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType>'
    either = '<xs:simpleType><xs:union memberTypes="xs:int xs:date"/></xs:simpleType>'

    assert field(f'<xs:element name="f">{numbers}</xs:element>') == {
        "type": "array",
        "items": INT,
        "xml": {"list": True},
    }
    assert field(f'<xs:element name="f">{either}</xs:element>') == {
        "anyOf": [INT, {"type": "string", "format": "date"}]
    }


def test_nil_is_null() -> None:
    assert field('<xs:element name="f" type="xs:string" nillable="true"/>') == {
        "type": ["string", "null"]
    }
    code = (
        '<xs:simpleType name="C"><xs:restriction base="xs:string"><xs:enumeration value="x"/>'
        "</xs:restriction></xs:simpleType>"
    )
    assert field('<xs:element name="f" type="t:C" nillable="true"/>', code) == {
        "anyOf": [{"$ref": "#/$defs/C"}, {"type": "null"}]
    }


def test_default_and_fixed_values_have_their_type() -> None:
    assert field('<xs:element name="f" type="xs:boolean" default="true"/>')["default"] is True
    assert field('<xs:element name="f" type="xs:int" fixed="7"/>')["const"] == 7


def test_types_of_the_schema_draft_of_1999() -> None:
    old = '<xs:element name="f" type="o:timeInstant" xmlns:o="http://www.w3.org/1999/XMLSchema"/>'

    assert field(old) == {"type": "string", "format": "date-time"}


def test_an_element_of_simple_type_is_one_value() -> None:
    found = asked('<xs:element name="Ask" type="xs:int"/>')

    assert found == {"type": "object", "properties": {"Ask": INT}, "required": ["Ask"]}
    [argument] = typed('<xs:element name="Ask" type="xs:int"/>').operations[0].binding.arguments
    assert (argument.key, argument.name, argument.place) == ("Ask", "", "part")
