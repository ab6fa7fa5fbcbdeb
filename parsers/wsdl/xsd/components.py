"""Every schema a spec reaches, as one table of named components (XML Schema 1.0 part 1, §2.2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

from parsers.wsdl.files import BUILTIN, WELL_KNOWN, File, Files
from parsers.wsdl.names import XSD_ALL, Node, QName, UnknownPrefix, qname, tag
from parsers.wsdl.report import Report, place

KINDS = {
    "element": "element",
    "complexType": "type",
    "simpleType": "type",
    "group": "group",
    "attributeGroup": "attributeGroup",
    "attribute": "attribute",
}


Waiting = tuple[Node, str, str | None]
"""A schema to read: its root, its location, the namespace that an include gives it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a schema document says about everything inside it. A chameleon has no namespace of its
    own and takes that of the schema that includes it."""

    target: str
    location: str
    qualified: bool = False
    attributes_qualified: bool = False
    chameleon: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A named component; `original` is what an xs:redefine builds on."""

    kind: str
    name: QName
    node: Node
    scope: Scope
    original: Component | None = None


def part(node: Node) -> str:
    """The local name of a node of XML Schema, "" for any other."""
    name = tag(node)
    return name.local if name.namespace in XSD_ALL else ""


@dataclass
class Schemas:
    files: Files
    report: Report
    table: dict[tuple[str, QName], Component] = field(default_factory=dict)
    substitutes: dict[QName, list[Component]] = field(default_factory=dict)
    derived: dict[QName, list[Component]] = field(default_factory=dict)
    _by_local: dict[tuple[str, str], list[Component]] = field(default_factory=dict)
    _seen: set[tuple[str, Node, str]] = field(default_factory=set)
    _queue: deque[Waiting] = field(default_factory=deque)

    def add(self, root: Node, location: str, namespace: str | None = None) -> None:
        """Reads a schema and all that it imports; `namespace` is what an include gives it."""
        self._queue.append((root, location, namespace))
        self._drain()

    def find(self, kind: str, name: QName) -> Component | None:
        found = self.table.get((kind, name))
        if found is None and name.namespace in WELL_KNOWN:
            self._add_file(self.files.well_known(name.namespace))
            found = self.table.get((kind, name))
        return found

    def nearest(self, kind: str, name: QName, location: str) -> Component | None:
        """As `find`; where only the namespace is wrong, the one component of that local name, with
        a warning. The namespace of an import that was not read is not wrong, it is unknown."""
        found = self.find(kind, name)
        if found is not None or name.namespace in self.files.lost_namespaces | XSD_ALL:
            return found
        near = self._by_local.get((kind, name.local), [])
        if len(near) != 1:
            return None
        here, there = (one.namespace or "no namespace" for one in (name, near[0].name))
        self.report.warn(location, f"names of {here} are defined in {there}: taken from there")
        return near[0]

    def resolve(self, text: str, node: Node, scope: Scope) -> QName:
        name = qname(text, node)
        if scope.chameleon and not name.namespace:
            return QName(scope.target, name.local)
        return name

    def _add_file(self, file: File, namespace: str | None = None) -> None:
        self.add(file.root, file.location, namespace)

    def _drain(self) -> None:
        while self._queue:
            self._read(*self._queue.popleft())

    def _read(self, root: Node, location: str, namespace: str | None) -> None:
        own = root.get("targetNamespace", "").strip()
        chameleon = bool(namespace) and not own
        target = own or namespace or ""
        seen = (location, root, target)
        if seen in self._seen:
            return
        self._seen.add(seen)
        scope = Scope(
            target,
            location,
            root.get("elementFormDefault") == "qualified",
            root.get("attributeFormDefault") == "qualified",
            chameleon,
        )
        for child in root:
            self._read_child(child, scope)

    def _read_child(self, child: Node, scope: Scope) -> None:
        match part(child):
            case "import":
                self._queue.extend(self._follow(child, scope, None))
            case "include":
                self._queue.extend(self._follow(child, scope, scope.target))
            case "redefine" | "override":
                self._redefine(child, scope)
            case kind if kind in KINDS:
                self._register(child, KINDS[kind], scope)

    def _follow(self, node: Node, scope: Scope, include_as: str | None) -> list[Waiting]:
        """The schemas that an import (`include_as` None), include or redefine means."""
        reference = node.get("schemaLocation", "").strip()
        namespace = node.get("namespace", "") if include_as is None else include_as
        if reference.startswith("#"):
            return []  # a schema beside this one, read anyway
        file = self.files.follow(reference, scope.location, namespace, node)
        if file is None:
            return []
        return [(root, file.location, include_as) for root in _schema_roots(file.root)]

    def _redefine(self, node: Node, scope: Scope) -> None:
        """The redefined file is read to its end before its names are replaced."""
        later, self._queue = self._queue, deque(self._follow(node, scope, scope.target))
        self._drain()
        self._queue = later
        for child in node:
            if part(child) in KINDS:
                self._register(child, KINDS[part(child)], scope, replacing=True)

    def _register(self, node: Node, kind: str, scope: Scope, replacing: bool = False) -> None:
        name = QName(scope.target, node.get("name", "").strip())
        if not name.local:
            return
        component = Component(kind, name, node, scope)
        before = self.table.get((kind, name))
        if before is None or replacing:
            self.table[kind, name] = replace(component, original=before)
            self._by_local.setdefault((kind, name.local), [])
            if before is None and not scope.location.startswith(BUILTIN):
                self._by_local[kind, name.local].append(self.table[kind, name])
            self._note_relations(self.table[kind, name])

    def _note_relations(self, component: Component) -> None:
        node, scope = component.node, component.scope
        try:
            for head in node.get("substitutionGroup", "").split():
                self.substitutes.setdefault(self.resolve(head, node, scope), []).append(component)
            for content in node if part(node) == "complexType" else ():
                for step in content if part(content).endswith("Content") else ():
                    if part(step) == "extension" and step.get("base"):
                        base = self.resolve(step.get("base"), step, scope)
                        self.derived.setdefault(base, []).append(component)
        except UnknownPrefix as fault:
            self.report.warn(place(scope.location, node), str(fault))


def _schema_roots(root: Node) -> list[Node]:
    """A schema, or those that a WSDL holds (people import a WSDL for its types)."""
    if part(root) == "schema":
        return [root]
    return [node for node in root.iter() if isinstance(node.tag, str) and part(node) == "schema"]
