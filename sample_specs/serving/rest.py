"""Billing and HR over HTTP: routes from the two specs, answers from the company."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import yaml

from sample_specs.serving import bookings, ledger, people, requests
from sample_specs.serving.calls import Arguments, BadArgument, Call, CallLog, UnknownId, WrongState
from sample_specs.serving.replies import Document, Reply
from sample_specs.serving.web import Answer, Request, authorised, json_answer

SPECS = Path(__file__).parent.parent
HANDLERS = {
    "billing": ledger.READERS | bookings.WRITERS,
    "hr": people.READERS | requests.WRITERS,
}
WRITERS = {"billing": frozenset(bookings.WRITERS), "hr": frozenset(requests.WRITERS)}
FILES = {
    "/billing/openapi.yaml": ("billing.openapi.yaml", "application/yaml"),
    "/hr/swagger.json": ("hr.swagger.json", "application/json"),
}


@dataclass(frozen=True)
class Route:
    service: str
    method: str
    pattern: re.Pattern[str]
    operation: str


def routes() -> list[Route]:
    """Every route of both specs, paths without parameters first."""
    billing = yaml.safe_load((SPECS / "billing.openapi.yaml").read_text("utf-8"))
    hr = json.loads((SPECS / "hr.swagger.json").read_text("utf-8"))
    return [
        Route(service, method.upper(), _pattern(f"/{service}{path}"), operation["operationId"])
        for service, spec in (("billing", billing), ("hr", hr))
        for path, item in sorted(spec["paths"].items(), key=lambda pair: pair[0].count("{"))
        for method, operation in item.items()
        if method != "parameters"
    ]


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "/?")


class RestApplication:
    def __init__(self, log: CallLog, token: str | None) -> None:
        self._log = log
        self._token = token
        self._routes = routes()

    def __call__(self, request: Request) -> Answer:
        path = urlsplit(request.target).path
        if path == "/_calls":
            return self._control(request)
        if path in FILES:
            name, media_type = FILES[path]
            return Answer(200, media_type, (SPECS / name).read_bytes())
        return self._call(request, path)

    def _control(self, request: Request) -> Answer:
        if request.method == "DELETE":
            self._log.clear()
        return json_answer(200, [call.as_json() for call in self._log.all()])

    def _call(self, request: Request, path: str) -> Answer:
        method = "GET" if request.method == "HEAD" else request.method
        for route in self._routes:
            match = route.pattern.fullmatch(path)
            if match and route.method == method:
                ids = {key: unquote(value) for key, value in match.groupdict().items()}
                return self._run(route, request, ids)
        self._record("?", "?", {"method": request.method, "path": path}, method != "GET")
        return json_answer(404, {"title": "No such path", "status": 404})

    def _run(self, route: Route, request: Request, ids: Arguments) -> Answer:
        try:
            arguments = _arguments(request) | ids
        except ValueError:
            self._note(route, ids)
            return _refusal(route.service, 400, "The body cannot be read")
        self._note(route, arguments)
        if not authorised(request, self._token):
            return _refusal(route.service, 401, "Credentials are needed")
        return _answer(route, request, arguments)

    def _note(self, route: Route, arguments: Arguments) -> None:
        writes = route.operation in WRITERS[route.service]
        self._record(route.service, route.operation, arguments, writes)

    def _record(self, service: str, operation: str, arguments: Arguments, writes: bool) -> None:
        self._log.record(Call("rest", service, operation, arguments, writes))


def _arguments(request: Request) -> Arguments:
    """Query and body side by side. ValueError for a body that is not what its type says."""
    query = dict(parse_qsl(urlsplit(request.target).query))
    if not request.body:
        return query
    if "x-www-form-urlencoded" in request.headers.get("Content-Type", ""):
        return query | dict(parse_qsl(request.body.decode()))
    body = json.loads(request.body)
    if not isinstance(body, dict):
        raise ValueError("not an object")
    return query | body


def _answer(route: Route, request: Request, arguments: Arguments) -> Answer:
    try:
        value = HANDLERS[route.service][route.operation](arguments)
    except UnknownId as error:
        return _refusal(route.service, 404, str(error))
    except WrongState as error:
        return _refusal(route.service, 409, str(error))
    except (BadArgument, ValueError, TypeError, KeyError) as error:
        return _refusal(route.service, 422, str(error))
    return _written(value, request.headers.get("Accept", "*/*"))


def _written(value: Any, accept: str) -> Answer:
    if isinstance(value, Reply):
        return Answer(value.status) if value.body is None else json_answer(value.status, value.body)
    if isinstance(value, Document):
        media_type, body = value.choose(accept)
        if media_type == "application/json":
            return json_answer(200, body)
        return Answer(200, media_type, body if isinstance(body, bytes) else body.encode())
    return json_answer(200, value)


def _refusal(service: str, status: int, text: str) -> Answer:
    if service == "hr":
        return json_answer(status, {"rc": status, "txt": text})
    problem = {"title": "Refused", "status": status, "detail": text}
    return json_answer(status, problem, "application/problem+json")
