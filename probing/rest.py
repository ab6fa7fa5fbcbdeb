"""A REST call as it goes over the wire (OpenAPI 3.2 §4.12: styles; RFC 3986: what is escaped)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from catalog.binding import Argument, HttpBinding

AGENT = "apigloss-probe"
_OVERRIDES = frozenset({"x-http-method-override", "x-http-method", "x-method-override", "_method"})
_OF_THE_CONNECTION = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"}
)
_BRACES = re.compile(r"[{}]|%7[BbDd]")


class Unfit(Exception):
    """Why a call is not sent; the message never holds a value."""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """Ready to send. `headers` hold no credentials: those join at the host that they are for."""

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


def http_call(binding: HttpBinding, base_url: str, values: Mapping[str, Any]) -> HttpCall:
    """The request for an operation; Unfit where a brace or a hole would be left in its address."""
    given = [(a, values[a.key]) for a in binding.arguments if a.key in values]
    if any(a.name.lower() in _OVERRIDES for a, _ in given):
        raise Unfit("an argument asks for another method")
    url = base_url.rstrip("/") + _path(binding.path, given)
    query = "&".join(part for a, value in given if a.place == "query" for part in _query(a, value))
    if query:
        url += ("&" if "?" in url else "?") + query
    if _BRACES.search(url):
        raise Unfit("a part of the address in braces has no value")
    headers = {"Accept": _accept(binding), "Accept-Encoding": "identity", "User-Agent": AGENT}
    headers |= {
        a.name: _header(v)
        for a, v in given
        if a.place == "header" and a.name.lower() not in _OF_THE_CONNECTION
    }
    cookies = "; ".join(f"{a.name}={_header(v)}" for a, v in given if a.place == "cookie")
    if cookies:
        headers["Cookie"] = cookies
    body, media_type = _body(binding, given)
    return HttpCall(binding.method, url, headers | media_type, body)


def _accept(binding: HttpBinding) -> str:
    wanted = binding.response_media_type or "application/json"
    return wanted if wanted == "*/*" else f"{wanted}, */*;q=0.1"


def _path(template: str, given: list[tuple[Argument, Any]]) -> str:
    for argument, value in given:
        if argument.place == "path":
            text = _joined(value)
            if text in ("", ".", "..") or "/" in text:
                raise Unfit(f"the value of {argument.key} cannot be a part of a path")
            filled = quote(text, safe="~:@!$&'()*+,;=-._")
            template = template.replace("{" + argument.name + "}", filled)
    return template if template.startswith("/") or not template else f"/{template}"


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_joined(entry) for entry in value)
    if isinstance(value, dict):
        return ",".join(f"{key},{_joined(entry)}" for key, entry in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _query(argument: Argument, value: Any) -> Iterator[str]:
    style = argument.options.get("style", "form")
    explode = argument.options.get("explode", style == "form")
    name = quote(argument.name, safe="[]")
    if isinstance(value, dict) and style == "deepObject":
        yield from (f"{name}[{quote(str(k))}]={quote(_joined(v))}" for k, v in value.items())
    elif isinstance(value, dict) and explode:
        yield from (f"{quote(str(k))}={quote(_joined(v))}" for k, v in value.items())
    elif isinstance(value, list) and explode:
        yield from (f"{name}={quote(_joined(entry))}" for entry in value)
    else:
        glue = {"spaceDelimited": "%20", "pipeDelimited": "|"}.get(style, ",")
        entries = value if isinstance(value, list) else [value]
        yield f"{name}={glue.join(quote(_joined(entry)) for entry in entries)}"


def _header(value: Any) -> str:
    text = _joined(value)
    if not text.isprintable():
        raise Unfit("a value with line ends cannot be a header")
    return text.encode("utf-8").decode("latin-1")


def _body(
    binding: HttpBinding, given: list[tuple[Argument, Any]]
) -> tuple[bytes | None, dict[str, str]]:
    forms = [(a, v) for a, v in given if a.place == "form"]
    if forms:
        text = urlencode([(a.name, _joined(v)) for a, v in forms])
        return text.encode(), {"Content-Type": "application/x-www-form-urlencoded"}
    parts = [(a, v) for a, v in given if a.place == "body"]
    if not parts:
        return None, {}
    media_type = next((m for m in binding.request_media_types if "json" in m), "application/json")
    whole = next((v for a, v in parts if not a.name), None)
    value = whole if whole is not None else {a.name: v for a, v in parts}
    return json.dumps(value).encode(), {"Content-Type": media_type}
