"""Response types that say nothing: `object`, and no more."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.spec import Operation, Schema
from probing.values import known_names, resolved


def is_opaque(operation: Operation, definitions: Mapping[str, Schema]) -> bool:
    """Whether the spec says nothing of the fields that come back."""
    schema = resolved(operation.output_schema, definitions)
    if next(known_names(schema, definitions), None) is not None:
        return False
    kinds = schema.get("type")
    return kinds in (None, "object", ["object", "null"]) or (
        kinds == "array" and not resolved(schema.get("items"), definitions).get("type")
    )
