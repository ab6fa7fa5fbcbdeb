"""Addresses of ports hold no secrets."""

from __future__ import annotations

from pathlib import Path

from parsers import parse
from parsers.document import Document

BROKEN = Path(__file__).parents[2] / "broken_specs"
SPEC = b"""<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:t"
 xmlns:t="urn:t" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"><message name="m"/>
 <portType name="P"><operation name="o"><input message="t:m"/></operation></portType>
 <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="o"><s:operation soapAction="o"/><input><s:body use="literal"/></input>
  </operation></binding>
 <service name="S"><port name="p" binding="t:B"><s:address location="http://bob:s3cret@x.test/s?token=s3cret"/>
 </port></service></definitions>"""


def test_credentials_in_the_address_of_a_port_are_left_out_with_a_warning() -> None:
    spec = parse(Document("/specs/t.wsdl", SPEC, "t"))

    (operation,) = spec.operations
    assert [end.address for end in operation.binding.endpoints] == ["http://x.test/s"]
    assert [p.level for p in spec.problems if "password" in p.message] == ["warning"]
    assert "s3cret" not in repr(spec)


def test_credentials_in_the_address_of_an_endpoint_of_wsdl_2_are_left_out_with_a_warning() -> None:
    given = (BROKEN / "wsdl-2.0-inherited-operation.wsdl").read_bytes()
    text = given.replace(b"http://depot.test/20", b"http://bob:s3cret@depot.test/20")
    spec = parse(Document("/specs/t.wsdl", text, "t"))

    addresses = {end.address for one in spec.operations for end in one.binding.endpoints}
    assert addresses == {"http://depot.test/20"}
    assert [p.level for p in spec.problems if "password" in p.message] == ["warning"]
    assert "s3cret" not in repr(spec)
