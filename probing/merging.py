"""Several shapes as one: what only some have is optional, types and choices are joined."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from probing.enums import MAX_WORDS


def merged(shapes: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """One shape for all, None for none. The order of the fields is that of the first."""
    listed = list(shapes)
    return reduce(_merge, listed) if listed else None


def _merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    if one == other or not other:
        return one
    if not one:
        return other
    found: dict[str, Any] = {"type": _types(one, other)}
    if not found["type"]:
        del found["type"]
    found |= _objects(one, other)
    found |= _arrays(one, other)
    found |= _texts(one, other)
    return found


def _types(one: dict[str, Any], other: dict[str, Any]) -> Any:
    kinds = {*_listed(one.get("type")), *_listed(other.get("type"))}
    if "number" in kinds:
        kinds.discard("integer")
    return next(iter(kinds)) if len(kinds) == 1 else sorted(kinds)


def _listed(kinds: Any) -> list[str]:
    return kinds if isinstance(kinds, list) else [kinds] if kinds else []


def _has(shape: dict[str, Any], kind: str) -> bool:
    return kind in _listed(shape.get("type"))


def _objects(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    left, right = one.get("properties"), other.get("properties")
    found: dict[str, Any] = {}
    if left is not None or right is not None:
        found["properties"] = _parts(left or {}, right or {})
    required = [name for name in _required(one, other) if name in found.get("properties", {})]
    if required:
        found["required"] = required
    rest = [s["additionalProperties"] for s in (one, other) if "additionalProperties" in s]
    if rest:
        found["additionalProperties"] = reduce(_merge, rest)
        names = [s["propertyNames"] for s in (one, other) if "propertyNames" in s]
        if len(names) == len(rest) and all(name == names[0] for name in names):
            found["propertyNames"] = names[0]
    return found


def _required(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """What each of the two that is an object always has."""
    lists = [shape.get("required", []) for shape in (one, other) if _has(shape, "object")]
    return [name for name in lists[0] if all(name in some for some in lists)] if lists else []


def _parts(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    names = dict.fromkeys([*left, *right])
    return {
        name: _merge(left[name], right[name])
        if name in left and name in right
        else left.get(name, right.get(name))
        for name in names
    }


def _arrays(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    items = [shape["items"] for shape in (one, other) if "items" in shape]
    if items:
        found["items"] = reduce(_merge, items)
    for key, choose in (("minItems", min), ("maxItems", max)):
        sizes = [shape[key] for shape in (one, other) if key in shape]
        if sizes:
            found[key] = choose(sizes)
    return found


def _texts(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A format or choices stay only where every one that is a text has them."""
    texts = [shape for shape in (one, other) if _has(shape, "string")]
    found: dict[str, Any] = {}
    formats = {shape.get("format") for shape in texts}
    if len(formats) == 1 and None not in formats:
        found["format"] = formats.pop()
    if texts and all("enum" in shape for shape in texts):
        words = sorted({word for shape in texts for word in shape["enum"]})
        if len(words) <= MAX_WORDS:
            found |= {"enum": words, "x-open-enum": True}
    examples = [value for shape in (one, other) for value in shape.get("examples", ())]
    return found | ({"examples": examples[:3]} if examples else {})
