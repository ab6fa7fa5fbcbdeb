"""A reply read as the operation promises it: the outcome, and the value where there is one."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson
from lxml import etree

from catalog.binding import HttpBinding, SoapBinding
from catalog.retrying import retry_after
from catalog.spec import Operation, Schema
from probing.outcomes import Answer, Outcome
from probing.soap import ENVELOPES
from probing.wire import Reply
from probing.xmlvalues import NotXml, parsed, value_of

_BY_STATUS: dict[int, tuple[Outcome, str]] = {
    401: ("needs-credentials", "401"),
    403: ("needs-credentials", "403"),
    407: ("needs-credentials", "407"),
    404: ("not-found", "404: the path, or the thing with these values, is not there"),
    410: ("gone", "410"),
    429: ("slow-down", "429"),
}
_MEDIA = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]{0,60}")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY")


def http_answer(reply: Reply, operation: Operation, definitions: Mapping[str, Schema]) -> Answer:
    media_type = media_type_of(reply.headers.get("content-type", ""))
    if isinstance(operation.binding, SoapBinding):
        found = _soap(reply, operation, definitions)
    else:
        found = _by_status(reply) or _content(reply, media_type, operation, definitions)
    return Answer(
        found.outcome,
        found.detail,
        reply.status,
        media_type,
        found.value,
        found.has_value,
        len(reply.body),
        found.retry_after_s,
    )


def media_type_of(header: str) -> str:
    """`text/xml` of `text/xml; charset=utf-8`; "" for what is no media type."""
    text = header.partition(";")[0].strip().lower()
    return text if _MEDIA.fullmatch(text) else ""


def _by_status(reply: Reply) -> Answer | None:
    status = reply.status
    if status in _BY_STATUS:
        outcome, detail = _BY_STATUS[status]
        return Answer(outcome, detail, retry_after_s=retry_after(reply.headers))
    if status == 405 or status == 501:
        return _other_method(reply)
    if 300 <= status < 400:
        return Answer("moved", f"{status} {_where(reply)}, not followed")
    if status >= 500:
        wait = retry_after(reply.headers)
        return Answer("broken", str(status), retry_after_s=wait)
    if status >= 400:
        return Answer("rejected", f"{status}: it does not take these values")
    return None if 200 <= status < 300 else Answer("broken", f"{status}: no final answer")


def _other_method(reply: Reply) -> Answer:
    said = reply.headers.get("allow", "").upper()
    allowed = ", ".join(method for method in _METHODS if re.search(rf"\b{method}\b", said))
    return Answer("exists", f"{reply.status}, allows {allowed or 'other methods'}")


def _where(reply: Reply) -> str:
    """The host of the redirect; paths and queries often carry tokens."""
    try:
        parts = urlsplit(reply.headers.get("location", ""))
        host, port = parts.hostname, parts.port
    except ValueError:
        return "to no valid address"
    if not host:
        return "to another path of the same host"
    return f"to {parts.scheme}://{host}" + (f":{port}" if port else "")


def _content(
    reply: Reply, media_type: str, operation: Operation, definitions: Mapping[str, Schema]
) -> Answer:
    binding = operation.binding
    promised = binding.response_media_type if isinstance(binding, HttpBinding) else ""
    if not reply.body:
        page = media_type == "text/html" and promised != "text/html"
        return Answer("not-json", "a page, and empty") if page else Answer("alive", "no content")
    found = read_body(reply.body, reply.headers.get("content-type", ""), operation, definitions)
    if found is not None:
        return found
    structured = "json" in media_type or "xml" in media_type
    if promised and media_type == promised.lower() and not structured:
        return Answer("alive", value=_opaque(reply.body, media_type), has_value=True)
    what = "a page" if _is_page(reply.body, media_type) else f"broken {media_type}"
    if not structured and what != "a page":
        what = media_type or "something unnamed"
    return Answer("not-json", f"{what} instead of {promised or 'JSON'}")


def read_body(
    body: bytes, content_type: str, operation: Operation, definitions: Mapping[str, Schema]
) -> Answer | None:
    """JSON, JSON lines or XML, whatever the header calls it; None for anything else."""
    first = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"<" and not _is_page(body, media_type_of(content_type)):
        return _xml(body, operation, definitions)
    try:
        text, honest = decoded(body, content_type)
        value = _json(text)
    except (ValueError, RecursionError):
        return None
    if honest:
        return Answer("alive", value=value, has_value=True)
    detail = "the bytes are not in the charset that they claim"
    return Answer("wrong-charset", detail, value=value, has_value=True)


def decoded(body: bytes, content_type: str) -> tuple[str, bool]:
    """The text, and whether it is in the charset that it claims (none: UTF-8, RFC 8259)."""
    match = re.search(r"charset\s*=\s*\"?([\w.:-]+)", content_type, re.I)
    claimed = match.group(1) if match else ("utf-16" if body[:2] in _BOMS else "utf-8-sig")
    try:
        return body.decode("utf-8-sig" if claimed.lower() == "utf-8" else claimed), True
    except (LookupError, ValueError):
        pass
    try:
        return body.decode("utf-8-sig"), False
    except ValueError:
        return body.decode("windows-1252", "replace"), False


_BOMS = (b"\xff\xfe", b"\xfe\xff")


def _json(text: str) -> Any:
    """One value, or one a line (JSON lines, and `data:` lines of an event stream)."""
    try:
        return orjson.loads(text)
    except ValueError:
        lines = [line.removeprefix("data:").strip() for line in text.splitlines()]
        rows = [line for line in lines if line.startswith(("{", "["))]
        if not rows or len(rows) * 2 < len([line for line in lines if line]):
            return json.loads(text)
        return [json.loads(line) for line in rows[:100]]


def _xml(body: bytes, operation: Operation, definitions: Mapping[str, Schema]) -> Answer | None:
    try:
        root = parsed(body)
    except NotXml:
        return None
    value = value_of(root, operation.output_schema, definitions)
    return Answer("alive", value=value, has_value=True)


def _is_page(body: bytes, media_type: str) -> bool:
    head = body.lstrip()[:200].lower()
    return media_type == "text/html" or head.startswith((b"<!doctype html", b"<html"))


def _opaque(body: bytes, media_type: str) -> Any:
    """Tables by their columns; of other files only that they are one."""
    if media_type in ("text/csv", "text/tab-separated-values"):
        text, _ = decoded(body, "")
        comma = "\t" if "tab" in media_type else (";" if ";" in text[:200] else ",")
        rows = list(csv.DictReader(io.StringIO(text[:200_000]), delimiter=comma))
        return [{str(key): value for key, value in row.items()} for row in rows[:50]]
    return ""


# --- SOAP --------------------------------------------------------------------------------------


def _soap(reply: Reply, operation: Operation, definitions: Mapping[str, Schema]) -> Answer:
    if reply.status not in (200, 202, 400, 500):
        found = _by_status(reply)
        if found is not None:
            return found
    if not reply.body:
        return Answer("alive", "no content") if reply.status < 300 else Answer("broken", "500")
    try:
        content = soap_content(parsed(reply.body))
    except NotXml:
        return Answer("not-json", "no SOAP envelope came back")
    if content is None:
        return Answer("alive", "an empty body")
    if etree.QName(content).localname == "Fault":
        return _fault(content)
    value = value_of(content, operation.output_schema, definitions)
    if not isinstance(value, dict):
        value = {etree.QName(content).localname: value} if value not in ("", None) else {}
    return Answer("alive", value=value, has_value=True)


def soap_content(root: Any) -> Any:
    """The first child of the SOAP body, None for an empty one; NotXml for no envelope."""
    space = etree.QName(root).namespace or ""
    if space not in ENVELOPES.values():
        raise NotXml
    body = root.find(f"{{{space}}}Body")
    return next((c for c in body if isinstance(c.tag, str)), None) if body is not None else None


def _fault(fault: Any) -> Answer:
    """By the standard codes only; what a fault says in words stays where it is."""
    said = " ".join(
        text for node in fault.iter() if _is_code(node) for text in [node.text or ""] if text
    )
    code = said.rpartition(":")[2].strip().partition(".")[0]
    if code in ("Client", "Sender", "MustUnderstand"):
        return Answer("rejected", f"SOAP fault {code}: it does not take these values")
    return Answer("broken", "SOAP fault of the server")


def _is_code(node: Any) -> bool:
    if not isinstance(node.tag, str):
        return False
    parent = node.getparent()
    name = etree.QName(node).localname
    above = etree.QName(parent).localname if parent is not None else ""
    return name == "faultcode" or (name == "Value" and above == "Code")
