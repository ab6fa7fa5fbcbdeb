"""Bindings and ports of WSDL 1.1 (§2.5–2.7, §3–5): how the operations of a port type are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from catalog.binding import Endpoint
from parsers.addresses import HELD_CREDENTIALS, without_credentials
from parsers.wsdl.messages import message_parts
from parsers.wsdl.model import Header, InterfaceOperation, Offer, Side
from parsers.wsdl.names import HTTP, MIME, SOAP11, SOAP12, Node, tag
from parsers.wsdl.report import place
from parsers.wsdl.tables import Entry, Tables, below, text_of

_SOAP = {
    SOAP11: "soap11",
    SOAP12: "soap12",
    "http://www.w3.org/2003/05/soap/bindings/HTTP": "soap12",
}
_ADDRESSING = (
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
)


@dataclass(frozen=True, slots=True)
class Port:
    service: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding with its ports; one that no port uses is offered at an address yet to be given."""

    entry: Entry
    transport: str
    style: str
    ports: tuple[Port, ...]
    operations: Mapping[str, list[Node]]


def bindings_of(tables: Tables) -> dict[Entry | None, list[Binding]]:
    """Every binding under its port type (None: a port type that is not there), ports in the order
    of the file."""
    ports: dict[Entry, list[Port]] = {}
    for service in tables.entries["service"]:
        for node in below(service.node, "port"):
            target = tables.find("binding", node.get("binding", ""), node, service.location)
            if target is not None:
                port = Port(service.name.local, node.get("name", ""), _address(node))
                ports.setdefault(target, []).append(port)
    bindings: dict[Entry | None, list[Binding]] = {}
    for entry in tables.entries["binding"]:
        port_type = tables.find("portType", entry.node.get("type", ""), entry.node, entry.location)
        binding = _binding(tables, entry, ports.get(entry, []))
        bindings.setdefault(port_type, []).append(binding)
    return bindings


def _binding(tables: Tables, entry: Entry, ports: list[Port]) -> Binding:
    transport, style = _transport(entry.node)
    if not transport:
        where = place(entry.location, entry.node)
        word = f"binding {entry.name.local} is neither SOAP nor HTTP: its ports are not listed"
        tables.report.add("note", where, word)
    operations: dict[str, list[Node]] = {}
    for node in below(entry.node, "operation"):
        operations.setdefault(node.get("name", "").strip(), []).append(node)
    at = tuple(ports) or (Port("", entry.name.local, ""),)
    return Binding(entry, transport, style, at, operations)


def _transport(node: Node) -> tuple[str, str]:
    for child in node:
        name = tag(child)
        namespace = name.namespace.rstrip("/")
        if name.local == "binding" and namespace in _SOAP:
            return _SOAP[namespace], child.get("style", "document")
        if name.local == "binding" and namespace == HTTP:
            return f"http-{child.get('verb', 'GET').strip().lower()}", ""
    return "", ""


def _address(port: Node) -> str:
    for node in port.iter():
        name = tag(node)
        if name.local == "address" and node.get("location") is not None:
            return str(node.get("location")).strip()
        if name.local == "Address" and name.namespace in _ADDRESSING:
            return (node.text or "").strip()
    return ""


def offers_of(
    tables: Tables, bindings: list[Binding], operation: InterfaceOperation, rank: int
) -> Iterator[Offer]:
    """The operation at each port; `rank` tells overloads without names apart."""
    for binding in bindings:
        node = _matching(binding.operations.get(operation.name, []), operation, rank)
        if node is not None and binding.transport:
            base = _offer(tables, binding, node)
            for port in binding.ports:
                at = _at(base.endpoint, port, node)
                yield replace(base, endpoint=bare_endpoint(at, tables))


def _matching(named: list[Node], operation: InterfaceOperation, rank: int) -> Node | None:
    if len(named) <= 1:
        return named[0] if named else None
    for node in named:
        if operation.input_name and _input_name(node) == operation.input_name:
            return node
    return named[rank] if rank < len(named) else None


def _input_name(node: Node) -> str:
    return next((str(child.get("name", "")) for child in below(node, "input")), "")


def bare_endpoint(endpoint: Endpoint, tables: Tables) -> Endpoint:
    """The endpoint without credentials in its address."""
    bare = without_credentials(endpoint.address)
    if bare != endpoint.address:
        tables.report.warn(f"port {endpoint.port}", HELD_CREDENTIALS)
    return replace(endpoint, address=bare)


def _at(endpoint: Endpoint, port: Port, node: Node) -> Endpoint:
    address = port.address
    for child in node:
        name = tag(child)
        if name.local == "operation" and name.namespace.rstrip("/") == HTTP:
            address = _joined(address, child.get("location", "").strip())
    return replace(endpoint, service=port.service, port=port.name, address=address)


def _joined(address: str, location: str) -> str:
    """§4.3: an operation's location continues the address of the port."""
    if not address or not location or "://" in location:
        return location or address
    if location.startswith("/"):
        return address.rstrip("/") + location
    return urljoin(address.rstrip("/") + "/", location)


def _offer(tables: Tables, binding: Binding, node: Node) -> Offer:
    action, style = "", binding.style
    for child in node:
        name = tag(child)
        if name.local == "operation" and name.namespace.rstrip("/") in _SOAP:
            action, style = child.get("soapAction", ""), child.get("style", style)
    location = binding.entry.location
    sides = {
        role: _side(tables, found[0], location) if (found := below(node, role)) else (Side(), "")
        for role in ("input", "output")
    }
    use = sides["input"][1] or sides["output"][1]
    endpoint = Endpoint("", "", "", binding.transport, action, style, use)
    request, response = sides["input"][0], sides["output"][0]
    if not binding.transport.startswith("soap") and request.place == "part":
        request = replace(request, place="form" if binding.transport == "http-post" else "query")
    return Offer(endpoint, request, response, text_of(node))


def _side(tables: Tables, node: Node, location: str) -> tuple[Side, str]:
    """How one message is written, and its `use`; MIME wraps what plain SOAP has at the top."""
    side, use = Side(), ""
    for child in node.iter():
        name = tag(child)
        namespace = name.namespace.rstrip("/")
        if namespace in _SOAP and name.local == "body":
            use = child.get("use", "literal")
            names = child.get("parts")
            side = replace(
                side,
                namespace=child.get("namespace", ""),
                body_parts=None if names is None else tuple(names.split()),
            )
        elif namespace in _SOAP and name.local == "header":
            side = replace(side, headers=(*side.headers, *_header(tables, child, location)))
        elif namespace == MIME and name.local == "content" and child.get("part"):
            side = replace(side, media={**side.media, child.get("part"): child.get("type", "")})
        elif namespace == HTTP and name.local in ("urlEncoded", "urlReplacement"):
            side = replace(side, place="path" if name.local == "urlReplacement" else "part")
            use = name.local
    return side, use


def _header(tables: Tables, node: Node, location: str) -> Iterator[Header]:
    message = tables.find("message", node.get("message", ""), node, location)
    wanted = node.get("part", "").strip()
    if message is None:
        return
    required = node.get("{http://schemas.xmlsoap.org/wsdl/}required") in ("true", "1")
    found = [one for one in message_parts(tables, message) if one.name == wanted or not wanted]
    if not found:
        where = place(location, node)
        tables.report.warn(where, f"message {message.name.local} has no part {wanted} for a header")
    for one in found:
        yield Header(one, required)
