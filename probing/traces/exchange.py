"""One request with its response, as a recording has it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """`url` may be a path alone where the recording knows no host. `operation` is the name that a
    SoapUI project files it under. None for `body`: the recording has none."""

    method: str
    url: str
    status: int | None = None
    request_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    request_body: bytes | None = field(default=None, repr=False)
    content_type: str = ""
    body: bytes | None = field(default=None, repr=False)
    operation: str = ""


class TraceProblem(Exception):
    """Why a file, or the rest of it, cannot be read."""


def headers_of(given: Any) -> dict[str, str]:
    """Headers as a mapping, as pairs of name and value, or as text lines; names in lower case."""
    if isinstance(given, Mapping):
        return {str(k).lower(): _first(v) for k, v in given.items()}
    found: dict[str, str] = {}
    if isinstance(given, str):
        given = [line.partition(":")[::2] for line in given.splitlines()]
    for entry in given if isinstance(given, Iterable) else ():
        if isinstance(entry, Mapping):
            name = entry.get("name", entry.get("key", ""))
            found.setdefault(str(name).lower(), str(entry.get("value", "")))
        elif isinstance(entry, (list, tuple)) and len(entry) == 2:
            found.setdefault(str(entry[0]).strip().lower(), str(entry[1]).strip())
    return found


def _first(value: Any) -> str:
    return str(value[0]) if isinstance(value, list) and value else str(value)


def bytes_of(body: Any, encoding: str = "") -> bytes | None:
    """A body as bytes: text, base64, or a JSON value that the recording has unpacked."""
    if body is None:
        return None
    if isinstance(body, (dict, list, int, float)):
        return json.dumps(body).encode()
    text = str(body)
    if encoding.lower() != "base64":
        return text.encode("utf-8", "replace")
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return None


def number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
