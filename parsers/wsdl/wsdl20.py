"""WSDL 2.0 (part 1 and the SOAP and HTTP adjuncts) read into the same description as 1.1."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from catalog.binding import Endpoint
from parsers.wsdl.bindings import bare_endpoint
from parsers.wsdl.files import File
from parsers.wsdl.model import (
    Broken,
    Description,
    InterfaceOperation,
    Message,
    Offer,
    Offered,
    Part,
    Pattern,
    Role,
    Side,
)
from parsers.wsdl.names import WSDL_2, Node, QName, expanded, tag
from parsers.wsdl.report import place
from parsers.wsdl.tables import Entry, Tables
from parsers.wsdl.xml import prose_of
from parsers.wsdl.xsd.components import part

_KINDS = ("interface", "binding", "service")
_PATTERNS: dict[str, Pattern] = {
    "in-only": "one-way",
    "robust-in-only": "one-way",
    "out-only": "notification",
    "robust-out-only": "notification",
    "out-in": "solicit-response",
    "out-opt-in": "solicit-response",
}


@dataclass
class _Components:
    entries: dict[str, list[Entry]] = field(default_factory=lambda: {kind: [] for kind in _KINDS})

    def find(self, kind: str, name: QName) -> Entry | None:
        same = [one for one in self.entries[kind] if one.name == name]
        near = [one for one in self.entries[kind] if one.name.local == name.local]
        return same[0] if same else near[0] if len(near) == 1 else None


def read(tables: Tables, file: File) -> Description:
    components = _collected(tables, file)
    found: list[Offered] = []
    broken: list[Broken] = []
    declared = 0
    for entry in components.entries["interface"]:
        _note_lost_bases(tables, components, entry)
        offers = _Offers(tables, components, entry)
        for node in below(entry.node, "operation"):
            declared += 1
            try:
                operation = _operation(tables, components, entry, node)
                found.append(Offered(operation, tuple(offers.of(operation))))
            except Exception as error:  # noqa: BLE001 - one bad operation costs only itself
                name = node.get("name") or "(no name)"
                broken.append(Broken(place(entry.location, node), f"operation {name}: {error}"))
    services = [entry.name.local for entry in components.entries["service"]]
    return Description(
        "2.0",
        file.root.get("targetNamespace", "").strip(),
        services[0] if services else "",
        _text(components, file.root),
        tuple(found),
        tuple(broken),
        declared,
        True,
    )


def _note_lost_bases(tables: Tables, components: _Components, entry: Entry) -> None:
    for written in entry.node.get("extends", "").split():
        name = tables.resolve(written, entry.node, entry.location)
        if components.find("interface", name) is None:
            said = f"interface {name}, which {entry.name.local} extends, is not defined"
            tables.report.warn(
                place(entry.location, entry.node), f"{said}: its operations are not known"
            )


def below(node: Node, local: str) -> list[Node]:
    return [child for child in node if tag(child).local == local and tag(child).namespace in WSDL_2]


def text_of(node: Node) -> str:
    texts = below(node, "documentation")
    return prose_of(texts) if texts else ""


def _text(components: _Components, root: Node) -> str:
    nodes = [root, *(one.node for kind in _KINDS for one in components.entries[kind])]
    return "\n\n".join(dict.fromkeys(text for text in map(text_of, nodes) if text))


def _collected(tables: Tables, file: File) -> _Components:
    components = _Components()
    queue, seen = deque([file]), set()
    while queue:
        one = queue.popleft()
        if (one.location, one.root) in seen:
            continue
        seen.add((one.location, one.root))
        target = one.root.get("targetNamespace", "").strip()
        for child in one.root:
            name = tag(child)
            if name.namespace in WSDL_2 and name.local in _KINDS:
                own = QName(target, child.get("name", "").strip())
                components.entries[name.local].append(Entry(own, child, one.location))
            elif name.namespace in WSDL_2 and name.local == "types":
                _types(tables, child, one.location)
            elif name.namespace in WSDL_2 and name.local in ("import", "include"):
                queue.extend(_imported(tables, child, one.location))
    return components


def _types(tables: Tables, node: Node, location: str) -> None:
    for child in node:
        if part(child) == "schema":
            tables.schemas.add(child, location)
        elif part(child) == "import":
            reference = child.get("schemaLocation", "")
            file = tables.files.follow(reference, location, child.get("namespace", ""), child)
            if file is not None:
                tables.schemas.add(file.root, file.location)


def _imported(tables: Tables, node: Node, location: str) -> Iterator[File]:
    namespace = node.get("namespace", "")
    file = tables.files.follow(node.get("location", "").strip(), location, namespace, node)
    if file is not None:
        yield file


def _operation(
    tables: Tables, components: _Components, entry: Entry, node: Node
) -> InterfaceOperation:
    name = node.get("name", "").strip()
    if not name:
        raise ValueError("nothing to call it by")
    written = node.get("pattern", "").rstrip("/").rpartition("/")[2]
    return InterfaceOperation(
        entry.name,
        name,
        _PATTERNS.get(written, "request-response"),
        place(entry.location, node),
        _role(tables, node, "input", entry.location),
        _role(tables, node, "output", entry.location),
        tuple(_faults(tables, components, node, entry.location)),
        text_of(node),
    )


def _role(tables: Tables, operation: Node, role: str, location: str) -> Role | None:
    for node in below(operation, role):
        element = node.get("element", "#other").strip()  # what §2.5.3 says of none written
        where = place(location, node)
        message = QName("", f"{operation.get('name')} {role}")
        parts: tuple[Part, ...] = ()
        if element in ("#any", "#other"):
            parts = (Part("body", where),)
        elif element != "#none":
            parts = (Part("body", where, tables.resolve(element, node, location)),)
        return Role(node.get("messageLabel", ""), Message(message, parts), text_of(node))
    return None


def _faults(tables: Tables, components: _Components, node: Node, location: str) -> Iterator[str]:
    for direction in ("infault", "outfault"):
        for fault in below(node, direction):
            yield tables.resolve(fault.get("ref", ""), fault, location).local


class _Offers:
    """The endpoints of an interface: its own and those of interfaces that extend it."""

    def __init__(self, tables: Tables, components: _Components, interface: Entry) -> None:
        self._tables = tables
        self._components = components
        self._names = _extending(tables, components, interface)
        self._operations: dict[Entry, dict[str, Node]] = {}

    def of(self, operation: InterfaceOperation) -> Iterator[Offer]:
        for service in self._components.entries["service"]:
            if self._resolved(service, service.node, "interface") not in self._names:
                continue
            for node in below(service.node, "endpoint"):
                name = self._resolved(service, node, "binding")
                binding = self._components.find("binding", name) if name else None
                if binding is not None:
                    port = node.get("name", "")
                    at = Endpoint(service.name.local, port, node.get("address", ""), "")
                    bare = bare_endpoint(at, self._tables)
                    yield _offer(binding, self._bound(binding, operation.name), bare)

    def _bound(self, binding: Entry, name: str) -> Node | None:
        """What a binding says of one operation."""
        if binding not in self._operations:
            nodes = below(binding.node, "operation")
            known = {node.get("ref", "").rpartition(":")[2].strip(): node for node in nodes}
            self._operations[binding] = known
        return self._operations[binding].get(name)

    def _resolved(self, entry: Entry, node: Node, attribute: str) -> QName | None:
        text = node.get(attribute, "").strip()
        found = self._tables.resolve(text, node, entry.location) if text else None
        if found is None:
            return None
        kind = "interface" if attribute == "interface" else "binding"
        near = self._components.find(kind, found)
        return near.name if near else found


def _extending(tables: Tables, components: _Components, interface: Entry) -> set[QName]:
    """Names of the interface and of all that inherit from it, over any number of steps."""
    names = {interface.name}
    grown = True
    while grown:
        grown = False
        for one in components.entries["interface"]:
            bases = {
                tables.resolve(base, one.node, one.location)
                for base in one.node.get("extends", "").split()
            }
            if one.name not in names and bases & names:
                names.add(one.name)
                grown = True
    return names


def _offer(binding: Entry, operation: Node | None, at: Endpoint) -> Offer:
    """§2.9, adjuncts §5 and §6: SOAP 1.2 unless the binding says 1.1; HTTP by method."""
    of_all = _attributes(binding.node)
    own = {} if operation is None else _attributes(operation)
    text = "" if operation is None else text_of(operation)
    if of_all.get("type", "").rstrip("/").endswith("/http"):
        method = own.get("method") or of_all.get("methodDefault") or "GET"
        address, location = at.address, own.get("location", "")
        if location:
            address = f"{address.rstrip('/')}/{location.lstrip('/')}"
        side = Side(place="query" if method.upper() == "GET" else "form")
        endpoint = replace(at, address=address, transport=f"http-{method.lower()}")
        return Offer(endpoint, side, text=text)
    endpoint = replace(
        at,
        transport="soap11" if of_all.get("version") == "1.1" else "soap12",
        soap_action=own.get("action", ""),
        style="document",
        use="literal",
    )
    return Offer(endpoint, text=text)


def _attributes(node: Node) -> dict[str, str]:
    """By local name: the extensions' own namespaces changed from draft to draft."""
    return {expanded(str(name)).local: str(value) for name, value in node.attrib.items()}
