"""Pairs of request and response, one a line or in one array, under the usual names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from probing.traces import har
from probing.traces.exchange import Exchange, TraceProblem, bytes_of, headers_of, number
from probing.traces.jsonstream import MAX_VALUE, entries

_URL = ("url", "uri", "path", "target", "request_url", "request_uri")
_METHOD = ("method", "verb", "request_method", "http_method")
_STATUS = ("status", "status_code", "statusCode", "code", "response_status")
_BODY = ("body", "json", "text", "content", "payload", "data")


def read_array(file: TextIO) -> Iterator[Exchange]:
    for entry in entries(file, ()):
        yield from _exchanges(entry)


def read(file: TextIO) -> Iterator[Exchange]:
    """One JSON object a line; a line that is none ends the reading with its number."""
    for count, line in enumerate(iter(lambda: file.readline(MAX_VALUE), ""), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            raise TraceProblem(f"line {count} is no JSON") from None
        yield from _exchanges(entry)


def _exchanges(entry: Any) -> Iterator[Exchange]:
    if not isinstance(entry, dict):
        return
    request, response = entry.get("request"), entry.get("response")
    if isinstance(response, dict) and isinstance(response.get("content"), dict):
        found = har.exchange(entry)
        if found is not None:
            yield found
        return
    asked = request if isinstance(request, dict) else entry
    answered = response if isinstance(response, dict) else entry
    url = _of(asked, _URL) or _of(entry, _URL)
    if not isinstance(url, str) or not url:
        return
    headers = headers_of(answered.get("headers", entry.get("response_headers")))
    body = _of(answered, _BODY) if answered is not entry else entry.get("response_body")
    if answered is entry and body is None and "response" in entry:
        body = response
    yield Exchange(
        method=str(_of(asked, _METHOD) or "GET").upper(),
        url=url,
        status=number(_of(answered, _STATUS) or _of(entry, _STATUS)),
        request_headers=headers_of(asked.get("headers", entry.get("request_headers"))),
        request_body=bytes_of(_request_body(asked, entry)),
        content_type=headers.get("content-type", ""),
        body=bytes_of(body, str(answered.get("encoding", ""))),
    )


def _request_body(asked: dict[str, Any], entry: dict[str, Any]) -> Any:
    return _of(asked, _BODY) if asked is not entry else entry.get("request_body")


def _of(entry: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((entry[name] for name in names if entry.get(name) is not None), None)
