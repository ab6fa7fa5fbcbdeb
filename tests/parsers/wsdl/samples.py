"""WSDL documents put together from the few lines that a test is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from catalog.spec import Operation, ParsedSpec
from parsers.document import Document
from parsers.wsdl import parse

HEAD = (
    '<definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" '
    'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" '
    'xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" '
    'xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" '
    'xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/">'
)
MESSAGES = (
    '<message name="In"><part name="p" element="t:Ask"/></message>'
    '<message name="Out"><part name="p" element="t:Answer"/></message>'
)
PORT_TYPE = (
    '<portType name="PT"><operation name="run"><input message="t:In"/>'
    '<output message="t:Out"/></operation></portType>'
)
ANSWER = '<xs:element name="Answer" type="xs:string"/>'


def spec_of(text: str, folder: Path | None = None, **files: str) -> ParsedSpec:
    """What a document says; `files` lie beside it, `name_xsd` for name.xsd."""
    if folder is None:
        return parse(Document("/nowhere/t.wsdl", text.encode(), "svc"))
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    return parse(Document(str(folder / "t.wsdl"), text.encode(), "svc", folder))


def wsdl(body: str) -> str:
    return f"{HEAD}{body}</definitions>"


def schema(body: str, attributes: str = 'elementFormDefault="qualified"') -> str:
    return f'<types><xs:schema targetNamespace="urn:t" {attributes}>{body}</xs:schema></types>'


def typed(body: str, attributes: str = 'elementFormDefault="qualified"') -> ParsedSpec:
    """A spec with one operation that takes element Ask and returns text."""
    return spec_of(wsdl(schema(body + ANSWER, attributes) + MESSAGES + PORT_TYPE))


def asked(body: str, attributes: str = 'elementFormDefault="qualified"') -> dict[str, Any]:
    """The input schema of an operation whose request is the element Ask."""
    return given(typed(body, attributes).operations[0])


def given(operation: Operation) -> dict[str, Any]:
    assert isinstance(operation.input_schema, dict)
    return operation.input_schema


def ask(content: str) -> str:
    return f'<xs:element name="Ask"><xs:complexType>{content}</xs:complexType></xs:element>'


def field(declaration: str, more: str = "") -> Any:
    """The schema of the one field of Ask."""
    properties = asked(ask(f"<xs:sequence>{declaration}</xs:sequence>") + more)["properties"]
    return next(iter(properties.values()))
