"""WSDL 1.1 read: every operation of every port type that a document declares or imports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from parsers.wsdl.bindings import Binding, bindings_of, offers_of
from parsers.wsdl.files import File
from parsers.wsdl.messages import operation_of
from parsers.wsdl.model import Broken, Description, InterfaceOperation, Offered, Pattern, Role
from parsers.wsdl.names import Node, QName
from parsers.wsdl.report import place
from parsers.wsdl.tables import Entry, Tables, below, text_of


def read(tables: Tables, file: File) -> Description:
    tables.read(file.root, file.location)
    bindings = bindings_of(tables)
    found: list[Offered] = []
    broken: list[Broken] = []
    for entry in tables.entries["portType"]:
        for one in _of_port_type(tables, entry, bindings.get(entry, [])):
            (found if isinstance(one, Offered) else broken).append(one)  # type: ignore[arg-type]
    declared = sum(len(below(one.node, "operation")) for one in tables.entries["portType"])
    for binding in bindings.get(None, []):
        orphans = list(_of_binding_alone(tables, binding))
        declared += len(orphans)
        found += orphans
    return Description(
        "1.1",
        file.root.get("targetNamespace", "").strip(),
        _title(file.root),
        _text(tables, file),
        tuple(found),
        tuple(broken),
        declared,
        _is_whole(tables, file.root),
    )


def _is_whole(tables: Tables, root: Node) -> bool:
    """Also where nothing at all is declared, not even a part for others to import."""
    described = bool(tables.entries["service"] or tables.entries["binding"])
    return described or not tables.is_complete or len(root) == len(below(root, "documentation"))


def _of_port_type(
    tables: Tables, entry: Entry, bindings: list[Binding]
) -> Iterator[Offered | Broken]:
    seen: Counter[str] = Counter()
    for node in below(entry.node, "operation"):
        try:
            operation = operation_of(tables, entry.name, node, entry.location)
            offers = offers_of(tables, bindings, operation, seen[operation.name])
            yield Offered(operation, tuple(offers))
            seen[operation.name] += 1
        except Exception as error:  # noqa: BLE001 - one bad operation costs only itself
            name = node.get("name") or "(no name)"
            yield Broken(place(entry.location, node), f"operation {name}: {error}")


def _of_binding_alone(tables: Tables, binding: Binding) -> Iterator[Offered]:
    """Operations whose port type is not there: their arguments are unknown, their names are not."""
    entry = binding.entry
    port_type = tables.resolve(entry.node.get("type", ""), entry.node, entry.location)
    seen: Counter[str] = Counter()
    for node in below(entry.node, "operation"):
        operation = _unknown_operation(port_type, node, entry.location)
        tables.report.warn(
            operation.location,
            f"operation {operation.name}: its port type {port_type} is not there, so its arguments "
            "are taken as anything",
        )
        offers = offers_of(tables, [binding], operation, seen[operation.name])
        seen[operation.name] += 1
        yield Offered(operation, tuple(offers))


def _unknown_operation(port_type: QName, node: Node, location: str) -> InterfaceOperation:
    roles = {role: Role("", None) if below(node, role) else None for role in ("input", "output")}
    pattern: Pattern = "request-response" if roles["output"] else "one-way"
    name = node.get("name", "").strip()
    inputs = [child.get("name", "") for child in below(node, "input")]
    return InterfaceOperation(
        port_type,
        name,
        pattern,
        place(location, node),
        roles["input"],
        roles["output"],
        text=text_of(node),
        input_name=inputs[0] if inputs else "",
    )


def _title(root: Node) -> str:
    services = [node.get("name", "") for node in below(root, "service")]
    return str(root.get("name", "").strip() or (services[0] if services else ""))


def _text(tables: Tables, file: File) -> str:
    """What the document says of itself, its services and its port types."""
    texts = [text_of(file.root)]
    for kind in ("service", "portType"):
        for entry in tables.entries[kind]:
            texts.append(text_of(entry.node))
            texts += [text_of(node) for node in below(entry.node, "port")]
    return "\n\n".join(dict.fromkeys(text for text in texts if text))
