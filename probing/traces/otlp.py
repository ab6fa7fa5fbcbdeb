"""OpenTelemetry HTTP and RPC spans that carry bodies, as OTLP JSON (a document, or one a line).

Bodies are no part of the semantic conventions; instrumentations put them under names such as
`http.response.body` or `http.response.body.content`, and those are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from probing.traces.exchange import Exchange, TraceProblem, bytes_of, number
from probing.traces.jsonstream import entries

_METHOD = ("http.request.method", "http.method")
_URL = ("url.full", "http.url")
_PATH = ("url.path", "http.target", "http.route")
_HOST = ("server.address", "http.host", "net.host.name", "net.peer.name")
_STATUS = ("http.response.status_code", "http.status_code")
_BODIES = ("body", "body.content", "body.text", "payload", "content")


def read(file: TextIO) -> Iterator[Exchange]:
    for resource in entries(file, ("resourceSpans",)):
        yield from _of_resource(resource)


def read_lines(file: TextIO) -> Iterator[Exchange]:
    for count, line in enumerate(file, 1):
        if line.strip():
            try:
                document = json.loads(line)
            except (ValueError, RecursionError):
                raise TraceProblem(f"line {count} is no JSON") from None
            for resource in document.get("resourceSpans") or ():
                yield from _of_resource(resource)


def _of_resource(resource: Any) -> Iterator[Exchange]:
    if not isinstance(resource, dict):
        return
    scopes = resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans") or ()
    for scope in scopes:
        for span in scope.get("spans") or ():
            found = _exchange(span) if isinstance(span, dict) else None
            if found is not None:
                yield found


def _exchange(span: dict[str, Any]) -> Exchange | None:
    known = _attributes(span.get("attributes"))
    for event in span.get("events") or ():
        known = {**_attributes(event.get("attributes")), **known}
    url = _rpc_path(known) or _url(known)
    if not url:
        return None
    content_type = known.get("http.response.header.content-type", "")
    return Exchange(
        method=str(_one(known, _METHOD) or "POST").upper(),
        url=url,
        status=number(_one(known, _STATUS)),
        request_headers={
            name.removeprefix("http.request.header.").replace("_", "-"): str(_flat(value))
            for name, value in known.items()
            if name.startswith("http.request.header.")
        },
        request_body=bytes_of(_body(known, "request")),
        content_type=str(_flat(content_type)),
        body=bytes_of(_body(known, "response")),
    )


def _rpc_path(known: Mapping[str, Any]) -> str:
    if known.get("rpc.system") != "grpc":
        return ""
    return f"/{known.get('rpc.service', '')}/{known.get('rpc.method', '')}"


def _url(known: Mapping[str, Any]) -> str:
    whole = _one(known, _URL)
    if whole:
        return str(whole)
    path, host = _one(known, _PATH), _one(known, _HOST)
    port = known.get("server.port") or known.get("net.host.port")
    if not path:
        return ""
    return f"http://{host}{f':{port}' if port else ''}{path}" if host else str(path)


def _body(known: Mapping[str, Any], side: str) -> Any:
    names = [f"{prefix}{side}.{end}" for prefix in ("http.", "rpc.", "") for end in _BODIES]
    return _one(known, names)


def _one(known: Mapping[str, Any], names: Any) -> Any:
    return next((known[name] for name in names if known.get(name) not in (None, "")), None)


def _flat(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _attributes(given: Any) -> dict[str, Any]:
    return {
        str(entry.get("key")): _value(entry.get("value"))
        for entry in given or ()
        if isinstance(entry, dict)
    }


def _value(given: Any) -> Any:
    """AnyValue of OTLP: the one field that is set."""
    if not isinstance(given, dict):
        return given
    if "arrayValue" in given:
        return [_value(entry) for entry in (given["arrayValue"] or {}).get("values") or ()]
    if "kvlistValue" in given:
        return _attributes((given["kvlistValue"] or {}).get("values"))
    return next(iter(given.values()), None)
