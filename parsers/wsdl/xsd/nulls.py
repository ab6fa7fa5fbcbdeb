"""xsi:nil as JSON null."""

from __future__ import annotations

from typing import Any

_NULL = {"type": "null"}
_WORDS = ("description", "default", "xml")
_COMPOUND = frozenset({"$ref", "oneOf", "anyOf", "allOf", "const"})


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, null allowed beside what it allows."""
    rest = {key: value for key, value in schema.items() if key not in _WORDS}
    words = {key: value for key, value in schema.items() if key in _WORDS}
    if not rest:
        return schema
    if _COMPOUND & set(rest):
        options = rest["anyOf"] if set(rest) == {"anyOf"} else [rest]
        return {**words, "anyOf": options if _NULL in options else [*options, _NULL]}
    widened = dict(schema)
    kinds = rest.get("type", [])
    if kinds:
        widened["type"] = [*([kinds] if isinstance(kinds, str) else kinds), "null"]
    if "enum" in rest:
        widened["enum"] = [*rest["enum"], None]
    return widened
