"""Attributes and attribute groups (XML Schema part 1, §3.2 and §3.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from parsers.wsdl.names import SOAP_ENCODINGS, Node
from parsers.wsdl.xsd.components import part
from parsers.wsdl.xsd.content import Field, FieldId
from parsers.wsdl.xsd.notes import described, documentation
from parsers.wsdl.xsd.simple import simple, typed

if TYPE_CHECKING:
    from parsers.wsdl.xsd.types import Context, Types


@dataclass(frozen=True, slots=True)
class Attributes:
    """`prohibited` takes away what a base type had; `open` is xs:anyAttribute."""

    fields: tuple[Field, ...] = ()
    prohibited: frozenset[str] = frozenset()
    open: bool = False

    def over(self, base: Attributes) -> Attributes:
        """These on top of those of the base type."""
        own = {one.id for one in self.fields}
        kept = (
            one for one in base.fields if one.id not in own and one.id.name not in self.prohibited
        )
        prohibited = self.prohibited | base.prohibited
        return Attributes((*kept, *self.fields), prohibited, self.open or base.open)


NO_ATTRIBUTES = Attributes()


def attributes(types: Types, nodes: Iterable[Node], context: Context) -> Attributes:
    found = Attributes()
    for node in nodes:
        match part(node):
            case "attribute":
                found = _attribute(types, node, context).over(found)
            case "attributeGroup":
                component = types.find("attributeGroup", node.get("ref", ""), node, context)
                if component is not None:
                    found = types.group_attributes(component).over(found)
            case "anyAttribute":
                found = Attributes(found.fields, found.prohibited, True)
    return found


def _attribute(types: Types, node: Node, context: Context) -> Attributes:
    if node.get("use") == "prohibited":
        name = (node.get("name") or node.get("ref", "")).rpartition(":")[2]
        return Attributes(prohibited=frozenset({name}))
    declared = _identified(types, node, context)
    if declared is None:
        return Attributes()
    field_id, schema = declared
    least = 1 if node.get("use") == "required" else 0
    return Attributes((Field(field_id, _valued(schema, node), least),))


def _identified(
    types: Types, node: Node, context: Context
) -> tuple[FieldId, dict[str, Any]] | None:
    reference = node.get("ref")
    if reference is None:
        name = node.get("name", "").strip()
        form = node.get("form")
        qualified = form == "qualified" if form else context.scope.attributes_qualified
        namespace = context.scope.target if qualified else ""
        return FieldId(namespace, name, "attribute"), attribute_schema(types, node, context)
    qualified_name = types.name(reference, node, context)
    if qualified_name.namespace in SOAP_ENCODINGS:
        return None  # arrayType, offset, id: said by the array itself
    component = types.find("attribute", reference, node, context)
    schema = types.attribute(component) if component else {"type": "string"}
    return FieldId(qualified_name.namespace, qualified_name.local, "attribute"), schema


def attribute_schema(types: Types, node: Node, context: Context) -> dict[str, Any]:
    own = next((child for child in node if part(child) == "simpleType"), None)
    if own is not None:
        schema = simple(types, own, context)
    elif node.get("type"):
        schema = types.named(node.get("type"), node, context)
    else:
        schema = {"type": "string"}
    return _valued(described(schema, documentation(node)), node)


def _valued(schema: dict[str, Any], node: Node) -> dict[str, Any]:
    if node.get("fixed") is not None:
        return {**schema, "const": typed(node.get("fixed"), schema)}
    if node.get("default") is not None:
        return {**schema, "default": typed(node.get("default"), schema)}
    return schema
