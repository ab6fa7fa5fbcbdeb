"""The definitions of a WSDL and of those it imports, looked up by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from parsers.wsdl.files import Files
from parsers.wsdl.names import WSDL, Node, QName, UnknownPrefix, qname, tag
from parsers.wsdl.report import Report, place
from parsers.wsdl.xml import prose_of
from parsers.wsdl.xsd.components import Schemas, part

KINDS = ("message", "portType", "binding", "service")


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A named definition and the file it stands in."""

    name: QName
    node: Node
    location: str


@dataclass
class Tables:
    files: Files
    report: Report
    schemas: Schemas
    is_complete: bool = True
    entries: dict[str, list[Entry]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    _by_name: dict[tuple[str, QName], Entry] = field(default_factory=dict)
    _by_local: dict[tuple[str, str], list[Entry]] = field(default_factory=dict)
    _seen: set[tuple[str, Node]] = field(default_factory=set)

    def read(self, root: Node, location: str) -> None:
        """Everything that a WSDL 1.1 document and its imports define."""
        queue = deque([(root, location)])
        while queue:
            node, where = queue.popleft()
            if (where, node) not in self._seen:
                self._seen.add((where, node))
                queue.extend(self._read(node, where))

    def _read(self, root: Node, location: str) -> Iterator[tuple[Node, str]]:
        target = root.get("targetNamespace", "").strip()
        for child in root:
            name = tag(child)
            if name.namespace != WSDL:
                continue
            if name.local in KINDS:
                own = QName(target, child.get("name", "").strip())
                self._add(name.local, Entry(own, child, location))
            elif name.local == "types":
                for schema in child:
                    if part(schema) == "schema":
                        self.schemas.add(schema, location)
            elif name.local == "import":
                yield from self._imported(child, location)

    def _imported(self, node: Node, location: str) -> Iterator[tuple[Node, str]]:
        reference = node.get("location", "").strip() or node.get("schemaLocation", "").strip()
        file = self.files.follow(reference, location, node.get("namespace", ""), node)
        if file is None:
            self.is_complete = False
            return
        if tag(file.root) == QName(WSDL, "definitions"):
            yield file.root, file.location
        elif part(file.root) == "schema":
            self.schemas.add(file.root, file.location)
        else:
            found = tag(file.root)
            self._warn(node, location, f"import {reference}: <{found.local}> is no WSDL")

    def _add(self, kind: str, entry: Entry) -> None:
        self.entries[kind].append(entry)
        self._by_local.setdefault((kind, entry.name.local), []).append(entry)
        if (kind, entry.name) in self._by_name and kind != "service":
            where = place(entry.location, entry.node)
            self.report.warn(where, f"a second {kind} {entry.name}: references mean the first")
        self._by_name.setdefault((kind, entry.name), entry)

    def find(self, kind: str, text: str, node: Node, location: str) -> Entry | None:
        """The definition that `text` names at `node`; where only its namespace is wrong, the one
        definition of that local name, with a warning."""
        name = self.resolve(text, node, location)
        found = self._by_name.get((kind, name))
        if found is not None or name.namespace in self.files.lost_namespaces:
            return found
        near = self._by_local.get((kind, name.local), [])
        if len(near) == 1:
            if name.namespace:
                meant = near[0].name
                self._warn(node, location, f"{kind} {name} is not defined: taken for {meant}")
            return near[0]
        self._warn(node, location, f"{kind} {name} is not defined")
        return None

    def resolve(self, text: str, node: Node, location: str) -> QName:
        try:
            return qname(text, node)
        except UnknownPrefix as fault:
            self._warn(node, location, str(fault))
            return QName("", text.rpartition(":")[2].strip())

    def _warn(self, node: Node, location: str, message: str) -> None:
        self.report.warn(place(location, node), message)


def below(node: Node, local: str) -> list[Node]:
    """Children of that name in the WSDL 1.1 namespace."""
    return list(node.iterchildren(f"{{{WSDL}}}{local}"))


def text_of(node: Node) -> str:
    """The wsdl:documentation of an element, "" for none."""
    texts = below(node, "documentation")
    return prose_of(texts) if texts else ""
