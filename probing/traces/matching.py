"""To which operation a recorded request belongs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from lxml import etree

from catalog.binding import GrpcBinding, HttpBinding, SoapBinding
from catalog.spec import Operation
from probing.answers import soap_content
from probing.keys import is_data
from probing.traces.exchange import Exchange
from probing.xmlvalues import NotXml, parsed


@dataclass(frozen=True, slots=True)
class Known:
    """An operation of the catalog, as an exchange may belong to it."""

    service_id: int
    operation: Operation
    content_hash: str


@dataclass(frozen=True, slots=True)
class _Route:
    known: Known
    pattern: re.Pattern[str]
    literals: int


@dataclass(slots=True)
class _Service:
    """Base paths with the hosts that they are known at; longest first when they are tried."""

    hosts: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    routes: dict[tuple[str, int], list[_Route]] = field(default_factory=lambda: defaultdict(list))


class Matcher:
    """Operations by method and path template, by SOAP action or body element, by gRPC path."""

    def __init__(self) -> None:
        self._services: dict[int, _Service] = defaultdict(_Service)
        self._grpc: dict[str, Known] = {}
        self._actions: dict[str, list[Known]] = defaultdict(list)
        self._elements: dict[str, list[Known]] = defaultdict(list)
        self._names: dict[str, list[Known]] = defaultdict(list)

    def add(self, known: Known, addresses: Iterable[str] = ()) -> None:
        """`addresses` are where the user says that the service is, besides what the spec says."""
        binding = known.operation.binding
        if isinstance(binding, HttpBinding):
            self._add_rest(known, binding, [*binding.servers, *addresses])
        elif isinstance(binding, GrpcBinding):
            self._grpc[binding.method] = known
        else:
            self._add_soap(known, binding)

    def _add_rest(self, known: Known, binding: HttpBinding, addresses: list[str]) -> None:
        service = self._services[known.service_id]
        for address in addresses:
            parts = urlsplit(address)
            service.bases.add(parts.path.rstrip("/"))
            if parts.netloc:
                service.hosts.add(parts.netloc.lower())
        path = "/" + binding.path.strip("/")
        pieces = re.split(r"\{[^{}]*\}", path)
        pattern = re.compile("[^/]+".join(re.escape(piece) for piece in pieces) + "/?")
        literals = sum(len(piece) for piece in pieces)
        key = (binding.method.upper(), path.count("/"))
        service.routes[key].append(_Route(known, pattern, literals))

    def _add_soap(self, known: Known, binding: SoapBinding) -> None:
        actions = {binding.soap_action, *(one.soap_action for one in binding.endpoints)}
        for action in actions - {""}:
            self._actions[action].append(known)
        for element in {binding.request_element, binding.response_element} - {""}:
            self._elements[element].append(known)
        self._names[binding.operation].append(known)

    def match(self, exchange: Exchange) -> Known | None:
        """The operation, None where none fits or several fit alike."""
        parts = urlsplit(exchange.url)
        if parts.path in self._grpc:
            return self._grpc[parts.path]
        return self._soap(exchange) or self._rest(exchange, parts.netloc.lower(), parts.path)

    # --- SOAP ----------------------------------------------------------------------------------

    def _soap(self, exchange: Exchange) -> Known | None:
        action = _action(exchange)
        found = _only(self._actions.get(action, ())) if action else None
        if found is None and exchange.method == "POST":
            elements = (_element(exchange.request_body), _element(exchange.body))
            candidates = (_only(self._elements.get(one, ())) for one in elements if one)
            found = next((one for one in candidates if one is not None), None)
        return found or (
            _only(self._names.get(exchange.operation, ())) if exchange.operation else None
        )

    # --- REST ----------------------------------------------------------------------------------

    def _rest(self, exchange: Exchange, host: str, path: str) -> Known | None:
        fits: list[tuple[tuple[bool, int, int], Known]] = []
        for service in self._services.values():
            at_home = host in service.hosts
            bases = service.bases | ({""} if not host or at_home or not service.bases else set())
            for base in bases:
                if path == base or path.startswith(f"{base}/"):
                    rest = "/" + path[len(base) :].strip("/")
                    route = _route(service, exchange.method, rest)
                    if route is not None:
                        fits.append(((at_home, len(base), route.literals), route.known))
        best = max((score for score, _ in fits), default=None)
        return _only([known for score, known in fits if score == best])


def _route(service: _Service, method: str, path: str) -> _Route | None:
    """The route with the most plain text; `/users/me` before `/users/{id}`."""
    listed = service.routes.get((method, path.count("/")), ())
    fitting = [route for route in listed if route.pattern.fullmatch(path)]
    return max(fitting, key=lambda route: route.literals, default=None)


def _only(found: Iterable[Known]) -> Known | None:
    listed = list({(k.service_id, k.operation.name): k for k in found}.values())
    return listed[0] if len(listed) == 1 else None


def _action(exchange: Exchange) -> str:
    headers = exchange.request_headers
    said = headers.get("soapaction", "").strip().strip('"')
    match = re.search(r'action="?([^";]+)', headers.get("content-type", ""))
    return said or (match.group(1) if match else "")


def _element(body: bytes | None) -> str:
    """The name of the child of a SOAP body, "" for anything else."""
    if not body or b"Envelope" not in body[:2000]:
        return ""
    try:
        content = soap_content(parsed(body))
    except NotXml:
        return ""
    return "" if content is None else str(etree.QName(content))


def unmatched(exchange: Exchange) -> str:
    """What to call a request that matched nothing: method, host and path, data in it left out."""
    parts = urlsplit(exchange.url)
    segments = [unquote(segment) for segment in parts.path.split("/")]
    path = "/".join("{}" if s and is_data(s, frozenset(), False) else s for s in segments)
    host = parts.netloc.rpartition("@")[2]
    return f"{exchange.method} {host}{path}" if path or host else f"operation {exchange.operation}"
