"""A tool's schemas made whole: the definitions they reach, nearest first, within a stated size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.hashing import references
from catalog.spec import Operation, Schema

DEFAULT_SIZE_BYTES = 64 * 1024
_REF_PREFIX = "#/$defs/"
_CUT_KEY = "x-gloss-cut"
_TRIES = 12


@dataclass(frozen=True, slots=True)
class AssembledSchemas:
    """`cut` names what was left out to stay within the size; the schemas say so too."""

    input_schema: Schema
    output_schema: Schema | None
    cut: tuple[str, ...] = ()


def assemble(
    operation: Operation,
    definitions: Mapping[str, Schema],
    size_bytes: int | None = DEFAULT_SIZE_BYTES,
) -> AssembledSchemas:
    """Both schemas of an operation with the `$defs` they reach; every reference resolves inside.

    The input schema comes first: an agent can call without knowing the whole answer, but not
    without its arguments. `size_bytes` None means no limit.
    """
    given, cut_in = close(operation.input_schema, definitions, size_bytes)
    if operation.output_schema is None:
        return AssembledSchemas(given, None, cut_in)
    left = None if size_bytes is None else max(size_bytes - _size(given), 1024)
    returned, cut_out = close(operation.output_schema, definitions, left)
    return AssembledSchemas(given, returned, tuple(dict.fromkeys(cut_in + cut_out)))


def close(
    schema: Schema, definitions: Mapping[str, Schema], size_bytes: int | None
) -> tuple[Schema, tuple[str, ...]]:
    """A schema with its reached definitions under `$defs`, and the names of those cut."""
    if isinstance(schema, bool):
        return schema, ()
    whole, cut = _closed(schema, definitions, size_bytes)
    room = size_bytes
    for _ in range(_TRIES):  # the words on what was cut need room too
        if size_bytes is None or room is None or _size(whole) <= size_bytes:
            break
        room = room * 9 // 10
        whole, cut = _closed(schema, definitions, room)
    return whole, cut


def _closed(
    schema: dict[str, Any], definitions: Mapping[str, Schema], size_bytes: int | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    root, root_was_cut = _fit(schema, size_bytes)
    chosen, cut = _nearest(
        root, definitions, None if size_bytes is None else size_bytes - _size(root)
    )
    if cut:
        root = _without(root, cut)
        chosen = {name: _without(body, cut) for name, body in chosen.items()}
    if chosen:
        root = {**root, "$defs": chosen}
    names = tuple(sorted(cut)) + (("(deeper levels)",) if root_was_cut else ())
    if names:
        root = {**root, _CUT_KEY: _cut_note(names)}
    return root, names


def _nearest(
    root: Schema, definitions: Mapping[str, Schema], room: int | None
) -> tuple[dict[str, Schema], set[str]]:
    """Reached definitions level by level until the room is used up, and the names beyond it."""
    chosen: dict[str, Schema] = {}
    cut: set[str] = set()
    level = list(dict.fromkeys(references(root)))
    while level:
        following: list[str] = []
        for name in level:
            if name in chosen or name in cut:
                continue
            body = definitions.get(name, {"description": f"{name} is not defined in the spec"})
            size = _size(body) + len(name) + 8
            if room is not None and size > room:
                cut.add(name)
                continue
            room = None if room is None else room - size
            chosen[name] = body
            following.extend(references(body))
        level = list(dict.fromkeys(following))
    return chosen, cut


def _without(schema: Any, cut: set[str]) -> Any:
    """The schema with each reference to a cut definition replaced by a word on what is missing."""
    if isinstance(schema, list):
        return [_without(entry, cut) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str) and ref.startswith(_REF_PREFIX) and ref[len(_REF_PREFIX) :] in cut:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_without(rest, cut), "$comment": f"{ref[len(_REF_PREFIX) :]}: cut to fit"}
    return {key: _without(value, cut) for key, value in schema.items()}


def _fit(schema: dict[str, Any], size_bytes: int | None) -> tuple[dict[str, Any], bool]:
    """The schema itself when it fits, else as many of its levels as do."""
    if size_bytes is None or _size(schema) <= size_bytes:
        return schema, False
    for depth in range(24, 1, -1):
        shallow = _levels(schema, depth)
        if _size(shallow) <= size_bytes:
            return shallow, True
    return _narrow(_levels(schema, 2), size_bytes), True


def _narrow(schema: dict[str, Any], size_bytes: int) -> dict[str, Any]:
    """Of very many properties the required ones and then the first, as many as there is room."""
    given = schema.get("properties", {})
    required = [name for name in schema.get("required", []) if name in given]
    room = size_bytes - 256
    kept: set[str] = set()
    for name in dict.fromkeys((*required, *given)):
        room -= _size({name: given[name]}) + (len(name) + 3 if name in required else 0)
        if room < 0:
            break
        kept.add(name)
    return {
        "type": "object",
        "description": f"{len(kept)} of {len(given)} properties: too many to show",
        "properties": {name: one for name, one in given.items() if name in kept},
        **({"required": there} if (there := [name for name in required if name in kept]) else {}),
    }


def _levels(node: Any, depth: int) -> Any:
    if isinstance(node, dict):
        if depth == 0:
            return {key: value for key, value in node.items() if key in ("type", "$ref", "format")}
        return {key: _levels(value, depth - 1) for key, value in node.items()}
    if isinstance(node, list):
        return [_levels(entry, depth - 1) for entry in node] if depth else []
    return node


def _cut_note(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"cut to fit the size limit: {shown}; `gloss show TOOL --full` has all"


def _size(value: Any) -> int:
    """As json.dumps writes it when left alone: with blanks, and ASCII only."""
    return len(json.dumps(value, default=str))
