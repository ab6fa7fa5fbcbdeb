"""Random WSDL documents: each operation comes out once, assembles whole and survives JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.assembly import assemble
from catalog.binding import binding_from_json, binding_to_json
from catalog.hashing import content_hasher, references
from catalog.spec import ParsedSpec
from parsers.document import Document
from parsers.wsdl import parse
from tests.parsers.wsdl.samples import HEAD

NAMES = st.sampled_from(["a", "A", "item", "Größe", "x-1", "very.long_" + "n" * 80, "名"])
TYPES = st.sampled_from(
    ["xs:string", "xs:int", "xs:dateTime", "t:T0", "t:T1", "t:T2", "t:S0", "t:Gone", "soap:odd"]
)
OCCURS = st.sampled_from(["", ' minOccurs="0"', ' maxOccurs="unbounded"', ' nillable="true"'])
STYLES = st.sampled_from(["document", "rpc"])


@st.composite
def particles(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.sampled_from(["element"] * 4 + ["sequence", "choice", "group", "any", "inner"]))
    occurs = draw(OCCURS) if kind != "group" else ""
    if kind == "element" or depth > 3:
        return f'<xs:element name="{draw(NAMES)}" type="{draw(TYPES)}"{occurs}/>'
    if kind == "any":
        return '<xs:any minOccurs="0"/>'
    if kind == "group":
        return '<xs:group ref="t:G"/>'
    inside = "".join(draw(st.lists(particles(depth + 1), max_size=3)))
    if kind == "inner":
        body = f"<xs:complexType><xs:sequence>{inside}</xs:sequence></xs:complexType>"
        return f'<xs:element name="{draw(NAMES)}"{occurs}>{body}</xs:element>'
    counted = "" if "nillable" in occurs else occurs
    return f"<xs:{kind}{counted}>{inside}</xs:{kind}>"


@st.composite
def complex_types(draw: st.DrawFn) -> str:
    content = f"<xs:sequence>{''.join(draw(st.lists(particles(), max_size=4)))}</xs:sequence>"
    if draw(st.booleans()):
        content += f'<xs:attribute name="{draw(NAMES)}" type="{draw(TYPES)}"/>'
    if draw(st.booleans()):
        base = draw(st.sampled_from(["t:T0", "t:T1", "xs:anyType", "t:Gone"]))
        step = draw(st.sampled_from(["extension", "restriction"]))
        return (
            f'<xs:complexContent><xs:{step} base="{base}">{content}</xs:{step}></xs:complexContent>'
        )
    return content


@st.composite
def specs(draw: st.DrawFn) -> tuple[str, int]:
    types = "".join(
        f'<xs:complexType name="T{index}">{draw(complex_types())}</xs:complexType>'
        for index in range(3)
    )
    group = f'<xs:group name="G"><xs:choice>{draw(particles())}</xs:choice></xs:group>'
    simple = (
        '<xs:simpleType name="S0"><xs:restriction base="xs:string">'
        '<xs:enumeration value="x"/></xs:restriction></xs:simpleType>'
    )
    element = f'<xs:element name="E"><xs:complexType>{draw(complex_types())}</xs:complexType>'
    names = draw(st.lists(NAMES, min_size=1, max_size=5))
    parts = [
        draw(st.sampled_from(['element="t:E"', f'type="{draw(TYPES)}"', 'element="t:Gone"', ""]))
        for _ in names
    ]
    messages = "".join(
        f'<message name="M{index}"><part name="{draw(NAMES)}" {part}/></message>'
        for index, part in enumerate(parts)
    )
    operations = "".join(
        f'<operation name="{name}"><input message="t:M{index}"/>'
        + (f'<output message="t:M{draw(st.integers(0, 6))}"/>' if draw(st.booleans()) else "")
        + "</operation>"
        for index, name in enumerate(names)
    )
    bound = "".join(f'<operation name="{name}"/>' for name in names)
    binding = f'<soap:binding style="{draw(STYLES)}" transport="urn:x"/>{bound}'
    return (
        f'{HEAD}<types><xs:schema targetNamespace="urn:t">{types}{group}{simple}{element}'
        f"</xs:element></xs:schema></types>{messages}"
        f'<portType name="P">{operations}</portType>'
        f'<binding name="B" type="t:P">{binding}</binding></definitions>'
    ), len(names)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs())
def test_each_operation_comes_out_once_and_whole(case: tuple[str, int]) -> None:
    text, count = case
    spec = parse(Document("/nowhere/random.wsdl", text.encode(), "svc"))

    assert spec.operations_in_source == len(spec.operations) == count
    assert len({one.name.lower() for one in spec.operations}) == count
    check_whole(spec)


def check_whole(spec: ParsedSpec) -> None:
    hashed = content_hasher(spec.definitions)
    for one in spec.operations:
        whole = assemble(one, spec.definitions, size_bytes=None)
        for schema in (whole.input_schema, whole.output_schema or {}):
            assert isinstance(schema, dict)
            assert set(references(schema)) <= set(schema.get("$defs", {}))
            assert json.loads(json.dumps(schema, allow_nan=False)) == schema
        assert "is not defined in the spec" not in json.dumps(asdict(whole))
        assert binding_from_json("soap", binding_to_json(one.binding)) == one.binding
        assert hashed(one)
    reached = set(references([whole_of(spec)]))
    assert set(spec.definitions) == reached


def whole_of(spec: ParsedSpec) -> list[object]:
    schemas = [one.input_schema for one in spec.operations]
    return [*schemas, *(one.output_schema for one in spec.operations), *spec.definitions.values()]
