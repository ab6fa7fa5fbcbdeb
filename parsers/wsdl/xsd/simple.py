"""Simple types (XML Schema part 2): restriction with facets, list, union."""

from __future__ import annotations

import contextlib
import re
import warnings
from typing import TYPE_CHECKING, Any

from parsers.wsdl.names import Node
from parsers.wsdl.xsd.components import part
from parsers.wsdl.xsd.notes import documentation

if TYPE_CHECKING:
    from parsers.wsdl.xsd.types import Context, Types

_BOUNDS = {
    "minInclusive": "minimum",
    "maxInclusive": "maximum",
    "minExclusive": "exclusiveMinimum",
    "maxExclusive": "exclusiveMaximum",
}
_LENGTHS = {
    "length": ("minLength", "maxLength", "minItems", "maxItems"),
    "minLength": ("minLength", "minItems"),
    "maxLength": ("maxLength", "maxItems"),
}
# what XSD's expressions have and ECMA-262 reads otherwise: \i \c \p{Is…}, subtraction, ^ and $
_FOREIGN = re.compile(r"\\[icICpP]|-\[|[\^$](?!\])")
_MAX_PATTERN = 500


def simple(types: Types, node: Node, context: Context) -> dict[str, Any]:
    """The schema of an xs:simpleType, its base types worked in."""
    for child in node:
        match part(child):
            case "restriction":
                return restricted(types, child, context)
            case "list":
                items = _items(types, child, context)
                return {"type": "array", "items": items, "xml": {"list": True}}
            case "union":
                return _union(types, child, context)
    return {"type": "string"}


def restricted(
    types: Types, step: Node, context: Context, base: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A restriction's base narrowed by its facets."""
    own = next((child for child in step if part(child) == "simpleType"), None)
    if own is not None:
        base = simple(types, own, context)
    elif base is None:
        base = types.simple_named(step.get("base", ""), step, context)
    return _narrowed(base, step)


def _items(types: Types, node: Node, context: Context) -> dict[str, Any]:
    own = next((child for child in node if part(child) == "simpleType"), None)
    if own is not None:
        return simple(types, own, context)
    return types.named(node.get("itemType", ""), node, context)


def _union(types: Types, node: Node, context: Context) -> dict[str, Any]:
    members = [types.named(name, node, context) for name in node.get("memberTypes", "").split()]
    members += [simple(types, child, context) for child in node if part(child) == "simpleType"]
    distinct = [one for index, one in enumerate(members) if one not in members[:index]]
    if not distinct or {} in distinct:
        return {}
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _narrowed(base: dict[str, Any], step: Node) -> dict[str, Any]:
    schema = {key: value for key, value in base.items() if key != "description"}
    values = [child for child in step if part(child) == "enumeration"]
    if values:
        texts = (typed(child.get("value", ""), base) for child in values)
        schema["enum"] = list(dict.fromkeys(texts))
    notes = [note for note in (_enumeration_note(child) for child in values) if note]
    for child in step:
        notes += _facet(schema, part(child), child.get("value", ""))
    notes += _patterns(schema, [c.get("value", "") for c in step if part(c) == "pattern"])
    if notes:
        schema["description"] = "\n".join(notes)
    return schema


def _enumeration_note(node: Node) -> str:
    text = documentation(node)
    return f"{node.get('value', '')}: {text}" if text else ""


def _facet(schema: dict[str, Any], name: str, value: str) -> list[str]:
    """Writes one facet into the schema; what JSON Schema cannot say comes back as words."""
    kind = schema.get("type")
    if name in _BOUNDS:
        number = typed(value, schema)
        if kind in ("integer", "number") and isinstance(number, int | float):
            schema[_BOUNDS[name]] = number
            return []
        return [f"{name} {value}"]
    if name in _LENGTHS and re.fullmatch(r"\s*[0-9]{1,18}\s*", value):
        suffix = {"string": "Length", "array": "Items"}.get(str(kind))
        if suffix and "contentEncoding" not in schema:
            schema.update((key, int(value)) for key in _LENGTHS[name] if key.endswith(suffix))
    if name in ("totalDigits", "fractionDigits") and kind == "number":
        return [f"{name} {value}"]
    return []


def _patterns(schema: dict[str, Any], patterns: list[str]) -> list[str]:
    """The patterns of one step are alternatives; a step below narrows those of its base."""
    if not patterns:
        return []
    joined = patterns[0] if len(patterns) == 1 else "|".join(f"(?:{one})" for one in patterns)
    if schema.get("type") != "string" or not _is_portable(joined):
        return [f"pattern {joined}"]
    anchored = f"^(?:{joined})$"
    if "pattern" in schema:
        schema["allOf"] = [*schema.get("allOf", []), {"pattern": schema["pattern"]}]
    schema["pattern"] = anchored
    return []


def _is_portable(pattern: str) -> bool:
    if len(pattern) > _MAX_PATTERN or _FOREIGN.search(pattern):
        return False
    with contextlib.suppress(re.error, OverflowError, RecursionError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        re.compile(pattern)
        return True
    return False


def typed(text: str, schema: dict[str, Any]) -> str | int | float | bool:
    """A value as the schema's own type; text that does not fit stays text."""
    stripped = text.strip()
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if len(kind) == 2 and kind[1] == "null" else None
    with contextlib.suppress(ValueError):
        if kind == "integer":
            return int(stripped) if len(stripped) < 40 else text
        if kind == "number":
            return _number(stripped)
        if kind == "boolean" and stripped in ("true", "false", "1", "0"):
            return stripped in ("true", "1")
    return text


def _number(text: str) -> int | float | str:
    """Not a number, infinity and what overflows stay text: JSON has no word for them."""
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return text
    value = float(text)
    return value if abs(value) < float("inf") else text
