"""Particles (XML Schema part 1, §3.8–3.10): element, group, sequence, choice, all, any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parsers.wsdl.names import Node
from parsers.wsdl.xsd.components import part
from parsers.wsdl.xsd.content import (
    MANY,
    NOTHING,
    Content,
    Field,
    FieldId,
    choice,
    sequence,
    single,
    times,
)
from parsers.wsdl.xsd.notes import described, documentation

if TYPE_CHECKING:
    from parsers.wsdl.xsd.types import Context, Types

PARTICLES = frozenset({"sequence", "choice", "all", "group", "element", "any"})
_MAX_NESTING = 60
_DIGITS = 12  # of a count beyond MANY; Python does not convert thousands of them


class TooDeep(Exception):
    """Particles nested beyond anything that a person writes."""


def particle(types: Types, node: Node, context: Context, nesting: int = 0) -> Content:
    if nesting > _MAX_NESTING:
        raise TooDeep(f"particles nested more than {_MAX_NESTING} deep")
    least, most = occurrences(node)
    if most == 0:
        return NOTHING
    return times(_once(types, node, context, nesting), least, most)


def occurrences(node: Node) -> tuple[int, int]:
    least = _count(node.get("minOccurs", "1"), 1)
    most = _count(node.get("maxOccurs", "1"), max(least, 1))
    return min(least, most), most


def _count(text: str, otherwise: int) -> int:
    text = text.strip()
    if text == "unbounded":
        return MANY
    if not (text.isascii() and text.isdigit()):
        return otherwise
    return min(int(text.lstrip("0")[:_DIGITS] or "0"), MANY)


def _once(types: Types, node: Node, context: Context, nesting: int) -> Content:
    match part(node):
        case "element":
            return _element(types, node, context)
        case "any":
            return Content(open=True)
        case "group":
            return _group(types, node, context)
        case "choice":
            return choice(_parts(types, node, context, nesting))
    return sequence(_parts(types, node, context, nesting))


def _parts(types: Types, node: Node, context: Context, nesting: int) -> list[Content]:
    return [
        particle(types, child, context, nesting + 1) for child in node if part(child) in PARTICLES
    ]


def _group(types: Types, node: Node, context: Context) -> Content:
    found = types.find("group", node.get("ref", ""), node, context)
    return types.group_content(found) if found else Content(open=True)


def group_body(types: Types, node: Node, context: Context) -> Content:
    """What an xs:group definition holds."""
    return sequence(_parts(types, node, context, 0))


def _element(types: Types, node: Node, context: Context) -> Content:
    reference = node.get("ref")
    if reference:
        return _referred(types, reference, node, context)
    name = node.get("name", "").strip()
    form = node.get("form")
    qualified = form == "qualified" if form else context.scope.qualified
    namespace = context.scope.target if qualified else ""
    schema = types.declared(node, context.inside(name))
    return single(Field(FieldId(namespace, name, "element"), schema))


def _referred(types: Types, reference: str, node: Node, context: Context) -> Content:
    """A global element by name, or any that may stand in its place."""
    name = types.name(reference, node, context)
    head = types.find("element", reference, node, context)
    text = documentation(node)
    if head is None:
        return single(Field(FieldId(name.namespace, name.local, "element"), described({}, text)))
    members = types.substitutes(head)
    options = [_global(types, one, text) for one in members]
    return options[0] if len(options) == 1 else choice(options)


def _global(types: Types, component: Any, text: str) -> Content:
    name = component.name
    field_id = FieldId(name.namespace, name.local, "element")
    return single(Field(field_id, described(types.element(component), text)))
