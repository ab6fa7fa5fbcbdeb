"""XML Schema part 1 as JSON Schema: values worked out by hand from the standard."""

from __future__ import annotations

import json

from catalog.assembly import assemble
from tests.parsers.wsdl.samples import ask, asked, field, typed

TEXT = {"type": "string"}


def elements(*names: str, **attributes: str) -> str:
    extra = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return "".join(f'<xs:element name="{name}" type="xs:string"{extra}/>' for name in names)


def test_occurrence_makes_required_optional_or_an_array() -> None:
    found = asked(
        ask(
            f"<xs:sequence>{elements('one')}{elements('maybe', minOccurs='0')}"
            f"{elements('many', maxOccurs='unbounded')}"
            f"{elements('few', minOccurs='2', maxOccurs='3')}"
            f"{elements('never', minOccurs='0', maxOccurs='0')}</xs:sequence>"
        )
    )

    assert found == {
        "type": "object",
        "properties": {
            "one": TEXT,
            "maybe": TEXT,
            "many": {"type": "array", "items": TEXT},
            "few": {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 3},
        },
        "required": ["one", "many", "few"],
    }


def test_counts_of_thousands_of_digits_are_as_many_as_can_be_counted() -> None:
    one = elements("e", minOccurs="0" * 5000 + "1", maxOccurs="9" * 5000)
    found = asked(ask(f"<xs:sequence>{one}</xs:sequence>"))

    assert found["properties"] == {"e": {"type": "array", "items": TEXT}}
    assert found["required"] == ["e"]


def test_a_repeated_sequence_repeats_what_it_holds() -> None:
    found = asked(ask(f'<xs:sequence minOccurs="0" maxOccurs="4">{elements("a")}</xs:sequence>'))

    assert found == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": TEXT, "maxItems": 4}},
    }


def test_a_name_that_occurs_twice_adds_up() -> None:
    found = asked(ask(f"<xs:sequence>{elements('a', 'b', 'a')}</xs:sequence>"))

    assert found["properties"]["a"] == {
        "type": "array",
        "items": TEXT,
        "minItems": 2,
        "maxItems": 2,
    }


def test_a_choice_requires_one_branch() -> None:
    found = asked(
        ask(
            f"<xs:sequence>{elements('id')}<xs:choice>{elements('mail')}"
            f"<xs:sequence>{elements('name', 'town')}</xs:sequence></xs:choice></xs:sequence>"
        )
    )

    assert found["required"] == ["id"]
    assert found["oneOf"] == [{"required": ["mail"]}, {"required": ["name", "town"]}]


def test_an_optional_choice_and_one_with_an_optional_branch_require_nothing() -> None:
    optional = asked(ask(f'<xs:choice minOccurs="0">{elements("a", "b")}</xs:choice>'))
    open_ended = asked(ask(f"<xs:choice>{elements('a')}{elements('b', minOccurs='0')}</xs:choice>"))

    for found in (optional, open_ended):
        assert set(found) == {"type", "properties"}


def test_a_repeated_choice_takes_any_of_its_branches_as_arrays() -> None:
    found = asked(ask(f'<xs:choice maxOccurs="unbounded">{elements("a", "b")}</xs:choice>'))

    assert found["properties"] == {key: {"type": "array", "items": TEXT} for key in "ab"}
    assert found["anyOf"] == [{"required": ["a"]}, {"required": ["b"]}]


def test_two_choices_stand_side_by_side() -> None:
    pair = "<xs:choice>{}</xs:choice>"
    found = asked(
        ask(
            f"<xs:sequence>{pair.format(elements('a', 'b'))}{pair.format(elements('c', 'd'))}"
            "</xs:sequence>"
        )
    )

    assert found["allOf"] == [
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"oneOf": [{"required": ["c"]}, {"required": ["d"]}]},
    ]


def test_any_leaves_the_object_open() -> None:
    found = asked(ask('<xs:sequence><xs:any minOccurs="0"/></xs:sequence>'))

    assert found == {"type": "object", "properties": {}, "additionalProperties": True}


def test_attributes_are_properties_that_say_so() -> None:
    spec = typed(
        ask(
            f"<xs:sequence>{elements('id')}</xs:sequence>"
            '<xs:attribute name="id" type="xs:int" use="required"/>'
            '<xs:attribute name="unit" default="kg"/>'
        )
    )
    found = spec.operations[0].input_schema
    facts = {one.key: (one.name, one.options) for one in spec.operations[0].binding.arguments}

    assert isinstance(found, dict)
    assert list(found["properties"]) == ["id_element", "id_attribute", "unit"]
    assert found["required"] == ["id_element", "id_attribute"]
    assert found["properties"]["unit"] == {"type": "string", "default": "kg"}
    assert facts == {
        "id_element": ("id", {"namespace": "urn:t"}),
        "id_attribute": ("id", {"attribute": True}),
        "unit": ("unit", {"attribute": True}),
    }


def test_attribute_groups_and_prohibited_attributes() -> None:
    found = asked(
        '<xs:attributeGroup name="G"><xs:attribute name="a"/><xs:attribute name="b"/>'
        '</xs:attributeGroup><xs:complexType name="Base"><xs:attributeGroup ref="t:G"/>'
        "</xs:complexType>"
        + ask(
            '<xs:complexContent><xs:restriction base="t:Base">'
            '<xs:attribute name="a" use="prohibited"/></xs:restriction></xs:complexContent>'
        )
    )

    assert list(found["properties"]) == ["b"]


def test_an_extension_has_what_its_base_has() -> None:
    found = asked(
        f'<xs:complexType name="Base"><xs:sequence>{elements("a")}</xs:sequence>'
        '<xs:attribute name="x"/></xs:complexType>'
        + ask(
            '<xs:complexContent><xs:extension base="t:Base"><xs:sequence>'
            f"{elements('b')}</xs:sequence></xs:extension></xs:complexContent>"
        )
    )

    assert list(found["properties"]) == ["a", "b", "x"]
    assert found["required"] == ["a", "b"]


def test_simple_content_is_a_value_beside_attributes() -> None:
    spec = typed(
        ask('<xs:sequence><xs:element name="price" type="t:Price"/></xs:sequence>')
        + '<xs:complexType name="Price"><xs:simpleContent><xs:extension base="xs:decimal">'
        '<xs:attribute name="currency" use="required"/></xs:extension></xs:simpleContent>'
        "</xs:complexType>"
    )

    assert spec.definitions["Price"] == {
        "type": "object",
        "properties": {
            "value": {"type": "number", "xml": {"nodeType": "text"}},
            "currency": {"type": "string", "xml": {"attribute": True}},
        },
        "required": ["value", "currency"],
    }


def test_mixed_content_has_a_place_for_its_text() -> None:
    content = f'<xs:complexType mixed="true"><xs:sequence>{elements("b")}</xs:sequence>'
    found = field(f'<xs:element name="f">{content}</xs:complexType></xs:element>')

    assert found["properties"]["value"]["type"] == "string"
    assert found["properties"]["value"]["xml"] == {"nodeType": "text"}
    assert found["required"] == ["b"]


def test_a_substitution_group_is_a_choice_of_its_members() -> None:
    found = asked(
        '<xs:element name="shape" abstract="true"/>'
        '<xs:element name="circle" type="xs:int" substitutionGroup="t:shape"/>'
        '<xs:element name="square" type="xs:string" substitutionGroup="t:shape"/>'
        + ask('<xs:sequence><xs:element ref="t:shape"/></xs:sequence>')
    )

    assert list(found["properties"]) == ["circle", "square"]
    assert found["oneOf"] == [{"required": ["circle"]}, {"required": ["square"]}]


def test_an_abstract_type_names_the_types_to_send() -> None:
    extension = (
        '<xs:complexType name="{}"><xs:complexContent><xs:extension base="t:Pet"><xs:sequence>{}'
        "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
    )
    spec = typed(
        f'<xs:complexType name="Pet" abstract="true"><xs:sequence>{elements("name")}'
        "</xs:sequence></xs:complexType>"
        + extension.format("Dog", elements("breed"))
        + extension.format("Cat", elements("lives"))
        + ask('<xs:sequence><xs:element name="pet" type="t:Pet"/></xs:sequence>')
    )
    options = spec.definitions["Pet"]["anyOf"]  # type: ignore[index]

    assert [one["$ref"] for one in options] == ["#/$defs/Dog", "#/$defs/Cat"]
    assert options[0]["properties"]["xsi_type"]["const"] == "Dog"
    assert list(spec.definitions["Dog"]["properties"]) == ["name", "breed"]  # type: ignore[index]


def test_documentation_of_element_type_and_language() -> None:
    note = (
        '<xs:annotation><xs:documentation xml:lang="de">Ablage</xs:documentation>'
        '<xs:documentation xml:lang="en">  Where it\n lies </xs:documentation></xs:annotation>'
    )
    found = asked(
        '<xs:element name="Ask"><xs:annotation><xs:documentation>What to ask</xs:documentation>'
        "</xs:annotation><xs:complexType><xs:sequence>"
        f'<xs:element name="f" type="xs:string">{note}</xs:element>'
        "</xs:sequence></xs:complexType></xs:element>"
    )

    assert found["description"] == "What to ask"
    assert found["properties"]["f"] == {"type": "string", "description": "Where it\nlies"}


def test_namespaces_of_nested_elements_are_kept() -> None:
    spec = typed(
        ask('<xs:sequence><xs:element name="in" type="t:In"/></xs:sequence>')
        + f'<xs:complexType name="In"><xs:sequence>{elements("a")}'
        '<xs:element name="b" type="xs:string" form="unqualified"/></xs:sequence></xs:complexType>'
    )

    assert spec.definitions["In"]["xml"] == {"children": "urn:t"}  # type: ignore[index]
    assert spec.definitions["In"]["properties"]["b"]["xml"] == {"namespace": ""}  # type: ignore[index]


def test_deep_anonymous_types_become_definitions_of_bounded_depth() -> None:
    inner = elements("leaf")
    for level in range(60):
        inner = (
            f'<xs:element name="n{level}"><xs:complexType><xs:sequence>{inner}</xs:sequence>'
            "</xs:complexType></xs:element>"
        )
    spec = typed(ask(f"<xs:sequence>{inner}</xs:sequence>"))
    whole = assemble(spec.operations[0], spec.definitions, size_bytes=None)

    assert "leaf" in json.dumps(whole.input_schema)
    assert max(_depth(body) for body in spec.definitions.values()) < 20


def _depth(node: object) -> int:
    inside = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return 1 + max((_depth(one) for one in inside), default=0)


def test_groups_that_double_at_each_level_stay_small() -> None:
    groups = "".join(
        f'<xs:group name="g{level}"><xs:sequence><xs:group ref="t:g{level + 1}"/>'
        f'<xs:group ref="t:g{level + 1}"/></xs:sequence></xs:group>'
        for level in range(40)
    )
    found = asked(
        groups
        + f'<xs:group name="g40"><xs:sequence>{elements("a")}</xs:sequence></xs:group>'
        + ask('<xs:sequence><xs:group ref="t:g0"/></xs:sequence>')
    )

    assert found["properties"]["a"]["type"] == "array"
