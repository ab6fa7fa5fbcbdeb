"""WSDL 1.1 and 2.0: messages, bindings, ports and what a call needs to know of them."""

from __future__ import annotations

from typing import Any

from catalog.binding import SoapBinding, binding_from_json, binding_to_json
from catalog.spec import Operation
from tests.parsers.wsdl.samples import (
    ANSWER,
    MESSAGES,
    PORT_TYPE,
    ask,
    given,
    schema,
    spec_of,
    wsdl,
)

TYPES = schema(
    ask('<xs:sequence><xs:element name="q" type="xs:string"/></xs:sequence>')
    + ANSWER
    + '<xs:element name="Auth"><xs:complexType><xs:sequence><xs:element name="token" '
    'type="xs:string"/></xs:sequence></xs:complexType></xs:element>'
)
TEXT = {"type": "string"}


def operations(body: str) -> tuple[Operation, ...]:
    spec = spec_of(wsdl(body))
    assert [one.message for one in spec.problems if one.level != "note"] == []
    return spec.operations


def soap(operation: Operation) -> SoapBinding:
    assert isinstance(operation.binding, SoapBinding)
    return operation.binding


def bound(inputs: str, style: str = "document", extra: str = "") -> str:
    return (
        f'<binding name="B" type="t:PT"><soap:binding style="{style}" transport="urn:x"/>'
        f'<operation name="run"><soap:operation soapAction="act"/><input>{inputs}</input>'
        f'<output><soap:body use="literal"/></output></operation></binding>{extra}'
        '<service name="S"><port name="P" binding="t:B"><soap:address location="http://h/s"/>'
        "</port></service>"
    )


def places(operation: Operation) -> dict[str, tuple[str, str]]:
    return {one.key: (one.name, one.place) for one in operation.binding.arguments}


def test_a_wrapped_operation_takes_the_children_of_its_element() -> None:
    [one] = operations(TYPES + MESSAGES + PORT_TYPE + bound('<soap:body use="literal"/>'))
    binding = soap(one)

    assert given(one) == {"type": "object", "properties": {"q": TEXT}, "required": ["q"]}
    assert one.output_schema == TEXT
    assert (binding.request_element, binding.response_element) == ("{urn:t}Ask", "{urn:t}Answer")
    assert binding.soap_action == "act"
    assert binding.arguments[0].options == {"namespace": "urn:t"}
    assert binding_from_json("soap", binding_to_json(binding)) == binding


def test_an_rpc_operation_takes_its_parts() -> None:
    message = '<message name="In"><part name="a" type="xs:int"/><part name="b" type="xs:date"/>'
    [one] = operations(
        TYPES
        + message
        + '</message><message name="Out"><part name="r" type="xs:string"/></message>'
        + PORT_TYPE
        + bound('<soap:body use="literal" namespace="urn:wire"/>', "rpc")
    )

    assert list(given(one)["properties"]) == ["a", "b"]
    assert one.output_schema == {"type": "object", "properties": {"r": TEXT}, "required": ["r"]}
    assert soap(one).request_element == "{urn:wire}run"
    assert soap(one).arguments[0].options == {"type": "{http://www.w3.org/2001/XMLSchema}int"}


def test_bare_parts_of_a_document_are_properties() -> None:
    [one] = operations(
        TYPES + '<message name="In"><part name="one" element="t:Ask"/><part name="two" '
        'element="t:Auth"/></message><message name="Out"/>'
        + PORT_TYPE
        + bound('<soap:body use="literal"/>')
    )

    assert list(given(one)["properties"]) == ["one", "two"]
    assert soap(one).arguments[1].options == {"element": "{urn:t}Auth"}


def test_header_parts_are_arguments_in_the_header() -> None:
    [one] = operations(
        TYPES
        + '<message name="In"><part name="p" element="t:Ask"/><part name="h" element="t:Auth"/>'
        '</message><message name="Out"/>'
        + PORT_TYPE
        + bound('<soap:header message="t:In" part="h" use="literal"/><soap:body use="literal"/>')
    )

    assert places(one) == {"q": ("q", "part"), "Auth": ("Auth", "header")}
    assert given(one)["required"] == ["q"]
    assert soap(one).request_element == "{urn:t}Ask"


def test_a_header_of_another_message_that_must_be_sent() -> None:
    header = '<soap:header message="t:H" part="h" use="literal" wsdl:required="true" '
    [one] = operations(
        TYPES
        + MESSAGES
        + '<message name="H"><part name="h" element="t:Auth"/></message>'
        + PORT_TYPE
        + bound(
            header + 'xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"/><soap:body use="literal"/>'
        )
    )

    assert given(one)["required"] == ["q", "Auth"]


def test_an_attachment_says_its_media_type() -> None:
    mime = (
        '<mime:multipartRelated><mime:part><soap:body parts="a" use="literal"/></mime:part>'
        '<mime:part><mime:content part="photo" type="image/jpeg"/></mime:part>'
        "</mime:multipartRelated>"
    )
    [one] = operations(
        '<message name="In"><part name="a" type="xs:string"/><part name="photo" '
        'type="xs:base64Binary"/></message><message name="Out"/>' + PORT_TYPE + bound(mime, "rpc")
    )

    assert given(one)["properties"]["photo"] == {
        "type": "string",
        "contentEncoding": "base64",
        "contentMediaType": "image/jpeg",
    }
    assert soap(one).arguments[1].options["attachment"] == "image/jpeg"


def test_an_operation_of_an_http_binding_has_its_address_and_places() -> None:
    binding = (
        '<binding name="B" type="t:PT"><http:binding verb="{}"/><operation name="run">'
        '<http:operation location="/run/(a)"/><input>{}</input><output/></operation></binding>'
        '<service name="S"><port name="P" binding="t:B"><http:address location="http://h/api"/>'
        "</port></service>"
    )
    messages = '<message name="In"><part name="a" type="xs:string"/></message><message name="Out"/>'
    found = [
        operations(messages + PORT_TYPE + binding.format(verb, how))[0]
        for verb, how in (
            ("GET", "<http:urlReplacement/>"),
            ("GET", "<http:urlEncoded/>"),
            ("POST", '<mime:content type="application/x-www-form-urlencoded"/>'),
        )
    ]

    assert [places(one)["a"][1] for one in found] == ["path", "query", "form"]
    endpoints = [soap(one).endpoints[0] for one in found]
    assert [one.transport for one in endpoints] == ["http-get", "http-get", "http-post"]
    assert {one.address for one in endpoints} == {"http://h/api/run/(a)"}


def test_one_tool_lists_every_port_of_its_port_type() -> None:
    twelve = (
        '<binding name="B12" type="t:PT"><soap12:binding transport="urn:x"/><operation name="run">'
        '<soap12:operation soapAction="act12"/></operation></binding><service name="S2">'
        '<port name="P12" binding="t:B12"><soap12:address location="http://h/12"/></port></service>'
    )
    [one] = operations(
        TYPES + MESSAGES + PORT_TYPE + bound('<soap:body use="literal"/>', extra=twelve)
    )
    listed = {(e.service, e.transport, e.address, e.soap_action) for e in soap(one).endpoints}

    assert listed == {
        ("S", "soap11", "http://h/s", "act"),
        ("S2", "soap12", "http://h/12", "act12"),
    }


def test_faults_and_documentation_at_every_level() -> None:
    def note(text: str) -> str:
        return f"<documentation>{text}</documentation>"

    spec = spec_of(
        wsdl(
            note("The desk.")
            + '<message name="In">'
            + '<part name="room" type="xs:int"><documentation>Its number.</documentation></part>'
            + '</message><message name="Out"/><portType name="PT">'
            + note("Rooms.")
            + f'<operation name="run">{note("Books a room.")}'
            + f'<input message="t:In">{note("Which.")}</input><output message="t:Out"/>'
            + '<fault name="Full" message="t:Out"/></operation></portType>'
        )
    )
    [one] = spec.operations
    schema_in: dict[str, Any] = given(one)

    assert spec.description == "The desk.\n\nRooms."
    assert one.description == "Books a room."
    assert schema_in["description"] == "Which."
    assert schema_in["properties"]["room"]["description"] == "Its number."
    assert soap(one).faults == ("Full",)


def test_a_recursive_wsdl_20_interface_lists_endpoints_of_those_that_extend_it() -> None:
    spec = spec_of(
        '<description xmlns="http://www.w3.org/ns/wsdl" xmlns:t="urn:t" targetNamespace="urn:t" '
        'xmlns:whttp="http://www.w3.org/ns/wsdl/http">'
        '<interface name="A"><operation name="list"><output element="#any"/></operation>'
        "</interface>"
        '<interface name="B" extends="t:A"/><interface name="C" extends="t:B"/>'
        '<binding name="H" interface="t:C" type="http://www.w3.org/ns/wsdl/http" '
        'whttp:methodDefault="POST"><operation ref="t:list" whttp:location="rooms"/></binding>'
        '<service name="S" interface="t:C"><endpoint name="E" binding="t:H" address="http://h/x"/>'
        "</service></description>"
    )
    [endpoint] = soap(spec.operations[0]).endpoints

    assert (endpoint.transport, endpoint.address) == ("http-post", "http://h/x/rooms")
    assert spec.operations[0].output_schema == {}


def test_a_port_that_is_neither_soap_nor_http_is_named() -> None:
    spec = spec_of(
        wsdl(
            TYPES
            + MESSAGES
            + PORT_TYPE
            + '<binding name="B" type="t:PT"><c:binding xmlns:c="urn:corba"/>'
            '<operation name="run"/></binding>'
        )
    )

    assert [one.message for one in spec.problems] == [
        "binding B is neither SOAP nor HTTP: its ports are not listed"
    ]
    assert soap(spec.operations[0]).endpoints == ()
