"""Where an answer is not what the spec's response type says; places and types, never values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from catalog.spec import Schema
from probing.keys import is_data
from probing.values import resolved

MAX_FOUND = 10
MAX_DEPTH = 12
MAX_ITEMS = 20
_NUMBERS = {"integer": (int,), "number": (int, float)}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
    **_NUMBERS,
}


def contradictions(
    value: Any, schema: Schema | None, definitions: Mapping[str, Schema]
) -> tuple[str, ...]:
    """At most ten sentences such as `items[].total: a number, the spec says string`."""
    found = dict.fromkeys(islice(_walk(value, schema, definitions, "", 0), 200))
    return tuple(found)[:MAX_FOUND]


def _walk(
    value: Any, schema: Any, definitions: Mapping[str, Schema], path: str, depth: int
) -> Iterator[str]:
    node = resolved(schema, definitions)
    if not node or depth > MAX_DEPTH:
        return
    kinds = _kinds(node)
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{path or 'the whole'}: {_named(value)}, the spec says {' or '.join(kinds)}"
        return
    if _is_closed_choice(node) and value not in node["enum"] and value is not None:
        yield f"{path or 'the whole'}: a value that is none of the spec's choices"
    for branch in node.get("allOf") or ():
        yield from _walk(value, branch, definitions, path, depth + 1)
    yield from _branches(value, node, definitions, path, depth)
    if isinstance(value, dict):
        yield from _object(value, node, definitions, path, depth)
    if isinstance(value, list):
        for entry in value[:MAX_ITEMS]:
            yield from _walk(entry, node.get("items"), definitions, f"{path}[]", depth + 1)


def _branches(
    value: Any, node: dict[str, Any], definitions: Mapping[str, Schema], path: str, depth: int
) -> Iterator[str]:
    """Of alternatives, one that fits is enough."""
    for key in ("anyOf", "oneOf"):
        branches = node.get(key) or ()
        failing = [list(_walk(value, one, definitions, path, depth + 1)) for one in branches]
        if failing and all(failing):
            yield f"{path or 'the whole'}: fits none of the spec's alternatives"


def _object(
    value: dict[str, Any],
    node: dict[str, Any],
    definitions: Mapping[str, Schema],
    path: str,
    depth: int,
) -> Iterator[str]:
    parts = node.get("properties") or {}
    for name in node.get("required") or ():
        written_only = resolved(parts.get(name), definitions).get("writeOnly")
        if name not in value and not written_only:
            yield f"{_below(path, name)}: missing, the spec requires it"
    for key, part in value.items():
        rest = node.get("additionalProperties")
        schema = parts.get(key, rest if isinstance(rest, dict) else None)
        shown = key if key in parts else ("{}" if is_data(str(key), frozenset(), False) else key)
        if schema is not None:
            yield from _walk(part, schema, definitions, _below(path, shown), depth + 1)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _kinds(node: dict[str, Any]) -> list[str]:
    kind = node.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []
    return [*kinds, "null"] if kinds and node.get("nullable") else kinds


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))


def _is_closed_choice(node: dict[str, Any]) -> bool:
    return isinstance(node.get("enum"), list) and not node.get("x-open-enum")


def _named(value: Any) -> str:
    for kind in ("boolean", "integer", "number", "string", "object", "array", "null"):
        if _is(value, kind):
            return f"{'an' if kind[0] in 'aio' else 'a'} {kind}"
    return "something else"
