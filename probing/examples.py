"""The examples that a spec itself gives of a response, as shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg import Connection

from catalog.spec import Operation, Schema
from probing.merging import merged
from probing.shapes import shape_of
from probing.values import known_names, resolved
from store.catalog import definitions_of, operations_to_index
from store.rows import ServiceRow
from store.samples import Sample, save_samples


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


def save_examples(connection: Connection, service: ServiceRow) -> int:
    """The spec's own examples of responses as shapes; how many operations have some."""
    definitions = definitions_of(connection, service.service_id)
    found = [
        Sample(
            service_id=service.service_id,
            tool=operation.name,
            origin="example",
            outcome="documented",
            content_hash=content_hash,
            detail="an example in the spec",
            shape=shape,
        )
        for _, operation, _, content_hash in operations_to_index(connection, service.name)
        if (shape := example_shape(operation, definitions)) is not None
    ]
    save_samples(connection, found)
    return len(found)
