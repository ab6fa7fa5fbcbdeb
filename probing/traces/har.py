"""HTTP Archive 1.2 (w3c.github.io/web-performance/specs/HAR): `log.entries`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from probing.traces.exchange import Exchange, bytes_of, headers_of, number
from probing.traces.jsonstream import entries


def read(file: TextIO) -> Iterator[Exchange]:
    for entry in entries(file, ("log", "entries")):
        found = exchange(entry)
        if found is not None:
            yield found


def exchange(entry: Any) -> Exchange | None:
    """One entry; None for what is no HTTP exchange (a WebSocket, a request that was blocked)."""
    if not isinstance(entry, dict):
        return None
    request, response = entry.get("request"), entry.get("response")
    if not isinstance(request, dict) or not isinstance(response, dict):
        return None
    content, sent = _part(response, "content"), _part(request, "postData")
    return Exchange(
        method=str(request.get("method", "GET")).upper(),
        url=str(request.get("url", "")),
        status=number(response.get("status")),
        request_headers=headers_of(request.get("headers")),
        request_body=bytes_of(sent.get("text"), str(sent.get("encoding", ""))),
        content_type=str(content.get("mimeType", "")),
        body=bytes_of(content.get("text"), str(content.get("encoding", ""))),
    )


def _part(entry: dict[str, Any], name: str) -> dict[str, Any]:
    found = entry.get(name)
    return found if isinstance(found, dict) else {}
