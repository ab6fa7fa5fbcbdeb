"""Schemas in several files: imports, includes, redefinition, and what lies out of reach."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.wsdl.samples import (
    ANSWER,
    MESSAGES,
    PORT_TYPE,
    given,
    schema,
    spec_of,
    wsdl,
)

XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
ASK_BOX = (
    '<xs:element name="Ask"><xs:complexType><xs:sequence><xs:element name="box" type="t:Box"/>'
    "</xs:sequence></xs:complexType></xs:element>"
)
BOX = (
    '<xs:complexType name="Box"><xs:sequence><xs:element name="w" type="xs:int"/>'
    "</xs:sequence></xs:complexType>"
)
INT = {"type": "integer", "minimum": -2147483648, "maximum": 2147483647}


def spec_with(body: str) -> str:
    return wsdl(schema(body + ANSWER) + MESSAGES + PORT_TYPE)


def test_a_chameleon_include_takes_the_namespace_of_its_includer(tmp_path: Path) -> None:
    spec = spec_of(
        spec_with('<xs:include schemaLocation="c.xsd"/>' + ASK_BOX),
        tmp_path,
        c_xsd=f'<xs:schema {XS} elementFormDefault="qualified">{BOX}'
        '<xs:element name="Crate" type="Box"/></xs:schema>',
    )

    assert spec.problems == ()
    assert spec.definitions["Box"] == {
        "type": "object",
        "properties": {"w": INT},
        "required": ["w"],
        "xml": {"children": "urn:t"},
    }


def test_includes_that_include_each_other_end(tmp_path: Path) -> None:
    spec = spec_of(
        spec_with('<xs:include schemaLocation="a.xsd"/>' + ASK_BOX),
        tmp_path,
        a_xsd=f'<xs:schema {XS} targetNamespace="urn:t"><xs:include schemaLocation="b.xsd"/>'
        "</xs:schema>",
        b_xsd=f'<xs:schema {XS} targetNamespace="urn:t"><xs:include schemaLocation="a.xsd"/>{BOX}'
        "</xs:schema>",
    )

    assert spec.problems == ()
    assert list(spec.definitions) == ["Box"]


def test_two_files_of_one_namespace_are_both_read(tmp_path: Path) -> None:
    one = f'<xs:schema {XS} targetNamespace="urn:p">{{}}</xs:schema>'
    spec = spec_of(
        spec_with(
            '<xs:import namespace="urn:p" schemaLocation="a.xsd"/>'
            '<xs:import namespace="urn:p" schemaLocation="b.xsd"/>'
            '<xs:element name="Ask"><xs:complexType><xs:sequence xmlns:p="urn:p">'
            '<xs:element name="x" type="p:A"/><xs:element name="y" type="p:B"/>'
            "</xs:sequence></xs:complexType></xs:element>"
        ),
        tmp_path,
        a_xsd=one.format(BOX.replace("Box", "A")),
        b_xsd=one.format(BOX.replace("Box", "B")),
    )

    assert sorted(spec.definitions) == ["A", "B"]
    assert spec.problems == ()


def test_a_redefined_type_builds_on_what_it_was(tmp_path: Path) -> None:
    spec = spec_of(
        spec_with(
            '<xs:redefine schemaLocation="r.xsd"><xs:complexType name="Box"><xs:complexContent>'
            '<xs:extension base="t:Box"><xs:sequence><xs:element name="h" type="xs:int"/>'
            "</xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>"
            + ASK_BOX
        ),
        tmp_path,
        r_xsd=f'<xs:schema {XS} targetNamespace="urn:t">{BOX}</xs:schema>',
    )

    assert list(spec.definitions["Box"]["properties"]) == ["w", "h"]  # type: ignore[index]


def test_a_wsdl_imported_for_its_messages_and_types(tmp_path: Path) -> None:
    text = wsdl('<import namespace="urn:t" location="parts/types.wsdl"/>' + PORT_TYPE)
    without = spec_of(text, tmp_path)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/types.wsdl").write_text(wsdl(schema(ASK_BOX + BOX + ANSWER) + MESSAGES))
    spec = spec_of(text, tmp_path)

    assert ["parts/types.wsdl" in one.message for one in without.problems] == [True]
    assert [one.name for one in without.operations] == ["run"]
    assert spec.problems == ()
    assert list(given(spec.operations[0])["properties"]) == ["box"]


def test_port_types_of_an_imported_wsdl_are_tools_too(tmp_path: Path) -> None:
    spec = spec_of(
        wsdl('<import namespace="urn:t" location="api.wsdl"/>'),
        tmp_path,
        api_wsdl=wsdl(schema(ASK_BOX + BOX + ANSWER) + MESSAGES + PORT_TYPE),
    )

    assert [one.name for one in spec.operations] == ["run"]
    assert spec.operations_in_source == 1


def test_a_file_that_is_no_schema_costs_only_its_types(tmp_path: Path) -> None:
    spec = spec_of(
        spec_with(
            '<xs:import namespace="urn:p" schemaLocation="page.xsd"/>'
            '<xs:element name="Ask"><xs:complexType><xs:sequence xmlns:p="urn:p">'
            '<xs:element name="x" type="p:A"/></xs:sequence></xs:complexType></xs:element>'
        ),
        tmp_path,
        page_xsd="<html><title>Sign in</title></html>",
    )

    assert given(spec.operations[0])["properties"] == {"x": {}}
    [problem] = spec.problems
    assert "page.xsd is an HTML page" in problem.message


def test_a_parent_folder_is_out_of_reach_and_its_content_in_no_message(tmp_path: Path) -> None:
    (tmp_path / "secret.xsd").write_text("hunter2")
    inner = tmp_path / "specs"
    inner.mkdir()
    spec = spec_of(spec_with('<xs:include schemaLocation="../secret.xsd"/>' + ASK_BOX + BOX), inner)

    [problem] = spec.problems
    assert "secret.xsd: outside the folder" in problem.message
    assert "hunter2" not in problem.message


def test_definitions_are_named_alike_whatever_the_order_of_operations() -> None:
    types = (
        '<types><xs:schema targetNamespace="urn:a">'
        + BOX
        + '</xs:schema><xs:schema targetNamespace="urn:b">'
        + BOX
        + "</xs:schema></types>"
    )
    a, b = (
        f'<message name="{ns}"><part name="p" type="{ns}:Box" xmlns:{ns}="urn:{ns}"/></message>'
        for ns in "ab"
    )
    ports = [f'<operation name="op{ns}"><input message="t:{ns}"/></operation>' for ns in ("a", "b")]
    specs = [
        spec_of(wsdl(types + a + b + f'<portType name="P">{"".join(order)}</portType>'))
        for order in (ports, ports[::-1])
    ]
    references = [
        {one.name: given(one)["properties"]["p"] for one in spec.operations} for spec in specs
    ]

    assert references[0] == references[1]
    assert references[0]["opa"] != references[0]["opb"]


def test_documents_that_import_each_other_give_each_operation_once(tmp_path: Path) -> None:
    there = '<import namespace="urn:t" location="./t.wsdl"/>'
    text = wsdl(
        '<import namespace="urn:t" location="back.wsdl"/>'
        + schema(ASK_BOX + BOX + ANSWER)
        + MESSAGES
        + PORT_TYPE
    )
    (tmp_path / "t.wsdl").write_text(text)
    spec = spec_of(text, tmp_path, back_wsdl=wsdl(there))

    assert [one.name for one in spec.operations] == ["run"]
    assert spec.problems == ()
