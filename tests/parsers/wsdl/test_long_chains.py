"""Types that extend types, however often, are read; a ring of them ends."""

from __future__ import annotations

from catalog.spec import ParsedSpec
from parsers import parse
from parsers.document import Document
from tests.parsers.bombs import WSDL


def _extending(length: int, last: str) -> ParsedSpec:
    chain = "".join(
        f'<x:complexType name="c{n}"><x:complexContent><x:extension base="t:c{n + 1}"><x:sequence>'
        f'<x:element name="e{n}" type="x:string"/></x:sequence></x:extension></x:complexContent>'
        "</x:complexType>"
        for n in range(length)
    )
    text = (
        f'{WSDL}<types><x:schema targetNamespace="urn:b">{chain}{last}'
        '<x:element name="top" type="t:c0"/></x:schema></types>'
        '<message name="m"><part name="p" element="t:top"/></message>'
        '<portType name="P"><operation name="o"><input message="t:m"/></operation></portType>'
        "</definitions>"
    )
    return parse(Document("/specs/b.wsdl", text.encode(), "b"))


def test_a_long_chain_of_extensions_keeps_every_field_in_order() -> None:
    spec = _extending(600, '<x:complexType name="c600"/>')

    schema = spec.operations[0].input_schema
    assert isinstance(schema, dict)
    assert list(schema["properties"]) == [f"e{n}" for n in reversed(range(600))]
    assert not spec.problems


def test_a_long_ring_of_extensions_costs_no_operation() -> None:
    ring = '<x:complexType name="c600"><x:complexContent><x:extension base="t:c0"/>'
    spec = _extending(600, f"{ring}</x:complexContent></x:complexType>")

    assert [one.name for one in spec.operations] == ["o"]
