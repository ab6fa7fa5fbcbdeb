"""What OpenAPI 3.0 says in its own way, said as JSON Schema 2020-12 does."""

from __future__ import annotations

from typing import Any

ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
)
_NULL = {"type": "null"}


def bounds_exclusive(out: dict[str, Any], value: dict[str, Any]) -> None:
    """`minimum: 5, exclusiveMinimum: true` is `exclusiveMinimum: 5`."""
    for plain, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if value.get(exclusive) is True and plain in out:
            out[exclusive] = out.pop(plain)


def with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema that null satisfies too.

    A type gets a second one; what cannot be widened in place (`$ref`, `allOf`, `not`) becomes one
    of two alternatives, its annotations staying outside.
    """
    if schema.keys() & {"$ref", "allOf", "not", "const", "if"}:
        outside = {key: value for key, value in schema.items() if key in ANNOTATIONS}
        inside = {key: value for key, value in schema.items() if key not in ANNOTATIONS}
        return {"anyOf": [inside, dict(_NULL)], **outside}
    out = dict(schema)
    if "type" in out:
        types = out["type"] if isinstance(out["type"], list) else [out["type"]]
        out["type"] = types if "null" in types else [*types, "null"]
    if "enum" in out and None not in out["enum"]:
        out["enum"] = [*out["enum"], None]
    for key in ("anyOf", "oneOf"):
        if key in out and _NULL not in out[key]:
            out[key] = [*out[key], dict(_NULL)]
    return out


def without_read_only(schema: Any) -> Any:
    """The schema of something sent: read-only properties stay, but nobody has to send them.

    Only what is written in place: a shared definition serves requests and answers alike. In place,
    on a schema that nobody else holds.
    """
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, dict):
            properties = node.get("properties")
            if isinstance(properties, dict) and isinstance(node.get("required"), list):
                kept = [name for name in node["required"] if not read_only(properties.get(name))]
                node["required"] = kept
                if not kept:
                    del node["required"]
            stack.extend(value for key, value in node.items() if key not in ("examples", "default"))
    return schema


def read_only(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("readOnly") is True
