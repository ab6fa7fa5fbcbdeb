"""Saved responses of a Postman collection (schema.getpostman.com, v2.0 and v2.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from probing.traces.exchange import Exchange, TraceProblem, bytes_of, headers_of, number

_VARIABLE = re.compile(r"\{\{([^{}]+)\}\}")


def read(file: TextIO) -> Iterator[Exchange]:
    try:
        collection = json.load(file)
    except (ValueError, RecursionError):
        raise TraceProblem("no valid JSON") from None
    known = _variables(collection.get("variable"))
    waiting = list(reversed(collection.get("item") or []))
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(reversed(item.get("item") or []))
            for response in item.get("response") or ():
                if isinstance(response, dict):
                    yield _exchange(item, response, known)


def _exchange(item: dict[str, Any], response: dict[str, Any], known: dict[str, str]) -> Exchange:
    request = response.get("originalRequest") or item.get("request") or {}
    request = {"url": request} if isinstance(request, str) else request
    headers = headers_of(response.get("header"))
    body = request.get("body")
    return Exchange(
        method=str(request.get("method", "GET")).upper(),
        url=_url(request.get("url"), known),
        status=number(response.get("code")) or 200,
        request_headers=headers_of(request.get("header")),
        request_body=bytes_of(body.get("raw") if isinstance(body, dict) else None),
        content_type=headers.get("content-type", ""),
        body=bytes_of(response.get("body")),
    )


def _url(given: Any, known: Mapping[str, str]) -> str:
    """The address with its variables; one that begins with an unknown variable has no host."""
    raw = given.get("raw", "") if isinstance(given, dict) else str(given or "")
    for _ in range(4):
        raw = _VARIABLE.sub(lambda match: known.get(match[1].strip(), match[0]), raw)
    own = _variables(given.get("variable")) if isinstance(given, dict) else {}
    for name, value in own.items():
        raw = re.sub(rf"(?<=/):{re.escape(name)}(?=[/?#]|$)", lambda _, v=value: v, raw)
    if (match := re.match(r"\{\{[^{}]+\}\}(?=/|$)", raw)) is not None:
        raw = raw[match.end() :]
    return raw if "://" in raw or raw.startswith("/") else f"http://{raw}"


def _variables(given: Any) -> dict[str, str]:
    listed = given if isinstance(given, list) else []
    return {
        str(entry.get("key", entry.get("id", ""))): str(entry.get("value") or "")
        for entry in listed
        if isinstance(entry, dict)
    }
