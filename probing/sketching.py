"""A shape as a person would sketch it: names indented by their nesting, each with its type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAX_LINES = 60


def sketch(shape: dict[str, Any]) -> list[str]:
    """At most sixty lines; the last says how many more there are."""
    lines = list(_lines(shape, 0))
    if not lines:
        lines = [kind_of(shape)]
    more = len(lines) - MAX_LINES
    return lines if more <= 0 else [*lines[:MAX_LINES], f"… {more} more"]


def _lines(shape: dict[str, Any], depth: int) -> Iterator[str]:
    node, listed = _inside(shape)
    if depth == 0 and listed:
        yield f"list{listed}"
        depth = 1
    required = set(node.get("required", ()))
    for name, part in (node.get("properties") or {}).items():
        optional = "" if name in required else "?"
        yield f"{'  ' * depth}{name}{optional}: {kind_of(part)}"
        yield from _below(part, depth + 1)
    rest = node.get("additionalProperties")
    if isinstance(rest, dict):
        yield f"{'  ' * depth}{_keys(node)}: {kind_of(rest)}"
        yield from _below(rest, depth + 1)


def _below(part: dict[str, Any], depth: int) -> Iterator[str]:
    node, _ = _inside(part)
    if node.get("properties") or isinstance(node.get("additionalProperties"), dict):
        yield from _lines(node, depth)


def _inside(shape: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The shape behind lists, and the lengths of the outermost in words."""
    listed = ""
    while isinstance(shape.get("items"), dict) and "properties" not in shape:
        listed = listed or _lengths(shape)
        shape = shape["items"]
    return shape, listed


def kind_of(shape: dict[str, Any]) -> str:
    """`string (date)`, `list of object [5]`, `PENDING | PAID`, `string or null`."""
    if shape.get("enum"):
        return " | ".join(str(word) for word in shape["enum"])
    kinds = shape.get("type", "anything")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    words = [_kind(kind, shape) for kind in kinds]
    return " or ".join(words) + (f" ({shape['format']})" if shape.get("format") else "")


def _kind(kind: str, shape: dict[str, Any]) -> str:
    if kind != "array":
        return kind
    items = shape.get("items")
    return f"list of {kind_of(items)}{_lengths(shape)}" if isinstance(items, dict) else "empty list"


def _lengths(shape: dict[str, Any]) -> str:
    low, high = shape.get("minItems"), shape.get("maxItems")
    if low is None or high is None:
        return ""
    return f" [{low}]" if low == high else f" [{low}–{high}]"


def _keys(node: dict[str, Any]) -> str:
    names = node.get("propertyNames", {})
    return f"<{names.get('format') or names.get('pattern') or 'key'}>"
