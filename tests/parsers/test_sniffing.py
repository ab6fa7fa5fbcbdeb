"""Files are known by their content: every kind that is read, and what others are called."""

from __future__ import annotations

import time

import pytest

from parsers.sniffing import as_utf8, declares_service, sniff

WSDL = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" name="x"/>'
HTML_FIRST = "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0//EN'>\n<html><body>Sign in</body></html>"
DESCRIPTOR_SET = b"\x0a\x0b\x0a\x07a.proto\x12\x00"

SPECS = {
    "openapi: 3.0.3\ninfo: {}": "OpenAPI",
    "# a comment\n---\n'openapi' : '3.1.0'": "OpenAPI",
    "--- \n\n  openapi: 3.0.0\n  info: {}": "OpenAPI",
    "info:\n  title: late\npaths: {}\nopenapi: 3.0.0": "OpenAPI",
    'swagger: "2.0"\npaths: {}': "Swagger 2",
    '{"openapi":"3.0.0"}': "OpenAPI",
    '{"info": {"title": "}{"}, "paths": {}, "swagger": "2.0"}': "Swagger 2",
    '{"x": [{"openapi": "3.0.0"}], "openapi": "3.1.0"}': "OpenAPI",
    '{"a \\" {": 1, "openapi" : "3.1.0"}': "OpenAPI",
    "{openapi: 3.0.0, paths: {}}": "OpenAPI",
    "openapi: 3.0.0\r\ninfo: {}\r\n": "OpenAPI",
    "%YAML 1.2\n---\nopenapi: 3.0.0": "OpenAPI",
    WSDL: "WSDL 1.1",
    f"<?xml version='1.0'?>\n<!-- a > b -->\n{WSDL}": "WSDL 1.1",
    "<w:definitions xmlns:s='x' xmlns:w='http://schemas.xmlsoap.org/wsdl/'>": "WSDL 1.1",
    '<!DOCTYPE definitions [<!ENTITY a "b>">]>\n' + WSDL: "WSDL 1.1",
    '<!DOCTYPE d [<!ENTITY w "w">]><definitions xmlns="&w;">': "WSDL 1.1",
    '<description xmlns="http://www.w3.org/ns/wsdl">': "WSDL 2.0",
    '<wsdl:description xmlns:wsdl="http://www.w3.org/2006/01/wsdl">': "WSDL 2.0",
    'syntax = "proto3";': ".proto",
    "// licence\n/* more */ edition = '2023';": ".proto",
    "package a.b;\nmessage M { optional int32 a = 1; }": ".proto",
    "service S {\n  rpc A(B) returns (C);\n}": ".proto",
    'import "google/protobuf/any.proto";': ".proto",
}

OTHERS = {
    "": "an empty file",
    " \n\t\r\n": "an empty file",
    HTML_FIRST: "an HTML page",
    "<HTML><BODY>": "an HTML page",
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">': "an XML Schema",
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">': "a BPMN model",
    "<application xmlns='http://wadl.dev.java.net/2009/02'>": "a WADL description",
    "<note>": "XML with the root element <note>",
    "asyncapi: 2.0.0\ninfo: {}": "an AsyncAPI description",
    '{"asyncapi": "2.0.0"}': "an AsyncAPI description",
    "arazzo: 1.0.0\nsourceDescriptions: []": "an Arazzo description",
    "overlay: 1.0.0\nextends: openapi.yaml": "an OpenAPI Overlay",
    '{"info": {"_postman_id": "x", "name": "y"}, "item": []}': "a Postman collection",
    '{"swaggerVersion": "1.2", "apis": []}': "a Swagger 1 description",
    '{"discoveryVersion": "v1"}': "a Google discovery document",
    "apiVersion: v1\nkind: Pod": "a Kubernetes manifest",
    "type Query {\n  me: User\n}": "a GraphQL schema",
    "#%RAML 1.0\ntitle: x": "a RAML description",
    "FORMAT: 1A\n# x": "an API Blueprint",
    "namespace java x.y\nstruct A { 1: i32 b }": "a Thrift description",
    "type: object\nproperties: {}": "YAML without an openapi or swagger key at its top",
    "jobs:\n  openapi: 3.0.0": "YAML without an openapi or swagger key at its top",
    "openapi:\n  file: x": "YAML without an openapi or swagger key at its top",
    '{"a": {"openapi": "3.0.0"}}': "JSON without an openapi or swagger key at its top",
    '[{"openapi": "3.0.0"}]': "a JSON list without an openapi or swagger key at its top",
    "just words": "plain text",
    "package io.x;\nimport java.util.List;\nclass A {}": "plain text",
}


@pytest.mark.parametrize(("text", "what"), SPECS.items())
def test_a_spec_is_known(text: str, what: str) -> None:
    content = sniff(text.encode())

    assert content.what == what
    assert content.kind


@pytest.mark.parametrize(("text", "what"), OTHERS.items())
def test_what_is_no_spec_is_named(text: str, what: str) -> None:
    content = sniff(text.encode())

    assert content.what == what
    assert not content.kind


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "cp1252"]
)
@pytest.mark.parametrize(
    "text", ["openapi: 3.0.0\ninfo: {title: Grüße}", '{"swagger": "2.0"}', WSDL]
)
def test_every_encoding_is_known(text: str, encoding: str) -> None:
    assert sniff(text.encode(encoding)).kind


def test_a_root_behind_a_long_prologue_is_found() -> None:
    prologue = f"<!DOCTYPE d [<!ENTITY a '{'x' * 100_000}'>]><!-- {'y' * 100_000} -->"

    assert sniff((prologue + WSDL).encode()).what == "WSDL 1.1"
    assert sniff(prologue.encode()).what == "XML without a root element"


def test_utf16_becomes_utf8() -> None:
    assert as_utf8("é".encode("utf-16")) == "é".encode()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "a PNG image"),
        (b"PK\x03\x04\x14\x00", "a zip archive"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
        (b"\x7fELF\x02", "a program"),
        (b"abc\x00\x01\x02def\x00", "a binary file"),
        (b"\x0a\x0a\x00\x01", "a binary file"),
    ],
)
def test_binary_files_are_named(data: bytes, what: str) -> None:
    assert sniff(data).what == what
    assert not sniff(data).kind


def test_a_spec_with_a_nul_in_it_is_still_a_spec() -> None:
    assert sniff(WSDL.replace("name", "n\0me").encode()).what == "WSDL 1.1"
    assert sniff(b'{"openapi": "3.0.0", "x": "\0"}').what == "OpenAPI"


def test_a_compiled_descriptor_set_is_known() -> None:
    assert sniff(DESCRIPTOR_SET).what == "a compiled descriptor set"
    assert sniff(DESCRIPTOR_SET).kind == "proto"


def test_a_service_is_seen_outside_comments_and_texts_only() -> None:
    assert declares_service(b'option x = "http://y"; service A {}')
    assert declares_service(b"package a;\nservice\n B\n{ rpc x(y) returns (z); }")
    assert not declares_service(b"// service A {\n/* service B { */ message service_C {}")


def test_a_key_at_the_end_of_a_large_file_is_found_in_one_pass() -> None:
    filler = b'{"paths": {' + b",".join(b'"/p%d": {"x": "{["}' % n for n in range(100_000)) + b"}"
    began = time.process_time()

    assert sniff(filler + b', "openapi": "3.0.0"}').kind
    assert not sniff(filler + b"}").kind
    assert time.process_time() - began < 2
