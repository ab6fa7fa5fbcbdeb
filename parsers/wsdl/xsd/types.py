"""The types of one spec as JSON Schema: references to definitions, written when first reached."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from parsers.wsdl.names import SOAP_ENCODINGS, XSD, Node, QName, UnknownPrefix
from parsers.wsdl.report import Report, place
from parsers.wsdl.xsd.attributes import Attributes, attribute_schema, attributes
from parsers.wsdl.xsd.builtin import builtin
from parsers.wsdl.xsd.complex import UNKNOWN, Shape, schema_of, shape_of
from parsers.wsdl.xsd.components import Component, Schemas, Scope, part
from parsers.wsdl.xsd.content import NOTHING, Content
from parsers.wsdl.xsd.derived import alternatives_of, substitutes_of
from parsers.wsdl.xsd.naming import definition_names, hoisted_name, late_name
from parsers.wsdl.xsd.notes import described, documentation
from parsers.wsdl.xsd.nulls import or_null
from parsers.wsdl.xsd.particles import group_body
from parsers.wsdl.xsd.simple import simple, typed

_INLINE_LEVELS = 3
_ENCODED: dict[str, dict[str, Any]] = {
    "Array": {"type": "array", "items": {}},
    "Struct": {"type": "object"},
}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Context:
    """Where a declaration stands; `path` names the declarations around it."""

    scope: Scope
    path: tuple[str, ...]

    def inside(self, name: str) -> Context:
        return replace(self, path=(*self.path, name))


def context_of(component: Component) -> Context:
    return Context(component.scope, (component.name.local,))


@dataclass
class Types:
    schemas: Schemas
    report: Report
    definitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    _names: dict[Component, str] = field(default_factory=dict)
    _pending: deque[tuple[str, str, Callable[[], dict[str, Any]]]] = field(default_factory=deque)
    _known: dict[tuple[str, Component], Any] = field(default_factory=dict)
    _busy: set[tuple[str, Component]] = field(default_factory=set)
    _hoisted: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._names = definition_names(self.schemas.table.values())

    # names

    def name(self, text: str, node: Node, context: Context) -> QName:
        try:
            return self.schemas.resolve(text, node, context.scope)
        except UnknownPrefix as fault:
            self.report.warn(place(context.scope.location, node), str(fault))
            return QName(context.scope.target, text.rpartition(":")[2].strip())

    def find(self, kind: str, text: str, node: Node, context: Context) -> Component | None:
        """The component that `text` names at `node`; a name that nothing defines is a warning."""
        name = self.name(text, node, context)
        found = self.schemas.find(kind, name)
        if found is not None and found.original is not None and _builds_on(node, found):
            return found.original
        return found or self.component(kind, name, place(context.scope.location, node))

    def component(self, kind: str, name: QName, location: str) -> Component | None:
        found = self.schemas.nearest(kind, name, location)
        if found is None and name.namespace not in self.schemas.files.lost_namespaces:
            self.report.warn(location, f"{kind} {name} is not defined: taken as anything")
        return found

    # types

    def named(self, text: str, node: Node, context: Context) -> dict[str, Any]:
        """The type of that name: a built-in one, or a reference to its definition."""
        name = self.name(text, node, context)
        return self.type_named(name, place(context.scope.location, node), ":" not in text)

    def type_named(self, name: QName, location: str, bare: bool = False) -> dict[str, Any]:
        """`bare`: written without prefix, so that `string` may have been meant for `xs:string`."""
        known = _without_definition(name)
        if known is not None:
            return known
        meant = builtin(QName(XSD, name.local)) if bare else None
        if meant is not None and self.schemas.nearest("type", name, location) is None:
            self.report.warn(
                location, f"type {name.local} has no prefix: taken for xs:{name.local}"
            )
            return meant
        component = self.component("type", name, location)
        return self.reference(component) if component else {}

    def simple_named(self, text: str, node: Node, context: Context) -> dict[str, Any]:
        """A simple type written out, to be narrowed."""
        shape = self.base_shape(text, node, context)
        return shape.text if shape.text is not None else {}

    def base_shape(self, text: str, node: Node, context: Context) -> Shape:
        name = self.name(text, node, context)
        known = _without_definition(name)
        if known == {}:
            return UNKNOWN
        if known is not None:
            return Shape(text=known)
        component = self.find("type", text, node, context)
        if component is None:
            return UNKNOWN
        for ancestor in reversed(self._ancestors(component)):
            self.shape(ancestor)
        return self.shape(component)

    def _ancestors(self, component: Component) -> list[Component]:
        """The types a type is derived from, nearest first: read from the last, none waits deep in
        the others."""
        found: dict[int, Component] = {}
        base: Component | None = component
        while base is not None and id(base.node) not in found and not self._began("shape", base):
            found[id(base.node)] = base
            base = self._base(base)
        return list(found.values())[1:]

    def _base(self, component: Component) -> Component | None:
        step = _derivation(component.node)
        if step is None:
            return None
        text, context = step.get("base", ""), context_of(component)
        if _without_definition(self.name(text, step, context)) is not None:
            return None
        return self.find("type", text, step, context)

    def shape(self, component: Component) -> Shape:
        def make() -> Shape:
            context = context_of(component)
            if part(component.node) == "simpleType":
                return Shape(text=simple(self, component.node, context))
            return shape_of(self, component.node, context)

        return self._once("shape", component, make, UNKNOWN)

    # elements

    def element(self, component: Component) -> dict[str, Any]:
        """A global element where it is referred to."""
        if any(part(child) == "complexType" for child in component.node):
            schema = described(self.reference(component), documentation(component.node))
            return or_null(schema) if _is_nillable(component.node) else schema
        return self.declared(component.node, context_of(component))

    def declared(self, node: Node, context: Context) -> dict[str, Any]:
        """The schema of an element declaration."""
        schema = described(self._type_of(node, context), documentation(node))
        if node.get("fixed") is not None and "$ref" not in schema:
            schema = {**schema, "const": typed(node.get("fixed"), schema)}
        elif node.get("default") is not None:
            schema = {**schema, "default": typed(node.get("default"), schema)}
        return or_null(schema) if _is_nillable(node) else schema

    def _type_of(self, node: Node, context: Context) -> dict[str, Any]:
        if node.get("type"):
            return self.named(node.get("type"), node, context)
        for child in node:
            if part(child) == "complexType":
                return self._anonymous(child, context)
            if part(child) == "simpleType":
                return simple(self, child, context)
        if node.get("substitutionGroup") and len(context.path) < _INLINE_LEVELS:
            head = self.find("element", node.get("substitutionGroup").split()[0], node, context)
            if head is not None and head.node is not node:
                return self._type_of(head.node, context_of(head).inside("head"))
        return {}

    def _anonymous(self, node: Node, context: Context) -> dict[str, Any]:
        if len(context.path) <= _INLINE_LEVELS:
            return schema_of(shape_of(self, node, context), documentation(node))
        self._hoisted[context.path] += 1
        name = hoisted_name(context.path, self._hoisted[context.path])
        below = Context(context.scope, (name,))
        where = place(context.scope.location, node)
        return self._defined(
            name, where, lambda: schema_of(shape_of(self, node, below), documentation(node))
        )

    def element_named(self, name: QName, location: str) -> dict[str, Any]:
        component = self.component("element", name, location)
        return self.element(component) if component else {}

    def declared_whole(self, component: Component) -> dict[str, Any]:
        return self.declared(component.node, context_of(component))

    def shape_of_element(self, component: Component) -> tuple[Shape | None, str]:
        """What a global element holds, and the words of its type; None for a simple value."""
        node, context = component.node, context_of(component)
        for child in node:
            if part(child) == "complexType":
                return shape_of(self, child, context), documentation(child)
        if not node.get("type"):
            return None, ""
        if _without_definition(self.name(node.get("type"), node, context)) is not None:
            return None, ""
        found = self.find("type", node.get("type"), node, context)
        if found is None or part(found.node) == "simpleType":
            return None, ""
        return self.shape(found), documentation(found.node)

    def substitutes(self, head: Component) -> list[Component]:
        return substitutes_of(self.schemas, head)

    def attribute(self, component: Component) -> dict[str, Any]:
        return attribute_schema(self, component.node, context_of(component))

    # groups

    def group_content(self, component: Component) -> Content:
        def make() -> Content:
            return group_body(self, component.node, context_of(component))

        return self._once("group", component, make, NOTHING)

    def group_attributes(self, component: Component) -> Attributes:
        def make() -> Attributes:
            return attributes(self, component.node, context_of(component))

        return self._once("attributes", component, make, Attributes())

    # definitions

    def reference(self, component: Component) -> dict[str, Any]:
        if component not in self._names:
            self._names[component] = late_name(component, self._names)
        where = place(component.scope.location, component.node)
        return self._defined(self._names[component], where, lambda: self._definition(component))

    def write_definitions(self) -> None:
        """Writes what was referred to, and what that refers to, until nothing is open."""
        while self._pending:
            name, where, make = self._pending.popleft()
            try:
                self.definitions[name] = make()
            except Exception as error:  # noqa: BLE001 - one bad type costs only itself
                self.report.warn(where, f"type {name} cannot be read ({error}): taken as anything")

    def _defined(self, name: str, where: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        if name not in self.definitions:
            self.definitions[name] = {}
            self._pending.append((name, where, make))
        return {"$ref": f"#/$defs/{name}"}

    def _definition(self, component: Component) -> dict[str, Any]:
        text = documentation(component.node)
        if component.kind == "element":
            own = next(child for child in component.node if part(child) == "complexType")
            return schema_of(shape_of(self, own, context_of(component)), text or documentation(own))
        if part(component.node) == "simpleType":
            return described(simple(self, component.node, context_of(component)), text)
        if component.node.get("abstract") in ("true", "1"):
            options = alternatives_of(self.schemas, component, self.reference)
            if options:
                return {"description": text, "anyOf": options} if text else {"anyOf": options}
        return schema_of(self.shape(component), text)

    def _once(self, kind: str, component: Component, make: Callable[[], T], cyclic: T) -> T:
        """Each component read once; one that builds on itself gets `cyclic` inside."""
        key = (kind, component)
        if key in self._busy:
            return cyclic
        if key not in self._known:
            with self._busy_with(key):
                self._known[key] = make()
        known: T = self._known[key]
        return known

    def _began(self, kind: str, component: Component) -> bool:
        return (kind, component) in self._known or (kind, component) in self._busy

    @contextmanager
    def _busy_with(self, key: tuple[str, Component]) -> Iterator[None]:
        self._busy.add(key)
        try:
            yield
        finally:
            self._busy.discard(key)


def _without_definition(name: QName) -> dict[str, Any] | None:
    if name.namespace in SOAP_ENCODINGS and name.local in _ENCODED:
        return dict(_ENCODED[name.local])
    return builtin(name)


def _derivation(node: Node) -> Node | None:
    for child in node:
        if part(child) == "complexContent":
            return next((s for s in child if part(s) in ("extension", "restriction")), None)
    return None


def _builds_on(node: Node, component: Component) -> bool:
    """Inside an xs:redefine, a name that a component derives from itself means what was before."""
    if part(node) not in ("extension", "restriction", "group", "attributeGroup"):
        return False
    return any(above is component.node for above in node.iterancestors())


def _is_nillable(node: Node) -> bool:
    return node.get("nillable") in ("true", "1")
