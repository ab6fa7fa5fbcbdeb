"""Messages and port types of WSDL 1.1 (§2.3, §2.4)."""

from __future__ import annotations

from parsers.wsdl.model import InterfaceOperation, Message, Part, Pattern, Role
from parsers.wsdl.names import Node, QName, tag
from parsers.wsdl.report import place
from parsers.wsdl.tables import Entry, Tables, below, text_of

_PATTERNS: dict[tuple[str, ...], Pattern] = {
    ("input", "output"): "request-response",
    ("output", "input"): "solicit-response",
    ("output",): "notification",
}
_DEFAULT_NAMES = {
    ("request-response", "input"): "Request",
    ("solicit-response", "input"): "Response",
}


def message_parts(tables: Tables, entry: Entry) -> tuple[Part, ...]:
    return tuple(_part(tables, node, entry.location) for node in below(entry.node, "part"))


def _part(tables: Tables, node: Node, location: str) -> Part:
    names = {
        kind: tables.resolve(node.get(kind), node, location) if node.get(kind) else None
        for kind in ("element", "type")
    }
    where = place(location, node)
    return Part(node.get("name", ""), where, names["element"], names["type"], text_of(node))


def operation_of(tables: Tables, interface: QName, node: Node, location: str) -> InterfaceOperation:
    """One operation of a port type; raises ValueError where it has no name to call it by."""
    name = node.get("name", "").strip()
    if not name:
        raise ValueError("nothing to call it by")
    roles = [tag(child).local for child in node if tag(child).local in ("input", "output")]
    pattern = _PATTERNS.get(tuple(dict.fromkeys(roles)), "one-way")
    return InterfaceOperation(
        interface,
        name,
        pattern,
        place(location, node),
        _role(tables, node, "input", location),
        _role(tables, node, "output", location),
        tuple(fault.get("name", "") for fault in below(node, "fault")),
        text_of(node),
        _input_name(node, name, pattern),
    )


def _input_name(node: Node, name: str, pattern: Pattern) -> str:
    """§2.4.5: what an input is called that says nothing itself; "" without an input."""
    for child in below(node, "input"):
        default = name + _DEFAULT_NAMES.get((pattern, "input"), "")
        return str(child.get("name") or default)
    return ""


def _role(tables: Tables, operation: Node, role: str, location: str) -> Role | None:
    for node in below(operation, role):
        entry = tables.find("message", node.get("message", ""), node, location)
        message = _message(tables, entry) if entry else None
        return Role(node.get("name", ""), message, text_of(node))
    return None


def _message(tables: Tables, entry: Entry) -> Message:
    return Message(entry.name, message_parts(tables, entry), text_of(entry.node))
