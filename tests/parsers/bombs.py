"""Small files that unfold: for each a name and its bytes."""

from __future__ import annotations

import json

HEAD = 'openapi: 3.0.3\ninfo: {title: bomb, version: "1"}\n'
WSDL = (
    '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:b"'
    ' xmlns:t="urn:b" xmlns:x="http://www.w3.org/2001/XMLSchema" name="b">'
)


def bombs() -> dict[str, bytes]:
    return {
        "aliases.yaml": _aliases(),
        "merges.yaml": _merges(),
        "alias-to-itself.yaml": (HEAD + "x: &x [*x]\npaths: {}").encode(),
        "deep.json": b'{"openapi": "3.0.0", "paths": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        "deep-flow.yaml": (HEAD + "paths: " + "[" * 100_000).encode(),
        "deep-blocks.yaml": (
            HEAD + "paths:\n" + "".join(" " * n + "a:\n" for n in range(1, 3000))
        ).encode(),
        "deep-dashes.yaml": (HEAD + "paths:\n  " + "- " * 50_000).encode(),
        "long-number.json": b'{"openapi": "3.0.0", "x": ' + b"9" * 2_000_000 + b', "paths": {}}',
        "long-number.yaml": (HEAD + "x: " + "9" * 2_000_000 + "\npaths: {}").encode(),
        "sexagesimal.yaml": (HEAD + "x: 1" + ":59" * 200_000 + "\npaths: {}").encode(),
        "long-key.yaml": (HEAD + "? " + "k" * 2_000_000 + "\n: v\npaths: {}").encode(),
        "chain.json": _chain(),
        "ring.json": _ring(),
        "open-comments.json": b'{"openapi": "3.0.0", "paths": {}}' + b" /*" * 200_000,
        "open-comments.proto": b'syntax = "proto3"; service S {}' + b" /*" * 200_000,
        "open-comments.wsdl": WSDL.encode() + b"<!-- " * 100_000,
        "lattice.json": _lattice(),
        "deep-schema.json": _deep_schema(),
        "branches.json": _branches(),
        "entities.wsdl": _entities(),
        "quadratic.wsdl": _quadratic(),
        "parameter-entities.wsdl": _parameter_entities(),
        "deep.wsdl": ('<?xml version="1.0"?>' + WSDL + "<documentation>" * 100_000).encode(),
        "attributes.wsdl": (
            WSDL[:-1] + "".join(f' a{n}=""' for n in range(50_000)) + "/>"
        ).encode(),
        "groups.wsdl": _groups(),
        "extensions.wsdl": _extensions(),
        "deep.proto": ('syntax = "proto3";' + "message A {" * 50_000).encode(),
        "deep-option.proto": _deep_option(),
        "lattice.proto": _proto_lattice(),
        "missing-imports.proto": _proto("".join(f'import "a{n}.proto";' for n in range(20_000))),
        "undefined-types.proto": _proto(
            f"message N {{ {''.join(f'T{n} f{n} = {n + 1};' for n in range(18_000))} }}"
        ),
        "no-semicolons.proto": _proto(
            "message N {" + "".join(f"string a{n} = {n + 1}\n" for n in range(2000)) + "}"
        ),
        "import-itself.proto": b'syntax = "proto3"; import "import-itself.proto"; service S {}',
        "garbage.binpb": b"\x0a\x0b\x0a\x07a.proto\x12" + b"\xff" * 1000,
        "deep.binpb": _deep_set(),
    }


def _aliases() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return (HEAD + "\n".join(lines) + "\npaths: {}").encode()


def _merges() -> bytes:
    lines = ["m0: &m0 {k0: 1}"]
    lines += [f"m{n}: &m{n} {{k{n}: 1, <<: [*m{n - 1}, *m{n - 1}]}}" for n in range(1, 40)]
    return (HEAD + "\n".join(lines) + "\npaths: {}").encode()


def _api(schemas: dict[str, object], first: str) -> bytes:
    schema = {"$ref": f"#/components/schemas/{first}"}
    answer = {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}
    body = {"content": {"application/json": {"schema": schema}}}
    operation = {"operationId": "o", "requestBody": body, "responses": answer}
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": {"title": "bomb", "version": "1"},
            "paths": {"/x": {"post": operation}},
            "components": {"schemas": schemas},
        }
    ).encode()


def _to(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _chain() -> bytes:
    schemas: dict[str, object] = {f"s{n}": _to(f"s{n + 1}") for n in range(20_000)}
    return _api({**schemas, "s20000": {"type": "string"}}, "s0")


def _ring() -> bytes:
    return _api({"a": _to("b"), "b": {"allOf": [_to("c")]}, "c": {"anyOf": [_to("a")]}}, "a")


def _lattice() -> bytes:
    schemas: dict[str, object] = {
        f"s{n}": {"allOf": [_to(f"s{n + 1}"), _to(f"s{n + 1}")]} for n in range(60)
    }
    return _api({**schemas, "s60": {"properties": {"a": {"type": "string"}}}}, "s0")


def _deep_schema() -> bytes:
    text = '{"items":' * 5000 + "{}" + "}" * 5000
    return _api({"deep": "HERE"}, "deep").replace(b'"HERE"', text.encode())


def _branches() -> bytes:
    pairs = [{"oneOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(40)]
    return _api({"s": {"type": "object", "allOf": pairs}}, "s")


def _entities() -> bytes:
    lines = ["<!ENTITY a0 'ha'>"]
    lines += [f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 12)]
    return _documented("".join(lines), "&a11;")


def _quadratic() -> bytes:
    text = "x" * 100_000
    inside = "&a;" * 50_000
    return _documented(f"<!ENTITY a '{text}'>", inside)


def _documented(entities: str, text: str) -> bytes:
    documentation = f"<documentation>{text}</documentation>"
    return f"<!DOCTYPE d [{entities}]>{WSDL}{documentation}</definitions>".encode()


def _parameter_entities() -> bytes:
    lines = ["<!ENTITY % a0 'ha'>"]
    lines += [f"<!ENTITY % a{n} '{f'%a{n - 1};' * 10}'>" for n in range(1, 12)]
    return f"<!DOCTYPE d [{''.join(lines)}%a11;]>{WSDL}</definitions>".encode()


def _types(schema: str, element: str) -> bytes:
    return (
        f'{WSDL}<types><x:schema targetNamespace="urn:b">{schema}</x:schema></types>'
        f'<message name="m"><part name="p" element="t:{element}"/></message>'
        '<portType name="P"><operation name="o"><input message="t:m"/></operation></portType>'
        "</definitions>"
    ).encode()


def _groups() -> bytes:
    groups = "".join(
        f'<x:group name="g{n}"><x:sequence><x:group ref="t:g{n + 1}"/><x:group ref="t:g{n + 1}"/>'
        "</x:sequence></x:group>"
        for n in range(40)
    )
    last = (
        '<x:group name="g40"><x:sequence><x:element name="e" type="x:int"/></x:sequence></x:group>'
    )
    top = '<x:element name="top"><x:complexType><x:group ref="t:g0"/></x:complexType></x:element>'
    return _types(groups + last + top, "top")


def _extensions() -> bytes:
    chain = "".join(
        f'<x:complexType name="c{n}"><x:complexContent><x:extension base="t:c{n + 1}"/>'
        "</x:complexContent></x:complexType>"
        for n in range(5000)
    )
    last = (
        '<x:complexType name="c5000"><x:complexContent><x:extension base="t:c0"/>'
        "</x:complexContent></x:complexType>"
    )
    return _types(chain + last + '<x:element name="top" type="t:c0"/>', "top")


def _deep_option() -> bytes:
    return (
        'syntax = "proto3"; message M {} service S { rpc A(M) returns (M) { option (x.y) = '
        + "{ a " * 20_000
        + "}" * 20_000
        + "; } }"
    ).encode()


def _proto(text: str) -> bytes:
    return (
        f'syntax = "proto3"; {text} message M {{}} service S {{ rpc A(M) returns (M); }}'.encode()
    )


def _proto_lattice() -> bytes:
    messages = "".join(
        f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; map<string, M{n}> c = 3; }}"
        for n in range(3000)
    )
    service = "message M3000 {} service S { rpc A(M0) returns (M0); }"
    return f'syntax = "proto3"; {messages} {service}'.encode()


def _deep_set() -> bytes:
    inner = b""
    for _ in range(3000):
        inner = b"\x1a" + _varint(len(inner)) + inner
    file = b"\x0a\x07a.proto" + b"\x22" + _varint(len(inner)) + inner
    return b"\x0a" + _varint(len(file)) + file


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])
