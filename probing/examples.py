"""The examples that a spec itself gives of a response, as shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.spec import Operation, Schema
from probing.merging import merged
from probing.shapes import shape_of
from probing.values import known_names, resolved


def example_shape(operation: Operation, definitions: Mapping[str, Schema]) -> dict[str, Any] | None:
    """One shape for all whole examples of the response type; None where it has none."""
    schema = resolved(operation.output_schema, definitions)
    examples = schema.get("examples")
    whole = (
        [e for e in examples if isinstance(e, (dict, list))] if isinstance(examples, list) else []
    )
    if not whole and isinstance(schema.get("default"), (dict, list)):
        whole = [schema["default"]]
    known = set(known_names(schema, definitions))
    return merged(shape_of(example, known) for example in whole)
