"""Tool definitions of the Model Context Protocol, as `tools/list` answers them (2025-06-18).

Original names and schemas, for gateways that call; descriptions with the clearer text first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.assembly import DEFAULT_SIZE_BYTES, assemble
from catalog.binding import GrpcBinding, HttpBinding
from catalog.spec import Operation, Schema
from catalog.words import distinct_names
from pipeline.exchange.entry import Entry
from pipeline.exchange.overlay import beside, heading, said_before

META = "apigloss/"
"""Prefix of our keys in `_meta`."""
RESULT = "result"
"""The property that an answer which is no object is wrapped in."""
_READING = ("GET", "HEAD", "OPTIONS", "QUERY", "TRACE")
_TITLE_LENGTH = 80
_HOPS = 12


def names(entries: Sequence[Entry]) -> list[str]:
    """The original names; those that several services share begin with the service's."""
    claims = Counter(entry.name.lower() for entry in entries)
    wanted = [
        (entry.name if claims[entry.name.lower()] == 1 else f"{entry.service}_{entry.name}")
        for entry in entries
    ]
    ids = [entry.tool for entry in entries]
    return distinct_names(list(zip(wanted, ids, strict=True)))


def definition(
    name: str,
    entry: Entry,
    operation: Operation,
    definitions: Mapping[str, Schema],
    size_bytes: int | None = DEFAULT_SIZE_BYTES,
) -> dict[str, Any]:
    whole = assemble(operation, definitions, size_bytes)
    value = {
        "name": name,
        "title": _title(entry),
        "description": _description(entry),
        "inputSchema": _object(whole.input_schema),
        "outputSchema": _output(whole.output_schema),
        "annotations": hints(operation),
        "_meta": _meta(entry),
    }
    return {key: part for key, part in value.items() if part}


def _title(entry: Entry) -> str:
    if entry.text is not None:
        return heading(entry.text.name)
    assert entry.original is not None
    summary = " ".join(entry.original.summary.split())
    return summary if len(summary) <= _TITLE_LENGTH else ""


def _description(entry: Entry) -> str:
    assert entry.original is not None
    if entry.text is None:
        return "\n\n".join(said_before(entry.original))
    return beside(entry.text, entry.original)


def _meta(entry: Entry) -> dict[str, Any]:
    """What a gateway needs to find the operation again, and other words for it."""
    assert entry.original is not None
    said: dict[str, Any] = {f"{META}tool": entry.tool, f"{META}wire": entry.original.wire}
    if entry.text is not None:
        said[f"{META}enriched_name"] = entry.text.name
        said[f"{META}aliases"] = list(entry.text.aliases)
    return said


def hints(operation: Operation) -> dict[str, bool]:
    """What the protocol promises (RFC 9110 §9.2); nothing where it promises nothing."""
    binding = operation.binding
    method = binding.method if isinstance(binding, HttpBinding) else ""
    if isinstance(binding, GrpcBinding):
        method = binding.http_method
    if method in _READING:
        return {"readOnlyHint": True}
    if method in ("PUT", "DELETE"):
        return {
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": True,
        }
    return {"readOnlyHint": False} if method else {}


def _object(schema: Schema) -> dict[str, Any]:
    if isinstance(schema, bool):
        return {"type": "object"}
    return {"type": "object", **{k: part for k, part in schema.items() if k != "type"}}


def _output(schema: Schema | None) -> dict[str, Any] | None:
    """An object at the root; anything else becomes the one property of an object."""
    if schema is None:
        return None
    if isinstance(schema, dict) and _is_object(schema, schema.get("$defs", {})):
        return _object(schema)
    inner = schema if isinstance(schema, bool) else {**schema}
    shared = inner.pop("$defs", None) if isinstance(inner, dict) else None
    wrapped = {"type": "object", "properties": {RESULT: inner}, "required": [RESULT]}
    return {**wrapped, "$defs": shared} if shared else wrapped


def _is_object(node: Any, shared: Mapping[str, Any], hops: int = _HOPS) -> bool:
    """Whether every value of the schema is an object, as far as it says."""
    if not isinstance(node, dict) or hops == 0:
        return False
    if "type" in node:
        return bool(node["type"] in ("object", ["object"]))
    ref = node.get("$ref")
    if isinstance(ref, str):
        return _is_object(shared.get(ref.removeprefix("#/$defs/")), shared, hops - 1)
    if any(_is_object(part, shared, hops - 1) for part in node.get("allOf", ())):
        return True
    branches = node.get("oneOf") or node.get("anyOf") or ()
    return bool(branches) and all(_is_object(part, shared, hops - 1) for part in branches)
