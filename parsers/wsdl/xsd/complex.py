"""Complex types (XML Schema part 1, §3.4): content, attributes, derivation, arrays of SOAP §5."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from parsers.wsdl.names import SOAP_ENCODINGS, WSDL, Node, UnknownPrefix
from parsers.wsdl.xsd.attributes import NO_ATTRIBUTES, Attributes, attributes
from parsers.wsdl.xsd.components import part
from parsers.wsdl.xsd.content import NOTHING, Content, Field, FieldId, sequence
from parsers.wsdl.xsd.objects import object_schema
from parsers.wsdl.xsd.particles import PARTICLES, particle
from parsers.wsdl.xsd.simple import restricted

if TYPE_CHECKING:
    from parsers.wsdl.xsd.types import Context, Types

_ARRAY_TYPE = f"{{{WSDL}}}arrayType"
_TEXT = FieldId("", "value", "text")
_DIMENSIONS = re.compile(r"\[([0-9,\s]*)\]")


@dataclass(frozen=True, slots=True)
class Shape:
    """A complex type taken apart. `text` is the type of its text, `items` that of an array of SOAP
    encoding, each None where there is no such thing. `unknown`: its base could not be read."""

    content: Content = NOTHING
    attributes: Attributes = NO_ATTRIBUTES
    text: dict[str, Any] | None = None
    items: dict[str, Any] | None = None
    mixed: bool = False
    unknown: bool = False

    @property
    def fields(self) -> tuple[Field, ...]:
        text: tuple[Field, ...] = ()
        if self.text is not None:
            text = (Field(_TEXT, self.text),)
        elif self.mixed:
            words = {"type": "string", "description": "the text between the elements"}
            text = (Field(_TEXT, words, least=0),)
        return (*text, *self.content.fields.values(), *self.attributes.fields)

    @property
    def is_open(self) -> bool:
        return self.content.open or self.attributes.open or self.unknown

    @property
    def is_object(self) -> bool:
        if self.items is not None:
            return False
        return self.text is None or bool(self.attributes.fields) or self.attributes.open


UNKNOWN = Shape(unknown=True)


def schema_of(shape: Shape, text: str = "") -> dict[str, Any]:
    if shape.items is not None:
        schema: dict[str, Any] = {"type": "array", "items": shape.items}
    elif shape.text is not None and not shape.is_object:
        schema = dict(shape.text)
    else:
        schema = object_schema(shape.fields, shape.content.choices, shape.is_open)
    return {"description": text, **schema} if text else schema


def shape_of(types: Types, node: Node, context: Context) -> Shape:
    """The shape of an xs:complexType element."""
    mixed = node.get("mixed") in ("true", "1")
    for child in node:
        if part(child) in ("simpleContent", "complexContent"):
            mixed = mixed or child.get("mixed") in ("true", "1")
            for step in child:
                if part(step) in ("extension", "restriction"):
                    derived = _derived(types, step, context, part(child) == "simpleContent")
                    return replace(derived, mixed=derived.mixed or mixed)
    return Shape(_content(types, node, context), attributes(types, node, context), mixed=mixed)


def _content(types: Types, node: Node, context: Context) -> Content:
    return sequence([particle(types, child, context) for child in node if part(child) in PARTICLES])


def _derived(types: Types, step: Node, context: Context, is_simple: bool) -> Shape:
    reference = step.get("base", "")
    if is_simple:
        return _simple_content(types, step, context)
    if _is_soap_array(types, reference, step, context):
        return Shape(items=_items(types, step, context))
    base = types.base_shape(reference, step, context)
    own = attributes(types, step, context).over(base.attributes)
    content = _content(types, step, context)
    if base.items is not None:
        narrowed = _items(types, step, context)
        return replace(base, items=narrowed or base.items)
    if part(step) == "extension":
        return replace(base, content=sequence([base.content, content]), attributes=own)
    return Shape(content, own, mixed=base.mixed, unknown=base.unknown)


def _simple_content(types: Types, step: Node, context: Context) -> Shape:
    base = types.base_shape(step.get("base", ""), step, context)
    own = attributes(types, step, context).over(base.attributes)
    text = base.text if base.text is not None else {"type": "string"}
    if part(step) == "restriction":
        text = restricted(types, step, context, text)
    return Shape(attributes=own, text=text)


def _is_soap_array(types: Types, reference: str, step: Node, context: Context) -> bool:
    name = types.name(reference, step, context)
    return name.namespace in SOAP_ENCODINGS and name.local == "Array"


def _items(types: Types, step: Node, context: Context) -> dict[str, Any]:
    """Item type of an array: `wsdl:arrayType="t:Country[]"`, or the one element that repeats."""
    for node in step:
        declared = node.get(_ARRAY_TYPE) if part(node) == "attribute" else None
        if declared:
            return _array_items(types, declared, node, context)
    fields = list(_content(types, step, context).fields.values())
    if len(fields) == 1:
        return fields[0].schema
    return {}


def _array_items(types: Types, declared: str, node: Node, context: Context) -> dict[str, Any]:
    """SOAP 1.1 §5.4.2: `int[]`, `int[,]` and `int[][]`; the outermost dimension is the array."""
    name, _, _ = declared.partition("[")
    try:
        items = types.named(name, node, context)
    except UnknownPrefix:
        items = {}
    dimensions = sum(len(one.split(",")) for one in _DIMENSIONS.findall(declared)) or 1
    for _ in range(min(dimensions, 20) - 1):
        items = {"type": "array", "items": items}
    return items
