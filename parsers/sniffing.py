"""What a file is, by its content: a spec of a known kind, or the name of what it is instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

HEAD_BYTES = 64 * 1024
_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"\xef\xbb\xbf", "utf-8"),
)
_ZERO_PATTERNS = (  # RFC 4627 §3: where the first two characters are ASCII
    ((0, 0, 0, 1), "utf-32-be"),
    ((1, 0, 0, 0), "utf-32-le"),
    ((0, 1, 0, 1), "utf-16-be"),
    ((1, 0, 1, 0), "utf-16-le"),
)

SpecKind = Literal["openapi", "wsdl", "proto", ""]


@dataclass(frozen=True, slots=True)
class Content:
    """`kind` is the parser that reads it, or "" for none; `what` names it with its article."""

    kind: SpecKind
    what: str


def sniff(data: bytes) -> Content:
    """What the bytes are; nothing is parsed, and a large file costs one scan at the most."""
    if not data[:HEAD_BYTES].strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe") and not data.strip():
        return Content("", "an empty file")
    text = as_utf8(data).lstrip()
    return _binary(data) or _textual(text) or Content("", _what_else(text[:HEAD_BYTES]))


def _textual(text: bytes) -> Content | None:
    """A spec, with a NUL in it or not, or a text that is known by its first lines."""
    head = text[:HEAD_BYTES]
    if head.startswith(b"<"):
        return _xml(head) or _xml(text)
    if head[:1] in (b"{", b"["):
        return _json(text)
    if head[:2] in (b"//", b"/*"):
        inside = text[_COMMENTS.match(text).end() :]  # type: ignore[union-attr]
        if inside[:1] in (b"{", b"["):
            return _json(inside)
    return _yaml_spec(text) or _proto(head) or _marked(head) or _other_yaml(head)


def _what_else(head: bytes) -> str:
    if b"\x00" in head:
        return "a binary file"
    return "XML without a root element" if head.startswith(b"<") else "plain text"


def encoding_of(data: bytes) -> tuple[str, int]:
    """The Unicode encoding that the first bytes tell, and the length of the byte order mark."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    zeros = tuple(int(byte != 0) for byte in data[:4])
    return next((name for pattern, name in _ZERO_PATTERNS if zeros == pattern), "utf-8"), 0


def as_utf8(data: bytes) -> bytes:
    """The same text in UTF-8 without a mark; bytes of an 8-bit code page stay as they are."""
    encoding, mark = encoding_of(data)
    if encoding == "utf-8":
        return data[mark:] if mark else data
    return data[mark:].decode(encoding, "replace").encode("utf-8", "replace")


# --- binary ------------------------------------------------------------------------------------

_MAGIC = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
)


def _binary(data: bytes) -> Content | None:
    if _is_descriptor_set(data):
        return Content("proto", "a compiled descriptor set")
    return next((Content("", what) for magic, what in _MAGIC if data.startswith(magic)), None)


def _is_descriptor_set(data: bytes) -> bool:
    """FileDescriptorSet: field 1 is a file, whose field 1 is its name (descriptor.proto)."""
    if not data.startswith(b"\x0a"):
        return False
    last = 1  # of the varint that tells the file's length
    while last < min(len(data), 10) and data[last] & 0x80:
        last += 1
    inner = data[last + 1 : last + 3]
    if len(inner) < 2 or inner[0] != 0x0A:
        return False
    name = data[last + 3 : last + 3 + inner[1]]
    return len(name) == inner[1] > 0 and re.fullmatch(rb"[\x21-\x7e]+", name) is not None


# --- XML ---------------------------------------------------------------------------------------

_PROLOGUE = re.compile(
    rb"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.S | re.I
)
_ROOT = re.compile(rb"\s*<(?:([\w.-]+):)?([\w.-]+)([^>]*)", re.S)
_WSDL_11 = b"http://schemas.xmlsoap.org/wsdl"
_WSDL_20 = re.compile(rb"http://www\.w3\.org/(?:ns|20\d\d/\d\d)/wsdl/?$")
_XML_ROOTS = {
    b"html": "an HTML page",
    b"schema": "an XML Schema",
    b"application": "a WADL description",
    b"Envelope": "a SOAP message",
    b"Edmx": "OData metadata",
    b"svg": "an SVG image",
    b"rss": "an RSS feed",
    b"feed": "an Atom feed",
    b"project": "a build file",
    b"stylesheet": "an XSLT stylesheet",
    b"discovery": "a DISCO file",
}


def _xml(text: bytes) -> Content | None:
    """By the root element; None where the text ends before it."""
    position = 0
    while found := _PROLOGUE.match(text, position):
        if re.match(rb"\s*<!doctype\s+html", found.group()[:100], re.I):
            return Content("", "an HTML page")
        position = found.end()
    root = _ROOT.match(text, position)
    if root is None:
        return None
    prefix, name, attributes = root.group(1) or b"", root.group(2), root.group(3)
    return _by_root(name, _namespace(prefix, attributes))


def _namespace(prefix: bytes, attributes: bytes) -> bytes:
    declared = rb"xmlns:" + re.escape(prefix) if prefix else rb"xmlns"
    found = re.search(rb"(?:^|\s)" + declared + rb"\s*=\s*(\"[^\"]*\"|'[^']*')", attributes)
    return found.group(1)[1:-1].strip() if found else b""


def _by_root(name: bytes, namespace: bytes) -> Content:
    unknown = not namespace or b"&" in namespace  # "&": an entity of the file's own
    if name == b"definitions" and (unknown or namespace.rstrip(b"/") == _WSDL_11):
        return Content("wsdl", "WSDL 1.1")
    if name == b"description" and (unknown or _WSDL_20.match(namespace)):
        return Content("wsdl", "WSDL 2.0")
    if name == b"definitions" and b"BPMN" in namespace:
        return Content("", "a BPMN model")
    if name.lower() in (b"html", b"head", b"body"):
        return Content("", "an HTML page")
    tag = name.decode("utf-8", "replace")[:60]
    return Content("", _XML_ROOTS.get(name, f"XML with the root element <{tag}>"))


# --- JSON and YAML -----------------------------------------------------------------------------

_VALUE = rb"(?![\[{&|>*\s])[\"']?[^\s,}\]]"  # a plain scalar, not a mapping, list or anchor
_JSON_KEY = re.compile(rb"[{,\s]\"(openapi|swagger)\"\s*:\s*" + _VALUE)
_FLOW_KEY = re.compile(rb"[{,\s][\"']?(openapi|swagger)[\"']?\s*:\s+" + _VALUE)
_YAML_KEY = re.compile(
    rb"^(?:---[ \t]+)?([ \t]*)[\"']?(openapi|swagger)[\"']?[ \t]*:[ \t]+" + _VALUE, re.M
)
_YAML_LINE = re.compile(rb"^[ \t]*(?:- )?[\"']?[\w$./ -]+[\"']?[ \t]*:(?:\s|$)", re.M)
_FIRST_KEY = re.compile(rb"^([ \t]*)(?![#%\s]|---)\S", re.M)
_JSON_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.S)
_OTHER_KEYS = (
    (rb"asyncapi", "an AsyncAPI description"),
    (rb"arazzo", "an Arazzo description"),
    (rb"overlay", "an OpenAPI Overlay"),
    (rb"swaggerVersion", "a Swagger 1 description"),
    (rb"_postman_id", "a Postman collection"),
    (rb"_postman_variable_scope", "a Postman environment"),
    (rb"discoveryVersion", "a Google discovery document"),
    (rb"smithy", "a Smithy model"),
    (rb"openrpc", "an OpenRPC description"),
    (rb"__schema", "a GraphQL introspection result"),
    (rb"apiVersion", "a Kubernetes manifest"),
    (rb"\$schema", "a JSON Schema"),
)
_POSTMAN_SCHEMA = re.compile(rb"schema\.(?:get)?postman\.com")


def _json(text: bytes) -> Content:
    named = _json_version_key(text)
    if named:
        return _described(named)
    other = _other(text[:HEAD_BYTES], rb"\"%s\"\s*:")
    kind = "a JSON list" if text.startswith(b"[") else "JSON"
    return other or Content("", f"{kind} without an openapi or swagger key at its top")


def _json_version_key(text: bytes) -> bytes:
    """The first version key that stands at the top of the object, wherever it stands in the file.

    Braces are counted with strings taken out, from one occurrence to the next.
    """
    is_json = re.match(rb"\{\s*[\"}]", text)
    keys = _JSON_KEY.finditer(text) if is_json else _FLOW_KEY.finditer(text[:HEAD_BYTES])
    depth = scanned = 0
    for found in keys:
        before = _JSON_STRING.sub(b"", text[scanned : found.start() + 1])
        depth += before.count(b"{") + before.count(b"[")
        depth -= before.count(b"}") + before.count(b"]")
        scanned = found.start() + 1
        if depth == 1:
            return found.group(1)
    return b""


def _yaml_spec(text: bytes) -> Content | None:
    first = _FIRST_KEY.search(text[:HEAD_BYTES])
    top = len(first.group(1)) if first else 0
    for found in _YAML_KEY.finditer(text):
        if len(found.group(1)) == top:
            return _described(found.group(2))
    return None


def _other_yaml(head: bytes) -> Content | None:
    if b"\x00" in head or not _YAML_LINE.search(head):
        return None
    other = _other(head, rb"(?m)^[\"']?%s[\"']?[ \t]*:")
    return other or Content("", "YAML without an openapi or swagger key at its top")


def _described(named: bytes) -> Content:
    return Content("openapi", "OpenAPI" if named == b"openapi" else "Swagger 2")


def _other(head: bytes, pattern: bytes) -> Content | None:
    for key, what in _OTHER_KEYS:
        if re.search(pattern % key, head):
            return Content("", what)
    return Content("", "a Postman collection") if _POSTMAN_SCHEMA.search(head) else None


# --- .proto and other texts --------------------------------------------------------------------

_COMMENT_OR_TEXT = re.compile(rb"(\"(?:[^\"\\\n]|\\.)*\")|//[^\n]*|/\*.*?(?:\*/|\Z)", re.S)
_COMMENTS = re.compile(rb"(?://[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/|\s)*+", re.S)
_SYNTAX = re.compile(rb"^\s*(?:syntax|edition)\s*=\s*[\"']", re.M)
_STATEMENT = re.compile(
    rb"^\s*(?:import\s+(?:public\s+|weak\s+|option\s+)?[\"'][^\"']+\.proto[\"']\s*;"
    rb"|message\s+\w+\s*\{[^}]*(?:=\s*\d+[^;}]*;|\})"
    rb"|enum\s+\w+\s*\{\s*\w+\s*=\s*-?\d+\s*[;\[]"
    rb"|extend\s+[\w.]+\s*\{"
    rb"|service\s+\w+\s*\{\s*(?:rpc\s|option\s|\}))",
    re.M,
)
_SERVICE = re.compile(rb"(?:^|[;}\s])service\s+\w+\s*\{")
_TEXT_MARKS = (
    (re.compile(rb"\A#%RAML"), "a RAML description"),
    (re.compile(rb"\AFORMAT:\s*1A"), "an API Blueprint"),
    (re.compile(rb"^namespace\s+[\w*]+\s+[\w.]+\s*$", re.M), "a Thrift description"),
    (
        re.compile(rb"^(?:extend\s+)?(?:type\s+\w+[^{\n:]*|schema\s*)\{", re.M),
        "a GraphQL schema",
    ),
    (re.compile(rb"\A#!"), "a script"),
)


def _proto(head: bytes) -> Content | None:
    plain = _without_comments(head)
    if _SYNTAX.search(plain) or _STATEMENT.search(plain):
        return Content("proto", ".proto")
    return None


def declares_service(data: bytes) -> bool:
    """Whether a .proto text has a service; one without is read where it is imported."""
    return _SERVICE.search(_without_comments(as_utf8(data))) is not None


def _without_comments(text: bytes) -> bytes:
    return _COMMENT_OR_TEXT.sub(lambda found: found.group(1) or b" ", text)


def _marked(head: bytes) -> Content | None:
    return next((Content("", what) for mark, what in _TEXT_MARKS if mark.search(head)), None)
